package analysis

import (
	"math"
	"slices"
	"strings"
	"time"

	"github.com/aside-go/aside/compile/fact"
	"github.com/aside-go/aside/grammar"
	"github.com/aside-go/aside/internal/condition"
)

// bounds are the values that a number can have, the ends included.
type bounds struct {
	lo, hi  float64
	whole   bool
	step    float64 // how far a representative stands from a constant, where there is room
	unknown bool    // it may be unknown
	more    bool    // it may be known to be at least 1, and no more of it
}

func (m *model) boundsOf(k key) bounds {
	b := bounds{hi: fact.MaxInt, whole: true, step: 1, unknown: true}
	nothing := bounds{hi: -1, whole: true, step: 1, unknown: true} // unknown alone
	switch k.kind {
	case varFact:
		if m.host.never(k.id) {
			if m.lacked(k.id) {
				nothing.hi = 0
			}
			return nothing
		}
		ft := m.schema.Fact(k.id)
		declared := strings.HasPrefix(ft.Name, "vars.")
		switch ft.Type {
		case fact.Bool:
			b.hi = 1
		case fact.Int:
			if declared {
				b.lo = -fact.MaxInt
			} else if ft.ID == fact.Hour {
				b.hi = 23
			}
		case fact.Number:
			b.whole, b.lo, b.hi = false, -math.MaxFloat64, math.MaxFloat64
		case fact.Dollars:
			b.whole, b.hi, b.step = false, math.MaxFloat64, 0.25
		case fact.Ratio: // a host may count more tokens than it believes the window to hold
			b.whole, b.hi, b.step = false, math.MaxFloat64, ratioStep
		case fact.Duration:
			b.whole, b.hi, b.step = false, maxDuration, float64(time.Second)
			if declared {
				b.lo = -maxDuration
			}
		}
	case varCount:
		b.more = !plain(k.name)
	case varLatest:
		b.lo = 1
	case varSince:
		b.hi = 1
	case varFired, varTokens:
		if k.kind == varFired {
			b.lo = 1
		}
		if m.silent != nil && m.silent(k.name) {
			b = nothing
		}
	case varPace:
		switch unit := grammar.CadenceUnit(k.id); {
		case m.moment != fact.Turn: // no cadence is true at a moment
			b.lo, b.hi, b.unknown = 0, 0, false
		case unit == grammar.Turns:
			b.lo, b.unknown = 1, false
		case unit == grammar.Elapsed:
			b = bounds{lo: -1 << 62, hi: 1 << 62, step: 1e9}
		}
	}
	return b
}

// ratioStep is how far a sample of a ratio stands from a constant.
const ratioStep = 0.01

// maxDuration is the longest time that is a float and a time.Duration, too.
const maxDuration = 1<<63 - 1024

// A linear is a sum of variables with factors, and a constant. A condition that compares it with 0 comes out
// alike wherever the sum has the same sign.
//
// The representatives of numbers are found as of planes that cut a space: conditions on several variables
// are reduced, two by two, to such on fewer; then the first variable has a representative at and between
// all that is asked of it alone, and each further one at and between all that is asked of it where those
// before it have theirs. No combination of signs is left out. For whole numbers with the factors 1 and -1
// it is enough to look at the planes themselves and those one beside them, where a sum is 1 or -1: the
// corners of all that they cut out are whole.
type linear struct {
	vars  []int
	by    []float64 // factors of vars
	c     float64
	op    grammar.Op
	bound bool // it is what a variable can be, and nobody asks for it
}

// plus adds factor times another sum.
func (l linear) plus(o linear, factor float64) linear {
	out := linear{slices.Clone(l.vars), slices.Clone(l.by), l.c + factor*o.c, l.op, l.bound && o.bound}
	for i, v := range o.vars {
		if j := slices.Index(out.vars, v); j >= 0 {
			if out.by[j] += factor * o.by[i]; out.by[j] == 0 {
				out.vars, out.by = slices.Delete(out.vars, j, j+1), slices.Delete(out.by, j, j+1)
			}
		} else {
			out.vars, out.by = append(out.vars, v), append(out.by, factor*o.by[i])
		}
	}
	return out
}

// factor is that of a variable; 0 if the sum does not have it.
func (l *linear) factor(v int) float64 {
	if i := slices.Index(l.vars, v); i >= 0 {
		return l.by[i]
	}
	return 0
}

// versus is the sum v - c.
func versus(v int, c float64, op grammar.Op) linear {
	return linear{vars: []int{v}, by: []float64{1}, c: -c, op: op}
}

// exact reports whether representatives of whole numbers, and of fractions in the way in which they are
// computed, lose no sign of a sum.
func (m *model) exact(l linear) bool {
	for i, v := range l.vars {
		b := &m.vars[v].bounds
		if len(l.vars) > 1 && (b.whole && math.Abs(l.by[i]) != 1 || !b.whole && m.vars[v].kind == varFact &&
			m.schema.Fact(m.vars[v].id).Type != fact.Duration) {
			return false
		}
	}
	if len(l.vars) == 1 && !m.vars[l.vars[0]].whole {
		x := -l.c / l.by[0]
		return x*l.by[0]+l.c == 0
	}
	return len(l.vars) > 0 && (len(l.vars) == 1 || l.c == math.Trunc(l.c))
}

// Factors and constants of a sum: how far whole numbers on both sides of 0 stand from it, by the comparison.
var beside = map[grammar.Op][]float64{
	grammar.Less: {0, 1}, grammar.GreaterEqual: {0, 1}, grammar.Greater: {0, -1}, grammar.LessEqual: {0, -1},
	grammar.Equal: {0, 1, -1}, grammar.NotEqual: {0, 1, -1},
}

// maxPlanes bounds the sums that are reduced to each other.
const maxPlanes = 200

// project returns for each variable of a group the sums that cut it where those before it are fixed; nil if
// there are too many.
func (m *model) project(g *group) [][]linear {
	out := make([][]linear, len(g.vars))
	total := 0
	add := func(l linear) {
		n := last(l.vars, g.vars)
		if n < 0 {
			return
		}
		if by := l.factor(g.vars[n]); by != 1 { // so that equal planes are equal sums
			for i := range l.by {
				l.by[i] /= by
			}
			l.c /= by
		}
		for i := range out[n] {
			if o := &out[n][i]; o.c == l.c && len(o.vars) == len(l.vars) &&
				!slices.ContainsFunc(l.vars, func(v int) bool { return o.factor(v) != l.factor(v) }) {
				o.bound = o.bound && l.bound
				return
			}
		}
		out[n] = append(out[n], l)
		total++
	}
	several := false
	all := func(l linear) {
		whole := !slices.ContainsFunc(l.vars, func(v int) bool { return !m.vars[v].whole })
		several = several || len(l.vars) > 1
		if len(l.vars) == 1 && l.by[0] != 1 { // beside is a whole number away, not a sum of 1
			l = versus(l.vars[0], -l.c/l.by[0], grammar.Equal)
		}
		for _, d := range beside[l.op] {
			if d == 0 || whole {
				one := l
				one.by = slices.Clone(l.by)
				one.c += d
				add(one)
			}
		}
	}
	for _, i := range g.leaves {
		for _, l := range m.leaves[i].lin {
			all(l)
		}
	}
	for i := range m.links {
		if l := &m.links[i]; slices.Contains(g.vars, l.vars[0]) {
			for _, f := range l.forms {
				f.bound = true
				all(f)
			}
		}
	}
	for _, v := range g.vars {
		if x := &m.vars[v]; x.kind.numeric() {
			for _, end := range []float64{x.lo, x.hi} {
				l := versus(v, end, grammar.Equal)
				l.bound = true
				add(l)
			}
		}
	}
	if !several {
		return out
	}
	for n := len(out) - 1; n > 0; n-- {
		v := g.vars[n]
		for i, a := range out[n] {
			for _, b := range out[n][:i] {
				sum := a.plus(b, -a.factor(v)/b.factor(v))
				if sum.op = grammar.Equal; len(sum.vars) > 0 && m.vars[v].whole {
					add(sum)
				} else if len(sum.vars) > 0 {
					all(sum)
				}
				if total > maxPlanes {
					return nil
				}
			}
		}
	}
	return out
}

// samples are the representatives of a number where those of the variables before it are set.
func (m *model) samples(n int, planes []linear) []value {
	v := &m.vars[n]
	var cuts, asked []float64
	for i := range planes {
		l := &planes[i]
		x := -l.c
		for j, w := range l.vars {
			if w != n {
				x -= l.by[j] * m.past.values[w].num
			}
		}
		if x += 0; math.IsNaN(x) || math.IsInf(x, 0) {
			continue
		}
		if !l.bound {
			asked = append(asked, x)
		}
		if cuts = append(cuts, x); v.whole && x != math.Trunc(x) {
			cuts[len(cuts)-1] = math.Floor(x)
			cuts = append(cuts, math.Ceil(x))
		}
	}
	ratio := v.step == ratioStep
	if ratio { // examples that people expect lie below
		cuts = append(cuts, 1)
	}
	cuts = slices.DeleteFunc(cuts, func(x float64) bool { return x < v.lo || x > v.hi })
	slices.Sort(cuts)
	cuts = slices.Compact(cuts)
	near := asked // the best are near what is asked
	if len(near) == 0 {
		near = []float64{0}
	}
	out := make([]value, 0, 2*len(cuts)+2)
	add := func(x float64) {
		cost := math.Inf(1)
		for _, c := range near {
			cost = min(cost, math.Abs(x-c)/v.step)
		}
		if ratio && x > 1 {
			cost += 1 << 32
		}
		out = append(out, value{num: x, cost: math.Log2(1 + cost)})
	}
	for i, x := range cuts {
		add(x)
		if v.whole || i+1 == len(cuts) {
			continue
		}
		next := cuts[i+1]
		y := x + v.step
		if !slices.Contains(asked, x) && slices.Contains(asked, next) {
			y = next - v.step
		}
		if ratio {
			y = math.Round(y*1e9) / 1e9 // 0.75 + 0.01 is 0.76
		}
		if !(y > x && y < next) {
			y = x + (next-x)/2
		}
		if y > x && y < next {
			add(y)
		}
	}
	if v.more {
		out = append(out, value{num: math.Inf(1), cost: 64})
	}
	if v.unknown || len(out) == 0 {
		out = append(out, value{num: unknown, cost: 128})
	}
	return out
}

// sumOf returns what an expression computes as a sum; ok is false if it is something else. about returns the
// variable of a fact or of the answer of a function, -1 for anything else.
func sumOf(v *condition.Value, about func(*condition.Value) int) (l linear, ok bool) {
	switch x, _ := v.Expr.(*grammar.Literal); {
	case x != nil && x.Kind == grammar.Duration:
		return linear{c: float64(x.Duration)}, true
	case x != nil:
		return linear{c: x.Number}, v.Type.Amount()
	case v.Term != nil:
		i := about(v)
		return linear{vars: []int{i}, by: []float64{1}}, i >= 0
	case v.Op == "-" && len(v.Parts) == 1:
		l, ok = sumOf(v.Parts[0], about)
		return linear{}.plus(l, -1), ok
	case len(v.Parts) != 2:
		return l, false
	}
	a, okA := sumOf(v.Parts[0], about)
	b, okB := sumOf(v.Parts[1], about)
	switch ok = okA && okB; v.Op {
	case "+":
		return a.plus(b, 1), ok
	case "-":
		return a.plus(b, -1), ok
	case "*":
		if len(a.vars) > 0 {
			a, b = b, a
		}
		return linear{}.plus(b, a.c), ok && len(a.vars) == 0 && a.c != 0
	}
	return l, false
}

// difference returns what an expression compares as a sum with 0; ok is false if it is none that
// representatives can be found for.
func (m *model) difference(v *condition.Value) (lin linear, ok bool) {
	op := grammar.Op(v.Op)
	if op.Turned() == "" {
		return lin, false
	}
	whole := *v
	whole.Op = "-"
	lin, ok = sumOf(&whole, m.operand)
	lin.op = op
	return lin, ok && m.exact(lin)
}

// operand returns the variable of a number: of a fact, or of the answer of a function. It returns -1 for
// anything else.
func (m *model) operand(v *condition.Value) int {
	if v.Term.Num == nil {
		if v.Fact.Type < fact.String {
			return m.variable(key{kind: varFact, id: v.Fact.ID})
		}
	} else if k, ok := answerOf(v.Term); ok && !v.Term.Tally {
		return m.variable(k)
	}
	return -1
}

// answerOf returns the variable of a function of the history; ok is false for any other term.
func answerOf(t *condition.Term) (k key, ok bool) {
	if k.kind = varKind(t.Function); t.Function == "used" {
		k.kind = varCount
	}
	if k.name = t.Argument; len(t.Patterns) > 0 {
		k.name = t.Patterns[0].String()
	}
	if k.kind == varSince {
		if second := t.Patterns[1].String(); second != k.name {
			k.name += ", " + second
		} else {
			k.kind = varCount // it is true as long as there was none
		}
	}
	return k, t.History
}
