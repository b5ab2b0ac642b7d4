package condition

import (
	"slices"
	"time"

	"github.com/aside-go/aside/compile/fact"
	"github.com/aside-go/aside/grammar"
)

// Kind says what a Leaf asks, and which of its fields count.
type Kind uint8

const (
	// Constant has the value Truth, whatever the facts are.
	Constant Kind = iota
	// Comparison compares the number that Terms[0] is with that of Terms[1] or, where there is none, with
	// Numbers[0], by Op. What is true or false counts as 1 or 0. Fact and Other are the facts of the terms.
	Comparison
	// NumberIn asks whether Fact is one of Numbers; with Not, whether it is none of them.
	NumberIn
	// Text asks whether the string Fact is one of Names; with Not, whether it is none of them.
	Text
	// Members asks whether a member of the set Fact is one of Names; with Not, whether none is. If Fact is
	// tool_used, Names may have wildcards. With a Word it asks whether one contains, startsWith, endsWith or
	// matches Names[0].
	Members
	// MemberOf asks whether the string Fact is a member of the set Other; with Not, whether it is none.
	MemberOf
	// Failed asks whether a call of the previous turn that matches one of the call patterns Names failed.
	Failed
	// Cadence is true every N turns or every N user turns, or every time that Every has passed; Unit says which.
	Cadence
	// Called asks whether a call of the previous turn matches one of the call patterns Names, at least one of
	// which looks at a class or a subject; with Not, whether none does.
	Called
	// Before asks whether a call that matches one of the patterns Names is about to be executed.
	Before
	// Stopping asks whether the agent is about to end its work.
	Stopping
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
	Function    string // of Terms[0]
	Argument    string // of Terms[0]
	Reads       []fact.ID
	Patterns    []Pattern   // the call patterns that Names are
	After       bool        // the calls are those after which a turn comes, not the one at hand
	Terms       []*Term     // what an expression mentions, or a Comparison compares
	Value       *Value      // an expression, with its types; nil for a comparison of words with values
	Source      string      // the same in one of its spellings
	Memory      *Remembered // nil where nothing is remembered
	// Run evaluates a General. The error says why its truth cannot be computed, where it is Unknown for that.
	Run func(*fact.Frame) (fact.Truth, error)
}

// Pattern is a call pattern as a trigger names it.
type Pattern struct {
	fact.Pattern
	Name string // of the tool, where the pattern looks at nothing else; "" for one with a class or a subject
	At   grammar.Range
}

// History reports whether the truth depends on the run's past, or on the moment.
func (l *Leaf) History() bool {
	switch l.Kind {
	case Cadence, Before, Stopping:
		return true
	}
	return slices.ContainsFunc(l.Terms, func(t *Term) bool { return t.History })
}

// complete fills in what the rest of l says already: the texts of its patterns, its kind where they name
// tools alone, and the facts that it reads.
func (l *Leaf) complete() {
	for i := range l.Patterns[min(len(l.Names), len(l.Patterns)):] {
		l.Names = append(l.Names, l.Patterns[i].String())
	}
	switch l.Kind {
	case Called:
		if l.Reads = []fact.ID{fact.ToolUsed}; l.ByName() {
			l.Kind, l.Fact = Members, fact.ToolUsed
		}
	case Failed:
		l.Reads = []fact.ID{fact.ToolUsed, fact.LastToolCallFailed}
	case NumberIn, Text, Members:
		l.Reads = []fact.ID{l.Fact}
	case MemberOf:
		l.Reads = []fact.ID{l.Fact, l.Other}
	}
}

// ofFrame is Evaluator; what was made is unknown in a frame that holds the call at hand in its place.
func (l *Leaf) ofFrame() func(*fact.Frame) fact.Truth {
	eval := l.Evaluator()
	if !l.After {
		return eval
	}
	return func(f *fact.Frame) fact.Truth {
		if at, _ := f.Moment(); at == fact.BeforeTool {
			return fact.Unknown
		}
		return eval(f)
	}
}

// ByName reports whether none of the patterns of l looks at anything but the name of a tool.
func (l *Leaf) ByName() bool {
	return !slices.ContainsFunc(l.Patterns, func(p Pattern) bool { return p.Name == "" })
}

// Compared returns the comparison of t with a constant. It is Unknown when t is.
func (t *Term) Compared(op grammar.Op, c float64) *Leaf {
	l := &Leaf{Kind: Comparison, Op: op, Numbers: []float64{c}, Function: t.Function, Argument: t.Argument,
		Patterns: t.Patterns, Reads: t.Reads, Terms: []*Term{t}}
	if len(t.Reads) > 0 {
		l.Fact = t.Reads[0]
	}
	return l
}

// OfFact returns the fact whose number l compares with a constant; ok is false for any other condition.
func (l *Leaf) OfFact() (id fact.ID, ok bool) {
	return l.Fact, l.Kind == Comparison && len(l.Numbers) > 0 && l.Terms[0].Function == ""
}

// Nth asks for the i-th member of the list of l alone.
func (l *Leaf) Nth(i int) *Leaf {
	one := *l
	one.Names, one.Patterns, one.Numbers = part(l.Names, i), part(l.Patterns, i), part(l.Numbers, i)
	return &one
}

func part[T any](list []T, i int) []T {
	if i < len(list) {
		return list[i : i+1]
	}
	return list
}

// Err returns why l, or a part of it, cannot be computed; nil if it can, or if a fact is unknown.
func (l *Leaf) Err(f *fact.Frame) error {
	if l.Run != nil {
		if _, err := l.Run(f); err != nil {
			return err
		}
	}
	for _, t := range l.Terms {
		if t.Err != nil {
			if err := t.Err(f); err != nil {
				return err
			}
		}
	}
	return nil
}
