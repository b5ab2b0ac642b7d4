package analysis

import (
	"math"
	"math/bits"
	"slices"

	"github.com/aside-go/aside/compile/fact"
	"github.com/aside-go/aside/grammar"
	"github.com/aside-go/aside/internal/condition"
)

// A form is a part of a trigger over the atoms of a system.
type form struct {
	op    formOp
	atom  int        // of formAtom
	truth fact.Truth // of formFixed
	kids  []*form
	expr  grammar.Expr // as parsed; nil if it is no part by itself
	// of the part, counted from the root in the order written; of a member, of the operand it is in
	ord    int
	member int    // from 0, of a member of a list; -1 of any other part
	in     uint64 // components
	gone   bool   // left out
	path   bool   // it, or a part of it, is the part to leave out
	cut    bool   // it is the part to leave out
	manual bool   // the constant that is never on purpose
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

// A pairs is a set of pairs of truths: bit 3t+u says that the first may be t while the second is u.
type pairs uint16

func pair(t, u fact.Truth) pairs { return 1 << (3*t + u) }

// alike are the pairs of equal truths.
const alike = pairs(1<<0 | 1<<4 | 1<<8)

// both are the pairs of a truth of m with itself.
func both(m mask) pairs {
	return pairs(m&1) | pairs(m&2)<<3 | pairs(m&4)<<6
}

// product are the pairs of a truth of m with one of n.
func product(m, n mask) pairs {
	var out pairs
	for t := range fact.True + 1 {
		if m&of(t) != 0 {
			out |= pairs(n) << (3 * t)
		}
	}
	return out
}

// first are the truths that stand first in a pair.
func (p pairs) first() mask {
	var m mask
	for t := range fact.True + 1 {
		if p>>(3*t)&7 != 0 {
			m |= of(t)
		}
	}
	return m
}

// and are the pairs that "and" can make of a pair of p and one of q.
func (p pairs) and(q pairs) pairs {
	var out pairs
	for x := p; x != 0; x &= x - 1 {
		i := fact.Truth(bits.TrailingZeros16(uint16(x)))
		for y := q; y != 0; y &= y - 1 {
			j := fact.Truth(bits.TrailingZeros16(uint16(y)))
			out |= pair((i / 3).And(j/3), (i % 3).And(j%3))
		}
	}
	return out
}

// not are the pairs of negated truths: bit 3t+u becomes bit 3(2-t)+(2-u).
func (p pairs) not() pairs { return pairs(bits.Reverse16(uint16(p)) >> 7) }

// join are the pairs that op, "and" or "or", can make of a pair of p and one of q.
func (p pairs) join(q pairs, op formOp) pairs {
	if op == formOr {
		return p.not().and(q.not()).not()
	}
	return p.and(q)
}

// form translates a part of a trigger; self is the reminder that it belongs to.
func (s *system) form(n *condition.Node, self string, ord *int) *form {
	f := &form{expr: n.Expr, ord: *ord, member: -1}
	*ord++
	if n.Leaf != nil {
		s.operand(f, n.Leaf, self)
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
func (s *system) operand(f *form, o *condition.Leaf, self string) {
	switch o.Kind {
	case condition.Constant:
		f.op, f.truth = formFixed, o.Truth
		c, ok := f.expr.(*grammar.Constant)
		f.manual = ok && c.Name == "manual"
	case condition.Number:
		f.atom = s.atomOf(s.slot(o.Fact), o.Op, o.Numbers[0])
	case condition.NumberIn:
		v := s.slot(o.Fact)
		s.list(f, len(o.Numbers), func(k *form, i int) { k.atom = s.atomOf(v, grammar.Equal, o.Numbers[i]) })
		f.turn(o.Not)
	case condition.Facts:
		f.atom = s.compared(o)
	case condition.Text:
		v := s.variableOf(variable{key: key{kind: varText, id: o.Fact}, lo: -1, hi: math.MaxInt32, whole: true,
			unknown: true})
		if o.Fact == fact.Weekday && s.vars[v].names == nil {
			s.vars[v].names = fact.Weekdays()
		}
		s.list(f, len(o.Names), func(k *form, i int) {
			at := slices.Index(s.vars[v].names, o.Names[i])
			if at < 0 {
				at = len(s.vars[v].names)
				s.vars[v].names = append(s.vars[v].names, o.Names[i])
			}
			k.atom = s.atomOf(v, grammar.Equal, float64(at))
		})
		f.turn(o.Not)
	case condition.Members:
		w := s.worldOf(o.Fact)
		s.list(f, len(o.Names), func(k *form, i int) { s.hits(k, w, w.regionsOf(o.Names[i])) })
		f.turn(o.Not)
	case condition.Failed:
		if a, ok := s.failedAtom(o.Names); ok {
			f.atom = a
			return
		}
		s.free(f)
	case condition.Cadence:
		v, c := s.cadence(o, self)
		f.atom = s.atomOf(v, grammar.GreaterEqual, c)
	case condition.Called:
		s.list(f, len(o.Names), func(k *form, i int) { s.called(k, o.Names[i], "called") })
		f.turn(o.Not)
	case condition.FailedCall:
		s.list(f, len(o.Names), func(k *form, i int) { s.called(k, o.Names[i], "failed") })
	case condition.Function, condition.CallFunction:
		op, c := o.Op, o.Numbers[0]
		if o.Function == "called_since" && o.Names[0] == o.Names[1] && op == grammar.Equal && c == 1 {
			f.atom = s.never(o.Names[0])
			return
		}
		if o.Function == "used" && o.Kind == condition.Function {
			op, c = grammar.GreaterEqual, 1
		}
		f.atom = s.atomOf(s.function(o), op, c)
	case condition.Before:
		s.list(f, len(o.Names), func(k *form, i int) {
			k.atom = s.anything(key{varAsked, 0, "before", o.Names[i]})
		})
	case condition.Stopping:
		f.atom = s.anything(key{kind: varAsked, of: "stopping"})
	case condition.MemberLike:
		f.atom = s.anything(key{varLike, o.Fact, o.Word, o.Names[0]})
	default: // one fact in another, and expressions
		s.free(f)
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
		f.kids = append(f.kids,
			&form{atom: s.atomOf(s.member(w, r), grammar.GreaterEqual, 1), ord: f.ord, member: -1})
	}
}

// called makes f the question whether a call that matches a pattern was made, or whether one failed: a tool
// of that name was used, and what else the pattern asks for may come out in any way.
func (s *system) called(f *form, pattern, question string) {
	rest := s.anything(key{varAsked, 0, question, pattern})
	names := toolsOf([]string{pattern})
	if len(names) == 0 {
		f.op, f.atom = formAtom, rest
		return
	}
	w := s.worldOf(fact.ToolUsed)
	used := &form{ord: f.ord, member: -1}
	s.hits(used, w, w.regionsOf(names[0]))
	f.op, f.kids = formAnd, []*form{used, {atom: rest, ord: f.ord, member: -1}}
}

func (f *form) turn(not bool) {
	if not {
		inner := *f
		inner.expr = nil
		f.op, f.kids = formNot, []*form{&inner}
	}
}

// free makes f an atom that comes out in any way, independently of all others. Equal texts are one atom.
func (s *system) free(f *form) {
	f.op, f.atom = formAtom, s.anything(key{kind: varFree, name: format(f.expr)})
}

// anything is an atom that comes out in any way.
func (s *system) anything(k key) int {
	return s.atomOf(s.variableOf(variable{key: k, whole: true, hi: 1, unknown: true}), grammar.Equal, 1)
}

// compared returns the question how one fact stands to another.
func (s *system) compared(o *condition.Leaf) int {
	v, w, op := s.slot(o.Fact), s.slot(o.Other), o.Op
	if v > w { // so that a < b and b > a are one question
		v, w, op = w, v, op.Turned()
	}
	return s.atom(atom{kind: atomNumbers, op: op, v: v, w: w})
}

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

// The truths of a form are found without all combinations of cells. Parts that depend on different components
// come out independently of each other, so their truths are joined. Only a component that several parts share
// is put into each of its cells, one after the other, for these parts alone.

// ask begins a question: strict ones count turns on which facts are unknown.
func (s *system) ask(strict bool) {
	s.strict, s.steps, s.over = strict, maxSteps, false
}

// reach returns the truths that f can have in the cells that s.at leaves open.
func (s *system) reach(f *form) mask { return s.pairs(f).first() }

// pairs returns the pairs of truths that f and f without the part that is cut can have in the cells that s.at
// leaves open. If nothing is cut from f, the two are equal.
func (s *system) pairs(f *form) pairs {
	s.steps--
	if s.steps < 0 {
		s.over = true
		return 0
	}
	switch f.op {
	case formAtom:
		a := &s.atoms[f.atom]
		if c := s.at[a.in]; c >= 0 {
			return both(of(s.components[a.in].cells[c].truth(a)))
		}
		if s.strict {
			return both(a.any)
		}
		return both(a.known)
	case formFixed:
		return both(of(f.truth))
	case formNot:
		return s.pairs(f.kids[0]).not()
	}
	return s.joined(f.op, f.kids)
}

// joined is pairs of an "and" or "or" of these.
func (s *system) joined(op formOp, kids []*form) pairs {
	void := fact.True // joining it changes nothing
	if op == formOr {
		void = fact.False
	}
	shared := s.shared(kids)
	if shared == 0 {
		m := pair(void, void)
		for _, k := range kids {
			switch {
			case k.gone:
			case k.cut:
				m = m.join(product(s.reach(k), of(void)), op)
			default:
				m = m.join(s.pairs(k), op)
			}
		}
		return m
	}
	c, group, rest := s.split(kids, shared)
	if len(rest) > 0 {
		return s.joined(op, group).join(s.joined(op, rest), op)
	}
	all := both(maskF | maskT)
	if s.strict {
		all = alike
	}
	if slices.ContainsFunc(kids, func(k *form) bool { return k.path }) {
		all = 1<<9 - 1
	}
	var m pairs
	s.cells(c, func() bool {
		m |= s.joined(op, kids)
		return m != all && !s.over
	})
	return m
}

// cells puts a component into each of its cells, until visit returns false.
func (s *system) cells(c int, visit func() bool) {
	n := s.components[c].known
	if s.strict {
		n = len(s.components[c].cells)
	}
	for i := range n {
		s.at[c] = i
		if !visit() {
			break
		}
	}
	s.at[c] = -1
}

// shared returns the components, not yet in a cell, that more than one of the kids depend on.
func (s *system) shared(kids []*form) uint64 {
	var seen, shared uint64
	for _, k := range kids {
		if !k.gone {
			shared |= seen & k.in
			seen |= k.in
		}
	}
	for c := range members(shared) {
		if s.at[c] >= 0 {
			shared &^= 1 << c
		}
	}
	return shared
}

// split picks the shared component that most of the kids depend on. group are the kids that depend on it, or
// on a component that they share with another kid of group; rest are the others.
func (s *system) split(kids []*form, shared uint64) (c int, group, rest []*form) {
	most := 0
	for x := range members(shared) {
		n := 0
		for _, k := range kids {
			if !k.gone && k.in&(1<<x) != 0 {
				n++
			}
		}
		if n > most {
			most, c = n, x
		}
	}
	all := uint64(1) << c
	for grown := true; grown; {
		grown = false
		for _, k := range kids {
			if open := k.in & shared; !k.gone && open&all != 0 && open&^all != 0 {
				all |= open
				grown = true
			}
		}
	}
	for _, k := range kids {
		switch {
		case k.gone:
		case k.in&all != 0:
			group = append(group, k)
		default:
			rest = append(rest, k)
		}
	}
	return c, group, rest
}

// matters reports whether root has another truth on some turn if kid is left out of its parent; past the
// bound of steps it is true. trail are the forms from root to that parent.
func (s *system) matters(root *form, trail []*form, kid *form) bool {
	kid.cut, kid.path = true, true
	for _, f := range trail {
		f.path = true
	}
	s.ask(true)
	p := s.pairs(root)
	kid.cut, kid.path = false, false
	for _, f := range trail {
		f.path = false
	}
	return s.over || p&^alike != 0
}

// together returns the pairs of truths that two forms can have on the same turn.
func (s *system) together(f, g *form) pairs {
	for c := range members(f.in & g.in) {
		if s.at[c] < 0 {
			var m pairs
			s.cells(c, func() bool {
				m |= s.together(f, g)
				return !s.over
			})
			return m
		}
	}
	return product(s.reach(f), s.reach(g))
}

// enumerate finds the cells of a component; false if there are too many combinations.
func (s *system) enumerate(c *component, vals []float64) bool {
	e := enumerator{s: s, c: c, vals: vals, ties: make([][]*tie, len(c.vars)), left: maxProduct,
		seen: map[bool]map[string]bool{false: {}, true: {}}}
	for i := range s.ties {
		if t := &s.ties[i]; slices.Contains(c.vars, t.vars[0]) {
			last := 0
			for _, v := range t.vars {
				last = max(last, slices.Index(c.vars, v))
			}
			e.ties[last] = append(e.ties[last], t)
		}
	}
	c.cells = make([]cell, 0, len(s.vars[c.vars[0]].cells))
	e.visit(0, true)
	c.known = len(c.cells)
	for _, u := range e.unknown {
		if !e.seen[true][u.truths] {
			c.cells = append(c.cells, u)
		}
	}
	return e.left >= 0
}

// An enumerator goes through the combinations of the cells of a component's variables.
type enumerator struct {
	s       *system
	c       *component
	vals    []float64 // of all variables of the system
	ties    [][]*tie  // by the last of their variables, as the component counts them
	unknown []cell
	seen    map[bool]map[string]bool // the truths of the cells, by whether all is known in them
	left    int                      // combinations
}

func (e *enumerator) visit(i int, known bool) {
	if e.left--; e.left < 0 {
		return
	}
	if i == len(e.c.vars) {
		e.keep(known)
		return
	}
	v := &e.s.vars[e.c.vars[i]]
next:
	for j, x := range v.cells {
		e.vals[e.c.vars[i]] = x
		for _, t := range e.ties[i] {
			if !t.ok(e.vals) {
				continue next
			}
		}
		e.visit(i+1, known && j < v.known)
	}
}

// keep adds a cell unless there is one in which all atoms come out alike.
func (e *enumerator) keep(known bool) {
	to := &e.c.cells
	if !known {
		to = &e.unknown
	}
	if c := e.s.cellAt(e.c, e.vals); !e.seen[known][c.truths] {
		e.seen[known][c.truths] = true
		*to = append(*to, c)
	}
}

// cellAt is the cell of a component that the values of all variables lie in.
func (s *system) cellAt(c *component, vals []float64) cell {
	truths, values := make([]byte, len(c.atoms)), make([]float64, len(c.vars))
	for i, a := range c.atoms {
		truths[i] = byte(s.truth(&s.atoms[a], vals))
	}
	for i, v := range c.vars {
		values[i] = vals[v]
	}
	return cell{string(truths), values}
}
