package storerace

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/aside-go/aside/compile/fact"
	"github.com/aside-go/aside/compile/reminder"
	"github.com/aside-go/aside/state"
)

// Usual returns the snapshot of a run of 40 turns with ten rules.
func Usual() *state.Snapshot { return after(40) }

func after(turns int) *state.Snapshot {
	var list []reminder.Reminder
	for i := range 10 {
		list = append(list, reminder.Reminder{ID: fmt.Sprintf("rule-%d", i), Trigger: "tool_calls > 10"})
	}
	rules := state.NewRules(list)
	var snap *state.Snapshot
	for n := range turns {
		next, _, err := state.Step(snap, rules, state.Input{
			Key: fmt.Sprint("turn ", n), At: time.Unix(int64(n), 0),
			Calls: []fact.Call{{Tool: "Edit"}}, ToolsKnown: true,
			Judge: func(*state.Run) (trigger, rearm []fact.Truth) {
				for i := range list {
					trigger = append(trigger, fact.Of((n+i)%7 == 0))
				}
				return trigger, nil
			},
			Render: func(int) (string, error) { return "Ten tool calls without a commit.", nil },
		})
		if err != nil {
			panic(err) // the input above is right
		}
		snap = next
	}
	return snap
}

// Name is the name of run n of a benchmark.
func Name(n int) string { return fmt.Sprintf("run-%09d", n) }

// active is how many runs of a benchmark are at work at once.
const active = 64

// BenchTurn takes a few of the runs of a store, which have the names 0 to runs-1, over a turn after the
// other: load and save. Beside it others take the same turns through the bare client. It reports the ratio as
// x/bare.
func BenchTurn(b *testing.B, store state.Store, runs int, bare func(ctx context.Context,
	run string) error) float64 {
	b.Helper()
	snap := Usual()
	var ours, theirs time.Duration
	for n := 0; b.Loop(); n++ {
		at := rand.IntN(active) * (runs / active)
		run := Name(at)
		begun := time.Now()
		_, rev, err := store.Load(b.Context(), run)
		if err == nil {
			_, err = store.Save(b.Context(), run, rev, snap)
		}
		ours += time.Since(begun)
		if err != nil {
			b.Fatal(err)
		}
		begun = time.Now()
		if err := bare(b.Context(), Name(at+1)); err != nil {
			b.Fatal(err)
		}
		theirs += time.Since(begun)
	}
	per := float64(ours.Microseconds()) / float64(b.N)
	b.ReportMetric(float64(ours)/float64(theirs), "x/bare")
	b.ReportMetric(per, "µs/turn")
	return per
}
