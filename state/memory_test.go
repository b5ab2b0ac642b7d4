package state_test

import (
	"context"
	"errors"
	"fmt"
	"github.com/aside-go/aside/compile/reminder"
	"slices"
	"testing"
	"time"

	"github.com/aside-go/aside/compile/fact"
	"github.com/aside-go/aside/internal/firing"
	"github.com/aside-go/aside/state"
)

// TestMemoryForgets: runs without turns are forgotten, by the clock of the other runs, and not before Keep
// has passed.
func TestMemoryForgets(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	rules := firing.NewRules([]reminder.Reminder{{ID: "a", Trigger: "context_usage > 75%"}})
	m := state.NewMemory()
	m.Keep = 24 * time.Hour
	turn := func(run string, at time.Time) error {
		prev, rev, err := m.Load(ctx, run)
		if err != nil {
			return err
		}
		in := firing.Input{At: at}
		in.Judge = func(*firing.Run) (trigger, rearm []fact.Truth) {
			return []fact.Truth{fact.False}, []fact.Truth{fact.Unknown}
		}
		next, _, err := firing.Step(prev, rules, in)
		if err != nil {
			return err
		}
		_, err = m.Save(ctx, run, rev, next)
		return err
	}
	start := time.Unix(0, 0)
	for hour := range 100 {
		at := start.Add(time.Duration(hour) * time.Hour)
		if err := errors.Join(turn(fmt.Sprintf("run-%03d", hour), at), turn("always", at)); err != nil {
			t.Fatal(err)
		}
		if s, _, err := m.Load(ctx, fmt.Sprintf("run-%03d", max(hour-24, 0))); s == nil || err != nil {
			t.Fatalf("after %d hours: a run of 24 hours ago is gone, %v", hour, err)
		}
	}
	runs, err := state.AllRuns(ctx, m)
	if err != nil || len(runs) > 45 || !slices.Contains(runs, "always") {
		t.Errorf("%d runs: %q, %v", len(runs), runs, err)
	}
}

// crowd returns a store with n runs, which were all saved at one time, and a function that saves a further
// run so long after it.
func crowd(tb testing.TB, n int) (m *state.Memory, save func(after time.Duration)) {
	tb.Helper()
	ctx := context.Background()
	rules := firing.NewRules(nil)
	m = state.NewMemory()
	put := func(run string, snap *state.Snapshot) {
		_, rev, err := m.Load(ctx, run)
		if err == nil {
			_, err = m.Save(ctx, run, rev, snap)
		}
		if err != nil {
			tb.Fatal(err)
		}
	}
	at := func(after time.Duration) *state.Snapshot {
		snap, _, err := firing.Step(nil, rules, firing.Input{At: time.Unix(0, 0).Add(after)})
		if err != nil {
			tb.Fatal(err)
		}
		return snap
	}
	for i := range n {
		put(fmt.Sprintf("run-%07d", i), at(0))
	}
	return m, func(after time.Duration) { put("late", at(after)) }
}

// TestMemoryPages: pages are bounded, and a run that is there all the while is in one of them.
func TestMemoryPages(t *testing.T) {
	t.Parallel()
	const n = 20_000
	m, save := crowd(t, n)
	seen := map[string]int{}
	pages := 0
	for cursor := ""; pages == 0 || cursor != ""; pages++ {
		runs, next, err := m.Runs(t.Context(), cursor)
		if err != nil || len(runs) > 2000 {
			t.Fatalf("%d runs, %v", len(runs), err)
		}
		for _, run := range runs {
			seen[run]++
		}
		cursor = next
		save(time.Duration(pages) * time.Hour) // another one begins or goes on meanwhile
	}
	delete(seen, "late")
	for run, times := range seen {
		if times != 1 {
			t.Errorf("%s is in %d pages", run, times)
		}
	}
	if len(seen) != n || pages < 10 {
		t.Errorf("%d runs in %d pages", len(seen), pages)
	}
}

// TestMemoryBounds: by itself a store remembers a run for 30 days, with a negative Keep for ever. One save
// forgets a bounded number of old runs, and a few forget them all, whichever run is saved.
func TestMemoryBounds(t *testing.T) {
	t.Parallel()
	const day, n, most = 24 * time.Hour, 50_000, 1024
	count := func(m *state.Memory) int {
		runs, err := state.AllRuns(t.Context(), m)
		if err != nil {
			t.Fatal(err)
		}
		return len(runs)
	}
	m, save := crowd(t, n)
	for range 100 {
		save(30 * day)
	}
	if got := count(m); got != n+1 {
		t.Fatalf("after 30 days %d runs of %d are left", got, n+1)
	}
	m.Keep = -1
	for range 100 {
		save(3000 * day)
	}
	if got := count(m); got != n+1 {
		t.Fatalf("of the runs to be kept for ever %d are left", got)
	}
	m.Keep = 0
	saves := 0
	for left := n + 1; left > 1; saves++ {
		save(3000 * day)
		now := count(m)
		if left-now > most || saves > 2*n/most+32 {
			t.Fatalf("save %d has left %d runs of %d", saves, now, left)
		}
		left = now
	}
	if s, _, err := m.Load(t.Context(), "late"); s == nil || err != nil {
		t.Errorf("the run that was saved is gone: %v", err)
	}
}

// BenchmarkAimExpiry: 1,000,000 runs that are too old are gone within a minute of 20 saves a second, and no
// save takes more than 10 ms (DESIGN.md §6).
func BenchmarkAimExpiry(b *testing.B) {
	var saves, longest float64
	many := 1_000_000
	if testing.Short() {
		many = 100_000
	}
	for b.Loop() {
		b.StopTimer()
		m, save := crowd(b, many)
		b.StartTimer()
		for left := 2; left > 1; {
			for range 32 {
				start := time.Now()
				save(31 * 24 * time.Hour)
				longest = max(longest, time.Since(start).Seconds()*1e3)
				saves++
			}
			b.StopTimer()
			runs, err := state.AllRuns(b.Context(), m)
			if err != nil {
				b.Fatal(err)
			}
			left = len(runs)
			b.StartTimer()
		}
	}
	b.ReportMetric(saves/float64(b.N), "saves")
	b.ReportMetric(longest, "ms-longest")
}
