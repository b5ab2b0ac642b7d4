package state

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"
)

// Memory is a Store that forgets everything when the process ends. It keeps snapshots without encoding them.
// Create one with NewMemory.
type Memory struct {
	// Keep is how long a run is remembered after it was last saved; 0 is for ever. Set it before the store is
	// used. A Memory has no clock: it measures time by the turns that are saved, and forgets old runs while it
	// saves others.
	Keep time.Duration

	mu    sync.RWMutex     // guards all fields below
	saved map[string]saved // by the name of the run
	rev   Revision         // the last one given, of all runs
	now   time.Time        // the latest of all turns saved
	saves int              // since expire last looked for old runs
}

type saved struct {
	snapshot *Snapshot
	rev      Revision
	at       time.Time // Memory.now when it was saved
}

var _ Store = (*Memory)(nil)

// errNoSnapshot is the error of saving nil.
var errNoSnapshot = errors.New("there is no snapshot to save")

// NewMemory returns an empty store.
func NewMemory() *Memory { return &Memory{saved: map[string]saved{}} }

// Load implements Store.
func (m *Memory) Load(ctx context.Context, run string) (*Snapshot, Revision, error) {
	if err := ctx.Err(); err != nil {
		return nil, 0, fmt.Errorf("load run %q: %w", run, err)
	}
	m.mu.RLock()
	defer m.mu.RUnlock()
	s := m.saved[run]
	return s.snapshot, s.rev, nil
}

// Save implements Store.
func (m *Memory) Save(ctx context.Context, run string, prev Revision, next *Snapshot) (Revision, error) {
	if err := ctx.Err(); err != nil {
		return 0, fmt.Errorf("save run %q: %w", run, err)
	}
	if next == nil {
		return 0, fmt.Errorf("save run %q: %w", run, errNoSnapshot)
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.saved[run].rev != prev {
		return 0, fmt.Errorf("save run %q: %w", run, ErrConflict)
	}
	if at := next.Run().Now().At; at.After(m.now) {
		m.now = at
	}
	m.rev++
	m.saved[run] = saved{next, m.rev, m.now}
	m.expire()
	return m.rev, nil
}

// expire forgets the runs that are too old. It has to look at all runs, so it does that once in as many saves
// as there are runs.
func (m *Memory) expire() {
	if m.saves++; m.Keep <= 0 || m.saves < len(m.saved) {
		return
	}
	m.saves = 0
	maps.DeleteFunc(m.saved, func(_ string, s saved) bool { return m.now.Sub(s.at) > m.Keep })
}

// Delete implements Store.
func (m *Memory) Delete(ctx context.Context, run string) error {
	if err := ctx.Err(); err != nil {
		return fmt.Errorf("delete run %q: %w", run, err)
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	delete(m.saved, run)
	return nil
}

// Runs implements Store.
func (m *Memory) Runs(ctx context.Context) ([]string, error) {
	if err := ctx.Err(); err != nil {
		return nil, fmt.Errorf("list runs: %w", err)
	}
	m.mu.RLock()
	ids := make([]string, 0, len(m.saved))
	for id := range m.saved {
		ids = append(ids, id)
	}
	m.mu.RUnlock()
	slices.Sort(ids)
	return ids, nil
}
