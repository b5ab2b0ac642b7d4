package analysis

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/aside-go/aside/compile"
	"github.com/aside-go/aside/compile/fact"
	"github.com/aside-go/aside/compile/terms"
	"github.com/aside-go/aside/grammar"
)

// Kind says how the triggers of two reminders stand to each other.
type Kind uint8

const (
	// Same: on each turn both have the same truth.
	Same Kind = iota
	// Implies: where the first is true the second is too.
	Implies
	// ImpliedBy: where the second is true the first is too.
	ImpliedBy
	// Apart: they are never true on the same turn.
	Apart
)

// String returns "same", "implies", "implied by" or "apart".
func (k Kind) String() string { return [...]string{"same", "implies", "implied by", "apart"}[k] }

// Relation is how a reminder stands to another.
type Relation struct {
	Other int // its index
	Kind  Kind
}

// Relations returns how the trigger of the i-th reminder stands to those of all others, by index; others of which nothing is
// to be said are left out, as are triggers that can never be true, and all that are always true.
func Relations(s *compile.Set, i int) []Relation {
	p := s.Trigger(i)
	n := p.Root()
	if n == nil {
		return nil
	}
	mine := topics(n)
	var out []Relation
	for j := range s.Len() {
		if j == i {
			continue
		}
		q := s.Trigger(j)
		m := q.Root()
		if m == nil || topics(m)&mine == 0 {
			continue
		}
		if k, ok := relate(p, q, n, m, s.Reminder(i).ID, s.Reminder(j).ID); ok {
			out = append(out, Relation{j, k})
		}
	}
	return out
}

// relate returns how one trigger stands to another; ok is false where nothing is to be said.
func relate(p, q *compile.Predicate, n, m *compile.Node, self, other string) (k Kind, ok bool) {
	sys := newSystem(p.Schema())
	forms, ok := sys.forms([]string{self, other}, n, m)
	if !ok {
		return 0, false
	}
	f, g := forms[0], forms[1]
	if f.in&g.in == 0 {
		return 0, false
	}
	sys.ask(true)
	rf, rg := sys.reach(f), sys.reach(g)
	ps := sys.together(f, g)
	const differ = maskF | maskT
	switch tt := pair(fact.True, fact.True); {
	case sys.over || rf&differ != differ || rg&differ != differ:
		return 0, false
	case ps&^alike == 0:
		return Same, true
	case ps>>(3*fact.True)&7 == pairs(maskT):
		return Implies, true
	case ps&(pair(fact.False, fact.True)|pair(fact.Unknown, fact.True)) == 0:
		return ImpliedBy, true
	case ps&tt == 0:
		return Apart, true
	}
	return 0, false
}

// topics is a rough sketch of what a trigger asks about: triggers of which the topics have no bit in common have nothing to
// do with each other.
func topics(n *compile.Node) uint64 {
	var set uint64
	each(n, func(o *compile.Operand) {
		add := func(id fact.ID) { set |= 1 << (uint(id) % 48) }
		switch o.Kind {
		case compile.OperandConstant, compile.OperandCadence:
		case compile.OperandFacts:
			add(o.Fact)
			add(o.Other)
		case compile.OperandFailed:
			add(fact.ToolUsed)
			add(fact.LastToolCallFailed)
		case compile.OperandFunction:
			if o.Function == "len" {
				add(o.Fact)
			} else if aboutTool(o.Function) {
				add(fact.ToolUsed)
			} else {
				set |= 1 << (48 + len(o.Argument)%8)
			}
		case compile.OperandMemberOf, compile.OperandGeneral:
			set |= 1 << 57
		default:
			add(o.Fact)
			if o.Fact == fact.FailuresInRow {
				add(fact.LastToolCallFailed)
			}
			if o.Fact == fact.LastToolCallFailed {
				add(fact.ToolUsed)
			}
		}
	})
	return set
}

// A repeat is a finding that a reminder repeats another.
type repeat struct {
	i int
	finding
}

// repeated finds reminders that repeat others.
func repeated(s *compile.Set, want func(i int) bool) []repeat {
	var out []repeat
	shapes := map[string][]int{}
	texts := map[string][]int{}
	for i := range s.Len() {
		n := s.Trigger(i).Root()
		if n == nil {
			continue
		}
		k := shape(n)
		if k != "" {
			shapes[k] = append(shapes[k], i)
		}
		texts[s.Reminder(i).Text] = append(texts[s.Reminder(i).Text], i)
	}
	told := map[int]bool{}
	for _, group := range texts {
		for b, j := range group {
			for _, i := range group[:min(b, maxRepeats)] {
				if (want(i) || want(j)) && !told[j] && repeats(s, i, j) {
					told[j] = true
					if want(j) {
						out = append(out, repeat{j, duplicate(s, i, true)})
					}
				}
			}
		}
		for _, i := range group[:min(len(group), maxRepeats)] {
			for _, j := range group[:min(len(group), maxRepeats)] {
				if i != j && want(i) && !told[i] && !told[j] && adds(s, i, j) {
					told[i] = true
					out = append(out, repeat{i, finding{code: codeImplied, severity: grammar.Warning, field: "trigger",
						message: fmt.Sprintf("the reminder adds nothing: whenever its trigger is true, so is that of %q, which has the same text", s.Reminder(j).ID),
						hint:    "delete it"}})
				}
			}
		}
	}
	for _, group := range shapes {
		for b, j := range group {
			for _, i := range group[:min(b, maxRepeats)] {
				if want(j) && !told[j] && s.Trigger(i) != s.Trigger(j) && repeats(s, i, j) {
					told[j] = true
					out = append(out, repeat{j, duplicate(s, i, false)})
				}
			}
		}
	}
	slices.SortFunc(out, func(a, b repeat) int { return a.i - b.i })
	return out
}

// maxRepeats is how many others, alike at a first glance, a reminder is compared with.
const maxRepeats = 32

func duplicate(s *compile.Set, i int, text bool) finding {
	f := finding{code: codeDuplicate, severity: grammar.Info, field: "trigger",
		message: fmt.Sprintf("the reminder fires on exactly the turns on which %q does: its trigger says the same", s.Reminder(i).ID),
		hint:    "join the two texts, or write both triggers alike"}
	if text {
		f.severity = grammar.Warning
		f.message = fmt.Sprintf("the reminder is a duplicate of %q: it fires on the same turns and has the same text", s.Reminder(i).ID)
		f.hint = "delete one of them"
	}
	return f
}

// repeats reports whether two reminders fire on the same turns.
func repeats(s *compile.Set, i, j int) bool {
	a, b := s.Reminder(i), s.Reminder(j)
	if a.Mode != b.Mode || a.For != b.For || a.Cooldown != b.Cooldown || limit(a) != limit(b) || (s.Rearm(i) == nil) != (s.Rearm(j) == nil) ||
		s.Rearm(i) != nil && s.Rearm(i).String() != s.Rearm(j).String() {
		return false
	}
	p, q := s.Trigger(i), s.Trigger(j)
	if p.Root() == nil || q.Root() == nil {
		return false
	}
	if p.String() == q.String() {
		return true
	}
	k, ok := relate(p, q, p.Root(), q.Root(), a.ID, b.ID)
	return ok && k == Same
}

func limit(r *compile.Reminder) int {
	if r.Tier == terms.Safety {
		return 0
	}
	return r.MaxFires
}

// adds reports whether the i-th reminder adds nothing to the j-th, which has the same text.
func adds(s *compile.Set, i, j int) bool {
	a, b := s.Reminder(i), s.Reminder(j)
	if a.Mode != compile.While || b.Mode != compile.While || b.For != (terms.Span{}) || b.Cooldown != (terms.Span{}) || limit(b) != 0 || b.Tier < a.Tier {
		return false
	}
	p, q := s.Trigger(i), s.Trigger(j)
	if p.Root() == nil || q.Root() == nil {
		return false
	}
	k, ok := relate(p, q, p.Root(), q.Root(), a.ID, b.ID)
	return ok && k == Implies
}

// shape is what a trigger asks, without how it joins the answers: triggers that say the same, and no part of which is idle, have
// the same shape.
func shape(n *compile.Node) string {
	var keys []string
	each(n, func(o *compile.Operand) {
		switch o.Kind {
		case compile.OperandNumber:
			keys = cuts(keys, fmt.Sprint("f", o.Fact), o.Op, o.Numbers[0], true)
		case compile.OperandNumberIn:
			for _, c := range o.Numbers {
				keys = cuts(keys, fmt.Sprint("f", o.Fact), grammar.Equal, c, true)
			}
		case compile.OperandFunction:
			name := o.Function
			op, c := o.Op, o.Numbers[0]
			if name == "used" {
				name, op, c = "tool_count", grammar.GreaterEqual, 1
			}
			keys = cuts(keys, name+":"+o.Argument, op, c, true)
		case compile.OperandText, compile.OperandMembers:
			for _, name := range o.Names {
				keys = append(keys, fmt.Sprint("m", o.Fact, name))
			}
		case compile.OperandFailed:
			for _, name := range o.Names {
				keys = append(keys, "failed "+name)
			}
		case compile.OperandCadence:
			keys = append(keys, "every")
		case compile.OperandFacts:
			keys = append(keys, fmt.Sprint("c", min(o.Fact, o.Other), max(o.Fact, o.Other)))
		case compile.OperandMemberOf, compile.OperandGeneral:
			keys = append(keys, "general")
		}
	})
	slices.Sort(keys)
	return strings.Join(slices.Compact(keys), "\n")
}

// cuts adds where a comparison cuts the numbers: just below c, just above it, or both. For a ratio or a duration, of which the next
// value is not a whole one away, that is only finer than need be.
func cuts(keys []string, name string, op grammar.Op, c float64, whole bool) []string {
	below, above := fmt.Sprint(name, "<", c), fmt.Sprint(name, ">", c)
	if whole && c == math.Trunc(c) {
		below = fmt.Sprint(name, ">", c-1)
	}
	switch op {
	case grammar.Less, grammar.GreaterEqual:
		return append(keys, below)
	case grammar.Greater, grammar.LessEqual:
		return append(keys, above)
	default:
		return append(keys, below, above)
	}
}
