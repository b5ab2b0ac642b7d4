package analysis

import (
	"math"
	"slices"
	"strings"

	"github.com/aside-go/aside/compile/fact"
)

// tie notes what holds between the variables that there are, once all atoms are there.
func (s *system) tie() {
	last := s.find(varSlot, fact.LastToolCallFailed, "")
	if last >= 0 {
		s.vars[last].constant(1)
	}
	if row := s.find(varSlot, fact.FailuresInRow, ""); last >= 0 && row >= 0 {
		s.vars[row].constant(0)
		s.ties = append(s.ties, tie{vars: []int{last, row}, ok: func(x []float64) bool {
			return x[last] != x[last] || x[row] != x[row] || (x[row] >= 1) == (x[last] == 1)
		}})
	}
	if w := s.worldOf(fact.ToolUsed); w != nil {
		s.tieTools(w, last)
	}
	for _, w := range s.worlds {
		if n := s.find(varTerm, w.set, "len"); n >= 0 {
			s.tieLength(w, n)
		}
	}
	s.tiePast()
}

// tieTools: a tool that failed was used; where one failed last_tool_call_failed says so; which failed is told of tools that are told.
func (s *system) tieTools(w *world, last int) {
	told := s.find(varTold, 0, "")
	if told < 0 {
		if last >= 0 && !slices.ContainsFunc(w.regions, func(r region) bool { return r.patterns == 0 }) && len(w.regions) <= maxFailed {
			s.tieUse(s.all(w), last)
		}
		return
	}
	vars := s.all(w)
	s.ties = append(s.ties, tie{vars: append([]int{told, last}, vars...), ok: func(x []float64) bool {
		unknown, used, failed := 0, false, false
		for _, v := range vars {
			switch {
			case x[v] != x[v]:
				unknown++
			case x[v] == 2:
				failed = true
				fallthrough
			case x[v] == 1:
				used = true
			}
		}
		switch {
		case unknown > 0 && unknown < len(vars):
			return false // it is one fact
		case x[last] == 1 && unknown == 0 && !used:
			return false
		case x[told] == 0:
			return !failed
		default:
			return unknown == 0 && x[last] == x[last] && failed == (x[last] == 1)
		}
	}})
}

func (s *system) tieUse(vars []int, last int) {
	s.ties = append(s.ties, tie{vars: append([]int{last}, vars...), ok: func(x []float64) bool {
		return x[last] != 1 || slices.ContainsFunc(vars, func(v int) bool { return x[v] != 0 })
	}})
}

// tieLength: a set has at least as many members as regions that it has a member of, and none if it has none of any.
func (s *system) tieLength(w *world, n int) {
	if len(w.regions) > maxFailed {
		return
	}
	vars := s.all(w)
	for k := range len(vars) + 1 { // each of its lengths that a bound may hold for
		s.vars[n].constant(float64(k))
	}
	s.ties = append(s.ties, tie{vars: append([]int{n}, vars...), ok: func(x []float64) bool {
		least := 0.0
		for _, v := range vars {
			if (x[v] != x[v]) != (x[n] != x[n]) {
				return false // it is one fact
			}
			if x[v] >= 1 {
				least++
			}
		}
		return x[n] != x[n] || x[n] >= least && (x[n] == 0) == (least == 0)
	}})
}

// tiePast: what was used was used since the run began, and a tool of this turn was used on this turn. A pattern accepts at
// least what one within it does.
func (s *system) tiePast() {
	w := s.worldOf(fact.ToolUsed)
	for i := range s.vars {
		fn, tool, _ := strings.Cut(s.vars[i].name, ":")
		if s.vars[i].kind != varTerm || !aboutTool(fn) {
			continue
		}
		count := fn == "tool_count"
		if count {
			if since := s.find(varTerm, 0, "turns_since_tool:"+tool); since >= 0 {
				s.ties = append(s.ties, tie{vars: []int{i, since}, ok: func(x []float64) bool { return (x[i] == 0) == math.IsInf(x[since], 1) }})
				s.vars[i].constant(0)
			}
		}
		if w != nil && slices.Contains(w.patterns, tool) {
			s.tieNow(w, tool, i, count)
		}
		for j := range s.vars {
			of, other, _ := strings.Cut(s.vars[j].name, ":")
			if j == i || s.vars[j].kind != varTerm || of != fn || !within(tool, other) {
				continue
			}
			s.ties = append(s.ties, tie{vars: []int{i, j}, alike: true, ok: func(x []float64) bool {
				if count {
					return x[i] <= x[j]
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
	// What a host does not tell of a turn is not counted either: then a tool may have been used, and failed, that was never
	// used. So that the set is unknown is not only less to go by, but a case of its own.
	for r := range w.regions {
		if v := w.regions[r].variable; v >= 0 {
			s.vars[v].apart = true
		}
	}
	if told := s.find(varTold, 0, ""); told >= 0 {
		s.vars[told].apart = true
	}
	s.ties = append(s.ties, tie{vars: append([]int{past}, vars...), ok: func(x []float64) bool {
		now, known := false, true
		for _, v := range vars {
			now = now || x[v] >= 1
			known = known && x[v] == x[v]
		}
		if count {
			return !now || x[past] >= 1
		}
		return !now && (x[past] != 1 || !known) || now && x[past] == 1
	}})
}
