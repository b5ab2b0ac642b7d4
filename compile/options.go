package compile

import (
	"sync"

	"github.com/aside-go/aside/compile/fact"
)

// Options says against what triggers and texts are compiled. The zero value takes the built-in facts and any tool.
type Options struct {
	Schema *fact.Schema // nil: the built-in facts
	Tools  []string     // names of tools known to exist; another name is a warning. Empty: any name goes
}

// builtin is the one schema that stands for nil, so that frames and predicates agree on it.
var builtin = sync.OnceValue(fact.Builtin)
