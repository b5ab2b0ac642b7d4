package analysis

import (
	"github.com/aside-go/aside/compile"
	"github.com/aside-go/aside/compile/fact"
	"github.com/aside-go/aside/grammar"
)

// The codes of what is found.
const (
	codeNever      = "R0901"
	codeAlways     = "R0902"
	codeOnce       = "R0903"
	codeNoEffect   = "R0904"
	codePartNever  = "R0905"
	codePartAlways = "R0906"
	codeRearmNever = "R0907"
	codeRearmWith  = "R0908"
	codeRearmVoid  = "R0909"
	codeDuplicate  = "R0910"
	codeImplied    = "R0911"
	codeLimitVoid  = "R0912"
)

// Set returns what is found in the reminders of a set, each by itself and all together, in the places of their files, sorted.
func Set(s *compile.Set) grammar.Diagnostics {
	return Only(s, func(int) bool { return true })
}

// Only is Set for those reminders, by index, that want accepts. They are compared with all others of the set.
func Only(s *compile.Set, want func(i int) bool) grammar.Diagnostics {
	return nil
}

// Example is a turn on which a trigger is true.
type Example struct {
	Frame *fact.Frame // facts that the trigger does not need are unknown; the caller must not write to it
	Text  string      // "context_usage is 0.76 and turn_count is 11"; "" for a trigger that is true whatever the facts
}

// Witness returns a turn on which the trigger is true: it was evaluated on it. ok is false where the trigger can never be
// true, and where none was found.
func Witness(p *compile.Predicate) (ex Example, ok bool) {
	return Example{}, false
}

// Kind says how the triggers of two reminders stand to each other.
type Kind uint8

const (
	// Same: on each turn both have the same truth.
	Same Kind = iota
	// Implies: where the first is true the second is too.
	Implies
	// ImpliedBy: where the second is true the first is too.
	ImpliedBy
	// Apart: they are never true on the same turn.
	Apart
)

// Relation is how a reminder stands to another.
type Relation struct {
	Other int // its index
	Kind  Kind
}

// Relations returns how the trigger of the i-th reminder stands to those of all others, by index; others of which nothing is
// to be said are left out, and so are all where one of the two can never be true.
func Relations(s *compile.Set, i int) []Relation {
	return nil
}

// Description is what is known of a reminder beforehand, for people.
type Description struct {
	Never   bool // its trigger can never be true
	Always  bool // its trigger is true whenever its facts are known
	Once    bool // it fires at most once a run
	Example Example
	Lines   []string // all of this in words, a sentence each, without a full stop
}

// Describe describes the i-th reminder.
func Describe(s *compile.Set, i int) Description {
	return Description{}
}
