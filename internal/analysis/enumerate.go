package analysis

import (
	"slices"

	"github.com/aside-go/aside/compile/fact"
)

// enumerate finds the cells of a component; false if there are too many combinations.
func (s *system) enumerate(c *component, vals []float64) bool {
	e := enumerator{s: s, c: c, vals: vals, left: maxProduct}
	if len(c.vars) > 1 {
		e.ties = make([][]*tie, len(c.vars))
		for i := range s.ties {
			if t := &s.ties[i]; slices.Contains(c.vars, t.vars[0]) {
				last := 0
				for _, v := range t.vars {
					last = max(last, slices.Index(c.vars, v))
				}
				e.ties[last] = append(e.ties[last], t)
			}
		}
	}
	c.cells = make([]cell, 0, len(s.vars[c.vars[0]].cells))
	e.visit(0, true)
	c.known = len(c.cells)
	for _, u := range e.unknown {
		if !holds(c.cells, u) {
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
	left    int // combinations
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
		if e.ties != nil {
			for _, t := range e.ties[i] {
				if !t.ok(e.vals) {
					continue next
				}
			}
		}
		e.visit(i+1, known && j < v.known)
	}
}

// keep adds a cell unless there is one in which all atoms come out alike.
func (e *enumerator) keep(known bool) {
	n, m := len(e.c.atoms), len(e.c.vars)
	n1 := cell{truths: make([]fact.Truth, n), values: make([]float64, m)}
	for i, a := range e.c.atoms {
		n1.truths[i] = e.s.truth(&e.s.atoms[a], e.vals)
		n1.key = n1.key*31 + uint64(n1.truths[i]) + 1
	}
	to := &e.c.cells
	if !known {
		to = &e.unknown
	}
	if holds(*to, n1) {
		return
	}
	for i, v := range e.c.vars {
		n1.values[i] = e.vals[v]
	}
	*to = append(*to, n1)
}

// holds reports whether there is a cell in which all atoms come out as in c.
func holds(cells []cell, c cell) bool {
	for i := range cells {
		if cells[i].key == c.key && slices.Equal(cells[i].truths, c.truths) {
			return true
		}
	}
	return false
}
