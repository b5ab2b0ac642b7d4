package eval_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/aside-go/aside/compile"
	"github.com/aside-go/aside/compile/reminder"
	"github.com/aside-go/aside/eval"
	"github.com/aside-go/aside/state"
)

// TestControl: a reminder that is off is not there, one in shadow is decided and held back, in each set that
// comes meanwhile; what was not switched sees nothing of it, and what comes back goes on where it was.
func TestControl(t *testing.T) {
	t.Parallel()
	ev := eval.New(rolled(t, "old", "a", "b", "c"), eval.Options{})
	for _, c := range []struct {
		control eval.Control
		rules   string
		want    string
	}{
		{eval.Control{}, "old", "a b c"},
		{eval.Control{Off: []string{"a"}, Shadow: []string{"b"}}, "old-a", "(b) c"},
		{eval.Control{Off: []string{"nobody"}}, "old", "a b c"},
		{eval.Control{Shadow: []string{"a"}}, "old", "(a)"}, // all have fired three times but a
		{eval.Control{}, "old", ""},
	} {
		ev.Control(c.control)
		ev.Reload(rolled(t, "old", "a", "b", "c"))
		d, err := ev.Decide(t.Context(), "r", eval.Turn{})
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, f := range d.Fired {
			if f.HeldOut {
				f.ID = "(" + f.ID + ")"
			}
			got = append(got, f.ID)
		}
		if all := strings.Join(got, " "); all != c.want {
			t.Errorf("%+v: %q, want %q", c.control, all, c.want)
		}
		if d.Rules != c.rules {
			t.Errorf("%+v: decided by %q, want %q", c.control, d.Rules, c.rules)
		}
	}
}

// TestShadow: the text of a reminder in shadow is sent to nobody, however it fires, and its outcomes are
// those of a trial.
func TestShadow(t *testing.T) {
	t.Parallel()
	store, ctx := state.NewMemory(), t.Context()
	ev := eval.New(compile.Must(compile.New([]reminder.Reminder{{ID: "a", Mode: reminder.While, Within: 1,
		Trigger: "turn_count == 2", Expect: "turn_count == 3", Text: "A",
		Keep: reminder.Keep{Unit: reminder.KeepTurns, N: 9}}}, compile.Options{})), eval.Options{Store: store})
	for _, shadow := range []bool{true, false} {
		ev.Control(eval.Control{Shadow: map[bool][]string{true: {"a"}}[shadow]})
		run := fmt.Sprint(shadow)
		if err := ev.Remind(ctx, run, "a"); err != nil {
			t.Fatal(err)
		}
		for turn := range 3 {
			d, err := ev.Decide(ctx, run, eval.Turn{})
			if err != nil {
				t.Fatal(err)
			}
			due := map[bool]int{true: 0, false: 1}[shadow]
			if fires := turn < 2; fires != (len(d.Fired) == 1) || len(d.Due) != due ||
				fires && (d.Fired[0].HeldOut != shadow || d.Fired[0].Manual != (turn == 0)) {
				t.Errorf("shadow %t, turn %d: fired %+v, due %+v", shadow, turn+1, d.Fired, d.Due)
			}
		}
		if due, err := ev.Fire(ctx, run, "a"); err != nil || due.HeldOut != shadow {
			t.Errorf("shadow %t, at once: %+v, %v", shadow, due, err)
		}
	}
	var got []string
	for r, err := range store.Records(ctx) {
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, fmt.Sprintln(r.Outcome, r.HeldOut, strings.HasSuffix(r.Version, reminder.Trial)))
	}
	want := []string{"fired true true\n", "heeded true true\n", "fired false false\n", "heeded false false\n"}
	if !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

// TestDigest: what is in use has the same digest wherever it is the same, and another one where a letter, a
// switch or the share of a roll-out is another.
func TestDigest(t *testing.T) {
	t.Parallel()
	seen := map[uint64]string{}
	old, next := rolled(t, "old", "a", "b"), rolled(t, "new", "a", "b")
	for name, use := range map[string]func(*eval.Evaluator){
		"as it began": func(*eval.Evaluator) {},
		"a letter":    func(ev *eval.Evaluator) { ev.Reload(next) },
		"fewer":       func(ev *eval.Evaluator) { ev.Reload(rolled(t, "old", "a")) },
		"none":        func(ev *eval.Evaluator) { ev.Reload(nil) },
		"off":         func(ev *eval.Evaluator) { ev.Control(eval.Control{Off: []string{"b"}}); ev.Reload(next) },
		"in shadow":   func(ev *eval.Evaluator) { ev.Control(eval.Control{Shadow: []string{"b"}}) },
		"some runs":   func(ev *eval.Evaluator) { ev.RollOut(old, eval.Rollout{Name: "n", Share: 0.1, Set: next}) },
		"more runs":   func(ev *eval.Evaluator) { ev.RollOut(old, eval.Rollout{Name: "n", Share: 0.2, Set: next}) },
	} {
		var digests []uint64
		for _, begun := range []*compile.Set{old, rolled(t, "old", "b", "a")} {
			ev := eval.New(begun, eval.Options{})
			use(ev)
			digests = append(digests, ev.Digest())
		}
		if digests[0] != digests[1] || digests[0] >= 1<<48 {
			t.Errorf("%s: %x", name, digests)
		}
		if other := seen[digests[0]]; other != "" {
			t.Errorf("%s has the digest of %s", name, other)
		}
		seen[digests[0]] = name
	}
}
