package analysis

import (
	"fmt"
	"slices"
	"strings"

	"github.com/aside-go/aside/compile"
	"github.com/aside-go/aside/compile/fact"
	"github.com/aside-go/aside/compile/reminder"
	"github.com/aside-go/aside/grammar"
	"github.com/aside-go/aside/internal/code"
	"github.com/aside-go/aside/internal/condition"
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

// Relations returns how the trigger of the i-th reminder stands to those of all others, by index; others of
// which nothing is to be said are left out, as are triggers that can never be true, and all that are always
// true.
func Relations(s *compile.Set, i int) []Relation {
	var out []Relation
	for j := range s.Len() {
		if j == i {
			continue
		}
		if k, ok := relate(s, i, j, turnSpan); ok {
			out = append(out, Relation{j, k})
		}
	}
	return out
}

// relate returns how the trigger of one reminder stands to that of another, in a span; ok is false where
// nothing is to be said.
func relate(s *compile.Set, i, j int, over span) (k Kind, ok bool) {
	m, roots := newModel(occasion{}, []string{s.Reminder(i).ID, s.Reminder(j).ID}, s.Trigger(i), s.Trigger(j))
	if m == nil || roots[0].in&roots[1].in == 0 {
		return 0, false
	}
	f, g := roots[0], roots[1]
	var ps pairs
	for gap := range m.moments(over) {
		m.ask(gap)
		rf, rg := m.reach(f), m.reach(g)
		ps |= m.together(f, g)
		const differ = maskF | maskT
		if m.over || gap == 0 && (rf&differ != differ || rg&differ != differ) {
			return 0, false
		}
	}
	switch tt := pair(fact.True, fact.True); {
	case ps&^alike == 0:
		return Same, true
	case ps.second(fact.True) == maskT:
		return Implies, true
	case ps&(pair(fact.False, fact.True)|pair(fact.Unknown, fact.True)) == 0:
		return ImpliedBy, true
	case ps&tt == 0:
		return Apart, true
	}
	return 0, false
}

// repeated finds reminders that repeat others, by their index.
func repeated(s *compile.Set, want func(i int) bool) map[int]finding {
	shapes, texts := map[string][]int{}, map[string][]int{}
	for i := range s.Len() {
		if k := shape(s.Trigger(i).Root()); k != "" {
			shapes[k] = append(shapes[k], i)
		}
		texts[s.Reminder(i).Text] = append(texts[s.Reminder(i).Text], i)
	}
	found := map[int]finding{}
	// tell finds, for each j of a group, the first i of the group that j repeats.
	tell := func(group []int, of finding, repeats func(i, j int) bool) {
		for _, j := range group {
			for _, i := range group[:min(len(group), maxRepeats)] {
				if _, known := found[j]; i != j && want(j) && !known && repeats(i, j) {
					f := of
					f.field, f.message = "trigger", fmt.Sprintf(of.message, s.Reminder(i).ID)
					found[j] = f
				}
			}
		}
	}
	for _, group := range texts {
		tell(group, finding{code: code.Duplicate, severity: grammar.Warning, hint: "delete one of them",
			message: "the reminder is a duplicate of %q: it fires on the same turns and has the same text"},
			func(i, j int) bool { return i < j && repeats(s, i, j) })
		tell(group[:min(len(group), maxRepeats)], finding{code: code.Implied, severity: grammar.Warning,
			message: "the reminder adds nothing: whenever its trigger is true, so is that of %q, which has the same " +
				"text", hint: "delete it"}, func(i, j int) bool { return adds(s, j, i) })
	}
	for _, group := range shapes {
		tell(group, finding{code: code.Duplicate, severity: grammar.Info,
			message: "the reminder fires on exactly the turns on which %q does: its trigger says the same",
			hint:    "join the two texts, or write both triggers alike"}, func(i, j int) bool {
			return i < j && s.Trigger(i).String() != s.Trigger(j).String() && repeats(s, i, j)
		})
	}
	return found
}

// maxRepeats is how many others, alike at a first glance, a reminder is compared with.
const maxRepeats = 32

// repeats reports whether two reminders fire on the same turns.
func repeats(s *compile.Set, i, j int) bool {
	a, b := s.Reminder(i), s.Reminder(j)
	if a.Mode != b.Mode || a.For != b.For || a.Cooldown != b.Cooldown || limit(a) != limit(b) ||
		a.Pause != b.Pause || a.Expect != b.Expect || a.Within != b.Within || a.Holdout != b.Holdout ||
		a.MaxIgnored != b.MaxIgnored ||
		(s.Rearm(i) == nil) != (s.Rearm(j) == nil) ||
		s.Rearm(i) != nil && s.Rearm(i).String() != s.Rearm(j).String() {
		return false
	}
	return s.Trigger(i).String() == s.Trigger(j).String() || stand(s, i, j, Same)
}

// stand reports whether two triggers stand to each other in that way.
func stand(s *compile.Set, i, j int, want Kind) bool {
	over := turnSpan
	if edges(s.Reminder(i)) && s.Trigger(i).Moment() == fact.Turn {
		over = textSpan
	}
	k, ok := relate(s, i, j, over)
	return ok && k == want
}

func limit(r *compile.Source) int {
	if r.Tier == reminder.Safety {
		return 0
	}
	return r.MaxFires
}

// adds reports whether the i-th reminder adds nothing to the j-th, which has the same text.
func adds(s *compile.Set, i, j int) bool {
	a, b := s.Reminder(i), s.Reminder(j)
	return a.Mode == reminder.While && b.Mode == reminder.While && b.For == (reminder.Span{}) &&
		b.Cooldown == (reminder.Span{}) && limit(b) == 0 && b.MaxIgnored == 0 && b.Holdout <= a.Holdout &&
		b.Tier >= a.Tier && stand(s, i, j, Implies)
}

// shape lists what a trigger asks without the way in which it joins that, numbers by where they cut. Triggers
// with the same meaning, no part of which is useless, have the same shape.
func shape(n *condition.Node) string {
	var keys []string
	n.Leaves(func(o *condition.Leaf) {
		of, op := fmt.Sprint(o.Reads, o.Function, o.Argument, o.Unit, o.N, o.Every), o.Op
		if o.Function == "used" {
			of, op = strings.Replace(of, "used", "tool_count", 1), grammar.GreaterEqual
		}
		for _, c := range o.Numbers {
			for _, d := range beside[op] {
				if d != 0 { // which is between c-1 and c for 1, between c and c+1 for -1
					keys = append(keys, fmt.Sprint(of, c-(d+1)/2))
				}
			}
		}
		for _, name := range o.Names {
			keys = append(keys, of+name)
		}
		if len(o.Numbers)+len(o.Names) == 0 && o.Kind != condition.Constant {
			keys = append(keys, of)
		}
	})
	slices.Sort(keys)
	return strings.Join(slices.Compact(keys), "\n")
}
