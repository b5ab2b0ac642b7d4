package database

import (
	"context"
	"iter"
	"sync"
	"time"

	"github.com/aside-go/aside/compile/reminder"
	"github.com/aside-go/aside/state"
	"github.com/aside-go/aside/state/redisstore"
)

// late is a store in Redis that is opened when it is first used, and again each second until that succeeds.
// Meanwhile it has the error of the last try.
type late struct {
	open func() (*redisstore.Store, error)

	mu     sync.Mutex // guards what follows
	store  *redisstore.Store
	err    error
	tries  chan struct{} // closed when the try under way has ended; nil: there is none
	failed time.Time
}

// get returns the store. It waits for a try that is under way until ctx ends.
func (l *late) get(ctx context.Context) (*redisstore.Store, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.store != nil {
		return l.store, nil
	}
	if l.tries == nil {
		if l.err != nil && time.Since(l.failed) < time.Second {
			return nil, l.err
		}
		l.tries = make(chan struct{})
		go l.try()
	}
	tries := l.tries
	l.mu.Unlock()
	select {
	case <-tries:
	case <-ctx.Done():
	}
	l.mu.Lock()
	if l.store == nil && l.err == nil {
		return nil, ctx.Err()
	}
	return l.store, l.err
}

func (l *late) try() {
	store, err := l.open()
	l.mu.Lock()
	defer l.mu.Unlock()
	close(l.tries)
	l.store, l.err, l.tries, l.failed = store, err, nil, time.Now()
}

// Load implements state.Store.
func (l *late) Load(ctx context.Context, run string) (*state.Snapshot, state.Revision, error) {
	s, err := l.get(ctx)
	if err != nil {
		return nil, 0, err
	}
	return s.Load(ctx, run)
}

// Save implements state.Store.
func (l *late) Save(ctx context.Context, run string, prev state.Revision,
	next *state.Snapshot) (state.Revision, error) {
	return l.SaveRecorded(ctx, run, prev, next, nil)
}

// SaveRecorded implements state.Recorder.
func (l *late) SaveRecorded(ctx context.Context, run string, prev state.Revision, next *state.Snapshot,
	records []reminder.Record) (state.Revision, error) {
	s, err := l.get(ctx)
	if err != nil {
		return 0, err
	}
	return s.SaveRecorded(ctx, run, prev, next, records)
}

// Records implements state.Recorder.
func (l *late) Records(ctx context.Context) iter.Seq2[*reminder.Record, error] {
	s, err := l.get(ctx)
	if err != nil {
		return func(yield func(*reminder.Record, error) bool) { yield(nil, err) }
	}
	return s.Records(ctx)
}

// Delete implements state.Store.
func (l *late) Delete(ctx context.Context, run string) error {
	s, err := l.get(ctx)
	if err != nil {
		return err
	}
	return s.Delete(ctx, run)
}

// Runs implements state.Store.
func (l *late) Runs(ctx context.Context, cursor string) (runs []string, next string, err error) {
	s, err := l.get(ctx)
	if err != nil {
		return nil, "", err
	}
	return s.Runs(ctx, cursor)
}

// Find finds runs by keys, see state.Store.
func (l *late) Find(ctx context.Context, key uint64, limit int) (map[string][]uint64, error) {
	s, err := l.get(ctx)
	if err != nil {
		return nil, err
	}
	return s.Find(ctx, key, limit)
}

// Migrate brings the keys to a version, see redisstore.Store.
func (l *late) Migrate(ctx context.Context, to int) (from, at int, err error) {
	s, err := l.get(ctx)
	if err != nil {
		return 0, 0, err
	}
	return s.Migrate(ctx, to)
}
