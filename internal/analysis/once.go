package analysis

import (
	"slices"

	"github.com/aside-go/aside/compile"
	"github.com/aside-go/aside/compile/fact"
	"github.com/aside-go/aside/grammar"
	"github.com/aside-go/aside/internal/code"
	"github.com/aside-go/aside/internal/condition"
)

// A counter only rises during a run: a run passes its cells from the lowest up. A trigger that reads only
// counters has a fixed truth in each combination of their cells. If no way up through these leads from true
// over false to true again, the trigger has at most one edge.

// maxGrid bounds the combinations of counters' cells that are gone through.
const maxGrid = 1024

// rises reports whether a variable never falls during a run.
func (s *system) rises(v *variable) bool {
	switch v.kind {
	case varSlot:
		return s.schema.Fact(v.id).Kind == fact.Counter && s.schema.Fact(v.id).Type.Numeric()
	case varTerm, varCalls:
		return v.of == "tool_count"
	default:
		return false
	}
}

// A grid is the combinations of the cells of some components that are a single counter each. The cells of
// such a component stand in the order of their values, as a run passes them; so two of them may have equal
// truths.
type grid struct {
	s    *system
	axes []int // components
	size []int
}

// newGrid returns the grid of the counters among components in; ok is false if there are too many cells. pure
// says whether nothing else is among them.
func (s *system) newGrid(in uint64) (g *grid, pure, ok bool) {
	g, pure = &grid{s: s}, true
	n := 1
	for c := range members(in) {
		comp := &s.components[c]
		if len(comp.vars) != 1 || !s.rises(&s.vars[comp.vars[0]]) {
			pure = false
			continue
		}
		s.inOrder(comp)
		g.axes = append(g.axes, c)
		g.size = append(g.size, comp.known)
		if n *= comp.known; n > maxGrid {
			return nil, pure, false
		}
	}
	return g, pure, true
}

// inOrder rebuilds the cells of a counter in the order of its values.
func (s *system) inOrder(c *component) {
	v := &s.vars[c.vars[0]]
	vals := make([]float64, len(s.vars))
	c.cells = nil
	for _, x := range v.cells {
		vals[c.vars[0]] = x
		c.cells = append(c.cells, s.cellAt(c, vals))
	}
	c.known = v.known
}

// run passes the points of the grid, each after all that are below it in any direction, with the components
// in their cells. A run is in one or more phases, numbered from 0, a bit each: step gets the phases in which
// the points below are left, and phase 0, and returns those in which this point is left. more is false to
// end.
func (g *grid) run(step func(in uint8) (out uint8, more bool)) {
	n := 1
	for _, s := range g.size {
		n *= s
	}
	phases := make([]uint8, n)
	for i, more := 0, true; i < n && more; i++ {
		in := uint8(1)
		stride, rest := 1, i
		for a, c := range g.axes {
			at := rest % g.size[a]
			rest /= g.size[a]
			g.s.at[c] = at
			if at > 0 {
				in |= phases[i-stride]
			}
			stride *= g.size[a]
		}
		phases[i], more = step(in)
	}
	for _, c := range g.axes {
		g.s.at[c] = -1
	}
}

// once reports whether a trigger has at most one edge from not true to true in any run, and whether it lasts:
// once true, it is never false again.
func (st *examination) once() (once, lasts bool) {
	g, pure, ok := st.s.newGrid(st.root.in)
	if !ok || !pure {
		return false, false
	}
	lasts = true
	// The phases: 0 before the first true, 1 true since, 2 false after that. twice: true once more.
	twice := false
	g.run(func(in uint8) (out uint8, more bool) {
		st.s.ask(true)
		m := st.s.reach(st.root)
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
		return out, !twice && !st.s.over
	})
	once = !twice && !st.s.over
	return once, once && lasts
}

// again reports whether, after a turn on which trigger was true, rearm can be true on a later one, and
// whether trigger can then be true once more. In doubt both are.
func again(s *system, trigger, rearm *form) (rearms, fires bool) {
	g, _, ok := s.newGrid(trigger.in | rearm.in)
	if !ok {
		return true, true
	}
	// The phases: 0 before the trigger was true, 1 since then, 2 since rearm was true after that.
	over := false
	g.run(func(in uint8) (out uint8, more bool) {
		s.ask(true)
		t := s.reach(trigger)
		r := s.reach(rearm)
		over = over || s.over
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
	if over {
		return true, true
	}
	return rearms, fires
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
	self := s.Reminder(i).ID
	f := finding{code: code.NeverFires, severity: grammar.Warning, field: "trigger",
		message: "the trigger can never be true: it asks when " + list(asked) +
			" last fired, and that is unknown until then",
		hint: "join a way for the first time by or"}
	if len(asked) == 1 && asked[0] != self {
		f.message = "the trigger can never be true: it asks when " + asked[0] +
			" last fired, which never fires by itself"
		f.hint = "ask for a reminder that fires by itself"
	}
	if len(asked) == 1 && asked[0] == self {
		f.message = "the trigger can never be true: it asks when the reminder itself last fired, and that is " +
			"unknown until it has"
		f.hint = "write every N turns, or join a way for the first time by or"
	}
	return f, true
}

// sinces are the reminders of which a trigger asks when they last fired.
func sinces(p *compile.Predicate) []string {
	var out []string
	if n := p.Root(); n != nil {
		n.Leaves(func(o *condition.Leaf) {
			if since(o) && !slices.Contains(out, o.Argument) {
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
	st := newExamination(w.set.Trigger(i), scope{self: w.set.Reminder(i).ID, silent: func(id string) bool {
		j, ok := w.set.Index(id)
		return ok && (slices.Contains(path, j) || !w.canFire(j, path))
	}})
	return st == nil || st.reach(st.root, true)&maskT != 0
}
