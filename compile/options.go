package compile

import (
	"sync"

	"github.com/aside-go/aside/compile/fact"
	"github.com/aside-go/aside/grammar"
)

// Options say which facts and tools there are. With the zero value there are the built-in facts, and any tool may exist.
type Options struct {
	Schema *fact.Schema // the facts there are; nil for the built-in ones alone
	Tools  []string     // names of the tools that exist: any other in a trigger is a warning. If empty, there are no warnings

	// Parse parses a trigger exactly as grammar.Parse does, for example from a cache. nil is grammar.Parse.
	Parse func(src string) (*grammar.Trigger, grammar.Diagnostics)
}

// builtin is the schema that stands for nil. There is only one, so that frames and predicates have the same.
var builtin = sync.OnceValue(fact.Builtin)
