package compile

import (
	"slices"
	"strings"

	"github.com/aside-go/aside/compile/fact"
	"github.com/aside-go/aside/compile/trigger"
	"github.com/aside-go/aside/internal/condition"
)

// CallReads says what of calls the reminders of a set read, beside the tools and their classes. A host may
// leave out what none of them reads.
type CallReads struct {
	Subjects, Outputs bool // of the calls of a turn
	Before            bool // the subject of a call about to be executed

	all      bool           // every subject is read
	patterns []fact.Pattern // subjects of calls that match one of these are read
}

// AllOfCalls is all that can be read of calls.
func AllOfCalls() CallReads { return CallReads{Subjects: true, Outputs: true, Before: true, all: true} }

// ReadsOf returns what of calls some sets together read.
func ReadsOf(sets ...*Set) (r CallReads) {
	for _, s := range sets {
		r = r.and(s.reads)
	}
	return r
}

func (r CallReads) and(o CallReads) CallReads {
	return CallReads{r.Subjects || o.Subjects, r.Outputs || o.Outputs, r.Before || o.Before, r.all || o.all,
		slices.Concat(r.patterns, o.patterns)}
}

// Subject reports whether the subjects of the calls of a tool are read, on a turn or before the call.
func (r *CallReads) Subject(tool string, class fact.Class) bool {
	c := fact.Call{Tool: tool, Class: class, Edits: class == fact.Shell, Unsaid: true}
	return r.all || slices.ContainsFunc(r.patterns, func(p fact.Pattern) bool {
		return p.Match(&c, fact.Place{}) != fact.False
	})
}

// Patterns returns the call patterns that look at subjects, by their texts, each once.
func (r *CallReads) Patterns() []fact.Pattern { return subjects(r.patterns) }

// subjects returns those of some patterns that look at subjects, by their texts, each once.
func subjects(patterns []fact.Pattern) []fact.Pattern {
	list := slices.DeleteFunc(slices.Clone(patterns), func(p fact.Pattern) bool { return !p.Subject() })
	slices.SortFunc(list, func(a, b fact.Pattern) int { return strings.Compare(a.String(), b.String()) })
	return slices.CompactFunc(list, func(a, b fact.Pattern) bool { return a.String() == b.String() })
}

// add adds what a trigger reads.
func (r *CallReads) add(p *trigger.Predicate) {
	r.addFacts(p.Facts())
	p.Root().Leaves(r.addLeaf)
}

func (r *CallReads) addFacts(ids []fact.ID) {
	for _, id := range ids {
		if id == fact.Command || id == fact.Path || id == fact.Written || id == fact.CallList ||
			id == fact.IdenticalCalls {
			r.Subjects, r.all = true, true
		}
		r.Outputs = r.Outputs || id == fact.Output || id == fact.CallList
	}
}

func (r *CallReads) addLeaf(l *condition.Leaf) {
	before := l.Kind == condition.Before
	r.Before = r.Before || before
	r.addPatterns(l.Patterns, before)
	for _, t := range l.Terms {
		if t.Leaf != nil {
			r.addLeaf(t.Leaf)
		}
		r.addPatterns(t.Patterns, false)
	}
}

func (r *CallReads) addPatterns(patterns []condition.Pattern, before bool) {
	for _, p := range patterns {
		// a call that was held back is known again by its subject, whatever the pattern looks at
		if before || p.Subject() || edits(p.Pattern) {
			r.Subjects, r.patterns = r.Subjects || !before, append(r.patterns, p.Pattern)
		}
	}
}

// edits reports whether the command line of a call says whether it matches: a command may change files.
func edits(p fact.Pattern) bool {
	c := fact.Call{Class: fact.Shell}
	without := p.Match(&c, fact.Place{})
	c.Edits = true
	return p.Match(&c, fact.Place{}) != without
}

// Before reports whether a trigger of the set may be true before a call: whether the call matches a
// before_tool in one, or may match.
func (s *Set) Before(c *fact.Call, at fact.Place) bool {
	return slices.ContainsFunc(s.before, func(l *condition.Leaf) bool { return l.Match(c, at) != fact.False })
}
