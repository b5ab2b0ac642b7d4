package eval_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/aside-go/aside/compile/reminder"
	"github.com/aside-go/aside/eval"
	"github.com/aside-go/aside/state"
)

// encoded is a store that keeps bytes alone, as one on a disk does.
type encoded struct{ state.Store }

func (s encoded) Load(ctx context.Context, run string) (*state.Snapshot, state.Revision, error) {
	got, rev, err := s.Store.Load(ctx, run)
	if got == nil || err != nil {
		return got, rev, err
	}
	got, err = state.Decode(got.Encode())
	return got, rev, err
}

// TestAdd: what is added to a run is there in every process, on that run alone, and its counts stay when it
// is replaced, removed and added again.
func TestAdd(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	store := encoded{state.NewMemory()}
	process := func() *eval.Evaluator { return eval.New(reminders(), eval.Options{Store: store}) }
	add := func(trigger, text string) {
		t.Helper()
		diags, err := process().Add(ctx, "run", reminder.Reminder{ID: "mine", Mode: reminder.While,
			Trigger:  trigger,
			MaxFires: 3, Cooldown: reminder.Span{Turns: 1}, Keep: reminder.Keep{Unit: reminder.KeepTurns, N: 1},
			Tier: reminder.Correctness, Text: text})
		if len(diags) > 0 || err != nil {
			t.Fatal(diags, err)
		}
	}
	turn := func(run string, want ...string) {
		t.Helper()
		d, err := process().Decide(ctx, run, eval.Turn{})
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, f := range d.Fired {
			got = append(got, f.Text)
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s, turn %d: fired %q, want %q", run, d.Turn, got, want)
		}
	}
	add("always", "one")
	turn("run", "one")
	turn("other")
	add("turn_count > 1", "two")
	turn("run", "two")
	if err := process().Remove(ctx, "run", "mine"); err != nil {
		t.Fatal(err)
	}
	turn("run")
	add("always", "three")
	turn("run", "three")
	turn("run") // max_fires: it has fired three times, whatever its text was
	if err := process().Remind(ctx, "run", "mine"); err != nil {
		t.Error(err)
	}
	turn("run", "three")
	why, err := process().Explain(ctx, "run")
	if err != nil {
		t.Fatal(err)
	}
	i := slices.IndexFunc(why, func(x eval.Explanation) bool { return x.ID == "mine" })
	if i < 0 || why[i].Fires != 3 {
		t.Errorf("%+v", why)
	}
	if names := process().Names(); slices.Contains(names, "mine") {
		t.Errorf("the set has %q", names)
	}
	if u := (*eval.UnknownError)(nil); !errors.As(process().Remove(ctx, "run", "min"), &u) ||
		!slices.Equal(u.Suggestions, []string{"mine"}) {
		t.Error(u)
	}
	if u := (*eval.UnknownError)(nil); !errors.As(process().Remind(ctx, "other", "mine"), &u) {
		t.Error("another run knows it")
	}
	if err := process().Remove(ctx, "run", "mine"); err != nil {
		t.Fatal(err)
	}
	if s, _, _ := store.Load(ctx, "run"); s.Added() != "" || strings.Contains(string(s.Encode()), `"own"`) {
		t.Errorf("%s", s.Encode())
	}
}

// TestAddMistakes: a mistake is a diagnostic, and changes nothing.
func TestAddMistakes(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	store := state.NewMemory()
	ev := eval.New(reminders(), eval.Options{Store: store})
	for name, c := range map[string]struct {
		r    reminder.Reminder
		want string
	}{
		"a trigger":       {reminder.Reminder{ID: "a", Trigger: "turn_cout > 3", Text: "x"}, "turn_count"},
		"a text":          {reminder.Reminder{ID: "a", Trigger: "always", Text: "{{.nothing}}"}, "nothing"},
		"an id":           {reminder.Reminder{ID: "a b", Trigger: "always", Text: "x"}, "a b"},
		"an id of others": {reminder.Reminder{ID: "near-full", Trigger: "always", Text: "x"}, "near-full"},
	} {
		diags, err := ev.Add(ctx, "run", c.r)
		if err != nil || len(diags) != 1 || !diags.HasErrors() || !strings.Contains(fmt.Sprint(diags), c.want) {
			t.Errorf("%s: %v, %v", name, diags, err)
		}
	}
	if _, err := ev.Add(ctx, "", reminder.Reminder{ID: "a", Text: "x"}); err != eval.ErrNoRun {
		t.Error(err)
	}
	if s, _, _ := store.Load(ctx, "run"); s != nil {
		t.Errorf("%s", s.Encode())
	}
}

// TestAddMany: what is added to many runs, one reminder after the other, is never mixed up.
func TestAddMany(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	ev := eval.New(reminders(), eval.Options{})
	for i := range 600 {
		run := fmt.Sprint("run", i%300)
		for _, id := range []string{"b", "a"} {
			diags, err := ev.Add(ctx, run, reminder.Reminder{ID: id + fmt.Sprint(i/300), Trigger: "always",
				Text: id + run})
			if err != nil || len(diags) > 0 {
				t.Fatal(diags, err)
			}
		}
		d, err := ev.Decide(ctx, run, eval.Turn{})
		if err != nil {
			t.Fatal(err)
		}
		if len(d.Fired) != 2 || d.Fired[0].Text != "a"+run || d.Fired[1].Text != "b"+run {
			t.Fatalf("%s: %+v", run, d.Fired)
		}
	}
}

// TestAddReload: a reminder of a run outlives a reload of the set, which goes before it where both have its
// id.
func TestAddReload(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	ev := eval.New(reminders(), eval.Options{})
	diags, err := ev.Add(ctx, "run", reminder.Reminder{ID: "mine", Mode: reminder.While, Trigger: `turns_since("near-full") >= 1`,
		Text: "own"})
	if err != nil || len(diags) > 0 {
		t.Fatal(diags, err)
	}
	fired := func(facts map[string]any) (out []string) {
		t.Helper()
		d, err := ev.Decide(ctx, "run", eval.Turn{Facts: facts})
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range d.Fired {
			out = append(out, f.ID+" "+f.Text)
		}
		return out
	}
	if got := fired(nil); got != nil {
		t.Errorf("fired %q", got)
	}
	_ = fired(map[string]any{"context_usage": 0.9})
	want := []string{"mine own"}
	if got := fired(nil); !slices.Equal(got, want) {
		t.Errorf("fired %q, want %q", got, want)
	}
	ev.Reload(reminders())
	if got := fired(nil); !slices.Equal(got, want) {
		t.Errorf("after a reload: fired %q, want %q", got, want)
	}
	set, diags := reminders().With([]reminder.Reminder{{ID: "mine", Mode: reminder.While, Trigger: "always",
		Text: "of the set"}})
	if len(diags) > 0 || set.Len() != 4 {
		t.Fatal(diags)
	}
	ev.Reload(set)
	if got := fired(nil); !slices.Equal(got, []string{"mine of the set"}) {
		t.Errorf("of both: fired %q", got)
	}
}
