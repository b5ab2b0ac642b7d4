package compile

import (
	"slices"
	"strconv"

	"github.com/aside-go/aside/compile/fact"
	"github.com/aside-go/aside/grammar"
	"github.com/aside-go/aside/internal/condition"
)

// Identity names what the trigger means: triggers whose types are the same and that differ in spelling alone
// have the same identity. 50% and 0.5, 5m and 300s, turn_gt:10 and turn_count > 10 are spellings of one
// thing, as are quotes, blanks, comments, brackets around a whole operand, && and and, x != y and not x == y,
// and the order of a list. That of operands counts. A Func is named by its name.
func (p *Predicate) Identity() string {
	if p.root == nil {
		return p.text
	}
	return string(p.root.identity(nil, p.schema, false))
}

// identity appends the identity of n, or of its opposite.
func (n *node) identity(b []byte, s *fact.Schema, not bool) []byte {
	if n.leaf != nil {
		return leafIdentity(b, n.leaf, s, not)
	}
	if _, ok := n.expr.(*grammar.Not); ok {
		return n.kids[0].identity(b, s, !not)
	}
	if not {
		b = append(b, "not "...)
	}
	for i, kid := range n.flat() {
		b = append(b, [2]string{"(", word(n.expr)}[min(i, 1)]...)
		b = kid.identity(b, s, false)
	}
	return append(b, ')')
}

// word is "and" or "or", as a trigger has it between two operands.
func word(x grammar.Expr) string {
	if _, ok := x.(*grammar.And); ok {
		return " and "
	}
	return " or "
}

// flat returns the operands of and, or or, with those of an operand of the same kind in its place.
func (n *node) flat() (out []*node) {
	for _, kid := range n.kids {
		if _, not := kid.expr.(*grammar.Not); kid.leaf == nil && !not && word(kid.expr) == word(n.expr) {
			out = append(out, kid.flat()...)
		} else {
			out = append(out, kid)
		}
	}
	return out
}

// leafIdentity appends the identity of an operand, or of its opposite.
func leafIdentity(b []byte, l leaf, s *fact.Schema, not bool) []byte {
	source := ""
	switch l := l.(type) {
	case reading:
		source = l.source
	case *general:
		source = l.source
	}
	o := exported(l)
	name := func(id fact.ID) string { return s.Fact(id).Name }
	word := func(words ...string) {
		for _, w := range words {
			b = append(append(b, w...), ' ')
		}
	}
	number := func(v float64) { b = strconv.AppendFloat(b, v, 'g', -1, 64) }
	list := func(names []string) {
		names = slices.Clone(names)
		slices.Sort(names)
		for _, n := range slices.Compact(names) {
			b = append(strconv.AppendQuote(b, n), ' ')
		}
	}
	op := o.Op
	switch o.Kind {
	case condition.Number, condition.Facts, condition.Function, condition.CallFunction:
		if not && s.Fact(o.Fact).Type == fact.Bool && o.Kind == condition.Number {
			o.Numbers[0], not = 1-o.Numbers[0], false
		}
		if not {
			op, not = op.Opposite(), false
		}
	case condition.NumberIn, condition.Text, condition.Members, condition.MemberOf, condition.Called:
		not = not != o.Not
	case condition.Constant:
		if not {
			o.Truth, not = o.Truth.Not(), false
		}
	}
	if not {
		word("not")
	}
	switch o.Kind {
	case condition.Constant:
		word(o.Truth.String())
	case condition.Number:
		word(name(o.Fact), op.String())
		number(o.Numbers[0])
	case condition.NumberIn:
		word(name(o.Fact), "in")
		values := slices.Clone(o.Numbers)
		slices.Sort(values)
		for _, v := range slices.Compact(values) {
			number(v)
			b = append(b, ' ')
		}
	case condition.Facts:
		word(name(o.Fact), op.String(), name(o.Other))
	case condition.Text, condition.Members:
		word(name(o.Fact), "in")
		list(o.Names)
	case condition.MemberOf:
		word(name(o.Fact), "in", name(o.Other))
	case condition.MemberLike:
		word(name(o.Fact), o.Word)
		list(o.Names)
	case condition.Called:
		word("after_tool")
		list(o.Names)
	case condition.Failed, condition.FailedCall:
		word("tool_failed")
		list(o.Names)
	case condition.Before:
		word("before_tool")
		list(o.Names)
	case condition.Stopping:
		word("stopping")
	case condition.Cadence:
		word("every", strconv.Itoa(o.N), strconv.Itoa(int(o.Unit)), o.Every.String())
	case condition.Function:
		if o.Function == "len" {
			o.Argument = name(o.Fact)
		}
		word(o.Function, strconv.Quote(o.Argument), op.String())
		number(o.Numbers[0])
	case condition.CallFunction:
		word(o.Function)
		for _, p := range o.Names { // their order counts
			b = append(strconv.AppendQuote(b, p), ' ')
		}
		word(op.String())
		number(o.Numbers[0])
	default:
		b = append(b, source...)
	}
	return b
}
