package lint

import (
	"slices"

	"github.com/aside-go/aside/compile/fact"
	compiled "github.com/aside-go/aside/compile/trigger"
	"github.com/aside-go/aside/grammar"
	"github.com/aside-go/aside/internal/analysis"
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

// rare are events that never come on two turns in a row.
var rare = []fact.ID{fact.Compacted, fact.Resumed}

// needs reports whether a trigger can be true only where one of some facts is known.
func needs(p *compiled.Predicate, ids ...fact.ID) bool {
	reads := false
	p.Root().Leaves(func(l *condition.Leaf) {
		reads = reads || slices.ContainsFunc(ids, func(id fact.ID) bool { return slices.Contains(l.Reads, id) })
	})
	return reads && !(&analysis.Host{Facts: ids}).Possible(p)
}

// onEvent reports whether a trigger is true on single turns alone, and not between two: where an event holds.
func onEvent(p *compiled.Predicate) bool {
	holds, _ := analysis.Between(p)
	return p.Events() && !holds
}
