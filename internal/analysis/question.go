package analysis

import (
	"iter"
	"math/bits"
	"slices"

	"github.com/aside-go/aside/compile/fact"
	"github.com/aside-go/aside/grammar"
	"github.com/aside-go/aside/internal/condition"
)

// A form is a part of a trigger over the leaves of a model.
type form struct {
	op     formOp
	leaf   int        // of formLeaf
	truth  fact.Truth // of formFixed
	kids   []*form
	expr   grammar.Expr // as parsed
	in     uint64       // groups
	gone   bool         // it was found to be without effect
	manual bool         // the constant that is never on purpose
	// its number in the trigger, and the number behind its last part
	first, last int
}

type formOp uint8

const (
	formLeaf formOp = iota
	formFixed
	formNot
	formAnd
	formOr
)

// join is the "and" or "or" of some parts.
func join(op formOp, kids ...*form) *form {
	f := &form{op: op, kids: kids, first: kids[0].first, last: kids[0].last}
	for _, k := range kids {
		f.in |= k.in
		f.first, f.last = min(f.first, k.first), max(f.last, k.last)
	}
	return f
}

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

// second are the truths that stand behind t in a pair.
func (p pairs) second(t fact.Truth) mask { return mask(p>>(3*t)) & (maskF | maskU | maskT) }

// first are the truths that stand first in a pair.
func (p pairs) first() (m mask) {
	for t := range fact.True + 1 {
		if p.second(t) != 0 {
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
func (m *model) form(n *condition.Node, self string) *form {
	f := &form{expr: n.Expr}
	switch n.Expr.(type) {
	case *grammar.And:
		f.op = formAnd
	case *grammar.Or:
		f.op = formOr
	case *grammar.Not:
		f.op = formNot
	}
	if n.Leaf != nil {
		m.condition(f, n, self)
		return f
	}
	for _, k := range n.Kids {
		f.kids = append(f.kids, m.form(k, self))
	}
	return f
}

// condition fills in the form of a condition. A condition with a list is the "or" of its members, where each
// member is a whole condition. Failures are not: it may be known that one of two tools failed, but not
// which.
func (m *model) condition(f *form, n *condition.Node, self string) {
	l := n.Leaf
	var each []grammar.Expr
	switch l.Kind {
	case condition.Constant:
		f.op, f.truth = formFixed, l.Truth
		c, ok := f.expr.(*grammar.Constant)
		f.manual = ok && c.Name == "manual"
		return
	case condition.Failed:
	default:
		each = grammar.Members(n.Expr)
	}
	if len(each) < 2 {
		f.op, f.leaf = formLeaf, m.leaf(l, n.Eval, n.Expr, self)
		return
	}
	in := f
	if l.Not {
		in = &form{expr: n.Expr}
		f.op, f.kids = formNot, []*form{in}
	}
	in.op = formOr
	for i, x := range each {
		one := *l.Nth(i)
		one.Not = false
		leaf := m.leaf(&one, one.Evaluator(), x, self)
		in.kids = append(in.kids, &form{op: formLeaf, leaf: leaf, expr: x})
	}
}

// leaf returns the index of a condition, a new one if there is none with the same text.
func (m *model) leaf(l *condition.Leaf, eval func(*fact.Frame) fact.Truth, x grammar.Expr, self string) int {
	text := format(x)
	if l.Kind == condition.Cadence {
		text += " of " + self
	}
	i := slices.IndexFunc(m.leaves, func(o leaf) bool { return o.text == text })
	if i < 0 {
		i = len(m.leaves)
		m.leaves = append(m.leaves, leaf{Leaf: l, eval: eval, text: text, expr: x, self: self})
	}
	return i
}

func format(x grammar.Expr) string { return grammar.Format(&grammar.Trigger{Root: x}) }

// The truths of a form are found without all combinations of states. Parts that depend on different groups
// come out independently of each other, so their truths are joined. Only a group that several parts share
// is put into each of its states, one after the other, for these parts alone.

// A span is how many of the states that a model tells apart count: the turn alone, the gap after it as well,
// in which no event holds, or also the gaps in which texts are absent.
type span int

const (
	turnSpan span = iota
	gapSpan
	textSpan
)

// moments yields the numbers of the states of a span: 0 is the turn.
func (m *model) moments(s span) iter.Seq[int] {
	return func(yield func(int) bool) {
		for i := range [...]int{1, 2, gaps + 1}[s] {
			if (i == 0 || fact.Texts(i-1)&^m.texts == 0) && !yield(i) {
				return
			}
		}
	}
}

// ask asks a question about turns or, if gap is not 0, about a gap after them.
func (m *model) ask(gap int) {
	m.instant, m.steps, m.over = gap, min(maxSteps, m.left), false
}

// reach returns the truths that f can have in the states that m.at leaves open.
func (m *model) reach(f *form) mask { return m.pairs(f).first() }

// pairs returns the pairs of truths that f and f without the part that is cut can have in the states that
// m.at leaves open. If nothing is cut from f, the two are equal.
func (m *model) pairs(f *form) pairs {
	m.left--
	if m.steps--; m.steps < 0 {
		m.over = true
		return 0
	}
	switch f.op {
	case formLeaf:
		l := &m.leaves[f.leaf]
		if s := m.at[l.in]; s >= 0 {
			return both(of(fact.Truth(m.groups[l.in].states[s].truths[m.instant][l.slot])))
		}
		return both(l.any[m.instant])
	case formFixed:
		if m.loose {
			return both(maskT)
		}
		return both(of(f.truth))
	case formNot:
		return m.pairs(f.kids[0]).not()
	}
	return m.joined(f.op, f.kids)
}

// joined is pairs of an "and" or "or" of these.
func (m *model) joined(op formOp, kids []*form) pairs {
	void := fact.True // joining it changes nothing
	if op == formOr {
		void = fact.False
	}
	g, shared := m.shared(kids)
	if g < 0 {
		out := pair(void, void)
		for _, k := range kids {
			switch {
			case m.out(k):
			case k == m.cut:
				out = out.join(product(m.reach(k), of(void)), op)
			default:
				out = out.join(m.pairs(k), op)
			}
		}
		return out
	}
	parts := components(slices.DeleteFunc(slices.Clone(kids), m.out), func(a, b *form) bool {
		return a.in&b.in&shared != 0
	})
	if len(parts) > 1 { // these come out independently of each other
		out := m.joined(op, parts[0])
		for _, part := range parts[1:] {
			out = out.join(m.joined(op, part), op)
		}
		return out
	}
	all := alike
	if slices.ContainsFunc(kids, func(k *form) bool {
		return m.cut != nil && k.first <= m.cut.first && m.cut.last <= k.last
	}) {
		all = 1<<9 - 1
	}
	var out pairs
	m.each(g, func() bool {
		out |= m.joined(op, kids)
		return out != all && !m.over
	})
	return out
}

// each puts a group into each of its states, until visit returns false.
func (m *model) each(g int, visit func() bool) {
	for i := range m.groups[g].states {
		if m.at[g] = i; !visit() {
			break
		}
	}
	m.at[g] = -1
}

// shared returns the group with the fewest states, in none of them yet, that more than one of the kids depend
// on, -1 if there is none, and all such groups.
func (m *model) shared(kids []*form) (best int, all uint64) {
	var seen, shared uint64
	for _, k := range kids {
		if !m.out(k) {
			shared |= seen & k.in
			seen |= k.in
		}
	}
	best = -1
	for g := range members(shared) {
		if m.at[g] >= 0 {
			continue
		}
		if all |= 1 << g; best < 0 || len(m.groups[g].states) < len(m.groups[best].states) {
			best = g
		}
	}
	return best, all
}

// out reports whether a part is left out.
func (m *model) out(f *form) bool { return f.gone && !m.whole }

// without returns the pairs of truths of root and of root without a part; more than these past the bound.
func (m *model) without(root, part *form) pairs {
	m.cut = part
	p := m.pairs(root)
	if m.cut = nil; m.over {
		return 1<<9 - 1
	}
	return p
}

// together returns the pairs of truths that two forms can have on the same turn.
func (m *model) together(f, g *form) pairs {
	for c := range members(f.in & g.in) {
		if m.at[c] < 0 {
			var out pairs
			m.each(c, func() bool {
				out |= m.together(f, g)
				return !m.over
			})
			return out
		}
	}
	return product(m.reach(f), m.reach(g))
}
