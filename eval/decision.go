package eval

import (
	"bytes"
	"context"
	"errors"
	"fmt"

	"github.com/aside-go/aside/compile/fact"
	"github.com/aside-go/aside/state"
)

// Decision is what a turn came to: what fired, what is due, what was held back and why. It belongs to one goroutine at a time;
// its lists must not be written to. What its methods tell of the turn they find out anew each time, from what the run keeps of it.
type Decision struct {
	state.Decision

	// Mark is the run's token, the first Turn.Mark that was given; "" for none.
	Mark string
	// Again says that the turn was decided and committed before, and this is what was decided then.
	Again bool

	ev    *Evaluator
	prog  *program
	run   string
	key   string // Turn.Key
	next  *state.Snapshot
	rev   state.Revision
	phase phase
	texts texts
}

// phase is how far a decision is.
type phase uint8

const (
	prepared phase = iota
	unsure         // Commit was told that it may have been written
	committed
	discarded
)

// Commit writes the decision. Only then may anything be sent. Committing twice is committing once; after Discard it is
// ErrDiscarded.
//
// state.ErrConflict says that the run went on by another turn meanwhile: prepare again (Decide does). If that other turn has the
// same key, it is this one: Commit returns nil and d is what was stored. state.ErrIndeterminate says that it may have been
// written: call Commit again, which looks; without a turn key it may stay unknown.
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

// checkStored finds out whether the turn is stored by now, and makes d what is stored if it is.
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

// become makes d what was decided on the last turn of a run that is stored.
func (d *Decision) become(s *state.Snapshot, stored *state.Decision) error {
	d.Decision, d.Mark, d.Again, d.next, d.phase = *stored, s.Tag(), true, s, committed
	return d.withFacts(func(*fact.Frame) {}) // where it says nothing now, it does not later
}

// Discard lets go of a prepared decision: nothing was spent, and the next turn is as if this one had not been. After Commit it
// does nothing.
func (d *Decision) Discard() {
	if d.phase != committed {
		d.phase = discarded
	}
}

// Missed tells that a committed decision never reached the model, because the request failed for good: its texts are due
// again on the run's next turn with the same bytes, and that is no new firing. With ids only those texts. Do not call it when
// the same turn will be tried again: the same key returns the same decision by itself.
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
