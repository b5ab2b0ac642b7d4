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
func (c *checker) newGeneral(n *typed) leaf {
	p, ok := c.newProgram(n)
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
		l.Terms = append(l.Terms, in.Term)
	}
	return l
}

// reading recognises the expressions that need no expr-lang program: a function or the length of a set
// compared with a number, and a function that is a whole condition. It reports false for all others. The
// leaf is nil if the expression is wrong.
func (c *checker) reading(v *typed) (leaf, bool) {
	switch t := v.Term; {
	case t == nil || t.Num == nil:
	case t.Leaf != nil:
		return t.Leaf, true
	case t.Bool:
		return t.Compared(grammar.Equal, 1), true
	}
	b, ok := v.Expr.(*grammar.Binary)
	if op := grammar.Op(v.Op); ok && op.Turned() != "" {
		for i, o := range []grammar.Op{op, op.Turned()} {
			t := v.Parts[i].Term
			n, isNumber := numberOf(v.Parts[1-i])
			switch {
			case t == nil || t.Num == nil || t.Bool || !isNumber:
			case t.Function == "tool_chain_repeats" && !c.remembered(b.OpRange, t.Argument, n):
				return nil, true
			default:
				return t.Compared(o, n), true
			}
		}
	}
	return nil, false
}

// numberOf returns the number that v is, perhaps behind a minus; ok is false if it is none, or has a unit
// that counts.
func numberOf(v *typed) (c float64, ok bool) {
	l, ok := v.Literal()
	if !ok || l.Kind > grammar.Percent {
		return 0, false
	}
	if v.Op == "-" {
		c, _ = numberOf(v.Parts[0])
		return 0 - c, true // no -0
	}
	return l.Number, true
}
