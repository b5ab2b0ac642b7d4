package eval

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/aside-go/aside/compile"
	"github.com/aside-go/aside/compile/fact"
	"github.com/aside-go/aside/compile/reminder"
	"github.com/aside-go/aside/compile/trigger"
	"github.com/aside-go/aside/state"
)

// Decision is the outcome of a turn: the texts that fired, the texts that are due, the reminders that were
// held back, and why. It belongs to one goroutine at a time, and its lists must not be modified. Facts, Read,
// Why, Part, Explain and MarshalJSON evaluate the turn again at each call.
type Decision struct {
	*reminder.Decision

	// Mark is the first Turn.Mark of the run that was not ""; "" if there was none.
	Mark string
	// Again says that the turn was committed before, and that this is the decision that was stored then.
	Again bool

	ev      *Evaluator
	prog    *program
	run     string
	told    *hostTurn
	turnKey string // Turn.Key
	body    string // Turn.Body
	prev    *state.Snapshot
	next    *state.Snapshot
	rev     state.Revision // of the snapshot before
	phase   phase
	unkept  fact.Values // facts of this turn that no snapshot keeps
	untold  []string
	records []reminder.Record // of the firings and outcomes of this turn
	// of a decision at another moment than a turn, which no snapshot keeps
	moment fact.Moment
	call   *fact.Call
	facts  fact.Values
}

// phase is the progress of a decision.
type phase uint8

const (
	prepared phase = iota
	unsure         // the store could not say whether Commit has written it
	committed
	discarded
)

// Commit stores the decision. A host may send nothing before Commit has returned nil. A second Commit changes
// nothing. After Discard Commit returns ErrDiscarded.
//
// state.ErrConflict says that another process has changed the run meanwhile: prepare the turn again, as
// Decide does. If the other process has committed a turn with the same key, Commit returns nil instead, and d
// becomes the decision that was stored.
//
// state.ErrIndeterminate says that the decision may or may not have been stored, and that a second try of
// Commit could not find out. Call Commit again to try once more. Without a key the answer may stay unknown
// for ever.
func (d *Decision) Commit(ctx context.Context) error {
	if d.ev == nil { // nobody has prepared it
		return ErrDiscarded
	}
	before := d.phase
	err := d.tryCommit(ctx)
	if errors.Is(err, state.ErrIndeterminate) {
		before = unsure
		again := d.tryCommit(ctx)
		if d.phase != unsure || errors.Is(again, state.ErrConflict) || errors.Is(again, state.ErrOldKey) ||
			errors.Is(again, state.ErrOtherBody) {
			err = again
		} else {
			err = errors.Join(err, again)
		}
	}
	if err == nil && d.moment == fact.Turn {
		d.told.committed(d.turnKey)
		if before != committed {
			d.told.heard()
		}
	}
	if tell := d.ev.opts.Decided; tell != nil && err == nil && before != committed &&
		(before == unsure || !d.Again) {
		tell(ctx, d.run, d)
	}
	return err
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
	_, err := state.SaveRecorded(ctx, d.ev.store(ctx), d.run, d.rev, d.next, d.records)
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

// checkStored reports whether the turn is stored by now. If so, d becomes the decision that is stored.
func (d *Decision) checkStored(ctx context.Context) (done bool, err error) {
	now, rev, err := d.ev.store(ctx).Load(ctx, d.run)
	if err != nil {
		return false, err
	}
	stored, err := now.Taken(d.turnKey, d.body)
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

// become turns d into the decision of the last turn of s.
func (d *Decision) become(s *state.Snapshot, stored *reminder.Decision) error {
	d.Decision, d.Mark, d.Again, d.prev, d.next, d.phase = stored, s.Tag(), true, s, s, committed
	d.told.committed(d.turnKey)
	return d.withFacts(func(*fact.Frame) {}) // facts that cannot be read are an error here, not later
}

// Discard drops a prepared decision: the run stays as if the turn had not happened. After Commit it does
// nothing.
func (d *Decision) Discard() {
	if d.phase != committed {
		d.phase = discarded
	}
}

// Missed says that the texts of a committed decision never reached the model because the request failed for
// good. They are due again on the run's next turn, byte for byte the same, and count no new firing. With ids,
// Missed means the texts of these reminders alone. Before Commit it returns ErrNotCommitted.
//
// Do not call Missed if the host will try the same turn again: the key of the turn gets the same decision.
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

// withFacts calls do with the facts of the turn in the view of its triggers. For a turn that was committed
// before, these are the facts that the snapshot keeps, and the others as the host has given them again.
func (d *Decision) withFacts(do func(*fact.Frame)) error {
	if d.prog == nil {
		return ErrDiscarded
	}
	w := d.prog.work.Get().(*work)
	defer d.prog.release(w)
	if d.moment == fact.Turn {
		if _, err := recall(w.frame, d.next, d.unkept); err != nil {
			return err
		}
	} else if _, err := w.frame.Restore(d.facts, d.unkept); err != nil {
		return err
	}
	w.frame.SetMoment(d.moment, d.call)
	w.frame.Recall(compile.RecallAt(d.moment))
	addCounts(w.frame, d.next.Run())
	do(w.frame)
	return nil
}

// Facts returns all facts that are known on this turn by their names, in the forms that fact.Frame.Value
// returns, with the counts of the run among them. The map is the caller's.
func (d *Decision) Facts() map[string]any {
	out := make(map[string]any, 16)
	d.Read(func(f *fact.Frame) {
		s := f.Schema()
		for id := range fact.ID(s.Len()) {
			if v := f.Value(id); v != nil {
				out[s.Fact(id).Name] = v
			}
		}
	})
	return out
}

// Read calls do with the facts of the turn, the counts of the run among them, for a host that looks at few of
// them. do must neither change nor keep the frame.
func (d *Decision) Read(do func(f *fact.Frame)) {
	_ = d.withFacts(do) // no error: Prepare wrote these facts, or has read them before
}

// Set returns the set that decided the turn: the set of the Evaluator, with the reminders that were added to
// the run.
func (d *Decision) Set() *compile.Set {
	if d.prog == nil {
		return new(compile.Set)
	}
	return d.prog.set
}

// Untold returns the facts that the reminders of the set mention and that were unknown on this turn, in the
// order of the schema: nobody told them, or they could not be known yet. A trigger that waits for a fact that
// the host never reports never fires. It is nil if the turn was committed before (Again).
func (d *Decision) Untold() []string { return d.untold }

// Why returns in few words why a reminder fired: the true part of its trigger, in the words of
// trigger.Part.Why, or "manual" if it was fired by hand. It returns "" if the reminder did not fire.
func (d *Decision) Why(id string) string {
	due, fired, part := d.firing(id)
	switch {
	case due == nil:
		return ""
	case due.Manual:
		return "manual"
	case fired == nil: // a reload has removed the reminder since the turn was first decided
		return ""
	case part.Truth != fact.True: // the turn was decided before, on facts that are not kept
		return fired.String()
	}
	return part.Why()
}

// Part returns the truth of each part of the trigger that fired a reminder. ok is false if the reminder did
// not fire or was fired by hand, and if the turn was committed before and the facts that the trigger reads
// were not all kept.
func (d *Decision) Part(id string) (part trigger.Part, ok bool) {
	due, fired, part := d.firing(id)
	if fired == nil || due.Manual || part.Truth != fact.True {
		return trigger.Part{}, false
	}
	return part, true
}

// firing returns the text with which a reminder fired on this turn, the trigger that fired it, and the truth
// of the trigger's parts. due is nil if the reminder did not fire; fired is nil if the reminder was fired
// by hand or no longer exists.
func (d *Decision) firing(id string) (due *reminder.Due, fired *trigger.Predicate, part trigger.Part) {
	for k := range d.fired() {
		if d.Fired[k].ID != id {
			continue
		}
		due = &d.Fired[k]
		if i, ok := d.prog.set.Index(id); ok && !due.Manual {
			fired = d.prog.set.Trigger(i)
			_ = d.withFacts(func(f *fact.Frame) {
				f.SetSelf(id)
				part = fired.Explain(f)
			})
		}
		break
	}
	return due, fired, part
}

// fired returns the texts that fired, none of the zero Decision.
func (d *Decision) fired() []reminder.Due {
	if d.Decision == nil {
		return nil
	}
	return d.Fired
}

// MarshalJSON implements json.Marshaler. It adds the facts of the turn, and why each reminder fired.
func (d *Decision) MarshalJSON() ([]byte, error) {
	why := make(map[string]string, len(d.fired()))
	for _, f := range d.fired() {
		why[f.ID] = d.Why(f.ID)
	}
	return json.Marshal(struct {
		*reminder.Decision
		Why   map[string]string `json:"why,omitempty"`
		Facts map[string]any    `json:"facts,omitempty"`
		Mark  string            `json:"mark,omitempty"`
		Again bool              `json:"again,omitempty"`
	}{d.Decision, why, d.Facts(), d.Mark, d.Again})
}
