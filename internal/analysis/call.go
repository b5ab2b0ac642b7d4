package analysis

import (
	"math"
	"strings"

	"github.com/aside-go/aside/compile/fact"
	"github.com/aside-go/aside/grammar"
	"github.com/aside-go/aside/internal/callpattern"
	"github.com/aside-go/aside/internal/condition"
)

// What call patterns and the members of sets say of each other. A call pattern with a subject is counted from
// the moment at which a set first named it, so that two of them say nothing of each other's counts; one
// without is counted from the beginning of the run.

// tieQuestions ties the questions about single calls, and about members of sets, to each other.
func (s *system) tieQuestions() {
	for i := range s.vars {
		v := s.vars[i].key
		if v.kind == varLike {
			s.tieMember(i, v)
		}
		for j := range s.vars {
			w := s.vars[j].key
			switch {
			case j == i || w.kind != v.kind:
			case v.kind == varLike:
				s.tieLikes(i, j, v, w)
			case v.kind == varAsked && (v.of == w.of || v.of == "failed" && w.of == "called"):
				s.tieCalls(i, j, v, w)
			}
		}
	}
}

// tieCalls: a call that matches a pattern matches a wider one too; the call that is about to be executed
// matches no two of which none can match both.
func (s *system) tieCalls(i, j int, v, w key) {
	p, bad := callpattern.Parse(v.name)
	o, worse := callpattern.Parse(w.name)
	switch {
	case bad != nil || worse != nil:
	case callpattern.Implies(p, o):
		s.ties = append(s.ties, tie{vars: []int{i, j}, ok: func(x []float64) bool {
			return !(x[i] == 1 && x[j] != 1) && !(x[i] != x[i] && x[j] == 0)
		}})
	case v.of == "before" && i < j && callpattern.Disjoint(p, o):
		s.ties = append(s.ties, tie{vars: []int{i, j}, ok: func(x []float64) bool {
			return x[i] == 0 || x[j] == 0
		}})
	}
}

// accepts reports whether a member is one that a varLike asks for; of matches it is not known.
func (k key) accepts(member string) bool {
	switch k.of {
	case "contains":
		return strings.Contains(member, k.name)
	case "startsWith":
		return strings.HasPrefix(member, k.name)
	case "endsWith":
		return strings.HasSuffix(member, k.name)
	}
	return false
}

// implies reports whether a member that k asks for is one that m asks for.
func (k key) implies(m key) bool {
	switch {
	case k.id != m.id || k.of == "matches":
		return false
	case m.of == "contains":
		return strings.Contains(k.name, m.name)
	default:
		return k.of == m.of && m.accepts(k.name)
	}
}

func (s *system) tieLikes(i, j int, l, m key) {
	implies := l.implies(m)
	if l.id != m.id || !implies && j < i && !m.implies(l) {
		return
	}
	s.ties = append(s.ties, tie{vars: []int{i, j}, ok: func(x []float64) bool {
		if x[i] != x[i] && x[j] == 0 || x[j] != x[j] && x[i] == 0 {
			return false // it is one set, all of which is known, or not
		}
		return !implies || x[i] != 1 || x[j] == 1
	}})
}

// tieMember: a set that has a certain member has one that is asked for, and a set with any has a length.
func (s *system) tieMember(i int, l key) {
	if n := s.find(key{kind: varTerm, id: l.id, of: "len"}); n >= 0 {
		s.vars[n].constant(0)
		s.ties = append(s.ties, tie{vars: []int{i, n}, ok: func(x []float64) bool {
			return (x[i] != 1 || x[n] != 0) && (x[i] != 0 || x[n] == x[n])
		}})
	}
	w := s.worldOf(l.id)
	if w == nil {
		return
	}
	for r := range w.regions {
		v := w.regions[r].variable
		if v < 0 {
			continue
		}
		is := w.set != fact.ToolUsed && w.regions[r].patterns != 0 && l.accepts(w.regions[r].sample)
		s.ties = append(s.ties, tie{vars: []int{i, v}, ok: func(x []float64) bool {
			return !(is && x[v] >= 1 && x[i] != 1) && !(x[i] == 0 && x[v] != x[v]) &&
				!(x[v] == 0 && x[i] != x[i])
		}})
	}
}

// never is the question whether no call was made that matches a pattern: called_since(A, A) is true as long
// as that holds.
func (s *system) never(pattern string) int {
	return s.atomOf(s.countOf(pattern), grammar.Equal, 0)
}

// countOf is the variable of how many calls matched a pattern.
func (s *system) countOf(pattern string) int {
	o := condition.Leaf{Kind: condition.CallFunction, Function: "tool_count", Names: []string{pattern}}
	if !strings.HasPrefix(pattern, "@") && !strings.Contains(pattern, "(") {
		o.Kind, o.Argument = condition.Function, pattern
	}
	return s.function(&o)
}

// counted finds the variable of how many calls matched a pattern, -1 if nobody asks.
func (s *system) counted(pattern string) int {
	if v := s.find(key{kind: varCalls, of: "tool_count", name: pattern}); v >= 0 {
		return v
	}
	return s.find(key{kind: varTerm, of: "tool_count", name: pattern})
}

// tieCounts ties what the functions say of the run's calls that match the same pattern.
func (s *system) tieCounts() {
	for i := range s.vars {
		v := s.vars[i].key
		if v.kind != varCalls {
			continue
		}
		count := s.counted(v.name)
		switch v.of {
		case "used":
			if count >= 0 {
				s.tieUsed(i, count)
			}
		case "turns_since_tool":
			if count >= 0 {
				s.vars[count].constant(0)
				s.ties = append(s.ties, tie{vars: []int{i, count}, ok: func(x []float64) bool {
					return x[count] == x[count] && x[i] == x[i] && (x[count] == 0) == math.IsInf(x[i], 1) ||
						x[count] != x[count] && x[i] != x[i]
				}})
			}
			if used := s.find(key{kind: varCalls, of: "used", name: v.name}); used >= 0 {
				s.ties = append(s.ties, tie{vars: []int{i, used}, ok: func(x []float64) bool {
					return x[i] != x[i] && x[used] != 0 || x[i] == x[i] && (x[used] == 0) == math.IsInf(x[i], 1) &&
						x[used] == x[used]
				}})
			}
		case "called_since":
			a, b, _ := strings.Cut(v.name, ", ")
			s.tieSince(i, a, b)
		}
	}
}

// tieUsed: a call was made if there is a count of such. The count is unknown where a call may have matched,
// though another one surely has.
func (s *system) tieUsed(used, count int) {
	s.vars[count].constant(0)
	s.ties = append(s.ties, tie{vars: []int{used, count}, ok: func(x []float64) bool {
		if x[count] != x[count] {
			return x[used] != 0
		}
		return x[used] == x[used] && (x[used] == 1) == (x[count] > 0)
	}})
}

// tieSince: called_since(A, B) is false only after a call of B, and true after one only where there was a
// call of A.
func (s *system) tieSince(since int, a, b string) {
	ca, cb := s.counted(a), s.counted(b)
	if used := s.find(key{kind: varCalls, of: "used", name: b}); used >= 0 {
		s.ties = append(s.ties, tie{vars: []int{since, used}, ok: func(x []float64) bool {
			return x[since] != 0 || x[used] == 1
		}})
	}
	if cb < 0 {
		return
	}
	s.vars[cb].constant(0)
	vars := []int{since, cb}
	if ca >= 0 && ca != cb {
		s.vars[ca].constant(0)
		vars = append(vars, ca)
	}
	s.ties = append(s.ties, tie{vars: vars, ok: func(x []float64) bool {
		switch {
		case x[cb] != x[cb] || ca >= 0 && x[ca] != x[ca]:
			return x[since] != x[since]
		case x[since] == 0:
			return x[cb] > 0
		case x[since] == 1:
			return x[cb] == 0 || ca < 0 || x[ca] > 0
		}
		return ca < 0 // A may be unknown
	}})
}
