package eval_test

import (
	"context"
	"testing"

	"github.com/aside-go/aside/eval"
)

// TestAdopt holds that a reminder which is gone with one reload and back with the next starts anew if the run
// has seen both, and that seeing a set is no turn.
func TestAdopt(t *testing.T) {
	t.Parallel()
	for _, adopt := range []bool{false, true} {
		ev := evaluator(t, when("a", "always"), while("b", "every 2 turns"))
		if err := ev.Adopt(context.Background(), "run"); err != nil {
			t.Fatal(err) // of a run that is not there
		}
		decide(t, ev, eval.Turn{})
		without, with := set(t, while("b", "every 2 turns")), set(t, when("a", "always"),
			while("b", "every 2 turns"))
		ev.Reload(without)
		if adopt {
			if err := ev.Adopt(context.Background(), "run"); err != nil {
				t.Fatal(err)
			}
		}
		ev.Reload(with)
		got := ids(decide(t, ev, eval.Turn{}).Fired)
		if want := map[bool]string{false: "", true: "a"}[adopt]; got != want {
			t.Errorf("adopted %v: fired %q, want %q", adopt, got, want)
		}
		if d := decide(t, ev, eval.Turn{}); d.Turn != 3 || ids(d.Fired) != "b" {
			t.Errorf("adopted %v: turn %d, fired %q", adopt, d.Turn, ids(d.Fired))
		}
	}
}
