package eval_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/aside-go/aside/compile"
	"github.com/aside-go/aside/compile/reminder"
	"github.com/aside-go/aside/eval"
)

// rolled returns a set of always-due reminders with the ids, under a digest. All fire at most three times.
func rolled(t *testing.T, digest string, ids ...string) *compile.Set {
	t.Helper()
	var rs []reminder.Reminder
	for _, id := range ids {
		rs = append(rs, reminder.Reminder{ID: id, Mode: reminder.While, Trigger: "turn_count >= 1", Text: digest,
			MaxFires: 3})
	}
	return compile.Must(compile.New(rs, compile.Options{Digest: digest}))
}

func TestRollOut(t *testing.T) {
	t.Parallel()
	const runs = 400
	old, next := rolled(t, "old", "both", "before"), rolled(t, "new", "both", "since")
	ev := eval.New(old, eval.Options{})
	fires := make([]int, runs)
	had := make([]bool, runs)
	turn := func(k int) *eval.Decision {
		d, err := ev.Decide(t.Context(), fmt.Sprint("run", k), eval.Turn{})
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range d.Fired {
			if f.ID == "both" {
				fires[k]++
			}
		}
		return d
	}
	for _, share := range []float64{0, 0.1, 0.5, 1, 0} {
		ev.RollOut(old, eval.Rollout{Name: "team", Share: share, Set: next})
		count := 0
		for k := range runs {
			d := turn(k)
			is := d.Rules == "new"
			if is {
				count++
			}
			if d.Set().Digest() != d.Rules {
				t.Errorf("run %d: decided by %q, told as %q", k, d.Set().Digest(), d.Rules)
			}
			if had[k] && !is && share > 0 {
				t.Errorf("run %d: fell out when the share grew to %v", k, share)
			}
			if had[k] = is; ev.SetOf(fmt.Sprint("run", k)) != d.Set() {
				t.Errorf("run %d: SetOf is another set than that of the decision", k)
			}
		}
		if low, high := share-0.05, share+0.05; float64(count) < low*runs || float64(count) > high*runs {
			t.Errorf("share %v: %d of %d runs", share, count, runs)
		}
	}
	for k, n := range fires {
		if n != 3 { // of five turns, across two changes of the set in each run
			t.Errorf("run %d: a reminder of both sets fired %d times, not max_fires", k, n)
		}
	}
}

// A subagent has the rules of its root, and what is asked of a run without its root goes by its last turn.
func TestRollOutOfSubagents(t *testing.T) {
	t.Parallel()
	ev := eval.New(nil, eval.Options{})
	ev.RollOut(rolled(t, "old", "before"), eval.Rollout{Name: "team", Share: 0.5,
		Set: rolled(t, "new", "since")})
	told := map[string]int{}
	for k := range 50 {
		root, run := fmt.Sprint("root", k), fmt.Sprint("sub", k)
		d, err := ev.Decide(t.Context(), run, eval.Turn{Root: root})
		if err != nil {
			t.Fatal(err)
		}
		if want := ev.SetOf(root).Digest(); d.Rules != want {
			t.Errorf("%s has %q, its root %q", run, d.Rules, want)
		}
		told[d.Rules]++
		xs, err := ev.Explain(t.Context(), run)
		if err != nil {
			t.Fatal(err)
		}
		if got := map[string]string{"before": "old", "since": "new"}[xs[0].ID]; got != d.Rules {
			t.Errorf("%s was decided by %q and is explained by %q", run, d.Rules, got)
		}
		if err := ev.Remind(t.Context(), run, "since"); err != nil {
			t.Error(err)
		}
	}
	if told["old"] == 0 || told["new"] == 0 {
		t.Errorf("runs by rules: %v", told)
	}
	var unknown *eval.UnknownError
	if err := ev.Remind(t.Context(), "sub1", "sinc"); !errors.As(err, &unknown) {
		t.Errorf("a name that neither set has: %v", err)
	}
}
