package fuzz_test

import (
	"context"
	"testing"
	"time"

	"github.com/aside-go/aside/compile/reminder"
	"github.com/aside-go/aside/eval"
	"github.com/aside-go/aside/state"
)

// TestBackWithinATurn: a rule that goes and comes back between two parts of a turn goes on with its row, also
// where the run was stored between.
func TestBackWithinATurn(t *testing.T) {
	t.Parallel()
	s := drawnFacts(t)
	r := reminder.Reminder{ID: "r", Trigger: "vars.flag", For: reminder.Span{Turns: 3}, Text: "x"}
	a := reminder.Reminder{ID: "a", Trigger: "never", Text: "y"}
	both, alone := compiled(t, []reminder.Reminder{r, a}, s), compiled(t, []reminder.Reminder{a}, s)
	for parts := range 3 {
		store, at := written{state.NewMemory(), t}, time.Unix(0, 0)
		ev := eval.New(both, eval.Options{Store: store})
		tell := func(more bool) *eval.Decision {
			at = at.Add(time.Minute)
			d, err := ev.Decide(context.Background(), "x", eval.Turn{At: at, More: more,
				Facts: map[string]any{"vars.flag": true}})
			if err != nil {
				t.Fatal(err)
			}
			return d
		}
		tell(false)
		tell(false)
		ev = eval.New(alone, eval.Options{Store: store})
		if err := ev.Adopt(context.Background(), "x"); err != nil {
			t.Fatal(err)
		}
		for range parts {
			tell(true)
		}
		ev = eval.New(both, eval.Options{Store: store})
		if err := ev.Adopt(context.Background(), "x"); err != nil {
			t.Fatal(err)
		}
		if d := tell(true); len(d.Held) != 1 || d.Held[0].Left.Turns != 1 {
			t.Errorf("after %d parts without it: %v", parts, d.Held)
		}
	}
}
