package compile

import (
	"maps"
	"math"
	"slices"

	"github.com/aside-go/aside/compile/fact"
	"github.com/aside-go/aside/internal/condition"
)

// incremental finds the predicates of a set that may have another truth than on the turn before, among those
// that compare only numbers and bools with constants. Few facts change from one turn to the next, and most of
// them by little. Such a predicate is evaluated again when a fact has passed a constant that the predicate
// compares it with. A turn costs as much as the number of these predicates, plus one look at each fact.
//
// The Evaluator needs it for the budget of 10,000 reminders (DESIGN.md §6): the same turn takes 10 to 60
// times as long with one closure for each predicate (BenchmarkAimSet).
type incremental []thresholds

// thresholds are the constants that one fact is compared with, in ascending order, and the predicates that
// compare it with each of them: those with constants[k] are the steps readers[start[k]:start[k+1]].
type thresholds struct {
	fact      *condition.Term
	constants []float64
	readers   []int32
	start     []int32
}

// memo is what an incremental remembers of the turn before.
type memo struct {
	// positions holds, for each fact, twice the number of constants below its value, plus one where it equals
	// the next constant; -1 for an unknown fact.
	positions []int
	due       []int32 // the steps to evaluate, each once
	marked    []bool  // by step: it is one of due
}

// newMemo returns the memo of a turn on which all facts are unknown, for a plan of some steps.
func (n incremental) newMemo(steps int) memo {
	return memo{positions: slices.Repeat([]int{-1}, len(n)), marked: make([]bool, steps)}
}

// update brings the memo up to date with the facts of f: due are the steps whose comparisons have changed.
func (n incremental) update(f *fact.Frame, m *memo) {
	for _, i := range m.due {
		m.marked[i] = false
	}
	m.due = m.due[:0]
	for i := range n {
		t := &n[i]
		from := m.positions[i]
		to := t.position(t.fact.Num(f), from)
		if to == from {
			continue
		}
		m.positions[i] = to
		// Between two positions the constants have changed sides from lower/2 up to (upper+1)/2.
		first, end := min(from, to)/2, (max(from, to)+1)/2
		if from < 0 || to < 0 {
			first, end = 0, len(t.constants)
		}
		for _, step := range t.readers[t.start[first]:t.start[end]] {
			if !m.marked[step] {
				m.marked[step], m.due = true, append(m.due, step)
			}
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

// canIncrement reports whether an incremental can watch a predicate.
func canIncrement(n *condition.Node) bool {
	if n == nil {
		return false
	}
	if n.Leaf != nil {
		_, of := n.Leaf.OfFact()
		return of && !math.IsNaN(n.Leaf.Numbers[0])
	}
	return !slices.ContainsFunc(n.Kids, func(k *condition.Node) bool { return !canIncrement(k) })
}

// newIncremental returns the incremental of the steps that canIncrement allows, by their numbers.
func newIncremental(steps map[int32]*condition.Node) (n incremental) {
	facts := map[fact.ID]*condition.Term{}
	readers := map[fact.ID]map[float64][]int32{}
	for _, step := range slices.Sorted(maps.Keys(steps)) {
		steps[step].Leaves(func(l *condition.Leaf) {
			if facts[l.Fact] == nil {
				facts[l.Fact], readers[l.Fact] = l.Terms[0], map[float64][]int32{}
			}
			c := l.Numbers[0]
			readers[l.Fact][c] = append(readers[l.Fact][c], step)
		})
	}
	for _, id := range slices.Sorted(maps.Keys(facts)) {
		t := thresholds{fact: facts[id], start: []int32{0}}
		for _, c := range slices.Sorted(maps.Keys(readers[id])) {
			t.constants = append(t.constants, c)
			t.readers = append(t.readers, readers[id][c]...)
			t.start = append(t.start, int32(len(t.readers)))
		}
		n = append(n, t)
	}
	return n
}
