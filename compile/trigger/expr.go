package trigger

import (
	"github.com/aside-go/aside/compile/fact"
	"github.com/aside-go/aside/grammar"
	"github.com/aside-go/aside/internal/condition"
)

// newGeneral compiles an expression that was found to be allowed. It is strict: unless everything it mentions
// is known, it is Unknown, however the expression would have come out. What it asks of the members of a set
// or of the calls is one input, which knows by itself when it is unknown. It returns nil after having
// reported a mistake.
func (a *exprChecker) newGeneral(n grammar.Expr) leaf {
	p, ok := a.newProgram(n)
	if !ok {
		return nil
	}
	run := runner(p.inputs)
	l := &condition.Leaf{Kind: condition.General, Reads: idsOf(p.inputs),
		Run: func(f *fact.Frame) (t fact.Truth, err error) {
			t = fact.Unknown
			run(f, func(m *machine) { t, err = m.truth(p) })
			return t, err
		}}
	for _, in := range p.inputs {
		l.Terms = append(l.Terms, in.term)
	}
	return l
}

// reading recognises the expressions that need no expr-lang program: a function or the length of a set
// compared with a number, and a function that is a whole condition. It reports false for all others. The
// leaf is nil if the expression is wrong.
func (a *exprChecker) reading(n grammar.Expr) (leaf, bool) {
	switch t := a.term(n); {
	case t == nil:
	case t.Leaf != nil:
		return t.Leaf, true
	case t.Bool:
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

// term returns the term that stands for n in the program; nil if none does, or a fact.
func (a *exprChecker) term(n grammar.Expr) *term {
	if in := a.inputs[n]; in != nil && in.term != nil && in.term.Num != nil {
		return in.term
	}
	return nil
}
