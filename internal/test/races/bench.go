package races

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/aside-go/aside/compile/fact"
	"github.com/aside-go/aside/compile/reminder"
	"github.com/aside-go/aside/internal/firing"
	"github.com/aside-go/aside/state"
)

// Usual returns the snapshot of a run of 40 turns with ten rules.
func Usual() *state.Snapshot { return after(40) }

func after(turns int) *state.Snapshot {
	var list []reminder.Reminder
	for i := range 10 {
		list = append(list, reminder.Reminder{ID: fmt.Sprintf("rule-%d", i), Trigger: "tool_calls > 10"})
	}
	rules := firing.NewRules(list)
	var snap *state.Snapshot
	for n := range turns {
		next, _, err := firing.Step(snap, rules, firing.Input{
			Key: fmt.Sprint("turn ", n), At: time.Unix(int64(n), 0),
			Calls: []fact.Call{{Tool: "Edit"}}, ToolsKnown: true,
			Judge: func(*firing.Run) (trigger, rearm []fact.Truth) {
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

// Few is how many runs the smaller store of a benchmark has.
const Few = 1000

// BenchTurn takes a few of the runs of two stores, one with Few runs and one with many, which have the names
// 0 to Few-1 and many-1, over a turn after the other: load and save. Beside it others of the many take the
// same turns through the bare client, which has its value encoded. It reports the ratios of medians as x/bare
// and, of the times of the saves, as x/1000-runs; bound-x/bare is that of a client that does nothing more
// than encode.
func BenchTurn(b *testing.B, few, store state.Store, many int, bare func(ctx context.Context,
	run string) error) {
	b.Helper()
	snap := Usual()
	turn := func(s state.Store, run string) (whole, save time.Duration) {
		begun := time.Now()
		_, rev, err := s.Load(b.Context(), run)
		loaded := time.Now()
		if err == nil {
			_, err = s.Save(b.Context(), run, rev, snap)
		}
		if err != nil {
			b.Fatal(err)
		}
		return time.Since(begun), time.Since(loaded)
	}
	var ours, saves, ofFew, theirs, encoding []time.Duration
	for b.Loop() {
		at := rand.IntN(active)
		_, save := turn(few, Name(at*(Few/active)))
		ofFew = append(ofFew, save)
		at *= many / active
		ways := []func(){func() {
			whole, save := turn(store, Name(at))
			ours, saves = append(ours, whole), append(saves, save)
		}, func() {
			begun := time.Now()
			if err := bare(b.Context(), Name(at+1)); err != nil {
				b.Fatal(err)
			}
			theirs = append(theirs, time.Since(begun))
		}}
		first := len(ours) % 2 // the second one finds the server at work
		ways[first]()
		ways[1-first]()
		begun := time.Now()
		_ = snap.Encode()
		encoding = append(encoding, time.Since(begun))
	}
	least := float64(median(theirs))
	b.ReportMetric(float64(median(ours))/least, "x/bare")
	b.ReportMetric(1+float64(median(encoding))/least, "bound-x/bare")
	b.ReportMetric(float64(median(ours).Microseconds()), "µs/turn")
	b.ReportMetric(float64(median(saves))/float64(median(ofFew)), "x/1000-runs")
}

// median returns a value that half of the values do not exceed.
func median(all []time.Duration) time.Duration {
	slices.Sort(all)
	return all[len(all)/2]
}
