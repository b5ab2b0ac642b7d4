package eval

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"reflect"

	"github.com/aside-go/aside/internal/firing"
	"github.com/aside-go/aside/state"
)

// Notes returns the host's notes and the mark of a run: nil and "" if it has none or does not exist. If run
// is "", it is the run of ctx. The notes must not be modified.
func (ev *Evaluator) Notes(ctx context.Context, run string) (notes json.Marshaler, mark string, err error) {
	_, s, _, err := ev.load(ctx, run)
	return s.Notes(), s.Tag(), err
}

// Note replaces the notes of a run, between two turns, by the result of edit. If another writer of the run
// was quicker, it calls edit again with the notes as they are by then. If edit returns an error, nothing is
// written and Note returns the error. Nothing is written either if edit returns its argument: the same bytes,
// or an equal value of the host's own. For a run that does not exist, Note does nothing. If run is "", it is
// the run of ctx.
func (ev *Evaluator) Note(ctx context.Context, run string,
	edit func(json.Marshaler) (json.Marshaler, error)) error {
	return ev.change(ctx, run, func(s *state.Snapshot) (*state.Snapshot, error) {
		if s == nil {
			return nil, nil
		}
		notes, err := edit(s.Notes())
		if err != nil || sameNotes(notes, s.Notes()) {
			return nil, err
		}
		return firing.Note(s, notes)
	})
}

// sameNotes reports whether notes are unchanged.
func sameNotes(now, was json.Marshaler) bool {
	if raw, ok := now.(json.RawMessage); ok && len(raw) == 0 {
		now = nil
	}
	if now == nil || was == nil {
		return now == was
	}
	if was, ok := was.(json.RawMessage); ok { // a store that gives back bytes would marshal these anyway
		raw, err := now.MarshalJSON()
		return err == nil && bytes.Equal(raw, was)
	}
	return reflect.TypeOf(now).Comparable() && now == was
}

// Fork begins the run to with the state of the run from: its counts, texts, notes and mark. It returns false,
// and changes nothing, if from does not exist or to does.
func (ev *Evaluator) Fork(ctx context.Context, from, to string) (bool, error) {
	s, _, err := ev.store(ctx).Load(ctx, from)
	if s == nil || err != nil {
		return false, err
	}
	return ev.Begin(ctx, to, s)
}

// Begin begins a run with a snapshot, such as Decision.Before or After of another run, or one that a host has
// kept. It returns false, and changes nothing, if the run exists.
func (ev *Evaluator) Begin(ctx context.Context, run string, s *state.Snapshot) (bool, error) {
	_, err := ev.store(ctx).Save(ctx, run, 0, s)
	if errors.Is(err, state.ErrConflict) {
		return false, nil
	}
	return err == nil, err
}

// Before returns the state of the run before this decision, nil if it had not begun. Of a decision with Again
// it is After.
func (d *Decision) Before() *state.Snapshot { return d.prev }

// After returns the state of the run with this decision, which counts only after Commit.
func (d *Decision) After() *state.Snapshot { return d.next }

// Notes returns the notes that the run has with this decision. They must not be modified.
func (d *Decision) Notes() json.Marshaler { return d.next.Notes() }

// Carry adds to a prepared decision, to be committed with it: new notes of the run, and the ids of texts that
// this turn cannot carry after all. Those texts are due on the next turn, byte for byte the same. Notes that
// are not JSON are an error, and change nothing. After Commit Carry returns ErrCommitted, after Discard
// ErrDiscarded.
func (d *Decision) Carry(notes json.Marshaler, missed ...string) error {
	switch d.phase {
	case discarded:
		return ErrDiscarded
	case committed, unsure:
		return ErrCommitted
	}
	next, err := firing.Note(d.next, notes)
	if err != nil {
		return err
	}
	if len(missed) > 0 {
		next = firing.Missed(next, missed...)
	}
	d.next = next
	return nil
}
