package eval

import (
	"bytes"
	"context"
	"errors"
	"fmt"

	"github.com/aside-go/aside/compile/fact"
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

	ev    *Evaluator
	prog  *program
	run   string
	key   string // Turn.Key
	next  *state.Snapshot
	rev   state.Revision // of the snapshot before
	phase phase
	texts texts
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
// state.ErrIndeterminate says that the decision may or may not have been stored. Call Commit again to find out; for a turn
// without a key that may not be possible.
func (d *Decision) Commit(ctx context.Context) error {
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
	case errors.Is(err, state.ErrConflict) && d.key != "":
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
	stored, err := now.Taken(d.key)
	switch {
	case err != nil:
		return false, err
	case stored != nil:
		return true, d.become(now, stored)
	case rev == d.rev:
		return false, nil
	case d.key != "":
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
