package compile

import (
	"cmp"
	"maps"
	"math"
	"slices"

	"github.com/aside-go/aside/compile/fact"
	"github.com/aside-go/aside/grammar"
	"github.com/aside-go/aside/internal/condition"
)

// incremental evaluates together all predicates of a set that compare only numbers and bools with constants.
// Few facts change from one turn to the next, and most of them by little. So the evaluator keeps the results
// of the previous turn (in a memo) and recomputes only the comparisons that changed, and the gates behind
// them. A turn costs as much as the number of comparisons that changed, plus one look at each fact.
//
// The Evaluator needs it for the budget of 10,000 reminders (DESIGN.md §6): the same turn takes 10 to 60
// times as long with one closure for each predicate (BenchmarkAimSet).
type incremental struct {
	facts   []thresholds
	gates   []gate
	initial memo // all facts are unknown
}

// thresholds are the constants that one fact is compared with, in ascending order, and the comparisons with
// each of them.
type thresholds struct {
	id                   fact.ID
	constants            []float64
	greater, less, equal comparisons
}

// comparisons are all comparisons of one operator. The results of those with constants[k] go to
// targets[start[k]:start[k+1]].
type comparisons struct {
	targets []target
	start   []int32
}

func (c *comparisons) between(low, high int) []target { return c.targets[c.start[low]:c.start[high]] }

// target takes the result of a comparison or of a gate.
type target struct {
	to  int32 // the index of a gate, or -1-i for the i-th result
	not bool  // the target takes the negation
}

// gate is an "and" or an "or". One operand with the truth that decides is enough; else one unknown operand
// makes it Unknown.
type gate struct {
	decides fact.Truth
	targets []target
}

// memo is the state of an incremental evaluator after a turn.
type memo struct {
	// positions holds, for each fact, twice the number of constants below its value, plus one where it equals
	// the next constant; -1 for an unknown fact.
	positions []int
	gates     []operandCount
}

// operandCount counts the operands of a gate that decide, and those that are unknown.
type operandCount struct{ deciding, unknown int32 }

func (m *memo) clone() memo { return memo{slices.Clone(m.positions), slices.Clone(m.gates)} }

// run brings the memo and the results up to date with the facts of f.
func (n *incremental) run(f *fact.Frame, m *memo, results []fact.Truth) {
	for i := range n.facts {
		t := &n.facts[i]
		from := m.positions[i]
		if to := t.position(f.Num(t.id), from); to != from {
			m.positions[i] = to
			update{n, m, results}.move(t, from, to)
		}
	}
}

// position returns the position of a value among the constants. It looks first near the previous position.
func (t *thresholds) position(v float64, previous int) int {
	if v != v {
		return -1
	}
	below, n := max(previous, 0)/2, len(t.constants) // below is to be the number of constants below v
	if below > 0 && t.constants[below-1] >= v || below < n && t.constants[below] < v {
		below, _ = slices.BinarySearch(t.constants, v)
	}
	if below < n && t.constants[below] == v {
		return 2*below + 1
	}
	return 2 * below
}

// update propagates changes of facts to the gates and the results.
type update struct {
	*incremental
	memo    *memo
	results []fact.Truth
}

// move changes the comparisons with the constants between two positions of a fact.
func (u update) move(t *thresholds, from, to int) {
	const no, unknown, yes = fact.False, fact.Unknown, fact.True
	n := len(t.constants)
	// Of the n constants, position/2 are below the value, and n-(position+1)/2 above it. (position+1)/2 is
	// position - position/2.
	switch {
	case from < 0:
		below, upTo := to/2, to-to/2
		u.change(t.greater.between(0, below), unknown, yes)
		u.change(t.greater.between(below, n), unknown, no)
		u.change(t.less.between(0, upTo), unknown, no)
		u.change(t.less.between(upTo, n), unknown, yes)
		u.change(t.equal.between(0, below), unknown, no)
		u.change(t.equal.between(below, upTo), unknown, yes)
		u.change(t.equal.between(upTo, n), unknown, no)
	case to < 0:
		below, upTo := from/2, from-from/2
		u.change(t.greater.between(0, below), yes, unknown)
		u.change(t.greater.between(below, n), no, unknown)
		u.change(t.less.between(0, upTo), no, unknown)
		u.change(t.less.between(upTo, n), yes, unknown)
		u.change(t.equal.between(0, below), no, unknown)
		u.change(t.equal.between(below, upTo), yes, unknown)
		u.change(t.equal.between(upTo, n), no, unknown)
	default:
		wasBelow, isBelow := from/2, to/2
		wasUpTo, isUpTo := from-wasBelow, to-isBelow
		u.change(t.equal.between(wasBelow, wasUpTo), yes, no)
		if wasBelow < isBelow {
			u.change(t.greater.between(wasBelow, isBelow), no, yes)
		} else {
			u.change(t.greater.between(isBelow, wasBelow), yes, no)
		}
		u.change(t.equal.between(isBelow, isUpTo), no, yes)
		if wasUpTo < isUpTo {
			u.change(t.less.between(wasUpTo, isUpTo), yes, no)
		} else {
			u.change(t.less.between(isUpTo, wasUpTo), no, yes)
		}
	}
}

// change tells all targets of a comparison or a gate that its truth changed.
func (u update) change(targets []target, was, is fact.Truth) {
	for _, t := range targets {
		was, is := was, is
		if t.not {
			was, is = was.Not(), is.Not()
		}
		if t.to < 0 {
			u.results[-1-t.to] = is
			continue
		}
		g, count := &u.gates[t.to], &u.memo.gates[t.to]
		before := count.truth(g.decides)
		count.add(g.decides, was, -1)
		count.add(g.decides, is, +1)
		if after := count.truth(g.decides); after != before {
			u.change(g.targets, before, after)
		}
	}
}

func (c *operandCount) add(decides, operand fact.Truth, by int32) {
	switch operand {
	case decides:
		c.deciding += by
	case fact.Unknown:
		c.unknown += by
	}
}

// truth returns the truth of the gate whose operands are counted.
func (c *operandCount) truth(decides fact.Truth) fact.Truth {
	switch {
	case c.deciding > 0:
		return decides
	case c.unknown > 0:
		return fact.Unknown
	default:
		return decides.Not()
	}
}

// incrementalBuilder builds an incremental evaluator.
type incrementalBuilder struct {
	gates   []gate
	initial []operandCount // of the gates
	targets map[comparison][]target
}

// comparison is the comparison of a fact with a constant.
type comparison struct {
	id fact.ID
	op grammar.Op // Greater, Less or Equal
	c  float64
}

// canIncrement reports whether the incremental evaluator can hold a predicate.
func canIncrement(n *condition.Node) bool {
	if n == nil {
		return false
	}
	if n.Leaf != nil {
		return n.Leaf.Kind == condition.Number && !math.IsNaN(n.Leaf.Numbers[0])
	}
	return !slices.ContainsFunc(n.Kids, func(k *condition.Node) bool { return !canIncrement(k) })
}

// add adds a predicate for which canIncrement holds. results are the indices of its results.
func (b *incrementalBuilder) add(n *condition.Node, results []int) {
	targets := make([]target, len(results))
	for i, r := range results {
		targets[i].to = int32(-1 - r)
	}
	b.connect(n, targets)
}

// connect sends the truth of n to targets.
func (b *incrementalBuilder) connect(n *condition.Node, targets []target) {
	if n.Leaf != nil {
		c := comparison{n.Leaf.Fact, n.Leaf.Op, n.Leaf.Numbers[0]}
		switch c.op { // a known fact satisfies exactly one of two opposite comparisons
		case grammar.NotEqual, grammar.GreaterEqual, grammar.LessEqual:
			c.op, targets = c.op.Opposite(), negated(targets)
		}
		b.compare(c, targets)
		return
	}
	decides := fact.True
	switch n.Expr.(type) {
	case *grammar.Not:
		b.connect(n.Kids[0], negated(targets))
		return
	case *grammar.And:
		decides = fact.False
	}
	i := int32(len(b.gates))
	b.gates = append(b.gates, gate{decides, targets})
	b.initial = append(b.initial, operandCount{unknown: int32(len(n.Kids))})
	for _, k := range n.Kids {
		b.connect(k, []target{{to: i}})
	}
}

func (b *incrementalBuilder) compare(c comparison, targets []target) {
	b.targets[c] = append(b.targets[c], targets...)
}

func negated(targets []target) []target {
	not := slices.Clone(targets)
	for i := range not {
		not[i].not = !not[i].not
	}
	return not
}

// done returns the evaluator.
func (b *incrementalBuilder) done() incremental {
	n := incremental{gates: b.gates}
	sorted := slices.SortedFunc(maps.Keys(b.targets), func(x, y comparison) int {
		return cmp.Or(cmp.Compare(x.id, y.id), cmp.Compare(x.c, y.c))
	})
	for len(sorted) > 0 {
		t := thresholds{id: sorted[0].id}
		of := slices.IndexFunc(sorted, func(c comparison) bool { return c.id != t.id })
		if of < 0 {
			of = len(sorted)
		}
		for _, c := range sorted[:of] {
			if k := len(t.constants); k == 0 || t.constants[k-1] != c.c {
				t.constants = append(t.constants, c.c)
			}
		}
		t.greater = b.comparisons(t, grammar.Greater)
		t.less = b.comparisons(t, grammar.Less)
		t.equal = b.comparisons(t, grammar.Equal)
		n.facts, sorted = append(n.facts, t), sorted[of:]
	}
	n.initial = memo{slices.Repeat([]int{-1}, len(n.facts)), b.initial}
	return n
}

// comparisons returns the comparisons of one operator with the constants of a fact.
func (b *incrementalBuilder) comparisons(t thresholds, op grammar.Op) comparisons {
	r := comparisons{start: make([]int32, 1, len(t.constants)+1)}
	for _, c := range t.constants {
		r.targets = append(r.targets, b.targets[comparison{t.id, op, c}]...)
		r.start = append(r.start, int32(len(r.targets)))
	}
	return r
}
