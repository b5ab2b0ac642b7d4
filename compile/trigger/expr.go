package trigger

import (
	"sync"

	"github.com/aside-go/aside/compile/fact"
	"github.com/aside-go/aside/grammar"
	"github.com/aside-go/aside/internal/condition"
)

// general is a condition that computes, compiled to a program of its own. It is strict: unless
// everything it mentions is known, it is Unknown, however the expression would have come out. What it asks of
// the members of a set or of the calls is one input, which knows by itself when it is unknown.
type general struct {
	program
	spare sync.Pool // of *machine
}

// newGeneral compiles an expression that was found to be allowed.
func (a *exprChecker) newGeneral(n grammar.Expr) (leaf, error) {
	p, err := a.newProgram(n)
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
func (a *exprChecker) reading(n grammar.Expr) (leaf, bool) {
	if t := a.term(n); t != nil && t.Leaf != nil {
		return t.Leaf, true
	} else if t != nil && t.Bool {
		return t.Compared(grammar.Equal, 1), true
	}
	b, ok := n.(*grammar.Binary)
	if !ok {
		return nil, false
	}
	op := grammar.Equal
	for ; op.String() != b.Op; op++ {
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
	if t.Function == "tool_chain_repeats" && !a.remembered(b.OpRange, t.Argument, c) {
		return nil, true
	}
	return t.Compared(op, c), true
}

// termAndNumber returns x as a term and y as a constant; ok is false if they are not.
func (a *exprChecker) termAndNumber(x, y grammar.Expr) (*term, float64, bool) {
	t := a.term(x)
	if t == nil || t.Bool {
		return nil, 0, false
	}
	c, ok := numberOfLiteral(y)
	return t, c, ok
}

// numberOfLiteral returns the number that n is, perhaps behind a minus; ok is false if it is none, or has a
// unit that counts.
func numberOfLiteral(n grammar.Expr) (c float64, ok bool) {
	l, ok := literalOf(n)
	if !ok || l.Kind != grammar.Int && l.Kind != grammar.Decimal && l.Kind != grammar.Percent {
		return 0, false
	}
	c = l.Number
	for u, is := n.(*grammar.Unary); is; u, is = u.X.(*grammar.Unary) {
		c = 0 - c // no -0
	}
	return c, true
}

// term returns the term that stands for n in the program; nil if none does.
func (a *exprChecker) term(n grammar.Expr) *term {
	key, ok := a.keys[n]
	if !ok {
		return nil
	}
	return a.inputs[key].term
}
