package compile

import (
	"slices"

	"github.com/aside-go/aside/compile/fact"
	"github.com/aside-go/aside/grammar"
	"github.com/aside-go/aside/internal/code"
	"github.com/aside-go/aside/internal/condition"
)

// Before reports whether a trigger of the set may be true before a call: whether the call matches a
// before_tool in one, or may match.
func (s *Set) Before(c *fact.Call, at fact.Place) bool {
	return slices.ContainsFunc(s.before, func(l leaf) bool { return matchAny(l.Patterns, c, at) != fact.False })
}

// beforesOf returns what the triggers ask of a call about to be executed. One of these is true where a
// trigger is.
func beforesOf(triggers []*Predicate) (all []leaf) {
	for _, p := range triggers {
		if p.moment == fact.BeforeTool {
			p.root.Leaves(func(l leaf) {
				if l.Kind == condition.Before {
					all = append(all, l)
				}
			})
		}
	}
	return all
}

// moments returns the moment at which a trigger is evaluated, and reports where its parts belong to
// different ones (LANGUAGE.md §1, Two moments beside the turn).
func (c *checker) moments(n *node) fact.Moment {
	switch {
	case n.Leaf == nil:
	case n.Leaf.Kind == condition.Before:
		return fact.BeforeTool
	case n.Leaf.Kind == condition.Stopping:
		return fact.Stopping
	}
	moment := fact.Turn
	for _, k := range n.Kids {
		m := c.moments(k)
		switch {
		case m == fact.Turn:
		case moment == fact.Turn:
			moment = m
		case m != moment:
			c.report(code.MixedMoments, k.Expr.Span(), "before_tool and stopping are two moments",
				"write a reminder for each of them")
			return m
		}
	}
	if moment == fact.Turn {
		return moment
	}
	switch n.Expr.(type) {
	case *grammar.Not:
		c.report(code.MixedMoments, n.Expr.Span(), moment.String()+" names a moment, which has no opposite",
			"write it without not: the trigger is read at that moment alone")
	case *grammar.Or:
		for _, k := range n.Kids {
			if quiet := (&checker{schema: c.schema}); quiet.moments(k) == fact.Turn {
				c.report(code.MixedMoments, k.Expr.Span(),
					"this branch is read on turns, and the other one at the moment "+moment.String(),
					"write a reminder for each of them, or join them with and")
				break
			}
		}
	}
	return moment
}
