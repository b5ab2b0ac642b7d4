package firing_test

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/aside-go/aside/compile/fact"
	"github.com/aside-go/aside/compile/reminder"
	"github.com/aside-go/aside/internal/firing"
	"github.com/aside-go/aside/state"
)

// A rule fires once when its trigger becomes true.
func ExampleStep() {
	rules := firing.NewRules([]reminder.Reminder{{ID: "near-full", Trigger: "context_usage > 75%"}})
	var snap *state.Snapshot // a new run
	for i, usage := range []float64{0.5, 0.8, 0.9, 0.6, 0.8} {
		next, d, err := firing.Step(snap, rules, firing.Input{
			At: time.Date(2026, 1, 1, 0, i, 0, 0, time.UTC),
			Judge: func(*firing.Run) (trigger, rearm []fact.Truth) {
				return []fact.Truth{fact.Of(usage > 0.75)}, nil
			},
			Render: func(int) (string, error) { return fmt.Sprintf("The context is at %.0f%%.", usage*100), nil },
		})
		if err != nil {
			fmt.Println(err)
			return
		}
		for _, due := range d.Fired {
			fmt.Printf("turn %d: %s\n", d.Turn, due.Text)
		}
		snap = next
	}
	// Output:
	// turn 2: The context is at 80%.
	// turn 5: The context is at 80%.
}

// A turn is loaded, stepped and saved, again on a conflict, before anything is sent.
func ExampleSnapshot() {
	var (
		ctx   = context.Background()
		store = state.NewMemory()
		rules = firing.NewRules([]reminder.Reminder{{ID: "hello", Trigger: "always"}})
		in    = firing.Input{
			Key: "request-1", At: time.Unix(0, 0),
			Judge:  func(*firing.Run) (trigger, rearm []fact.Truth) { return []fact.Truth{fact.True}, nil },
			Render: func(int) (string, error) { return "Hello.", nil },
		}
	)
	decide := func() (*reminder.Decision, error) {
		for {
			prev, rev, err := store.Load(ctx, "run")
			if err != nil {
				return nil, err
			}
			next, d, err := firing.Step(prev, rules, in)
			if err != nil || next == prev { // decided before
				return d, err
			}
			_, err = store.Save(ctx, "run", rev, next)
			if !errors.Is(err, state.ErrConflict) && !errors.Is(err, state.ErrIndeterminate) {
				return d, err
			}
		}
	}
	for range 2 { // the same request twice
		d, err := decide()
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println(d.Turn, d.Fired[0].Text)
	}
	// Output:
	// 1 Hello.
	// 1 Hello.
}
