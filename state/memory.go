package state

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"hash/maphash"
	"iter"
	"maps"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/aside-go/aside/compile/reminder"
)

// Memory is a Store that forgets everything when the process ends. It keeps snapshots without encoding them.
// The zero Memory is empty.
type Memory struct {
	// Keep is how long a run is remembered after it was last saved: 0 is 30 days, and a negative Keep is for
	// ever. Set it before the store is used. A Memory has no clock and no goroutine: it measures time by the
	// turns that are saved, so these should have times of one clock, and each Save forgets up to 1024 old runs.
	Keep time.Duration

	begun  sync.Once
	seed   maphash.Seed
	shards [32]shard     // a run is in the shard that its name's hash says
	now    atomic.Int64  // the latest of all turns saved, in milliseconds since 1970
	sweeps atomic.Uint32 // of one shard each

	recording sync.Mutex // guards records
	records   []reminder.Record
}

const (
	keepDefault = 30 * 24 * time.Hour // Keep 0
	// runs that one Save forgets: about half a millisecond (BenchmarkAimExpiry)
	maxSwept = 1024
	// records that are kept; once it is reached, the older half is forgotten
	maxRecords = 1 << 16
)

// shard holds a part of the runs, so that goroutines with different runs seldom wait for each other.
type shard struct {
	mu    sync.Mutex        // guards all fields below
	saved map[string]*saved // by the name of the run
	rev   Revision          // the last one given, of all runs of the shard
	order saved             // the ring of the runs, by the time of their last save: order.next is the oldest
}

type saved struct {
	run        string
	snapshot   *Snapshot
	rev        Revision
	at         int64 // Memory.now when it was saved
	prev, next *saved
}

var _ Recorder = (*Memory)(nil)

// errNoSnapshot is the error of saving nil.
var errNoSnapshot = errors.New("there is no snapshot to save")

// NewMemory returns an empty store.
func NewMemory() *Memory { return new(Memory) }

// begin makes the shards.
func (m *Memory) begin() {
	m.seed = maphash.MakeSeed()
	for i := range m.shards {
		s := &m.shards[i]
		s.saved = map[string]*saved{}
		s.order.prev, s.order.next = &s.order, &s.order
	}
}

// shard returns the shard of a run.
func (m *Memory) shard(run string) *shard {
	m.begun.Do(m.begin)
	return &m.shards[maphash.String(m.seed, run)%uint64(len(m.shards))]
}

// Load implements Store.
func (m *Memory) Load(ctx context.Context, run string) (*Snapshot, Revision, error) {
	if err := ctx.Err(); err != nil {
		return nil, 0, fmt.Errorf("load run %q: %w", run, err)
	}
	s := m.shard(run)
	s.mu.Lock()
	defer s.mu.Unlock()
	if e := s.saved[run]; e != nil {
		return e.snapshot, e.rev, nil
	}
	return nil, 0, nil
}

// Save implements Store.
func (m *Memory) Save(ctx context.Context, run string, prev Revision, next *Snapshot) (Revision, error) {
	return m.SaveRecorded(ctx, run, prev, next, nil)
}

// SaveRecorded implements Recorder. At least the last 32,768 records are kept.
func (m *Memory) SaveRecorded(ctx context.Context, run string, prev Revision, next *Snapshot,
	records []reminder.Record) (Revision, error) {
	if err := ctx.Err(); err != nil {
		return 0, fmt.Errorf("save run %q: %w", run, err)
	}
	if next == nil {
		return 0, fmt.Errorf("save run %q: %w", run, errNoSnapshot)
	}
	rev, ok := m.shard(run).save(run, prev, next, &m.now)
	if !ok {
		return 0, fmt.Errorf("save run %q: %w", run, ErrConflict)
	}
	if len(records) > 0 {
		m.recording.Lock()
		if len(m.records) >= maxRecords {
			m.records = slices.Clone(m.records[maxRecords/2:])
		}
		m.records = append(m.records, records...)
		m.recording.Unlock()
	}
	m.sweep()
	return rev, nil
}

// Records implements Recorder.
func (m *Memory) Records(ctx context.Context) iter.Seq2[*reminder.Record, error] {
	return func(yield func(*reminder.Record, error) bool) {
		m.recording.Lock()
		records := slices.Clone(m.records)
		m.recording.Unlock()
		for i := range records {
			if err := ctx.Err(); err != nil {
				yield(nil, err)
				return
			}
			if !yield(&records[i], nil) {
				return
			}
		}
	}
}

// save saves a run at the time now, which a snapshot may set forward; ok is false if its revision is not
// prev.
func (s *shard) save(run string, prev Revision, next *Snapshot, now *atomic.Int64) (rev Revision, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	e := s.saved[run]
	switch {
	case e == nil && prev == 0:
		e = &saved{run: run}
		s.saved[run] = e
	case e == nil || e.rev != prev:
		return 0, false
	default:
		e.unlink()
	}
	s.rev++
	e.snapshot, e.rev, e.at = next, s.rev, latestOf(now, next.Run().Now().At.UnixMilli())
	e.prev, e.next = s.order.prev, &s.order
	e.prev.next, e.next.prev = e, e
	return s.rev, true
}

func (e *saved) unlink() { e.prev.next, e.next.prev = e.next, e.prev }

// latestOf sets now to a time if that is later, and returns the later one.
func latestOf(now *atomic.Int64, at int64) int64 {
	for {
		was := now.Load()
		if at <= was {
			return was
		}
		if now.CompareAndSwap(was, at) {
			return at
		}
	}
}

// sweep forgets runs of one shard that are too old, one shard after the other.
func (m *Memory) sweep() {
	keep := cmp.Or(m.Keep, keepDefault)
	if keep < 0 {
		return
	}
	oldest := m.now.Load() - keep.Milliseconds()
	s := &m.shards[m.sweeps.Add(1)%uint32(len(m.shards))]
	s.mu.Lock()
	defer s.mu.Unlock()
	swept := 0
	for e := s.order.next; swept < maxSwept && e != &s.order && e.at < oldest; e = s.order.next {
		e.unlink()
		delete(s.saved, e.run)
		swept++
	}
	if swept > 0 && len(s.saved) == 0 {
		s.saved = map[string]*saved{} // an empty map keeps the memory of the full one
	}
}

// Delete implements Store.
func (m *Memory) Delete(ctx context.Context, run string) error {
	if err := ctx.Err(); err != nil {
		return fmt.Errorf("delete run %q: %w", run, err)
	}
	s := m.shard(run)
	s.mu.Lock()
	defer s.mu.Unlock()
	if e := s.saved[run]; e != nil {
		e.unlink()
		delete(s.saved, run)
	}
	return nil
}

// pageSize is the number of names with which a page ends.
const pageSize = 1000

// Runs implements Store. The cursor is the number of a shard. A page has whole shards, so one of 1,000,000
// runs has 31,000 names.
func (m *Memory) Runs(ctx context.Context, cursor string) (runs []string, next string, err error) {
	if err := ctx.Err(); err != nil {
		return nil, "", fmt.Errorf("list runs: %w", err)
	}
	at, _ := strconv.ParseUint(cursor, 10, 32)
	for ; at < uint64(len(m.shards)) && len(runs) < pageSize; at++ {
		s := &m.shards[at]
		s.mu.Lock()
		runs = slices.AppendSeq(runs, maps.Keys(s.saved))
		s.mu.Unlock()
	}
	if at < uint64(len(m.shards)) {
		next = strconv.FormatUint(at, 10)
	}
	return runs, next, nil
}
