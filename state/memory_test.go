package state_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/aside-go/aside/compile/fact"
	"github.com/aside-go/aside/state"
)

// TestMemoryForgets: runs without turns are forgotten, by the clock of the other runs, and not before Keep
// has passed.
func TestMemoryForgets(t *testing.T) {
	t.Parallel()
	ctx, rules := context.Background(), nRules(1)
	m := state.NewMemory()
	m.Keep = 24 * time.Hour
	turn := func(run string, at time.Time) error {
		prev, rev, err := m.Load(ctx, run)
		if err != nil {
			return err
		}
		in := unknown(at)
		in.Judge = func(*state.Run) (trigger, rearm []fact.Truth) {
			return []fact.Truth{fact.False}, []fact.Truth{fact.Unknown}
		}
		next, _, err := state.Step(prev, rules, in)
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
	runs, err := m.Runs(ctx)
	if err != nil || len(runs) > 60 || !slices.Contains(runs, "always") {
		t.Errorf("%d runs: %q, %v", len(runs), runs, err)
	}
}
