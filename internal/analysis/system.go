package analysis

import (
	"math"
	"math/bits"
	"slices"

	"github.com/aside-go/aside/compile/fact"
	"github.com/aside-go/aside/grammar"
	"github.com/aside-go/aside/internal/callpattern"
	"github.com/aside-go/aside/internal/condition"
)

// The bounds of the work. Past them nothing is said.
const (
	maxComponents = 64     // of a system, since a set of them is a word
	maxProduct    = 20_000 // steps over combinations of the cells of variables that depend on each other
	maxSteps      = 60_000 // parts looked at for one question
)

// A system is the facts and answers that one or more triggers read, cut into cells: variables, which are
// facts and answers; atoms, which are questions about one or two of them; and components, which are the
// variables that depend on each other, with the distinct ways in which their atoms can come out. Components
// are independent of each other.
type system struct {
	schema     *fact.Schema
	vars       []variable
	atoms      []atom
	ties       []tie
	components []component
	worlds     []*world
	at         []int                // of each component the cell it is in, -1 for any
	strict     bool                 // unknown facts too
	between    bool                 // the state between two turns too, in which no event holds
	silent     func(id string) bool // reminders that have never fired by themselves; nil: none
	steps      int                  // left for the question that is asked
	over       bool                 // the bound was passed: answers count for nothing
}

// An atom is a question about variables.
type atom struct {
	kind   atomKind
	op     grammar.Op
	c      float64
	v, w   int
	failed uint64 // regions, of atomFailed
	in     int    // component
	slot   int    // place among the atoms of that component
	known  mask   // the truths it can have, all facts known
	any    mask   // the truths it can have
}

type atomKind uint8

const (
	atomNumber  atomKind = iota // v op c
	atomNumbers                 // v op w
	atomFailed                  // one of the regions failed
)

// A tie says which values of some variables cannot come together; variables that are unknown are free.
type tie struct {
	vars  []int
	ok    func(vals []float64) bool // by index of the variable
	alike bool                      // one is no more than the other, so that both need the same samples
}

// A component is a group of variables that depend on each other.
type component struct {
	vars  []int
	atoms []int
	cells []cell
	known int // the first cells, in which everything is known
}

// A cell is a way in which the atoms of a component can come out, with values for which they do.
type cell struct {
	truths string    // a byte for each atom of the component
	values []float64 // of the component's variables
}

// truth is the truth of an atom of the cell's component.
func (c *cell) truth(a *atom) fact.Truth { return fact.Truth(c.truths[a.slot]) }

func newSystem(schema *fact.Schema) *system { return &system{schema: schema} }

// close finds the components and their cells, once all triggers were added. It reports whether the system is
// small enough.
func (s *system) close() bool {
	for range 3 {
		if s.group() {
			break
		}
	}
	if len(s.components) > maxComponents {
		return false
	}
	s.at = slices.Repeat([]int{-1}, len(s.components))
	for i := range s.atoms {
		a := &s.atoms[i]
		c := &s.components[a.in]
		for j := range c.cells {
			m := of(c.cells[j].truth(a))
			a.any |= m
			if j < c.known {
				a.known |= m
			}
		}
	}
	return true
}

// group makes the components. Where one has too many cells, group forgets the ties of its variables, which
// allows more turns than exist, and returns false.
func (s *system) group() bool {
	of := make([]int, len(s.vars)) // of each variable its component; at first, one of that component's variables
	for i := range of {
		of[i] = i
	}
	join := func(v, w int) {
		to, from := of[v], of[w]
		for i := range of {
			if of[i] == from {
				of[i] = to
			}
		}
	}
	for _, t := range s.ties {
		for _, v := range t.vars[1:] {
			join(t.vars[0], v)
		}
	}
	for _, a := range s.atoms {
		if a.kind == atomNumbers {
			join(a.v, a.w)
		}
	}
	s.components = s.components[:0]
	numbers := map[int]int{}
	for i, name := range of {
		c, known := numbers[name]
		if !known {
			c = len(s.components)
			numbers[name] = c
			s.components = append(s.components, component{})
		}
		of[i] = c
		s.components[c].vars = append(s.components[c].vars, i)
	}
	for i := range s.atoms {
		a := &s.atoms[i]
		a.in = of[a.v]
		c := &s.components[a.in]
		a.slot = len(c.atoms)
		c.atoms = append(c.atoms, i)
	}
	s.cut()
	vals := make([]float64, len(s.vars))
	for i := range s.components {
		if c := &s.components[i]; !s.enumerate(c, vals) {
			s.untie(c)
			return false
		}
	}
	return true
}

// cut gives each variable its cells. Variables that are compared with each other share their constants, and
// have as many samples between two of them as there are such variables.
func (s *system) cut() {
	for i := range s.vars {
		s.vars[i].samples = 1
	}
	for _, a := range s.atoms {
		switch a.kind {
		case atomNumber:
			s.vars[a.v].constant(a.c)
		case atomNumbers:
			s.vars[a.v].samples, s.vars[a.w].samples = 2, 2
		}
	}
	for i := range s.components {
		c := &s.components[i]
		var compared []int
		for _, v := range c.vars {
			if s.vars[v].samples > 1 {
				compared = append(compared, v)
			}
		}
		var all []float64
		for _, v := range compared {
			all = append(all, s.vars[v].constants...)
			all = append(all, s.vars[v].lo, s.vars[v].hi)
		}
		for _, v := range compared {
			s.vars[v].samples = len(compared)
			for _, x := range all {
				if !math.IsInf(x, 0) {
					s.vars[v].constant(x)
				}
			}
		}
	}
	for again := true; again; {
		again = false
		for _, t := range s.ties {
			if t.alike {
				again = s.alike(t.vars[0], t.vars[1]) || s.alike(t.vars[1], t.vars[0]) || again
			}
		}
	}
	for i := range s.vars {
		s.vars[i].cut()
	}
}

// alike gives one variable the constants of another, and reports whether it lacked any.
func (s *system) alike(to, from int) bool {
	n := len(s.vars[to].constants)
	for _, c := range s.vars[from].constants {
		s.vars[to].constant(c)
	}
	return len(s.vars[to].constants) > n
}

// untie makes the variables of a component independent of each other, and atoms of two of them independent of
// both.
func (s *system) untie(c *component) {
	s.ties = slices.DeleteFunc(s.ties, func(t tie) bool { return slices.Contains(c.vars, t.vars[0]) })
	for _, i := range c.atoms {
		if a := &s.atoms[i]; a.kind != atomNumber {
			v := len(s.vars)
			s.vars = append(s.vars, variable{key: key{kind: varFree}, hi: 1, whole: true, unknown: true})
			*a = atom{kind: atomNumber, op: grammar.Equal, c: 1, v: v}
		}
	}
}

// truth returns the truth of an atom; a NaN among its values makes it unknown.
func (s *system) truth(a *atom, vals []float64) fact.Truth {
	switch a.kind {
	case atomFailed:
		return s.failedTruth(a, vals)
	case atomNumbers:
		return condition.Compare(vals[a.v], a.op, vals[a.w])
	}
	x := vals[a.v]
	if math.IsInf(x, 1) && (s.vars[a.v].kind == varTerm || s.vars[a.v].kind == varCalls) { // never
		return fact.Unknown
	}
	return condition.Compare(x, a.op, a.c)
}

// variableOf returns the variable of that identity, a new one if there is none.
func (s *system) variableOf(v variable) int {
	if i := s.find(v.key); i >= 0 {
		return i
	}
	s.vars = append(s.vars, v)
	return len(s.vars) - 1
}

// atomOf returns the question v op c.
func (s *system) atomOf(v int, op grammar.Op, c float64) int {
	return s.atom(atom{kind: atomNumber, op: op, c: c, v: v})
}

// atom returns the index of an atom, a new one if nobody asks it yet.
func (s *system) atom(a atom) int {
	if i := slices.Index(s.atoms, a); i >= 0 {
		return i
	}
	s.atoms = append(s.atoms, a)
	return len(s.atoms) - 1
}

// find returns the variable of that identity, -1 if there is none.
func (s *system) find(k key) int {
	return slices.IndexFunc(s.vars, func(v variable) bool { return v.key == k })
}

// members are the numbers in a set, such as the components that a form depends on, in rising order.
func members(set uint64) func(yield func(int) bool) {
	return func(yield func(int) bool) {
		for ; set != 0; set &= set - 1 {
			if !yield(bits.TrailingZeros64(set)) {
				return
			}
		}
	}
}

// tie records the constraints between the variables, once all atoms exist.
func (s *system) tie() {
	last := s.find(key{kind: varSlot, id: fact.LastToolCallFailed})
	if last >= 0 {
		s.vars[last].constant(1)
	}
	if row := s.find(key{kind: varSlot, id: fact.FailuresInRow}); last >= 0 && row >= 0 && !s.between {
		s.vars[row].constant(0)
		s.ties = append(s.ties, tie{vars: []int{last, row}, ok: func(x []float64) bool {
			return x[last] != x[last] || x[row] != x[row] || (x[row] >= 1) == (x[last] == 1)
		}})
	}
	if w := s.worldOf(fact.ToolUsed); w != nil {
		s.tieTools(w, last)
	}
	for _, w := range s.worlds {
		if n := s.find(key{kind: varTerm, id: w.set, of: "len"}); n >= 0 {
			s.tieLength(w, n)
		}
	}
	s.tieQuestions()
	s.tieCounts()
	s.tiePast()
	s.tieStart()
}

// tieStart: on the first turn there was one turn.
func (s *system) tieStart() {
	started := s.find(key{kind: varSlot, id: fact.Started})
	for i := range s.vars {
		if v := &s.vars[i]; v.kind == varSelf && v.id == fact.ID(grammar.Turns) && started >= 0 {
			v.constant(1)
			s.ties = append(s.ties, tie{vars: []int{started, i}, ok: func(x []float64) bool {
				return x[started] != 1 || x[i] <= 1
			}})
		}
	}
}

// tieTools: a tool that failed was used; where one failed last_tool_call_failed says so; which failed is told
// of tools that are told.
func (s *system) tieTools(w *world, last int) {
	told := s.find(key{kind: varTold})
	if told < 0 {
		if last >= 0 && !slices.ContainsFunc(w.regions, func(r region) bool { return r.patterns == 0 }) &&
			len(w.regions) <= maxFailed {
			s.tieUse(s.all(w), last)
		}
		return
	}
	vars := s.all(w)
	s.ties = append(s.ties, tie{vars: append([]int{told, last}, vars...), ok: func(x []float64) bool {
		unknown, used, failed, maybe := 0, false, false, false
		for _, v := range vars {
			switch {
			case x[v] != x[v]:
				unknown++
			case x[v] >= 1:
				used = true
				failed, maybe = failed || x[v] == 2, maybe || x[v] == unsure
			}
		}
		switch {
		case unknown > 0 && unknown < len(vars):
			return false // it is one fact
		case x[last] == 1 && unknown == 0 && !used:
			return false
		case x[told] == toldNothing:
			return !failed && !maybe
		case x[told] == toldSome:
			return unknown == 0 && (!failed || x[last] == 1)
		default:
			return !maybe && unknown == 0 && x[last] == x[last] && failed == (x[last] == 1)
		}
	}})
}

func (s *system) tieUse(vars []int, last int) {
	s.ties = append(s.ties, tie{vars: append([]int{last}, vars...), ok: func(x []float64) bool {
		return x[last] != 1 || slices.ContainsFunc(vars, func(v int) bool { return x[v] != 0 })
	}})
}

// tieLength: a set has at least as many members as regions that it has a member of, and none if it has none
// of any.
func (s *system) tieLength(w *world, n int) {
	if len(w.regions) > maxFailed {
		return
	}
	vars := s.all(w)
	partly := w.set == fact.Command || w.set == fact.Path || w.set == fact.Output
	for k := range len(vars) + 1 { // each of its lengths that a bound may hold for
		s.vars[n].constant(float64(k))
	}
	s.ties = append(s.ties, tie{vars: append([]int{n}, vars...), ok: func(x []float64) bool {
		least := 0.0
		for _, v := range vars {
			if (x[v] != x[v]) != (x[n] != x[n]) && !(partly && x[n] != x[n] && x[v] == 1) {
				return false // it is one fact, of which some members may be known
			}
			if x[v] >= 1 {
				least++
			}
		}
		return x[n] != x[n] || x[n] >= least && (x[n] == 0) == (least == 0)
	}})
}

// tiePast: a tool of any turn was used since the run began, and a tool of this turn was used on this turn. A
// pattern accepts at least what one within it does.
func (s *system) tiePast() {
	w := s.worldOf(fact.ToolUsed)
	for i := range s.vars {
		fn, tool := s.vars[i].of, s.vars[i].name
		if s.vars[i].kind != varTerm || !aboutTool(fn) {
			continue
		}
		count := fn == "tool_count"
		if count {
			if since := s.find(key{kind: varTerm, of: "turns_since_tool", name: tool}); since >= 0 {
				s.ties = append(s.ties,
					tie{vars: []int{i, since}, ok: func(x []float64) bool { return !(x[i] > 0) == math.IsInf(x[since], 1) }})
				s.vars[i].constant(0)
			}
		}
		if w != nil && slices.Contains(w.patterns, tool) {
			s.tieNow(w, tool, i, count)
		}
		for j := range s.vars {
			if o := s.vars[j].key; j == i || o.kind != varTerm || o.of != fn || !callpattern.Covers(o.name, tool) {
				continue
			}
			s.ties = append(s.ties, tie{vars: []int{i, j}, alike: true, ok: func(x []float64) bool {
				if count {
					return x[i] <= x[j] || x[i] != x[i] && x[j] != x[j]
				}
				return x[j] <= x[i]
			}})
		}
	}
}

// tieNow: a tool of this turn was used, and on this turn.
func (s *system) tieNow(w *world, tool string, past int, count bool) {
	var vars []int
	for r := range members(w.regionsOf(tool)) {
		vars = append(vars, s.member(w, r))
	}
	if count {
		s.vars[past].constant(0)
	} else {
		s.vars[past].constant(1)
	}
	// A host does not count a call that it does not report. Then the count of a tool may be 0 although the tool
	// was used, or failed, on this turn. So a turn on which the set is unknown is a cell of its own.
	for r := range w.regions {
		if v := w.regions[r].variable; v >= 0 {
			s.vars[v].apart = true
		}
	}
	if told := s.find(key{kind: varTold}); told >= 0 {
		s.vars[told].apart = true
	}
	s.ties = append(s.ties, tie{vars: append([]int{past}, vars...), ok: func(x []float64) bool {
		now, known := false, true
		for _, v := range vars {
			now = now || x[v] >= 1
			known = known && x[v] == x[v]
		}
		if count {
			return (!now || x[past] >= 1) && (!known || x[past] == x[past])
		}
		if s.between {
			return !now || x[past] == 1
		}
		return !now && (x[past] != 1 || !known) || now && x[past] == 1
	}})
}
