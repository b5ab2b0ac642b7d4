package analysis

import "github.com/aside-go/aside/compile/fact"

// What a form can come out as is found without going through all combinations of cells: parts that depend on different
// components come out independently of each other, so their truths are joined; only where parts share a component is
// that taken through its cells, one after the other, for those parts alone.

// ask begins a question: strict ones count turns on which facts are unknown.
func (s *system) ask(strict bool) {
	s.strict, s.steps, s.over = strict, maxSteps, false
}

// reach returns the truths that f can have in the cells that s.at leaves open.
func (s *system) reach(f *form) mask {
	s.steps--
	if s.steps < 0 {
		s.over = true
		return 0
	}
	switch f.op {
	case formAtom:
		a := &s.atoms[f.atom]
		if c := s.at[a.in]; c >= 0 {
			return of(s.components[a.in].cells[c].truths[a.slot])
		}
		if s.strict {
			return a.any
		}
		return a.known
	case formFixed:
		return of(f.truth)
	case formNot:
		return masks.not[s.reach(f.kids[0])]
	}
	return s.joined(f.op, f.kids)
}

// joined is reach of an "and" or "or" of these.
func (s *system) joined(op formOp, kids []*form) mask {
	table, m := &masks.and, maskT
	if op == formOr {
		table, m = &masks.or, maskF
	}
	shared := s.shared(kids)
	if shared == 0 {
		for _, k := range kids {
			if !k.gone {
				m = table[m][s.reach(k)]
			}
		}
		return m
	}
	c, group, rest := s.split(kids, shared)
	if len(rest) > 0 {
		return table[s.joined(op, group)][s.joined(op, rest)]
	}
	full := maskF | maskT
	if s.strict {
		full |= maskU
	}
	m = 0
	s.cells(c, func() bool {
		m |= s.joined(op, kids)
		return m != full && !s.over
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

// split picks the shared component that most of the kids depend on, and takes apart the kids that hang together with it
// from the rest.
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
	apart := false
	for _, k := range kids {
		if !k.gone && k.in&all == 0 {
			apart = true
			break
		}
	}
	if !apart {
		return c, kids, nil
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

// reachPairs is reach of two triggers at once: f, and f with what is cut left out.
func (s *system) reachPairs(f *form) pairs {
	if !f.path {
		return both(s.reach(f))
	}
	if f.op == formNot {
		return s.reachPairs(f.kids[0]).not()
	}
	return s.joinedPairs(f.op, f.kids)
}

func (s *system) joinedPairs(op formOp, kids []*form) pairs {
	shared := s.shared(kids)
	if shared == 0 {
		m := pair(fact.True, fact.True)
		void := fact.True
		if op == formOr {
			m, void = pair(fact.False, fact.False), fact.False
		}
		for _, k := range kids {
			switch {
			case k.gone:
			case k.cut:
				r := s.reach(k)
				var p pairs
				for t := range fact.True + 1 {
					if r&of(t) != 0 {
						p |= pair(t, void)
					}
				}
				m = m.join(p, op)
			default:
				m = m.join(s.reachPairs(k), op)
			}
		}
		return m
	}
	c, group, rest := s.split(kids, shared)
	if len(rest) > 0 {
		return s.joinedPairs(op, group).join(s.joinedPairs(op, rest), op)
	}
	var m pairs
	s.cells(c, func() bool {
		m |= s.joinedPairs(op, kids)
		return m != 1<<9-1 && !s.over
	})
	return m
}

// matters reports whether leaving kid out of its parent, somewhere in root, changes what root comes out as. In doubt it does.
func (s *system) matters(root *form, trail []*form, kid *form) bool {
	kid.cut, kid.path = true, true
	for _, f := range trail {
		f.path = true
	}
	s.ask(true)
	p := s.reachPairs(root)
	kid.cut, kid.path = false, false
	for _, f := range trail {
		f.path = false
	}
	return s.over || p&^alike != 0
}

// together returns the pairs of truths that two forms can have on the same turn.
func (s *system) together(f, g *form) pairs {
	var m pairs
	if f.in&g.in != 0 {
		shared := f.in & g.in
		for c := range members(shared) {
			if s.at[c] < 0 {
				s.cells(c, func() bool {
					m |= s.together(f, g)
					return !s.over
				})
				return m
			}
		}
	}
	x, y := s.reach(f), s.reach(g)
	for t := range fact.True + 1 {
		for u := range fact.True + 1 {
			if x&of(t) != 0 && y&of(u) != 0 {
				m |= pair(t, u)
			}
		}
	}
	return m
}
