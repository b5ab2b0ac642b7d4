package lint

import (
	"slices"
	"strings"

	"github.com/aside-go/aside/compile/fact"
	"github.com/aside-go/aside/grammar"
	"github.com/aside-go/aside/internal/condition"
)

// walk calls visit with n and all that is in it. not counts the negations around it.
func walk(n *condition.Node, not int, visit func(n *condition.Node, not int)) {
	visit(n, not)
	if _, is := n.Expr.(*grammar.Not); is {
		not++
	}
	for _, k := range n.Kids {
		walk(k, not, visit)
	}
}

// A part names the facts on which the truth of an operand depends.
type part struct {
	facts   []fact.Fact
	history bool // it reads the run's history, or the moment
}

func (p part) all(is func(fact.Fact) bool) bool {
	return !p.history && len(p.facts) > 0 && !slices.ContainsFunc(p.facts,
		func(f fact.Fact) bool { return !is(f) })
}

// read returns the facts that an operand reads, none of one that reads the history.
func (s *subject) read(l *condition.Leaf) (p part) {
	if l == nil || l.History() {
		return part{history: true}
	}
	ids := l.Reads
	switch {
	case l.Kind == condition.Failed, l.Kind == condition.FailedCall:
		ids = []fact.ID{fact.LastToolCallFailed} // an event, as the use of the tool is
	case len(l.Terms) > 0:
		ids = slices.Compact(slices.Sorted(slices.Values(ids)))
	}
	for _, id := range ids {
		p.facts = append(p.facts, s.set.Schema().Fact(id))
	}
	return p
}

// limit is FACT OP NUMBER.
type limit struct {
	fact fact.Fact
	op   grammar.Op
	n    float64
	x    *grammar.Comparison // nil for a shorthand
}

// limitOf reads an operand as a limit on a number.
func (s *subject) limitOf(n *condition.Node) (limit, bool) {
	if n.Leaf == nil || n.Leaf.Kind != condition.Number {
		return limit{}, false
	}
	f := s.set.Schema().Fact(n.Leaf.Fact)
	x, _ := n.Expr.(*grammar.Comparison)
	return limit{f, n.Leaf.Op, n.Leaf.Numbers[0], x}, f.Type.Numeric()
}

func (l limit) above() bool { return l.op == grammar.Greater || l.op == grammar.GreaterEqual }
func (l limit) below() bool { return l.op == grammar.Less || l.op == grammar.LessEqual }

// eventRate says how often an event occurs. A condition on an event is true on single turns, and not between.
type eventRate uint8

const (
	noEvent   eventRate = iota
	rare                // never on two turns in a row: a compaction, a resumption
	frequent            // the use of a tool, a failure
	mostTurns           // a message of a person: every turn, where no tools are used
)

// eventRateOf returns the rate of the event without which n is not true, noEvent if there is none. pure
// reports that only events and attributes, which seldom change, decide x.
func (s *subject) eventRateOf(n *condition.Node) (p eventRate, pure bool) {
	switch n.Expr.(type) {
	case *grammar.And:
		pure = true
		for _, t := range n.Kids {
			q, alone := s.eventRateOf(t)
			pure = pure && alone
			if q != noEvent && (p == noEvent || q < p) {
				p = q
			}
		}
		return p, pure
	case *grammar.Or:
		p, pure = mostTurns, true
		for i, t := range n.Kids {
			q, alone := s.eventRateOf(t)
			pure = pure && alone
			if p = min(p, q); i == 0 {
				p = q
			}
		}
		return p, pure
	case *grammar.Not:
		_, pure = s.eventRateOf(n.Kids[0])
		return noEvent, pure
	}
	r := s.read(n.Leaf)
	attribute := func(f fact.Fact) bool { return f.Kind == fact.Attribute }
	if n.Leaf.Kind == condition.Constant || r.all(attribute) {
		return noEvent, true
	}
	if len(r.facts) != 1 || r.history || r.facts[0].Kind != fact.Event {
		return noEvent, r.all(func(f fact.Fact) bool { return f.Kind == fact.Attribute || f.Kind == fact.Event })
	}
	if c, ok := n.Expr.(*grammar.Comparison); ok && (c.Op == grammar.NotEqual ||
		strings.EqualFold(c.Right.Text, "false")) {
		return noEvent, true
	}
	switch r.facts[0].ID {
	case fact.Compacted, fact.Resumed:
		return rare, true
	case fact.UserMessage:
		return mostTurns, true
	default:
		if _, general := n.Expr.(*grammar.General); general {
			return noEvent, true
		}
		return frequent, true
	}
}
