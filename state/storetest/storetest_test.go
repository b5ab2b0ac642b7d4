package storetest

import (
	"context"
	"errors"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/aside-go/aside/state"
)

func TestMemory(t *testing.T) {
	t.Parallel()
	Run(t, func(testing.TB) state.Store { return state.NewMemory() })
}

// broken is a Memory that breaks one promise.
type broken struct {
	*state.Memory
	load func(ctx context.Context, m *state.Memory, run string) (*state.Snapshot, state.Revision, error)
	save func(ctx context.Context, m *state.Memory, run string, prev state.Revision,
		next *state.Snapshot) (state.Revision, error)
	del  func(ctx context.Context, m *state.Memory, run string) error
	runs func(ctx context.Context, m *state.Memory, cursor string) ([]string, string, error)
}

func (b *broken) Load(ctx context.Context, run string) (*state.Snapshot, state.Revision, error) {
	if b.load != nil {
		return b.load(ctx, b.Memory, run)
	}
	return b.Memory.Load(ctx, run)
}

func (b *broken) Save(ctx context.Context, run string, prev state.Revision,
	next *state.Snapshot) (state.Revision, error) {
	if b.save != nil {
		return b.save(ctx, b.Memory, run, prev, next)
	}
	return b.Memory.Save(ctx, run, prev, next)
}

func (b *broken) Delete(ctx context.Context, run string) error {
	if b.del != nil {
		return b.del(ctx, b.Memory, run)
	}
	return b.Memory.Delete(ctx, run)
}

func (b *broken) Runs(ctx context.Context, cursor string) (runs []string, next string, err error) {
	if b.runs != nil {
		return b.runs(ctx, b.Memory, cursor)
	}
	return b.Memory.Runs(ctx, cursor)
}

// blind saves whatever the revision is.
func blind(ctx context.Context, m *state.Memory, run string, _ state.Revision,
	next *state.Snapshot) (state.Revision, error) {
	_, rev, err := m.Load(ctx, run)
	if err != nil {
		return 0, err
	}
	return m.Save(ctx, run, rev, next)
}

// TestBroken holds the suite to finding each of these.
func TestBroken(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name   string
		finds  []string // checks that must fail
		broken func() *broken
	}{
		{"blind write", []string{"Conflict", "ConcurrentSave", "ConcurrentCreate"}, func() *broken {
			return &broken{save: blind}
		}},
		{"check, then write", []string{"ConcurrentSave", "NoLostUpdate"}, func() *broken {
			return &broken{save: func(ctx context.Context, m *state.Memory, run string, prev state.Revision,
				next *state.Snapshot) (state.Revision, error) {
				if _, rev, err := m.Load(ctx, run); err != nil || rev != prev {
					return 0, errors.Join(err, state.ErrConflict)
				}
				for range 10 {
					runtime.Gosched()
				}
				return blind(ctx, m, run, prev, next)
			}}
		}},
		{"first save is not compared", []string{"Conflict", "ConcurrentCreate"}, func() *broken {
			return &broken{save: func(ctx context.Context, m *state.Memory, run string, prev state.Revision,
				next *state.Snapshot) (state.Revision, error) {
				if prev == 0 {
					return blind(ctx, m, run, prev, next)
				}
				return m.Save(ctx, run, prev, next)
			}}
		}},
		{"conflicts are told as something else", []string{"Conflict"}, func() *broken {
			return &broken{save: func(ctx context.Context, m *state.Memory, run string, prev state.Revision,
				next *state.Snapshot) (state.Revision, error) {
				rev, err := m.Save(ctx, run, prev, next)
				if errors.Is(err, state.ErrConflict) {
					err = state.ErrIndeterminate
				}
				return rev, err
			}}
		}},
		{"save forgets", []string{"RoundTrip"}, func() *broken {
			return &broken{save: func(context.Context, *state.Memory, string, state.Revision,
				*state.Snapshot) (state.Revision, error) {
				return 1, nil
			}}
		}},
		{"a missing run is an empty one", []string{"Missing"}, func() *broken {
			return &broken{load: func(ctx context.Context, m *state.Memory, run string) (*state.Snapshot,
				state.Revision, error) {
				s, rev, err := m.Load(ctx, run)
				if s == nil {
					s = &state.Snapshot{}
				}
				return s, rev, err
			}}
		}},
		{"names have no case", []string{"Names"}, func() *broken {
			return &broken{
				load: func(ctx context.Context, m *state.Memory, run string) (*state.Snapshot, state.Revision, error) {
					return m.Load(ctx, strings.ToLower(run))
				},
				save: func(ctx context.Context, m *state.Memory, run string, prev state.Revision,
					next *state.Snapshot) (state.Revision, error) {
					return m.Save(ctx, strings.ToLower(run), prev, next)
				},
			}
		}},
		{"delete does nothing", []string{"Delete", "Runs"}, func() *broken {
			return &broken{del: func(ctx context.Context, _ *state.Memory, _ string) error { return ctx.Err() }}
		}},
		{"delete of what is gone is an error", []string{"Delete", "Missing"}, func() *broken {
			return &broken{del: func(ctx context.Context, m *state.Memory, run string) error {
				if _, rev, _ := m.Load(ctx, run); rev == 0 {
					return errors.New("no such run")
				}
				return m.Delete(ctx, run)
			}}
		}},
		{"the first page alone", []string{"Many", "Runs"}, func() *broken {
			return &broken{runs: func(ctx context.Context, m *state.Memory, _ string) ([]string, string, error) {
				ids, err := state.AllRuns(ctx, m)
				return ids[:min(3, len(ids))], "", err
			}}
		}},
		{"revisions by turn", []string{"Delete"}, func() *broken { return byTurn() }},
		{"contexts are not looked at", []string{"Cancelled"}, func() *broken {
			return &broken{save: func(_ context.Context, m *state.Memory, run string, prev state.Revision,
				next *state.Snapshot) (state.Revision, error) {
				return m.Save(context.Background(), run, prev, next)
			}}
		}},
		{"an error of the context although it was saved", []string{"Interrupted"}, func() *broken {
			return &broken{save: func(ctx context.Context, m *state.Memory, run string, prev state.Revision,
				next *state.Snapshot) (state.Revision, error) {
				if rev, err := m.Save(context.Background(), run, prev, next); err != nil {
					return rev, err
				}
				return 0, context.Canceled
			}}
		}},
		{"saved over another save, long after it was left open", []string{"Interrupted"}, func() *broken {
			var late func()
			return &broken{
				save: func(ctx context.Context, m *state.Memory, run string, prev state.Revision,
					next *state.Snapshot) (state.Revision, error) {
					if ctx.Err() == nil && late != nil {
						rev, err := m.Save(ctx, run, prev, next)
						late()
						late = nil
						return rev, err
					}
					late = func() {
						_, now, _ := m.Load(context.Background(), run)
						_, _ = m.Save(context.Background(), run, now, next)
					}
					return 0, state.ErrIndeterminate
				},
			}
		}},
		{"only so many runs", []string{"Many"}, func() *broken {
			return &broken{save: func(ctx context.Context, m *state.Memory, run string, prev state.Revision,
				next *state.Snapshot) (state.Revision, error) {
				if ids, err := state.AllRuns(ctx, m); err == nil && len(ids) > 900 {
					_ = m.Delete(ctx, ids[0])
				}
				return m.Save(ctx, run, prev, next)
			}}
		}},
		{"nil is a snapshot", []string{"Nil"}, func() *broken {
			return &broken{save: func(ctx context.Context, m *state.Memory, run string, prev state.Revision,
				next *state.Snapshot) (state.Revision, error) {
				if next == nil {
					next = &state.Snapshot{}
				}
				return m.Save(ctx, run, prev, next)
			}}
		}},
		{"reads tear", []string{"WholeReads"}, func() *broken {
			reads := make(chan struct{}, 20)
			return &broken{load: func(ctx context.Context, m *state.Memory, run string) (*state.Snapshot,
				state.Revision, error) {
				select {
				case reads <- struct{}{}:
					return m.Load(ctx, run)
				default:
					_, rev, err := m.Load(ctx, run)
					return nil, rev, err
				}
			}}
		}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			for _, c := range checks {
				if !slices.Contains(tt.finds, c.name) {
					continue
				}
				b := tt.broken()
				if b.Memory == nil {
					b.Memory = state.NewMemory()
				}
				if err := c.check(t.Context(), b); err == nil {
					t.Errorf("%s does not find it", c.name)
				}
			}
		})
	}
}

// finder is a Memory that finds runs.
type finder struct {
	*state.Memory
	mu    sync.Mutex
	keys  map[string]Keyed
	fault string
}

// Save implements state.Store.
func (f *finder) Save(ctx context.Context, run string, prev state.Revision,
	next *state.Snapshot) (state.Revision, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	rev, err := f.Memory.Save(ctx, run, prev, next)
	if err != nil && f.fault != "of a conflict" {
		return rev, err
	}
	if k, ok := next.Notes().(Keyed); ok || f.fault == "no notes" {
		f.keys[run] = k
	}
	return rev, err
}

// Delete implements state.Store.
func (f *finder) Delete(ctx context.Context, run string) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.fault != "deleted" {
		delete(f.keys, run)
	}
	return f.Memory.Delete(ctx, run)
}

// Find implements readset.Finder.
func (f *finder) Find(_ context.Context, key uint64, limit int) (map[string][]uint64, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	found := map[string][]uint64{}
	for run, pairs := range f.keys {
		for _, k := range pairs {
			same := k[0] == key || f.fault == "63 bits" && k[0]<<1 == key<<1
			if more := found[run] == nil; same && (len(found) < limit || !more || f.fault == "all") &&
				(more || f.fault != "one value") {
				found[run] = append(found[run], k[1])
			}
		}
	}
	return found, nil
}

// TestFind: the suite passes a store that finds runs, and finds each fault of one.
func TestFind(t *testing.T) {
	t.Parallel()
	for _, fault := range []string{"", "of a conflict", "no notes", "deleted", "63 bits", "all", "one value"} {
		f := &finder{Memory: state.NewMemory(), keys: map[string]Keyed{}, fault: fault}
		if err := find(t.Context(), f); (err == nil) != (fault == "") {
			t.Errorf("%q: %v", fault, err)
		}
	}
}

// byTurn gives a run that begins anew the revisions it had before.
func byTurn() *broken {
	rev := map[string]state.Revision{}
	return &broken{
		load: func(ctx context.Context, m *state.Memory, run string) (*state.Snapshot, state.Revision, error) {
			s, _, err := m.Load(ctx, run)
			return s, rev[run], err
		},
		save: func(ctx context.Context, m *state.Memory, run string, prev state.Revision,
			next *state.Snapshot) (state.Revision, error) {
			if rev[run] != prev {
				return 0, state.ErrConflict
			}
			if _, err := blind(ctx, m, run, prev, next); err != nil {
				return 0, err
			}
			rev[run]++
			return rev[run], nil
		},
		del: func(ctx context.Context, m *state.Memory, run string) error {
			delete(rev, run)
			return m.Delete(ctx, run)
		},
	}
}
