package compile

import (
	"slices"
	"strings"

	"github.com/aside-go/aside/compile/fact"
)

// CallReads says what of the calls of a turn the reminders of a set read, beside the tools and their classes.
// A host may leave out what none of them reads.
type CallReads struct{ Subjects, Outputs bool }

// CallReads returns what of the calls of a turn the set reads. Of a Func it is not known, so it is all.
func (s *Set) CallReads() CallReads { return s.reads }

// readsOf computes CallReads.
func readsOf(s *Set) (r CallReads) {
	for _, list := range [][]*Predicate{s.triggers, s.rearms, s.expects} {
		for _, p := range list {
			if p != nil {
				r.add(p)
			}
		}
	}
	for i, t := range s.templates {
		if t != nil {
			r.addText(s.reminders[i].Text)
		}
	}
	return r
}

func (r *CallReads) add(p *Predicate) {
	if p.root == nil {
		r.Subjects, r.Outputs = true, true
		return
	}
	reads := func(ids ...fact.ID) bool {
		return slices.ContainsFunc(p.facts, func(id fact.ID) bool { return slices.Contains(ids, id) })
	}
	r.Subjects = r.Subjects || len(p.calls) > 0 || reads(fact.Command, fact.Path, fact.CallList)
	r.Outputs = r.Outputs || reads(fact.Output, fact.CallList)
	p.root.walk(func(n *node) {
		if n.leaf != nil {
			r.addLeaf(n.leaf)
		}
	})
}

func (r *CallReads) addLeaf(l leaf) {
	switch l := l.(type) {
	case called:
		r.addPatterns(l.ps)
	case failed:
		r.addPatterns(l.ps)
	case *general:
		for _, in := range l.inputs {
			if in.term != nil && in.term.leaf != nil {
				r.addLeaf(in.term.leaf)
			}
		}
	}
}

func (r *CallReads) addPatterns(ps []callPattern) {
	r.Subjects = r.Subjects || slices.ContainsFunc(ps, func(p callPattern) bool { return p.Subject() })
}

// addText adds what a template may read: a fact that it reads stands in it by its name.
func (r *CallReads) addText(text string) {
	calls := strings.Contains(text, "calls")
	r.Subjects = r.Subjects || calls || strings.Contains(text, "command") || strings.Contains(text, "path")
	r.Outputs = r.Outputs || calls || strings.Contains(text, "output")
}
