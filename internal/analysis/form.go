package analysis

import (
	"math"
	"math/bits"
	"slices"

	"github.com/aside-go/aside/compile"
	"github.com/aside-go/aside/compile/fact"
	"github.com/aside-go/aside/grammar"
)

// A form is a part of a trigger over the atoms of a system.
type form struct {
	op     formOp
	atom   int        // of formAtom
	truth  fact.Truth // of formFixed
	kids   []*form
	expr   grammar.Expr // as parsed; nil of what is no part by itself
	ord    int          // of the part, counted from the root in the order written; of a member, of the operand it is in
	member int          // from 0, of a member of a list; -1 of any other part
	in     uint64       // components
	gone   bool         // left out
	path   bool         // it, or something in it, is left out of the second of two triggers that are compared
	cut    bool         // it is what is left out
	manual bool         // the constant that is never on purpose
}

type formOp uint8

const (
	formAtom formOp = iota
	formFixed
	formNot
	formAnd
	formOr
)

// A mask is a set of truths.
type mask uint8

const (
	maskF mask = 1 << fact.False
	maskU mask = 1 << fact.Unknown
	maskT mask = 1 << fact.True
)

func of(t fact.Truth) mask { return 1 << t }

// masks are what "and" makes of two sets of truths, "or" of two, "not" of one.
var masks = func() (m struct {
	and, or [8][8]mask
	not     [8]mask
}) {
	for x := range mask(8) {
		for y := range mask(8) {
			for t := range fact.True + 1 {
				for u := range fact.True + 1 {
					if x&of(t) != 0 && y&of(u) != 0 {
						m.and[x][y] |= of(t.And(u))
						m.or[x][y] |= of(t.Or(u))
					}
				}
			}
		}
		for t := range fact.True + 1 {
			if x&of(t) != 0 {
				m.not[x] |= of(t.Not())
			}
		}
	}
	return m
}()

// A pairs is a set of pairs of truths: bit 3t+u says that the first may be t while the second is u.
type pairs uint16

func pair(t, u fact.Truth) pairs { return 1 << (3*t + u) }

// alike are the pairs of equal truths.
const alike = pairs(1<<0 | 1<<4 | 1<<8)

// both are the pairs of a truth of m with itself.
func both(m mask) pairs {
	return pairs(m&1) | pairs(m&2)<<3 | pairs(m&4)<<6
}

func (p pairs) join(q pairs, op formOp) pairs {
	var out pairs
	for x := p; x != 0; x &= x - 1 {
		i := bits.TrailingZeros16(uint16(x))
		t, u := fact.Truth(i/3), fact.Truth(i%3)
		for y := q; y != 0; y &= y - 1 {
			j := bits.TrailingZeros16(uint16(y))
			v, w := fact.Truth(j/3), fact.Truth(j%3)
			if op == formAnd {
				out |= pair(t.And(v), u.And(w))
			} else {
				out |= pair(t.Or(v), u.Or(w))
			}
		}
	}
	return out
}

func (p pairs) not() pairs {
	var out pairs
	for x := p; x != 0; x &= x - 1 {
		i := bits.TrailingZeros16(uint16(x))
		out |= pair(fact.Truth(i/3).Not(), fact.Truth(i%3).Not())
	}
	return out
}

// form translates a part of a trigger; self is the reminder that it belongs to.
func (s *system) form(n *compile.Node, self string, ord *int) *form {
	f := &form{expr: n.Expr, ord: *ord, member: -1}
	*ord++
	if n.Operand != nil {
		s.operand(f, n.Operand, self)
		return f
	}
	switch n.Expr.(type) {
	case *grammar.And:
		f.op = formAnd
	case *grammar.Or:
		f.op = formOr
	default:
		f.op = formNot
	}
	f.kids = make([]*form, len(n.Kids))
	for i, k := range n.Kids {
		f.kids[i] = s.form(k, self, ord)
	}
	return f
}

// operand fills in the form of an operand.
func (s *system) operand(f *form, o *compile.Operand, self string) {
	switch o.Kind {
	case compile.OperandConstant:
		f.op, f.truth = formFixed, o.Truth
		c, ok := f.expr.(*grammar.Constant)
		f.manual = ok && c.Name == "manual"
	case compile.OperandNumber:
		f.atom = s.atomOf(s.slot(o.Fact), o.Op, o.Numbers[0])
	case compile.OperandNumberIn:
		v := s.slot(o.Fact)
		s.list(f, len(o.Numbers), func(k *form, i int) { k.atom = s.atomOf(v, grammar.Equal, o.Numbers[i]) })
	case compile.OperandFacts:
		f.atom = s.compared(o)
	case compile.OperandText:
		v := s.variableOf(variable{kind: varText, id: o.Fact, lo: -1, hi: math.MaxInt32, whole: true, unknown: true})
		s.list(f, len(o.Names), func(k *form, i int) {
			at := slices.Index(s.vars[v].names, o.Names[i])
			if at < 0 {
				at = len(s.vars[v].names)
				s.vars[v].names = append(s.vars[v].names, o.Names[i])
			}
			k.atom = s.atomOf(v, grammar.Equal, float64(at))
		})
		f.turn(o.Not)
	case compile.OperandMembers:
		w := s.worldOf(o.Fact)
		s.list(f, len(o.Names), func(k *form, i int) { s.hits(k, w, w.regionsOf(o.Names[i])) })
		f.turn(o.Not)
	case compile.OperandFailed:
		if a, ok := s.failedAtom(o.Names); ok {
			f.atom = a
			return
		}
		s.free(f, "")
	case compile.OperandCadence:
		v, c := s.cadence(o, self)
		f.atom = s.atomOf(v, grammar.GreaterEqual, c)
	case compile.OperandFunction:
		op, c := o.Op, o.Numbers[0]
		if o.Function == "used" {
			op, c = grammar.GreaterEqual, 1
		}
		f.atom = s.atomOf(s.function(o), op, c)
	default: // one fact in another, and expressions
		s.free(f, "")
	}
}

// list makes f an "or" of n members, or a single one.
func (s *system) list(f *form, n int, fill func(k *form, i int)) {
	if n == 1 {
		fill(f, 0)
		return
	}
	f.op, f.kids = formOr, make([]*form, n)
	for i := range f.kids {
		f.kids[i] = &form{ord: f.ord, member: i}
		fill(f.kids[i], i)
	}
}

// hits makes f the question whether a set has a member in one of some regions.
func (s *system) hits(f *form, w *world, regions uint64) {
	if regions&(regions-1) == 0 {
		f.atom = s.atomOf(s.member(w, bits.TrailingZeros64(regions)), grammar.GreaterEqual, 1)
		return
	}
	f.op = formOr
	for r := range members(regions) {
		f.kids = append(f.kids, &form{atom: s.atomOf(s.member(w, r), grammar.GreaterEqual, 1), ord: f.ord, member: -1})
	}
}

// turn puts a "not" over what f is.
func (f *form) turn(not bool) {
	if not {
		inner := *f
		inner.expr = nil
		f.op, f.kids = formNot, []*form{&inner}
	}
}

// free makes f something that may come out in any way, whatever the rest; the same text is the same thing.
func (s *system) free(f *form, owner string) {
	v := s.variableOf(variable{kind: varFree, name: owner + format(f.expr), whole: true, hi: 1, unknown: true})
	f.op, f.atom = formAtom, s.atomOf(v, grammar.Equal, 1)
}

// compared returns the question how one fact stands to another.
func (s *system) compared(o *compile.Operand) int {
	v, w, op := s.slot(o.Fact), s.slot(o.Other), o.Op
	if v > w { // so that a < b and b > a are one question
		v, w = w, v
		op = [...]grammar.Op{grammar.Equal: grammar.Equal, grammar.NotEqual: grammar.NotEqual, grammar.Less: grammar.Greater, grammar.LessEqual: grammar.GreaterEqual,
			grammar.Greater: grammar.Less, grammar.GreaterEqual: grammar.LessEqual}[op]
	}
	for i := range s.atoms {
		if a := &s.atoms[i]; a.kind == atomNumbers && a.v == v && a.w == w && a.op == op {
			return i
		}
	}
	s.atoms = append(s.atoms, atom{kind: atomNumbers, op: op, v: v, w: w})
	return len(s.atoms) - 1
}

// format is the canonical text of a part.
func format(x grammar.Expr) string { return grammar.Format(&grammar.Trigger{Root: x}) }

// settle notes in each form which components it depends on.
func (s *system) settle(f *form) uint64 {
	if f.op == formAtom {
		f.in = 1 << s.atoms[f.atom].in
	}
	for _, k := range f.kids {
		f.in |= s.settle(k)
	}
	return f.in
}
