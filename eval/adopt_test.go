package eval_test

import (
	"context"
	"testing"

	"github.com/aside-go/aside/eval"
)

// TestAdopt holds that a reminder whose trigger changes with one reload and back with the next is armed again
// if the run has seen both, that one which was gone goes on, and that seeing a set is not a turn.
func TestAdopt(t *testing.T) {
	t.Parallel()
	for _, adopt := range []bool{false, true} {
		ev := evaluator(t, when("a", "always"), when("gone", "always"), while("b", "every 2 turns"))
		if err := ev.Adopt(context.Background(), "run"); err != nil {
			t.Fatal(err) // of a run that is not there
		}
		decide(t, ev, eval.Turn{})
		without := set(t, when("a", "turn_gt:0"), while("b", "every 2 turns"))
		with := set(t, when("a", "always"), when("gone", "always"), while("b", "every 2 turns"))
		ev.Reload(without)
		if adopt {
			if err := ev.Adopt(context.Background(), "run"); err != nil {
				t.Fatal(err)
			}
		}
		ev.Reload(with)
		got := ids(decide(t, ev, eval.Turn{}).Fired)
		if want := map[bool]string{false: "b", true: "a b"}[adopt]; got != want {
			t.Errorf("adopted %v: fired %q, want %q", adopt, got, want)
		}
		if d := decide(t, ev, eval.Turn{}); d.Turn != 3 || ids(d.Fired) != "" {
			t.Errorf("adopted %v: turn %d, fired %q", adopt, d.Turn, ids(d.Fired))
		}
	}
}
