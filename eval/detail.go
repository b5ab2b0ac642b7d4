package eval

import (
	"encoding/json"
	"slices"

	"github.com/aside-go/aside/compile"
	"github.com/aside-go/aside/compile/fact"
	"github.com/aside-go/aside/compile/reminder"
	"github.com/aside-go/aside/state"
)

// texts holds the facts that no snapshot keeps, as the host told them for this turn.
type texts [len(unkept)]struct {
	s     string
	known bool
}

// textsOf returns the texts that a frame holds.
func textsOf(f *fact.Frame) (t texts) {
	for i, id := range unkept {
		t[i].s, t[i].known = f.Text(id)
	}
	return t
}

// withFacts calls do with the facts of the turn as its triggers saw them. For a turn that was committed before these are the
// facts that the snapshot keeps, and the texts that the host has told again.
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

// Facts returns all facts that are known on this turn by their names, in the forms that fact.Frame.Value returns. Those that
// the run counts are among them. The map is the caller's.
func (d *Decision) Facts() map[string]any {
	out := make(map[string]any, 16)
	_ = d.withFacts(func(f *fact.Frame) { // no error: Prepare wrote these facts, or has read them before
		s := f.Schema()
		for id := range fact.ID(s.Len()) {
			if v := f.Value(id); v != nil {
				out[s.Fact(id).Name] = v
			}
		}
	})
	return out
}

// Why returns in few words what made a reminder fire: the part of its trigger that was true, as compile.Part.Why puts it, or
// "manual" if it was fired by hand. It returns "" if the reminder did not fire.
func (d *Decision) Why(id string) string {
	due, trigger, part := d.fired(id)
	switch {
	case due == nil:
		return ""
	case due.Manual:
		return "manual"
	case trigger == nil: // a reload has removed the reminder since the turn was first decided
		return ""
	case part.Truth != fact.True: // the turn was decided before, on facts that are not kept
		return trigger.String()
	}
	return part.Why()
}

// Part returns the truth of each part of the trigger that fired a reminder. ok is false if the reminder did not fire or was
// fired by hand, and if the turn was committed before and the facts that the trigger reads were not all kept.
func (d *Decision) Part(id string) (part compile.Part, ok bool) {
	due, trigger, part := d.fired(id)
	if trigger == nil || due.Manual || part.Truth != fact.True {
		return compile.Part{}, false
	}
	return part, true
}

// fired returns the text with which a reminder fired on this turn, the trigger that fired it, and how that stood. due is nil if
// it did not fire; trigger is nil if it was fired by hand or no longer exists.
func (d *Decision) fired(id string) (due *reminder.Due, trigger *compile.Predicate, part compile.Part) {
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

// MarshalJSON implements json.Marshaler. It adds the facts of the turn, and why each reminder fired.
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
