package analysis

import (
	"slices"

	"github.com/aside-go/aside/compile/fact"
	"github.com/aside-go/aside/internal/condition"
)

// An enumerator goes through the combinations of the values of a group's variables.
type enumerator struct {
	m      *model
	g      *group
	forms  [][]linear     // of each variable the conditions on it and those before it
	links  [][]*link      // by the last of their variables
	seen   map[string]int // states by their truths
	events bool
	texts  fact.Texts
	left   int
	key    []byte
}

// enumerate finds the states of a group; false if there are too many.
func (m *model) enumerate(g *group) bool {
	e := enumerator{m: m, g: g, left: maxStates, seen: map[string]int{}, forms: m.project(g),
		links: make([][]*link, len(g.vars))}
	if e.forms == nil {
		return false
	}
	for _, i := range g.leaves {
		e.events = e.events || m.events(&m.leaves[i])
		e.texts |= condition.TextsOf(m.leaves[i].Reads)
	}
	m.texts |= e.texts
	for i := range m.links {
		if n := last(m.links[i].vars, g.vars); n >= 0 {
			e.links[n] = append(e.links[n], &m.links[i])
		}
	}
	m.past.values = make([]*value, len(m.vars))
	for i, v := range g.vars { // where no other number matters
		several := func(l linear) bool { return len(l.vars) > 1 }
		if m.vars[v].kind.numeric() && !slices.ContainsFunc(e.forms[i], several) {
			m.vars[v].values = m.samples(v, e.forms[i])
		}
	}
	e.visit(0)
	for slot, i := range g.leaves {
		for _, s := range g.states {
			for gap, truths := range s.truths {
				m.leaves[i].any[gap] |= of(fact.Truth(truths[slot]))
			}
		}
	}
	return e.left >= 0
}

func (e *enumerator) visit(i int) {
	if e.left--; e.left < 0 {
		return
	}
	m := e.m
	if i == len(e.g.vars) {
		e.keep()
		return
	}
	n := e.g.vars[i]
	values := m.vars[n].values
	if values == nil {
		values = m.samples(n, e.forms[i])
	}
next:
	for j := range values {
		m.past.values[n] = &values[j]
		for _, l := range e.links[i] {
			if !l.ok(m.past.values) {
				continue next
			}
		}
		e.visit(i + 1)
	}
	m.past.values[n] = nil
}

// keep adds the state of the values that are set, unless there is a better one in which all comes out alike.
func (e *enumerator) keep() {
	m, g := e.m, e.g
	s := state{}
	e.key = e.key[:0]
	for _, v := range g.vars {
		x := m.past.values[v]
		s.cost += x.cost
	}
	m.fill(m.now, &m.past)
	for _, i := range g.leaves {
		e.key = append(e.key, byte(m.truth(&m.leaves[i], 0)))
	}
	at := [gaps + 1]int{} // where in e.key the truths begin
	if e.events || e.texts != 0 {
		m.fill(m.gap, &m.past)
		m.gap.EndEvents()
	}
	for gap := range gaps {
		absent := fact.Texts(gap)
		if at[gap+1] = at[1+absent&e.texts]; absent&^e.texts != 0 || gap == 0 && !e.events {
			continue
		}
		m.gap.Lack(absent)
		at[gap+1] = len(e.key)
		for _, i := range g.leaves {
			e.key = append(e.key, byte(m.truth(&m.leaves[i], gap+1)))
		}
	}
	old, known := e.seen[string(e.key)]
	known = known && !m.rises(g)
	if known && g.states[old].cost <= s.cost {
		return
	}
	all := string(e.key)
	for i, from := range at {
		s.truths[i] = all[from:][:len(g.leaves)]
	}
	s.values = make([]*value, len(g.vars))
	for i, v := range g.vars {
		s.values[i] = m.past.values[v]
	}
	if known {
		g.states[old] = s
		return
	}
	e.seen[string(e.key)] = len(g.states)
	g.states = append(g.states, s)
}
