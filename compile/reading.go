package compile

import (
	"github.com/expr-lang/expr/ast"

	"github.com/aside-go/aside/compile/fact"
	"github.com/aside-go/aside/grammar"
)

// reading recognises the expressions that need no expr-lang program: a function or the length of a set compared with a number,
// and a function that is a condition by itself. It reports false for all others. The leaf is nil if the expression is wrong.
func (a *allower) reading(n ast.Node) (leaf, bool) {
	if t := a.term(n); t != nil && t.bool {
		return reading{t: t, op: grammar.Equal, c: 1}, true
	}
	b, ok := n.(*ast.BinaryNode)
	if !ok {
		return nil, false
	}
	ops := map[string][2]grammar.Op{ // as written, and turned round
		"==": {grammar.Equal, grammar.Equal}, "!=": {grammar.NotEqual, grammar.NotEqual},
		"<": {grammar.Less, grammar.Greater}, "<=": {grammar.LessEqual, grammar.GreaterEqual},
		">": {grammar.Greater, grammar.Less}, ">=": {grammar.GreaterEqual, grammar.LessEqual},
	}
	op, ok := ops[b.Operator]
	if !ok {
		return nil, false
	}
	l := reading{op: op[0]}
	if l.t, l.c, ok = a.termAndNumber(b.Left, b.Right); !ok {
		l.op = op[1]
		if l.t, l.c, ok = a.termAndNumber(b.Right, b.Left); !ok {
			return nil, false
		}
	}
	if l.t.chain != "" && !a.remembered(a.span(b.Location()), l.t.chain, l.c) {
		return nil, true
	}
	return l, true
}

// termAndNumber returns x as a term and y as a constant; ok is false if they are not.
func (a *allower) termAndNumber(x, y ast.Node) (*term, float64, bool) {
	t := a.term(x)
	if t == nil || t.bool {
		return nil, 0, false
	}
	c, ok := constantOf(y)
	return t, c, ok
}

// constantOf returns the number that n is, perhaps with a minus; ok is false if it is none.
func constantOf(n ast.Node) (c float64, ok bool) {
	switch n := n.(type) {
	case *ast.IntegerNode:
		v := int64(n.Value)
		return float64(v), v >= -fact.MaxInt && v <= fact.MaxInt
	case *ast.FloatNode:
		return n.Value, true
	case *ast.UnaryNode:
		if c, ok := constantOf(n.Node); ok && n.Operator == "-" {
			return 0 - c, true // no -0
		}
	}
	return 0, false
}

// term returns the function, or the length of a set, that n asks for; nil if it is neither.
func (a *allower) term(n ast.Node) *term {
	if key, ok := inputKey(n); ok {
		for _, in := range a.inputs {
			if in.key == key && in.term != nil {
				return in.term
			}
		}
	}
	if b, ok := n.(*ast.BuiltinNode); ok && b.Name == "len" {
		if id, ok := b.Arguments[0].(*ast.IdentifierNode); ok {
			if ft, ok := a.schema.Lookup(id.Value); ok && ft.Type == fact.Set {
				return lengthOf(ft)
			}
		}
	}
	return nil
}
