// Package storetest is the conformance suite of state.Store. It tests the promises of that interface, except
// for durability and for the use by several processes, which each store has to test for itself. In the test
// of a store, write:
//
//	func TestStore(t *testing.T) {
//		storetest.Run(t, func(t testing.TB) state.Store { return mystore.New() })
//	}
package storetest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/aside-go/aside/compile/fact"
	"github.com/aside-go/aside/compile/reminder"
	"github.com/aside-go/aside/internal/firing"
	"github.com/aside-go/aside/state"
)

// Run tests a store, also as a state.Recorder if it is one, in parallel subtests. Each subtest calls open for
// a store of its own, which must be empty and share nothing with the other stores. If a store has to be
// closed, open registers that with t.Cleanup.
func Run(t *testing.T, open func(t testing.TB) state.Store) {
	t.Helper()
	for _, c := range checks {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			if err := c.check(t.Context(), open(t)); err != nil {
				t.Error(err)
			}
		})
	}
}

// check is one promise of state.Store. Its function gets an empty store, and returns an error if the store
// breaks the promise.
type check struct {
	name  string
	check func(ctx context.Context, s state.Store) error
}

var checks = []check{
	{"Missing", missing},
	{"RoundTrip", roundTrip},
	{"Names", names},
	{"Conflict", conflict},
	{"Delete", deleted},
	{"Runs", runs},
	{"Nil", nothing},
	{"Many", many},
	{"Cancelled", cancelled},
	{"Interrupted", interrupted},
	{"ConcurrentSave", concurrentSave},
	{"ConcurrentCreate", concurrentCreate},
	{"NoLostUpdate", noLostUpdate},
	{"WholeReads", wholeReads},
	{"Records", records},
	{"Find", find},
}

var rules = firing.NewRules([]reminder.Reminder{{ID: "r", Mode: reminder.While, Trigger: "always"}})

// step returns the snapshot after one more turn, on which a reminder fired with who as its text.
func step(prev *state.Snapshot, who string) *state.Snapshot {
	next, _, err := firing.Step(prev, rules, firing.Input{
		At:     time.Unix(1_700_000_000, 0).Add(time.Duration(prev.Turn()) * time.Second),
		Judge:  func(*firing.Run) (trigger, rearm []fact.Truth) { return []fact.Truth{fact.True}, nil },
		Render: func(int) (string, error) { return who, nil },
	})
	if err != nil {
		panic(err) // the input above is right
	}
	return next
}

// load returns an error unless the run has the snapshot want at revision rev.
func load(ctx context.Context, s state.Store, run string, want *state.Snapshot, rev state.Revision) error {
	got, gotRev, err := s.Load(ctx, run)
	switch {
	case err != nil:
		return fmt.Errorf("Load(%q): %w", run, err)
	case gotRev != rev:
		return fmt.Errorf("Load(%q): revision %d, want %d", run, gotRev, rev)
	case (got == nil) != (want == nil):
		return fmt.Errorf("Load(%q): snapshot %v, want %v", run, got, want)
	case want != nil && !bytes.Equal(got.Encode(), want.Encode()):
		return fmt.Errorf("Load(%q): %s, want %s", run, got.Encode(), want.Encode())
	}
	return nil
}

// save returns an error unless a save succeeds with a new revision.
func save(ctx context.Context, s state.Store, run string, prev state.Revision,
	next *state.Snapshot) (state.Revision, error) {
	rev, err := s.Save(ctx, run, prev, next)
	if err != nil {
		return 0, fmt.Errorf("Save(%q, %d): %w", run, prev, err)
	}
	if rev == 0 || rev == prev {
		return 0, fmt.Errorf("Save(%q, %d): revision %d is not a new one", run, prev, rev)
	}
	return rev, load(ctx, s, run, next, rev)
}

// refused returns an error unless a save is a conflict.
func refused(ctx context.Context, s state.Store, run string, prev state.Revision) error {
	if _, err := s.Save(ctx, run, prev, step(nil, "refused")); !errors.Is(err, state.ErrConflict) {
		return fmt.Errorf("Save(%q, %d) on another revision: %v, want ErrConflict", run, prev, err)
	}
	return nil
}

func missing(ctx context.Context, s state.Store) error {
	if err := load(ctx, s, "nobody", nil, 0); err != nil {
		return err
	}
	ids, err := state.AllRuns(ctx, s)
	if err != nil || len(ids) != 0 {
		return fmt.Errorf("Runs() of an empty store: %q, %v", ids, err)
	}
	return s.Delete(ctx, "nobody")
}

func roundTrip(ctx context.Context, s state.Store) error {
	var (
		snap *state.Snapshot
		rev  state.Revision
		seen = map[state.Revision]bool{}
	)
	for i := range 20 {
		snap = step(snap, fmt.Sprintf("turn %d \x00 ü <&> \u2028", i))
		next, err := save(ctx, s, "run", rev, snap)
		if err != nil {
			return err
		}
		if seen[next] {
			return fmt.Errorf("revision %d came twice", next)
		}
		seen[next], rev = true, next
	}
	queued := firing.Remind(snap, "r")
	_, err := save(ctx, s, "run", rev, queued)
	return err
}

// odd are names of runs that a store may confuse with each other, or with names of files.
var odd = []string{
	"", " ", ".", "..", "a", "A", "a/b", "a\\b", "a:b", "../a", "/a", "a.", "a ", "con", "nul",
	"é", "e\u0301", "\x00", "\xff", "\ufffd",
	"%41", "run-a", "a.lock", "a.tmp", "*", strings.Repeat("x", 300), strings.Repeat("x", 299) +
		"y", strings.Repeat("é", 200), "a\nb", "{run}",
}

func names(ctx context.Context, s state.Store) error {
	revs := make([]state.Revision, len(odd))
	snaps := make([]*state.Snapshot, len(odd))
	for i, run := range odd {
		if err := load(ctx, s, run, nil, 0); err != nil {
			return fmt.Errorf("before it began: %w", err)
		}
		var err error
		snaps[i] = step(nil, fmt.Sprint(i))
		if revs[i], err = save(ctx, s, run, 0, snaps[i]); err != nil {
			return err
		}
	}
	for i, run := range odd {
		if err := load(ctx, s, run, snaps[i], revs[i]); err != nil {
			return fmt.Errorf("beside the others: %w", err)
		}
	}
	return wantRuns(ctx, s, odd...)
}

func conflict(ctx context.Context, s state.Store) error {
	if err := refused(ctx, s, "run", 7); err != nil {
		return fmt.Errorf("a run that does not exist: %w", err)
	}
	if err := load(ctx, s, "run", nil, 0); err != nil {
		return fmt.Errorf("after a conflict: %w", err)
	}
	first := step(nil, "first")
	one, err := save(ctx, s, "run", 0, first)
	if err != nil {
		return err
	}
	second := step(first, "second")
	two, err := save(ctx, s, "run", one, second)
	if err != nil {
		return err
	}
	for _, stale := range []state.Revision{0, one, two + 1} {
		if err := refused(ctx, s, "run", stale); err != nil {
			return err
		}
		if err := load(ctx, s, "run", second, two); err != nil {
			return fmt.Errorf("after a conflict: %w", err)
		}
	}
	return nil
}

func deleted(ctx context.Context, s state.Store) error {
	seen := map[state.Revision]bool{}
	if _, err := save(ctx, s, "other", 0, step(nil, "other")); err != nil {
		return err
	}
	for range 4 {
		rev := state.Revision(0)
		for range 3 {
			next, err := save(ctx, s, "run", rev, step(nil, "x"))
			if err != nil {
				return err
			}
			if seen[next] {
				return fmt.Errorf("revision %d came again after the run was deleted", next)
			}
			rev, seen[next] = next, true
		}
		if err := s.Delete(ctx, "run"); err != nil {
			return fmt.Errorf("deleting: %w", err)
		}
		if err := load(ctx, s, "run", nil, 0); err != nil {
			return fmt.Errorf("after Delete: %w", err)
		}
		if err := refused(ctx, s, "run", rev); err != nil {
			return fmt.Errorf("after Delete: %w", err)
		}
		if err := s.Delete(ctx, "run"); err != nil {
			return fmt.Errorf("deleting what is gone: %w", err)
		}
	}
	return wantRuns(ctx, s, "other")
}

func runs(ctx context.Context, s state.Store) error {
	for _, run := range []string{"b", "c", "B", "a", "aa"} {
		if _, err := save(ctx, s, run, 0, step(nil, run)); err != nil {
			return err
		}
	}
	if err := s.Delete(ctx, "c"); err != nil {
		return err
	}
	return wantRuns(ctx, s, "a", "aa", "b", "B")
}

func wantRuns(ctx context.Context, s state.Store, want ...string) error {
	got, err := state.AllRuns(ctx, s)
	want = slices.Sorted(slices.Values(want))
	if err != nil || !slices.Equal(got, want) {
		return fmt.Errorf("Runs() = %q, %v, want %q", got, err, want)
	}
	return nil
}

func nothing(ctx context.Context, s state.Store) error {
	if rev, err := s.Save(ctx, "run", 0, nil); err == nil {
		return fmt.Errorf("saving a nil snapshot: revision %d, want an error", rev)
	}
	return load(ctx, s, "run", nil, 0)
}

func cancelled(ctx context.Context, s state.Store) error {
	snap := step(nil, "x")
	rev, err := save(ctx, s, "run", 0, snap)
	if err != nil {
		return err
	}
	over, cancel := context.WithCancel(ctx)
	cancel()
	_, _, loadErr := s.Load(over, "run")
	_, saveErr := s.Save(over, "run", rev, step(snap, "y"))
	_, _, runsErr := s.Runs(over, "")
	for what, err := range map[string]error{"Load": loadErr, "Save": saveErr, "Delete": s.Delete(over, "run"),
		"Runs": runsErr} {
		if !errors.Is(err, context.Canceled) {
			return fmt.Errorf("%s with a context that is over: %v", what, err)
		}
	}
	return load(ctx, s, "run", snap, rev)
}
