package metrics

import (
	"context"
	"errors"
	"time"

	"github.com/aside-go/aside/compile/reminder"
	"github.com/aside-go/aside/internal/readset"
	"github.com/aside-go/aside/state"
)

// Timed returns the store of a database whose reads and saves are timed; any other one as it is.
func (m *Metrics) Timed(store state.Store) state.Store {
	if of, ok := store.(state.Recorder); ok {
		return &timed{of, m}
	}
	return store
}

type timed struct {
	state.Recorder
	m *Metrics
}

// Find finds runs by keys, where the store does so.
func (t *timed) Find(ctx context.Context, key uint64, limit int) (map[string][]uint64, error) {
	of, ok := t.Recorder.(readset.Finder)
	if !ok {
		return nil, errors.ErrUnsupported
	}
	defer t.took("read", time.Now())
	return of.Find(ctx, key, limit)
}

func (t *timed) took(op string, begun time.Time) {
	t.m.stateTook.WithLabelValues(op).Observe(time.Since(begun).Seconds())
}

// Load implements state.Store.
func (t *timed) Load(ctx context.Context, run string) (*state.Snapshot, state.Revision, error) {
	defer t.took("read", time.Now())
	return t.Recorder.Load(ctx, run)
}

// Save implements state.Store.
func (t *timed) Save(ctx context.Context, run string, prev state.Revision,
	next *state.Snapshot) (state.Revision, error) {
	return t.SaveRecorded(ctx, run, prev, next, nil)
}

// SaveRecorded implements state.Recorder.
func (t *timed) SaveRecorded(ctx context.Context, run string, prev state.Revision, next *state.Snapshot,
	records []reminder.Record) (state.Revision, error) {
	defer t.took("save", time.Now())
	return t.Recorder.SaveRecorded(ctx, run, prev, next, records)
}

// Sweep forgets old runs, where the store does so when it is asked to.
func (t *timed) Sweep(ctx context.Context) (int, error) {
	if of, ok := t.Recorder.(interface {
		Sweep(context.Context) (int, error)
	}); ok {
		return of.Sweep(ctx)
	}
	return 0, nil
}
