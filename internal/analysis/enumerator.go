package analysis

import "github.com/aside-go/aside/compile/fact"

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
		s.odd |= x.odd
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
	n := len(e.key)
	e.key = append(e.key, byte(s.odd))
	old, known := e.seen[string(e.key)]
	known = known && !m.rises(g)
	if known && g.states[old].cost <= s.cost {
		return
	}
	all := string(e.key[:n])
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
