package trigger

import (
	"slices"

	"github.com/aside-go/aside/grammar"
	"github.com/aside-go/aside/internal/condition"
)

// setOperator compares a set with a text or a list by its members, as the grammar does outside expressions.
// It reports false if n does something else. l and r are the kinds of its sides.
func (a *exprChecker) setOperator(n *grammar.Binary, l, r kind) (k kind, is bool) {
	set, other := n.Left, n.Right
	op, ok := map[string]grammar.Op{"==": grammar.Equal, "!=": grammar.NotEqual}[n.Op]
	switch {
	case ok && r == kindSet:
		set, other = other, set
	case ok && l == kindSet:
	case n.Op == "in" && l == kindSet && r == kindStrings:
		op = grammar.In
	case n.Op == "in" && r == kindSet:
		set, other, op = other, set, grammar.Equal
	case l == kindSet && slices.Contains([]string{"contains", "startsWith", "endsWith", "matches"}, n.Op):
		text, quoted := other.(*grammar.Literal)
		ft, ok := a.listFact(set)
		if !ok || !quoted || text.Kind != grammar.String {
			return kindWrong, false
		}
		l := &condition.Leaf{Kind: condition.MemberLike, Fact: ft.ID, Word: n.Op, Names: []string{text.Text}}
		t := l.Of(canonical(n))
		a.mention(n, t)
		return kindTruth, true
	default:
		return kindWrong, false
	}
	ft, ok := a.listFact(set)
	operands, literal := a.operands(other)
	if !ok || !literal {
		return kindWrong, false
	}
	leaf := a.texts(ft, op, operands)
	if leaf == nil {
		return kindWrong, true
	}
	t := leaf.Of(canonical(n))
	a.mention(n, t)
	return kindTruth, true
}

// operands returns the quoted texts that n is; ok is false if it is anything else.
func (a *exprChecker) operands(n grammar.Expr) (list []grammar.Operand, ok bool) {
	nodes := []grammar.Expr{n}
	if l, ok := n.(*grammar.Array); ok {
		nodes = l.Items
	}
	for _, n := range nodes {
		s, ok := n.(*grammar.Literal)
		if !ok || s.Kind != grammar.String {
			return nil, false
		}
		list = append(list, s.Operand)
	}
	return list, true
}
