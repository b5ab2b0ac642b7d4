package eval

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"reflect"

	"github.com/aside-go/aside/state"
)

// Notes are what a host keeps with a run, in the run's own snapshot: any JSON value, such as what was put where in the requests
// before. The Evaluator carries them from turn to turn and never looks at them.
//
// They are bytes, a json.RawMessage, or an immutable value of the host's own that writes itself when a store asks for bytes; see
// state.Notes. A host that carries its own gets back that value, or a json.RawMessage where the store had to read it.
type Notes = state.Notes

// Notes returns the notes of a run, nil for none, and the run's mark, "" as long as it has none. A run that does not exist has
// neither. run "" is the run of ctx. What comes back must not be written to.
func (ev *Evaluator) Notes(ctx context.Context, run string) (notes Notes, mark string, err error) {
	run, err = runOf(ctx, run)
	if err != nil {
		return nil, "", err
	}
	s, _, err := ev.opts.Store.Load(ctx, run)
	return s.Notes(), s.Tag(), err
}

// Note replaces the notes of a run between two turns with what edit makes of them, and does so again when another writer was
// quicker. Where edit returns an error nothing is written, and the error comes back; where it returns what it was given, the same
// bytes or an equal value of the host's own, nothing is written either. A run that does not exist is not made. run "" is the run of ctx.
func (ev *Evaluator) Note(ctx context.Context, run string, edit func(Notes) (Notes, error)) error {
	return ev.change(ctx, run, func(s *state.Snapshot) (*state.Snapshot, error) {
		if s == nil {
			return nil, nil
		}
		notes, err := edit(s.Notes())
		if err != nil || sameNotes(notes, s.Notes()) {
			return nil, err
		}
		return state.Note(s, notes)
	})
}

// sameNotes reports whether notes are what they were.
func sameNotes(now, was Notes) bool {
	if raw, ok := now.(json.RawMessage); ok && len(raw) == 0 {
		now = nil
	}
	if now == nil || was == nil {
		return now == was
	}
	if was, ok := was.(json.RawMessage); ok { // the store asks for bytes in any case
		raw, err := now.MarshalJSON()
		return err == nil && bytes.Equal(raw, was)
	}
	return reflect.TypeOf(now).Comparable() && now == was
}

// Fork begins a run with all that another has: its counts, its texts, its notes and its mark. It changes nothing, and returns
// false, where there is nothing to begin with or the run exists.
func (ev *Evaluator) Fork(ctx context.Context, from, to string) (bool, error) {
	s, _, err := ev.opts.Store.Load(ctx, from)
	if s == nil || err != nil {
		return false, err
	}
	_, err = ev.opts.Store.Save(ctx, to, 0, s)
	if errors.Is(err, state.ErrConflict) {
		return false, nil
	}
	return err == nil, err
}

// Notes returns the notes that the run has as of this decision. They must not be written to.
func (d *Decision) Notes() Notes { return d.next.Notes() }

// Carry gives a prepared decision what is to be committed with it: the run's notes, and the ids of texts that this turn could
// not carry after all; those wait for the next one, with the same bytes. Of a decision that is not merely prepared it is
// ErrCommitted or ErrDiscarded; what is not JSON is an error too, and changes nothing.
func (d *Decision) Carry(notes Notes, missed ...string) error {
	switch d.phase {
	case discarded:
		return ErrDiscarded
	case committed, unsure:
		return ErrCommitted
	}
	next, err := state.Note(d.next, notes)
	if err != nil {
		return err
	}
	if len(missed) > 0 {
		next = state.Missed(next, missed...)
	}
	d.next = next
	return nil
}
