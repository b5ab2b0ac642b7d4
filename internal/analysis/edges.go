package analysis

import (
	"math"
	"slices"

	"github.com/aside-go/aside/compile"
	"github.com/aside-go/aside/compile/fact"
	compiled "github.com/aside-go/aside/compile/trigger"
	"github.com/aside-go/aside/grammar"
	"github.com/aside-go/aside/internal/code"
	"github.com/aside-go/aside/internal/condition"
)

// A counter only rises during a run: a run passes its states from the lowest up. A trigger that reads only
// counters has a fixed truth in each combination of their states. If no way up through these leads from true
// over false to true again, the trigger has at most one edge.

// maxGrid bounds the combinations of counters' states that are gone through.
const maxGrid = 1024

// runs passes the combinations of the states of the counters among some groups, in the order in which a run
// does: each after all that are below it in any direction, with the groups in these states. Two of them may
// have equal truths. A run is in one or more phases, numbered from 0, a bit each: step gets the phases in
// which the combinations below are left, and phase 0, and returns those in which this one is left. more is
// false to end. runs reports false where there are too many combinations.
func (m *model) runs(in uint64, step func(in uint8) (out uint8, more bool)) bool {
	n := 1
	var axes, size []int
	for c := range members(in) {
		states := m.groups[c].states
		if !m.rises(&m.groups[c]) {
			continue
		}
		known := len(states) // the last ones are not numbers
		for known > 0 && !(states[known-1].values[0].num < math.Inf(1)) {
			known--
		}
		if axes, size, n = append(axes, c), append(size, known), n*known; n > maxGrid {
			return false
		}
	}
	phases := make([]uint8, n)
	for i, more := 0, true; i < n && more; i++ {
		in, stride, rest := uint8(1), 1, i
		for a, c := range axes {
			m.at[c] = rest % size[a]
			if m.at[c] > 0 {
				in |= phases[i-stride]
			}
			rest, stride = rest/size[a], stride*size[a]
		}
		phases[i], more = step(in)
	}
	for _, c := range axes {
		m.at[c] = -1
	}
	return true
}

// once reports whether a trigger has at most one edge from not true to true in any run, and whether it lasts:
// once true, it is never false again.
func (st *examination) once() (once, lasts bool) {
	for c := range members(st.root.in) {
		if !st.m.rises(&st.m.groups[c]) {
			return false, false
		}
	}
	// The phases: 0 before the first true, 1 true since, 2 false after that. twice: true once more.
	twice, lasts := false, true
	ok := st.m.runs(st.root.in, func(in uint8) (out uint8, more bool) {
		m := st.reach(st.root)
		out = in
		if m&maskT != 0 {
			twice = in&4 != 0
			if in&3 != 0 {
				out |= 2
			}
		}
		if m&maskF != 0 && out&2 != 0 {
			out |= 4
			lasts = false
			twice = twice || m&maskT != 0
		}
		return out, !twice
	})
	once = ok && !twice
	return once, once && lasts
}

// again reports whether, after a turn on which trigger was true, rearm can be true on a later one, and
// whether trigger can then be true once more. In doubt both are.
func (m *model) again(trigger, rearm *form) (rearms, fires bool) {
	// The phases: 0 before the trigger was true, 1 since then, 2 since rearm was true after that.
	over := false
	ok := m.runs(trigger.in|rearm.in, func(in uint8) (out uint8, more bool) {
		m.ask(0)
		t, r := m.reach(trigger), m.reach(rearm)
		over = over || m.over
		if in&1 != 0 && t&maskT != 0 {
			in |= 2
		}
		if in&2 != 0 && r&maskT != 0 {
			in |= 4
		}
		rearms = rearms || in&4 != 0
		fires = fires || in&4 != 0 && t&maskT != 0
		return in, !over
	})
	return rearms || over || !ok, fires || over || !ok
}

// Between reports whether a trigger can be true, and whether it can be false, between two turns, where no
// event holds. In doubt it can.
func Between(p *compiled.Predicate) (holds, fails bool) {
	st := newExamination(p, self, "", occasion{})
	if st == nil {
		return true, true
	}
	st.m.ask(1)
	m := st.m.reach(st.root)
	return m&maskT != 0 || st.m.over, m&maskF != 0 || st.m.over
}

// Stays reports whether a trigger can be true on all turns to the end of a run whatever happens, as long as
// attributes and these facts stay as they are, but for texts of messages. In doubt it cannot.
func Stays(p *compiled.Predicate, facts ...fact.ID) bool {
	st := newExamination(p, self, "", occasion{})
	if st == nil {
		return false
	}
	m := st.m
	m.ask(0)
	lasting := func(v int) bool {
		x := &m.vars[v]
		return (x.kind == varFact || x.kind == varText) && (slices.Contains(facts, x.id) ||
			m.schema.Fact(x.id).Kind == fact.Attribute && x.id != fact.Prompt && x.id != fact.Response)
	}
	var open []int
	for i := range m.groups {
		g := &m.groups[i]
		switch {
		case m.rises(g): // in the end it is above all that it is compared with
			m.at[i] = max(0, slices.IndexFunc(g.states, func(s state) bool { return s.values[0].unknown() })) - 1
		case !slices.ContainsFunc(g.vars, func(v int) bool { return !lasting(v) }):
			open = append(open, i)
		}
	}
	return m.solve(st.root, open) && !m.over
}

// The time since a reminder last fired is unknown before its first firing. So a reminder whose trigger needs
// that time of itself never fires. Nor does a reminder whose trigger needs it of a reminder that never fires.

// How many reminders that wait for each other are followed, one behind the other and in all.
const (
	maxChain   = 8
	maxWaiting = 64 // of one search in all
)

// waits finds that the trigger of the i-th reminder waits for a firing that never comes.
func waits(s *compile.Set, i int) (finding, bool) {
	asked := sinces(s.Trigger(i))
	if len(asked) == 0 || (&waiting{s, maxWaiting}).canFire(i, nil) {
		return finding{}, false
	}
	f := finding{code: code.NeverFires, severity: grammar.Warning, field: "trigger",
		message: "the trigger can never be true: it asks when " + list(asked) + " last fired, "}
	switch {
	case len(asked) > 1:
		f.message += "and that is unknown until then"
		f.hint = "join a way for the first time by or"
	case asked[0] == s.Reminder(i).ID:
		f.message = "the trigger can never be true: it asks when the reminder itself last fired, and that is " +
			"unknown until it has"
		f.hint = "write every N turns, or join a way for the first time by or"
	default:
		f.message += "which fires only by name"
		f.hint = "ask for a reminder with a trigger of its own"
	}
	return f, true
}

// sinces are the reminders of which a trigger asks when they last fired.
func sinces(p *compiled.Predicate) []string {
	var out []string
	if n := p.Root(); n != nil {
		n.Leaves(func(o *condition.Leaf) {
			if condition.OfFiring(o.Function) && !slices.Contains(out, o.Argument) {
				out = append(out, o.Argument)
			}
		})
	}
	return out
}

// A waiting is the search for a reminder's first firing.
type waiting struct {
	set  *compile.Set
	left int // triggers
}

// canFire reports whether the trigger of the i-th reminder can be true before those of path have fired. In
// doubt it can.
func (w *waiting) canFire(i int, path []int) bool {
	if w.left--; w.left < 0 || len(path) > maxChain {
		return true
	}
	path = append(path[:len(path):len(path)], i)
	on := occasion{silent: func(id string) bool {
		j, ok := w.set.Index(id)
		return ok && (slices.Contains(path, j) || !w.canFire(j, path))
	}}
	st := newExamination(w.set.Trigger(i), w.set.Reminder(i).ID, "trigger", on)
	return st == nil || st.reach(st.root)&maskT != 0
}
