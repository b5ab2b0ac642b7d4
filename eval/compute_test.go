package eval_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/aside-go/aside/compile"
	"github.com/aside-go/aside/compile/fact"
	"github.com/aside-go/aside/compile/reminder"
	"github.com/aside-go/aside/eval"
	"github.com/aside-go/aside/state"
)

// TestCompute holds that a computed fact is asked for at most once a turn, for its run, and only where a rule
// reads it and the host has not given it; that what is wrong with it is an error.
func TestCompute(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		trigger, text string
		value         any
		fails         error
		given         any
		calls         int
		fires         bool
		wrong         string
	}{
		"read by a trigger": {trigger: "vars.load > 3", value: 4, calls: 1, fires: true},
		"read by a text":    {trigger: "always", text: "{{.vars.load}}", value: 4, calls: 1, fires: true},
		"read by nobody":    {trigger: "always", value: 4, calls: 0, fires: true},
		"given by the host": {trigger: "vars.load > 3", value: 1, given: 9, calls: 0, fires: true},
		"unknown":           {trigger: "vars.load > 3", value: nil, calls: 1},
		"of another type":   {trigger: "vars.load > 3", value: "much", calls: 1, wrong: "vars.load"},
		"not to be had": {trigger: "vars.load > 3", fails: errors.New("no meter"), calls: 1,
			wrong: "no meter"},
		"read by an expectation": {trigger: "always", value: 4, calls: 1, fires: true,
			text: "{{.vars.load}} {{.vars.load}}"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			calls := 0
			schema, err := fact.NewSchema(fact.Fact{Name: "vars.load", Type: fact.Number,
				Compute: func(ctx context.Context, run string) (any, error) {
					calls++
					if run != "run" || ctx.Value(key{}) != "here" {
						t.Errorf("it was asked for run %q", run)
					}
					return c.value, c.fails
				}})
			if err != nil {
				t.Fatal(err)
			}
			if c.text == "" {
				c.text = "text"
			}
			set, diags := compile.New([]reminder.Reminder{{ID: "r", Trigger: c.trigger, Text: c.text}},
				compile.Options{Schema: schema})
			if diags.HasErrors() {
				t.Fatal(diags)
			}
			store := &faulty{Store: state.NewMemory(), fail: []error{state.ErrConflict}} // so Decide prepares twice
			ev := eval.New(set, eval.Options{Store: store, Clock: stopped})
			turn := eval.Turn{Key: "k", Facts: facts{"vars.load": c.given}}
			ctx := context.WithValue(context.Background(), key{}, "here")
			d, err := ev.Decide(ctx, "run", turn)
			if c.wrong != "" {
				var wrong *eval.FactError
				if !errors.As(err, &wrong) || !strings.Contains(err.Error(), c.wrong) {
					t.Errorf("%v, want an error about %s", err, c.wrong)
				}
			} else if err != nil || (len(d.Fired) > 0) != c.fires {
				t.Errorf("fired %v, %v, want %t", d, err, c.fires)
			}
			if calls != c.calls {
				t.Errorf("it was asked %d times, want %d", calls, c.calls)
			}
			if c.wrong == "" { // the same turn again is stored, and needs no facts
				if _, err := ev.Decide(ctx, "run", turn); err != nil || calls != c.calls {
					t.Errorf("the same turn asked again: %d times, %v", calls, err)
				}
			}
		})
	}
}

type key struct{}
