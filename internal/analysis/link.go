package analysis

import (
	"math"
	"slices"
	"strings"

	"github.com/aside-go/aside/compile/fact"
	"github.com/aside-go/aside/grammar"
	"github.com/aside-go/aside/internal/callpattern"
)

// A link says which values of some variables cannot come together. The links are all that this package knows
// of facts beside their types; TestLinks has an example of each.
type link struct {
	vars  []int
	ok    func(at []*value) bool // by index of the variable; those of vars are set
	forms []linear               // what ok compares
}

// last is the place of the last of some variables in a group; -1 if they are not in it.
func last(of, vars []int) int {
	n := -1
	for _, v := range of {
		n = max(n, slices.Index(vars, v))
	}
	return n
}

// link adds the links between the variables that there are.
func (m *model) link() {
	calls, row := m.find(key{kind: varCalls}), m.find(key{kind: varFact, id: fact.FailuresInRow})
	failed, started := m.find(key{kind: varFact, id: fact.LastToolCallFailed}),
		m.find(key{kind: varFact, id: fact.Started})
	if m.moment == fact.Turn {
		// A row of failures is one where a call of the turn failed.
		m.join([]int{calls, row}, func(at []*value) bool {
			return at[calls].last == fact.Unknown || at[row].unknown() ||
				(at[calls].last == fact.True) == (at[row].num >= 1)
		}, versus(row, 1, grammar.GreaterEqual))
		m.join([]int{failed, row}, func(at []*value) bool {
			return at[failed].unknown() || at[row].unknown() || (at[failed].num == 1) == (at[row].num >= 1)
		}, versus(row, 1, grammar.GreaterEqual))
	}
	for i := range m.vars {
		v := m.vars[i].key
		switch v.kind {
		case varPace:
			unit := grammar.CadenceUnit(v.id)
			if unit == grammar.Turns && m.moment == fact.Turn { // On the first turn there was one turn.
				m.join([]int{started, i}, func(at []*value) bool { return at[started].num != 1 || at[i].num <= 1 },
					versus(i, 1, grammar.LessEqual))
			}
		case varCount, varLatest:
			if v.kind == varCount {
				m.linkCount(i, v.name)
			}
			m.linkNow(i, calls)
			m.linkWider(i)
		case varSince:
			a, b, _ := strings.Cut(v.name, ", ")
			m.linkSince(i, m.find(key{kind: varCount, name: a}), m.find(key{kind: varCount, name: b}))
		}
	}
}

// join adds a link if its variables exist.
func (m *model) join(vars []int, ok func(at []*value) bool, forms ...linear) {
	if !slices.Contains(vars, -1) {
		m.links = append(m.links, link{vars, ok, forms})
	}
}

func (x *value) unknown() bool { return math.IsNaN(x.num) }

// linkCount: a count is 0 until there is a latest call.
func (m *model) linkCount(i int, name string) {
	latest := m.find(key{kind: varLatest, name: name})
	m.join([]int{i, latest}, func(at []*value) bool {
		n, since := at[i].num, at[latest].num
		return since != since && (n == 0 || n != n || !plain(name)) || since == since && n >= 1
	}, versus(i, 1, grammar.GreaterEqual))
}

// linkNow: a tool that was used on this turn was counted, and used one turn ago, as the language counts.
func (m *model) linkNow(i, calls int) {
	v := m.vars[i].key
	if m.moment != fact.Turn || !slices.Contains(m.calls.history, v.name) {
		return
	}
	m.join([]int{i, calls}, func(at []*value) bool {
		x, now := at[i].num, at[calls].matches(v.name)
		if v.kind == varCount {
			return now == fact.Unknown || now == fact.True && x >= 1 || now == fact.False && x == x
		}
		return now == fact.Unknown || (now == fact.True) == (x == 1)
	}, versus(i, 1, grammar.Equal))
}

// linkWider: of names alone all is counted from the beginning of the run, so that a wider pattern has the
// greater count, and a latest call that is no earlier.
func (m *model) linkWider(i int) {
	for j := range m.vars {
		v, o := m.vars[i].key, m.vars[j].key
		if i == j || o.kind != v.kind || !plain(v.name) || !plain(o.name) || !callpattern.Covers(o.name, v.name) {
			continue
		}
		less, more := i, j
		if v.kind == varLatest {
			less, more = j, i
		}
		m.join([]int{i, j}, func(at []*value) bool {
			return at[less].num <= at[more].num || at[i].unknown() && (v.kind == varLatest || at[j].unknown())
		}, versus(less, 0, grammar.LessEqual).plus(versus(more, 0, grammar.LessEqual), -1))
	}
}

// linkSince: called_since(A, B) is false only after a call of B, and true after one only where there was a
// call of A.
func (m *model) linkSince(since, a, b int) {
	m.join([]int{since, b}, func(at []*value) bool { return at[since].num != 0 || at[b].num >= 1 },
		versus(b, 1, grammar.GreaterEqual))
	m.join([]int{since, a, b}, func(at []*value) bool {
		return at[since].num != 1 || !(at[b].num >= 1) || at[a].num != 0
	}, versus(a, 1, grammar.GreaterEqual), versus(b, 1, grammar.GreaterEqual))
}
