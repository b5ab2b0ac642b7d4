package compile

import (
	"cmp"
	"maps"
	"math"
	"slices"

	"github.com/aside-go/aside/compile/fact"
	"github.com/aside-go/aside/grammar"
)

// circuit evaluates at once all predicates of a set that compare numbers and bools with constants. From one turn to the next few
// facts move, and most by a little, so it keeps what the turn before came to (in a charge) and follows only what has changed: for
// each fact its constants in order, and how far up the fact stands; behind each comparison the gates that hear of it. What it
// takes goes with the comparisons that turned, not with those that there are.
type circuit struct {
	facts []ladder
	gates []gate
	rest  charge // what everything is while no fact is known
}

// ladder is a fact's constants, in ascending order, and the comparisons with them.
type ladder struct {
	id                  fact.ID
	rungs               []float64
	above, below, equal row
}

// row is who hears of the comparisons of a kind: of the k-th constant's, edges[start[k]:start[k+1]].
type row struct {
	edges []edge
	start []int32
}

func (r *row) of(low, high int) []edge { return r.edges[r.start[low]:r.start[high]] }

// edge leads from a comparison or a gate to a gate, or to the truth of a reminder.
type edge struct {
	to  int32 // a gate, or -1-i for the i-th truth
	not bool  // it says the opposite there
}

// gate is an "and" or an "or": one kid of the truth that decides is enough, else one that is unknown.
type gate struct {
	decides fact.Truth
	edges   []edge
}

// charge is what a circuit came to, as far as it must be known to follow a change.
type charge struct {
	at    []int // by ladder: twice the number of constants below the fact, one more where it equals the next; -1: unknown
	gates []tally
}

// tally counts the kids of a gate that decide and that are unknown.
type tally struct{ decided, unknown int32 }

func (c *charge) clone() charge { return charge{slices.Clone(c.at), slices.Clone(c.gates)} }

// run follows what has changed since the charge was made, into all.
func (c *circuit) run(f *fact.Frame, ch *charge, all []fact.Truth) {
	for i := range c.facts {
		l := &c.facts[i]
		from := ch.at[i]
		if to := l.place(f.Num(l.id), from); to != from {
			ch.at[i] = to
			current{c, ch, all}.climb(l, from, to)
		}
	}
}

// place returns where v stands on the ladder. It begins to look at from, where v stood before.
func (l *ladder) place(v float64, from int) int {
	if v != v {
		return -1
	}
	k, n := max(from, 0)/2, len(l.rungs) // to be: how many constants are below v
	if k > 0 && l.rungs[k-1] >= v || k < n && l.rungs[k] < v {
		k, _ = slices.BinarySearch(l.rungs, v)
	}
	if k < n && l.rungs[k] == v {
		return 2*k + 1
	}
	return 2 * k
}

// current is a change on its way through a circuit.
type current struct {
	*circuit
	charge *charge
	all    []fact.Truth
}

// climb turns the comparisons with the constants between two places of a fact.
func (c current) climb(l *ladder, from, to int) {
	const no, unknown, yes = fact.False, fact.Unknown, fact.True
	n := len(l.rungs)
	switch {
	case from < 0:
		is := to / 2 // as many are below
		c.turn(l.above.of(0, is), unknown, yes)
		c.turn(l.above.of(is, n), unknown, no)
		c.turn(l.below.of(0, to-is), unknown, no)
		c.turn(l.below.of(to-is, n), unknown, yes)
		c.turn(l.equal.of(0, is), unknown, no)
		c.turn(l.equal.of(is, to-is), unknown, yes)
		c.turn(l.equal.of(to-is, n), unknown, no)
	case to < 0:
		was := from / 2
		c.turn(l.above.of(0, was), yes, unknown)
		c.turn(l.above.of(was, n), no, unknown)
		c.turn(l.below.of(0, from-was), no, unknown)
		c.turn(l.below.of(from-was, n), yes, unknown)
		c.turn(l.equal.of(0, was), no, unknown)
		c.turn(l.equal.of(was, from-was), yes, unknown)
		c.turn(l.equal.of(from-was, n), no, unknown)
	default:
		was, is := from/2, to/2
		c.turn(l.equal.of(was, from-was), yes, no)
		if was < is {
			c.turn(l.above.of(was, is), no, yes)
		} else {
			c.turn(l.above.of(is, was), yes, no)
		}
		c.turn(l.equal.of(is, to-is), no, yes)
		if was, is = from-was, to-is; was < is {
			c.turn(l.below.of(was, is), yes, no)
		} else {
			c.turn(l.below.of(is, was), no, yes)
		}
	}
}

// turn says to all who hear of something that it has turned.
func (c current) turn(edges []edge, was, is fact.Truth) {
	for _, e := range edges {
		was, is := was, is
		if e.not {
			was, is = was.Not(), is.Not()
		}
		if e.to < 0 {
			c.all[-1-e.to] = is
			continue
		}
		g, t := &c.gates[e.to], &c.charge.gates[e.to]
		before := t.truth(g.decides)
		t.count(g.decides, was, -1)
		t.count(g.decides, is, +1)
		if after := t.truth(g.decides); after != before {
			c.turn(g.edges, before, after)
		}
	}
}

func (t *tally) count(decides, kid fact.Truth, by int32) {
	switch kid {
	case decides:
		t.decided += by
	case fact.Unknown:
		t.unknown += by
	}
}

func (t *tally) truth(decides fact.Truth) fact.Truth {
	switch {
	case t.decided > 0:
		return decides
	case t.unknown > 0:
		return fact.Unknown
	default:
		return decides.Not()
	}
}

// wiring is the making of a circuit.
type wiring struct {
	gates []gate
	rest  []tally // of gates: all kids are unknown
	asked map[comparison][]edge
}

func newWiring() *wiring { return &wiring{asked: map[comparison][]edge{}} }

// comparison is one that a fact may turn.
type comparison struct {
	id fact.ID
	op grammar.Op // Greater, Less or Equal
	c  float64
}

// simple reports whether a circuit can hold a predicate.
func simple(n *node) bool {
	if n == nil {
		return false
	}
	switch l := n.leaf.(type) {
	case nil:
		return !slices.ContainsFunc(n.kids, func(k *node) bool { return !simple(k) })
	case number:
		return !math.IsNaN(l.c)
	case boolean:
		return true
	default:
		return false
	}
}

// add lets a predicate that is simple decide truths.
func (w *wiring) add(n *node, truths []int) {
	edges := make([]edge, len(truths))
	for i, t := range truths {
		edges[i].to = int32(-1 - t)
	}
	w.lead(n, edges)
}

// lead makes what n is go along edges.
func (w *wiring) lead(n *node, edges []edge) {
	switch l := n.leaf.(type) {
	case number:
		switch l.op { // of a fact that is known one of two opposites holds
		case grammar.NotEqual:
			w.compare(comparison{l.id, grammar.Equal, l.c}, turned(edges))
		case grammar.GreaterEqual:
			w.compare(comparison{l.id, grammar.Less, l.c}, turned(edges))
		case grammar.LessEqual:
			w.compare(comparison{l.id, grammar.Greater, l.c}, turned(edges))
		default:
			w.compare(comparison(l), edges)
		}
		return
	case boolean:
		if l.not {
			edges = turned(edges)
		}
		w.compare(comparison{l.id, grammar.Greater, 0}, edges)
		return
	}
	decides := fact.True
	switch n.expr.(type) {
	case *grammar.Not:
		w.lead(n.kids[0], turned(edges))
		return
	case *grammar.And:
		decides = fact.False
	}
	i := int32(len(w.gates))
	w.gates, w.rest = append(w.gates, gate{decides, edges}), append(w.rest, tally{unknown: int32(len(n.kids))})
	for _, k := range n.kids {
		w.lead(k, []edge{{to: i}})
	}
}

func (w *wiring) compare(q comparison, edges []edge) { w.asked[q] = append(w.asked[q], edges...) }

func turned(edges []edge) []edge {
	not := slices.Clone(edges)
	for i := range not {
		not[i].not = !not[i].not
	}
	return not
}

// done returns the circuit.
func (w *wiring) done() circuit {
	c := circuit{gates: w.gates}
	asked := slices.SortedFunc(maps.Keys(w.asked), func(a, b comparison) int { return cmp.Or(cmp.Compare(a.id, b.id), cmp.Compare(a.c, b.c)) })
	for len(asked) > 0 {
		l := ladder{id: asked[0].id}
		n := slices.IndexFunc(asked, func(q comparison) bool { return q.id != l.id })
		if n < 0 {
			n = len(asked)
		}
		for _, q := range asked[:n] {
			if k := len(l.rungs); k == 0 || l.rungs[k-1] != q.c {
				l.rungs = append(l.rungs, q.c)
			}
		}
		l.above, l.below, l.equal = w.row(l, grammar.Greater), w.row(l, grammar.Less), w.row(l, grammar.Equal)
		c.facts, asked = append(c.facts, l), asked[n:]
	}
	c.rest = charge{slices.Repeat([]int{-1}, len(c.facts)), w.rest}
	return c
}

// row returns who hears of the comparisons of a kind with a ladder's constants.
func (w *wiring) row(l ladder, op grammar.Op) row {
	r := row{start: make([]int32, 1, len(l.rungs)+1)}
	for _, c := range l.rungs {
		r.edges = append(r.edges, w.asked[comparison{l.id, op, c}]...)
		r.start = append(r.start, int32(len(r.edges)))
	}
	return r
}
