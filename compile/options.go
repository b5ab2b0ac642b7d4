package compile

import (
	"sync"

	"github.com/aside-go/aside/compile/fact"
	"github.com/aside-go/aside/grammar"
)

// Options says against what triggers and texts are compiled. The zero value takes the built-in facts and any tool.
type Options struct {
	Schema *fact.Schema // nil: the built-in facts
	Tools  []string     // names of tools known to exist; another name is a warning. Empty: any name goes

	// Parse reads a trigger as grammar.Parse does; it is that function, or one that remembers what that has read. nil is
	// grammar.Parse.
	Parse func(src string) (*grammar.Trigger, grammar.Diagnostics)
}

// builtin is the one schema that stands for nil, so that frames and predicates agree on it.
var builtin = sync.OnceValue(fact.Builtin)
