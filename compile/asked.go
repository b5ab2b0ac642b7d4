package compile

import (
	"slices"
	"strings"

	"github.com/aside-go/aside/compile/fact"
)

// Reads reports whether a trigger, a rearm, an expect or a text of the set reads a fact. Of a Func that is
// not known, so it does.
func (s *Set) Reads(id fact.ID) bool {
	name := s.schema.Fact(id).Name
	for i := range s.reminders {
		if s.templates[i] != nil && strings.Contains(s.reminders[i].Text, name) {
			return true
		}
	}
	return s.anyPredicate(func(p *Predicate) bool { return p.root == nil || slices.Contains(p.facts, id) })
}

// ReadsCalls reports whether the set reads more of the previous turn's calls than their tools, classes and
// outcomes: by a pattern with a subject, or one of the facts command, path, output and calls. A host may
// leave all that out for any other set.
func (s *Set) ReadsCalls() bool {
	return slices.ContainsFunc([]fact.ID{fact.Command, fact.Path, fact.Output, fact.CallList}, s.Reads) ||
		s.anyPredicate(func(p *Predicate) bool {
			found := len(p.calls) > 0
			if p.root != nil {
				p.root.walk(func(n *node) { found = found || n.leaf != nil && subjects(n.leaf) })
			}
			return found
		})
}

// ReadsAt reports whether a trigger of the set is evaluated at a moment.
func (s *Set) ReadsAt(m fact.Moment) bool {
	return slices.ContainsFunc(s.triggers, func(p *Predicate) bool { return p.moment == m })
}

func (s *Set) anyPredicate(is func(*Predicate) bool) bool {
	for _, list := range [...][]*Predicate{s.triggers, s.rearms, s.expects} {
		if slices.ContainsFunc(list, func(p *Predicate) bool { return p != nil && is(p) }) {
			return true
		}
	}
	return false
}

// subjects reports whether a leaf holds calls of the previous turn against patterns with a subject.
func subjects(l leaf) bool {
	in := func(ps []callPattern) bool {
		return slices.ContainsFunc(ps, func(p callPattern) bool { return p.Subject() })
	}
	switch l := l.(type) {
	case called:
		return in(l.ps)
	case failed:
		return in(l.ps)
	case *general:
		return slices.ContainsFunc(l.inputs, func(i input) bool {
			return i.term != nil && (in(i.term.patterns) || i.term.leaf != nil && subjects(i.term.leaf))
		})
	}
	return false
}
