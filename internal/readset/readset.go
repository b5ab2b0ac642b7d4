// Package readset has a request read each run once. What the request has read or saved of a run stands for
// all that it asks, as if it had asked all at once. A save tells whether that is the latest; after one that
// fails the run is read anew.
//
//	request ─► Set.In(context) ─► Over(context, store) ─► state.Store
package readset

import (
	"context"
	"iter"
	"sync"

	"github.com/aside-go/aside/compile/reminder"
	"github.com/aside-go/aside/state"
)

// Set holds the runs that one request has read and saved. It may be used concurrently. The zero Set holds
// none.
type Set struct {
	mu    sync.Mutex // guards what follows
	runs  map[string]version
	store state.Store // that Over was given last
}

// version is a run as it was read or saved; the zero version is a run that does not exist.
type version struct {
	snapshot *state.Snapshot
	rev      state.Revision
	guess    bool           // of a Recent: neither read nor saved
	saved    bool           // by the request
	base     state.Revision // on which it was saved
}

type key struct{}

// In returns a context in which Over reads each run once.
func (s *Set) In(ctx context.Context) context.Context { return context.WithValue(ctx, key{}, s) }

// Reset has each run read anew.
func (s *Set) Reset() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.runs = nil
}

// Guesses reports whether what the Set holds of a run is a guess of Recent.
func (s *Set) Guesses(run string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.runs[run].guess
}

func (s *Set) know(run string, v version) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.runs == nil {
		s.runs = map[string]version{}
	}
	s.runs[run] = v
}

func (s *Set) forget(run string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.runs, run)
}

// Over returns a store that reads a run once for the Set of a context, and store itself where there is none.
func Over(ctx context.Context, store state.Store) state.Store {
	if s, ok := ctx.Value(key{}).(*Set); ok {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.store = store
		return over{store, s}
	}
	return store
}

var _ state.Recorder = over{}

type over struct {
	state.Store
	set *Set
}

// Load implements state.Store.
func (o over) Load(ctx context.Context, run string) (*state.Snapshot, state.Revision, error) {
	o.set.mu.Lock()
	v, known := o.set.runs[run]
	o.set.mu.Unlock()
	if known {
		return v.snapshot, v.rev, nil
	}
	snapshot, rev, err := o.Store.Load(ctx, run)
	if err == nil {
		o.set.know(run, version{snapshot: snapshot, rev: rev})
	}
	return snapshot, rev, err
}

// Save implements state.Store.
func (o over) Save(ctx context.Context, run string, prev state.Revision,
	next *state.Snapshot) (state.Revision, error) {
	return o.SaveRecorded(ctx, run, prev, next, nil)
}

// SaveRecorded implements state.Recorder, for any store.
func (o over) SaveRecorded(ctx context.Context, run string, prev state.Revision, next *state.Snapshot,
	records []reminder.Record) (state.Revision, error) {
	rev, err := state.SaveRecorded(ctx, o.Store, run, prev, next, records)
	if err != nil {
		o.set.forget(run)
		return rev, err
	}
	o.set.know(run, version{snapshot: next, rev: rev, saved: true, base: prev})
	return rev, nil
}

// Records implements state.Recorder, which a turn asks for.
func (o over) Records(ctx context.Context) iter.Seq2[*reminder.Record, error] {
	if r, ok := o.Store.(state.Recorder); ok {
		return r.Records(ctx)
	}
	return func(func(*reminder.Record, error) bool) {}
}

// Delete implements state.Store.
func (o over) Delete(ctx context.Context, run string) error {
	o.set.forget(run)
	return o.Store.Delete(ctx, run)
}
