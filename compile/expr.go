package compile

import (
	"reflect"
	"sync"

	"github.com/expr-lang/expr/ast"

	"github.com/aside-go/aside/compile/fact"
	"github.com/aside-go/aside/grammar"
	"github.com/aside-go/aside/internal/condition"
)

// general is an operand that only expr-lang can read, compiled to a program of its own. It is strict: unless
// everything it mentions is known, it is Unknown, however the expression would have come out. What it asks of
// the members of a set or of the calls is one input, which knows by itself when it is unknown.
//
// In an expression a ratio is a number from 0 to 1, an amount of money is a number of dollars, and
// percentages do not exist; a duration cannot be mentioned at all, since no unit of it would be obvious, and
// stands in a comparison by itself.
type general struct {
	program
	spare sync.Pool // of *machine
}

// newGeneral compiles an expression that was found to be allowed. inputs are all that it may mention.
func newGeneral(n ast.Node, inputs map[string]input) (leaf, error) {
	p, err := newProgram(n, inputs, reflect.Bool)
	if err != nil {
		return nil, err
	}
	g := &general{program: p}
	g.spare.New = func() any { return newMachine() }
	l := &condition.Leaf{Kind: condition.General, Reads: idsOf(p.inputs), Run: g.run}
	for _, in := range p.inputs {
		t := in.term
		if t == nil {
			t = &term{Text: in.fact.Name, Reads: []fact.ID{in.fact.ID}}
		}
		l.Terms = append(l.Terms, t)
	}
	return l, nil
}

func idsOf(inputs []input) []fact.ID {
	var ids []fact.ID
	for _, in := range inputs {
		if in.term == nil {
			ids = append(ids, in.fact.ID)
		} else {
			ids = append(ids, in.term.Reads...)
		}
	}
	return ids
}

// run returns the operand's truth, and why it could not be computed where that is the reason for Unknown.
func (g *general) run(f *fact.Frame) (fact.Truth, error) {
	m := g.spare.Get().(*machine)
	defer func() {
		clear(m.env) // keeps no prompt alive
		g.spare.Put(m)
	}()
	if !m.fill(g.inputs, f) {
		return fact.Unknown, nil
	}
	return m.truth(g.program)
}

// reading recognises the expressions that need no expr-lang program: a function or the length of a set
// compared with a number, and a function that is a condition by itself. It reports false for all others. The
// leaf is nil if the expression is wrong.
func (a *exprChecker) reading(n ast.Node) (leaf, bool) {
	if t := a.term(n); t != nil && t.Leaf != nil {
		return t.Leaf, true
	} else if t != nil && t.Bool {
		return reading(t, grammar.Equal, 1), true
	}
	b, ok := n.(*ast.BinaryNode)
	if !ok {
		return nil, false
	}
	op := grammar.Equal
	for ; op.String() != b.Operator; op++ {
		if op == grammar.GreaterEqual {
			return nil, false
		}
	}
	t, c, ok := a.termAndNumber(b.Left, b.Right)
	if !ok {
		op = op.Turned()
		if t, c, ok = a.termAndNumber(b.Right, b.Left); !ok {
			return nil, false
		}
	}
	if t.Function == "tool_chain_repeats" && !a.remembered(a.span(b.Location()), t.Argument, c) {
		return nil, true
	}
	return reading(t, op, c), true
}

// termAndNumber returns x as a term and y as a constant; ok is false if they are not.
func (a *exprChecker) termAndNumber(x, y ast.Node) (*term, float64, bool) {
	t := a.term(x)
	if t == nil || t.Bool {
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

// term returns the term that stands for n in the program; nil if none does.
func (a *exprChecker) term(n ast.Node) *term {
	key, ok := a.keys[n]
	if !ok {
		return nil
	}
	return a.inputs[key].term
}
