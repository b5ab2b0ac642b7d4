package analysis

import (
	"slices"

	"github.com/aside-go/aside/compile"
	"github.com/aside-go/aside/grammar"
	"github.com/aside-go/aside/internal/code"
)

// How long ago a reminder fired is unknown before it has fired by itself. So a reminder that needs to know that of itself never
// fires, nor does one that needs to know it of one that never does, and so on round.

// How many reminders that wait for each other are followed, one behind the other and in all.
const (
	maxChain   = 8
	maxWaiting = 64 // of one search in all
)

// waits finds that the i-th reminder waits for a firing that never comes.
func (st *study) waits(s *compile.Set, i int) (finding, bool) {
	asked := sinces(s.Trigger(i))
	if len(asked) == 0 || (&waiting{s, maxWaiting}).canFire(i, nil) {
		return finding{}, false
	}
	self := s.Reminder(i).ID
	f := finding{code: code.NeverFires, severity: grammar.Warning, field: st.field,
		message: "the trigger can never be true: it asks when " + list(asked, "and") + " last fired, and that is unknown until then",
		hint:    "join a way for the first time by or"}
	if len(asked) == 1 && asked[0] != self {
		f.message = "the trigger can never be true: it asks when " + asked[0] + " last fired, which never fires by itself"
		f.hint = "ask for a reminder that fires by itself"
	}
	if len(asked) == 1 && asked[0] == self {
		f.message = "the trigger can never be true: it asks when the reminder itself last fired, and that is unknown until it has"
		f.hint = "write every N turns, or join a way for the first time by or"
	}
	return f, true
}

// sinces are the reminders of which a trigger asks when they last fired.
func sinces(p *compile.Predicate) []string {
	var out []string
	if n := p.Root(); n != nil {
		each(n, func(o *compile.Operand) {
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

// canFire reports whether the trigger of the i-th reminder can be true before those of path have fired. In doubt it can.
func (w *waiting) canFire(i int, path []int) bool {
	if w.left--; w.left < 0 || len(path) > maxChain {
		return true
	}
	path = append(path[:len(path):len(path)], i)
	st := newStudyOf(w.set.Trigger(i), w.set.Reminder(i).ID, "trigger", func(id string) bool {
		j, ok := w.set.Index(id)
		return ok && (slices.Contains(path, j) || !w.canFire(j, path))
	})
	return st == nil || st.reach(st.root, true)&maskT != 0
}
