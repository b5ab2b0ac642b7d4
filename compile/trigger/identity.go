package trigger

import (
	"github.com/aside-go/aside/compile/fact"
	"github.com/aside-go/aside/grammar"
)

// Identity names what the trigger means: triggers whose types are the same and that differ in spelling alone
// have the same identity. 50% and 0.5, 5m and 300s, turn_gt:10 and turn_count > 10 are spellings of one
// thing, as are quotes, blanks, comments, brackets around a whole operand, && and and, x != y and not x == y,
// and the order of a list. That of operands counts.
func (p *Predicate) Identity() string {
	return string(identity(nil, p.Root(), p.schema, false))
}

// identity appends the identity of n, or of its opposite.
func identity(b []byte, n *node, s *fact.Schema, not bool) []byte {
	if n.Leaf != nil {
		return n.Leaf.Identity(b, s, not)
	}
	if _, ok := n.Expr.(*grammar.Not); ok {
		return identity(b, n.Kids[0], s, !not)
	}
	if not {
		b = append(b, "not "...)
	}
	for i, kid := range n.Kids {
		b = append(b, [2]string{"(", joinOf(n.Expr)}[min(i, 1)]...)
		b = identity(b, kid, s, false)
	}
	return append(b, ')')
}

// joinOf is "and" or "or", as a trigger has it between two operands.
func joinOf(x grammar.Expr) string {
	if _, ok := x.(*grammar.And); ok {
		return " and "
	}
	return " or "
}
