package eval

import (
	"encoding/json"
	"slices"

	"github.com/aside-go/aside/compile"
	"github.com/aside-go/aside/compile/fact"
	"github.com/aside-go/aside/compile/terms"
	"github.com/aside-go/aside/state"
)

// texts are the facts that no snapshot keeps, as the host told them.
type texts [len(unkept)]struct {
	s     string
	known bool
}

// textsOf returns those of a frame.
func textsOf(f *fact.Frame) (t texts) {
	for i, id := range unkept {
		t[i].s, t[i].known = f.Text(id)
	}
	return t
}

// see shows the facts of the turn, as its triggers saw them. Those of a turn that was decided before are what was kept of them then, and
// the texts that this host tells again.
func (d *Decision) withFacts(do func(*fact.Frame)) error {
	w := d.prog.work.Get().(*work)
	defer d.prog.release(w)
	f := w.frame
	missing, err := recall(f, d.next)
	if err != nil {
		return err
	}
	for i, id := range unkept {
		if d.texts[i].known && slices.Contains(missing, f.Schema().Fact(id).Name) {
			f.SetText(id, d.texts[i].s)
		}
	}
	addCounts(f, d.next.Run())
	do(f)
	return nil
}

// Facts returns all facts known on this turn, by name, those that the run counts included, as fact.Frame.Value returns them. The map is
// the caller's.
func (d *Decision) Facts() map[string]any {
	out := make(map[string]any, 16)
	_ = d.withFacts(func(f *fact.Frame) { // what is new was just written, what is not was read before
		s := f.Schema()
		for id := range fact.ID(s.Len()) {
			if v := f.Value(id); v != nil {
				out[s.Fact(id).Name] = v
			}
		}
	})
	return out
}

// Why returns the shortest text of what made the trigger of a reminder true that fired; "manual" when it was fired by name, and ""
// when it did not fire.
func (d *Decision) Why(id string) string {
	due, trigger, part := d.fired(id)
	switch {
	case due == nil:
		return ""
	case due.Manual:
		return "manual"
	case trigger == nil: // it is gone with a reload since the turn was first decided
		return ""
	case part.Truth != fact.True: // decided before, on facts that are no longer here
		return trigger.String()
	}
	return part.Why()
}

// Part returns what each part of the trigger of a reminder came to that fired by it. Of one that was fired by name it knows nothing,
// nor of a turn decided before whose facts were not all kept.
func (d *Decision) Part(id string) (part compile.Part, ok bool) {
	due, trigger, part := d.fired(id)
	if trigger == nil || due.Manual || part.Truth != fact.True {
		return compile.Part{}, false
	}
	return part, true
}

// fired returns what fired of a reminder, and how its trigger stood; nil where it did not, and where it has none any more.
func (d *Decision) fired(id string) (due *terms.Due, trigger *compile.Predicate, part compile.Part) {
	for k := range d.Fired {
		if d.Fired[k].ID != id {
			continue
		}
		due = &d.Fired[k]
		if i, ok := d.prog.set.Index(id); ok && !due.Manual {
			trigger = d.prog.set.Trigger(i)
			_ = d.withFacts(func(f *fact.Frame) {
				f.SetSelf(id)
				part = trigger.Explain(f)
			})
		}
		break
	}
	return due, trigger, part
}

// MarshalJSON implements json.Marshaler: all of it, its facts, and why it fired what it fired.
func (d *Decision) MarshalJSON() ([]byte, error) {
	why := make(map[string]string, len(d.Fired))
	for _, f := range d.Fired {
		why[f.ID] = d.Why(f.ID)
	}
	return json.Marshal(struct {
		state.Decision
		Why   map[string]string `json:"why,omitempty"`
		Facts map[string]any    `json:"facts,omitempty"`
		Mark  string            `json:"mark,omitempty"`
		Again bool              `json:"again,omitempty"`
	}{d.Decision, why, d.Facts(), d.Mark, d.Again})
}
