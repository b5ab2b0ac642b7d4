// Package condition owns the typed tree of a trigger: conditions whose types are checked, each with the
// function that evaluates it. Package compile makes the tree. Whoever needs the meaning of a trigger reads
// it: evaluation, identity, explanation, needs, package analysis, package lint. It is pure.
package condition

import (
	"slices"
	"time"

	"github.com/aside-go/aside/compile/fact"
	"github.com/aside-go/aside/grammar"
	"github.com/aside-go/aside/internal/vocabulary"
)

// Node is a part of a compiled trigger. It is immutable.
type Node struct {
	Expr grammar.Expr // as parsed
	Kids []*Node      // the operands of and, or, not
	Leaf *Leaf        // the condition; nil for and, or, not
	Eval func(*fact.Frame) fact.Truth
	// Member returns what a Leaf with a list asks for the i-th member of it alone.
	Member func(l *Leaf, i int) (*Leaf, func(*fact.Frame) fact.Truth)
}

// Walk visits n and all that is in it, in the order written.
func (n *Node) Walk(visit func(*Node)) {
	visit(n)
	for _, k := range n.Kids {
		k.Walk(visit)
	}
}

// Leaves visits the conditions of n, in the order written.
func (n *Node) Leaves(visit func(*Leaf)) {
	n.Walk(func(n *Node) {
		if n.Leaf != nil {
			visit(n.Leaf)
		}
	})
}

// Kind says what a Leaf asks, and which of its fields count.
type Kind uint8

const (
	// Constant has the value Truth, whatever the facts are.
	Constant Kind = iota
	// Number compares Fact with Numbers[0] by Op. Fact is an int, a ratio, a duration, or a bool, which counts
	// as 1 or 0.
	Number
	// NumberIn asks whether Fact is one of Numbers; with Not, whether it is none of them.
	NumberIn
	// Facts compares Fact with Other by Op.
	Facts
	// Text asks whether the string Fact is one of Names; with Not, whether it is none of them.
	Text
	// Members asks whether a member of the set Fact is one of Names; with Not, whether none is. If Fact is
	// tool_used, Names may have wildcards.
	Members
	// MemberOf asks whether the string Fact is a member of the set Other; with Not, whether it is none.
	MemberOf
	// Failed asks whether one of the tools Names, perhaps with wildcards, failed in the previous turn.
	Failed
	// Cadence is true every N turns or every N user turns, or every time that Every has passed; Unit says which.
	Cadence
	// Function compares the result of Function for Argument with Numbers[0] by Op. The result of used is 1 or 0.
	// The function len has no Argument: it returns how many members the set Fact has.
	Function
	// MemberLike asks whether a member of the set Fact contains, startsWith, endsWith or matches Names[0]; Word
	// says which.
	MemberLike
	// Called asks whether a call of the previous turn matches one of the call patterns Names, at least one of
	// which looks at a class or a subject; with Not, whether none does.
	Called
	// FailedCall is Failed with such patterns.
	FailedCall
	// Before asks whether a call that matches one of the patterns Names is about to be executed.
	Before
	// Stopping asks whether the agent is about to end its work.
	Stopping
	// CallFunction is Function over the call patterns Names: several, or one that looks at a class or a subject.
	CallFunction
	// Tally compares the answer of any, all, none, one or count with Numbers[0] by Op. That of the first four
	// is 1 or 0.
	Tally
	// General is an expression that computes. It is Unknown if any of its Terms is.
	General
)

// Leaf is a condition of a trigger, with its types checked. Only the fields that its Kind names count, and
// Reads, the facts on which it depends.
type Leaf struct {
	Kind        Kind
	Not         bool
	Op          grammar.Op
	Truth       fact.Truth
	Unit        grammar.CadenceUnit
	Fact, Other fact.ID
	N           int
	Every       time.Duration
	Numbers     []float64 // in the units of fact.Frame
	Names       []string
	Word        string
	Function    string
	Argument    string
	Reads       []fact.ID
	Patterns    []Pattern // the call patterns that Names are
	Terms       []*Term   // what an expression mentions: of Function, CallFunction and Tally the one compared
	Source      string    // an expression in one of its spellings
	// Run evaluates a General. The error says why its truth cannot be computed, where it is Unknown for that.
	Run func(*fact.Frame) (fact.Truth, error)
}

// Pattern is a call pattern as a trigger names it.
type Pattern struct {
	fact.Pattern
	Name string // of the tool, where the pattern looks at nothing else; "" for one with a class or a subject
	At   grammar.Range
}

// PastCalls reports whether t asks for the run's past calls.
func (t *Term) PastCalls() bool { return t.History && !OfFiring(t.Function) }

// OfFiring reports whether a function asks when a reminder last fired.
func OfFiring(function string) bool {
	fn := vocabulary.Find(vocabulary.Functions(), function)
	return fn != nil && fn.Takes == vocabulary.Reminder
}

// History reports whether the truth depends on the run's past, or on the moment.
func (l *Leaf) History() bool {
	switch l.Kind {
	case Cadence, Before, Stopping:
		return true
	}
	return slices.ContainsFunc(l.Terms, func(t *Term) bool { return t.History })
}

// Term is a value that an expression mentions: a fact, the answer of a function, the length of a set, how
// many members of a set or a list satisfy a condition, or a condition.
type Term struct {
	Text     string // as people write it
	Function string // "" for a fact or a condition
	Argument string // the first one of the function
	Bool     bool
	Tally    bool // it looks at the members of a set or a list one by one
	History  bool // it depends on the run's past
	Patterns []Pattern
	Leaf     *Leaf // of a condition; nil else
	Reads    []fact.ID
	Num      func(*fact.Frame) float64 // a bool is 1 or 0, NaN is unknown; nil for a fact
	Err      func(*fact.Frame) error   // why Num cannot be computed; nil where that never happens
}

// Compare returns the truth of a op b, as triggers compare numbers: Unknown if either is NaN. op must not be
// grammar.In or grammar.NotIn.
func Compare(a float64, op grammar.Op, b float64) fact.Truth {
	if a != a || b != b {
		return fact.Unknown
	}
	switch op {
	case grammar.Equal:
		return fact.Of(a == b)
	case grammar.NotEqual:
		return fact.Of(a != b)
	case grammar.Less:
		return fact.Of(a < b)
	case grammar.LessEqual:
		return fact.Of(a <= b)
	case grammar.Greater:
		return fact.Of(a > b)
	default:
		return fact.Of(a >= b)
	}
}
