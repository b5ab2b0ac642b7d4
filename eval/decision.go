package eval

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/aside-go/aside/compile"
	"github.com/aside-go/aside/compile/fact"
	"github.com/aside-go/aside/compile/reminder"
	"github.com/aside-go/aside/state"
)

// Decision is the outcome of a turn: what fired, what is due, what was held back and why. It belongs to one goroutine at a
// time, and its lists must not be modified. Facts, Why, Part, Explain and MarshalJSON evaluate the turn again at each call.
type Decision struct {
	state.Decision

	// Mark is the first Turn.Mark of the run that was not ""; "" if there was none.
	Mark string
	// Again says that the turn was committed before, and that this is what was decided then.
	Again bool

	ev      *Evaluator
	prog    *program
	run     string
	turnKey string // Turn.Key
	next    *state.Snapshot
	rev     state.Revision // of the snapshot before
	phase   phase
	texts   texts
}

// phase is how far a decision has come.
type phase uint8

const (
	prepared phase = iota
	unsure         // the store could not say whether Commit has written it
	committed
	discarded
)

// Commit stores the decision. Nothing may be sent before it has returned nil. To commit twice is to commit once. After Discard
// it returns ErrDiscarded.
//
// state.ErrConflict says that the run went on meanwhile: prepare the turn again, as Decide does. If it was this very turn that
// another process committed, which its key tells, Commit returns nil instead, and d becomes the decision that was stored.
//
// state.ErrIndeterminate says that the decision may or may not have been stored, and that Commit could not find out by a
// second try. Call Commit again to try once more; for a turn without a key that may never tell.
func (d *Decision) Commit(ctx context.Context) error {
	err := d.tryCommit(ctx)
	if !errors.Is(err, state.ErrIndeterminate) {
		return err
	}
	again := d.tryCommit(ctx)
	switch {
	case d.phase != unsure, errors.Is(again, state.ErrConflict), errors.Is(again, state.ErrOldKey):
		return again
	}
	return errors.Join(err, again)
}

func (d *Decision) tryCommit(ctx context.Context) error {
	switch d.phase {
	case committed:
		return nil
	case discarded:
		return ErrDiscarded
	case unsure:
		if done, err := d.checkStored(ctx); done || err != nil {
			return err
		}
	}
	_, err := d.ev.opts.Store.Save(ctx, d.run, d.rev, d.next)
	switch {
	case err == nil:
		d.phase = committed
	case errors.Is(err, state.ErrIndeterminate):
		d.phase = unsure
	case errors.Is(err, state.ErrConflict) && d.turnKey != "":
		if done, err := d.checkStored(ctx); done || err != nil {
			return err
		}
	}
	return err
}

// checkStored finds out whether the turn is stored by now, and if so, makes d the decision that is stored.
func (d *Decision) checkStored(ctx context.Context) (done bool, err error) {
	now, rev, err := d.ev.opts.Store.Load(ctx, d.run)
	if err != nil {
		return false, err
	}
	stored, err := now.Taken(d.turnKey)
	switch {
	case err != nil:
		return false, err
	case stored != nil:
		return true, d.become(now, stored)
	case rev == d.rev:
		return false, nil
	case d.turnKey != "":
		return false, fmt.Errorf("run %q: %w", d.run, state.ErrConflict)
	case now != nil && bytes.Equal(now.Encode(), d.next.Encode()):
		d.phase = committed
		return true, nil
	}
	return false, fmt.Errorf("run %q went on, and the turn has no key: %w", d.run, state.ErrIndeterminate)
}

// become makes d the decision that s holds of its last turn.
func (d *Decision) become(s *state.Snapshot, stored *state.Decision) error {
	d.Decision, d.Mark, d.Again, d.next, d.phase = *stored, s.Tag(), true, s, committed
	return d.withFacts(func(*fact.Frame) {}) // so that facts that cannot be read are an error here, not later
}

// Discard gives a prepared decision up: the run stays as if the turn had not been. After Commit it does nothing.
func (d *Decision) Discard() {
	if d.phase != committed {
		d.phase = discarded
	}
}

// Missed tells that the texts of a committed decision never reached the model because the request failed for good. They are
// due again on the run's next turn, byte for byte the same, and that is no new firing. With ids, only the texts of these are.
// Before Commit it returns ErrNotCommitted.
//
// Do not call it if the same turn will be tried again: its key gets the same decision by itself.
func (d *Decision) Missed(ctx context.Context, ids ...string) error {
	if d.phase != committed {
		return ErrNotCommitted
	}
	if len(ids) == 0 {
		for _, due := range d.Due {
			if due.Late {
				ids = append(ids, due.ID)
			}
		}
		for _, due := range d.Fired {
			ids = append(ids, due.ID)
		}
	}
	if len(ids) == 0 {
		return nil
	}
	return d.ev.Missed(ctx, d.run, ids...)
}

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
