package eval_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/aside-go/aside/compile"
	"github.com/aside-go/aside/compile/reminder"
	"github.com/aside-go/aside/eval"
	"github.com/aside-go/aside/state"
)

// TestEnd: what waits when a run ends is recorded as open, once; a run that goes on all the same is as it was
// but for that.
func TestEnd(t *testing.T) {
	t.Parallel()
	set, ds := compile.New([]reminder.Reminder{
		{ID: "r", Mode: reminder.When, Trigger: "after_tool:Edit", Expect: "after_tool:Bash", Within: 3, Text: "T"},
		{ID: "gone", Mode: reminder.When, Trigger: "after_tool:Edit", Expect: "after_tool:Bash",
			Within: 3, Text: "T"},
	}, compile.Options{})
	i, _ := set.Index("r")
	rest, more := compile.New([]reminder.Reminder{set.Reminder(i).Reminder}, compile.Options{})
	if ds.HasErrors() || more.HasErrors() {
		t.Fatal(ds, more)
	}
	store := state.NewMemory()
	ev := eval.New(set, eval.Options{Store: store, Clock: func() time.Time { return time.Unix(9, 0) }})
	turn := func(more bool, tools ...string) {
		t.Helper()
		at := eval.Turn{At: time.Unix(1, 0), Agent: "mine", More: more, Facts: map[string]any{"tool_used": tools}}
		if _, err := ev.Decide(t.Context(), "run", at); err != nil {
			t.Fatal(err)
		}
	}
	end := func() {
		t.Helper()
		if err := ev.End(t.Context(), "run", time.Time{}); err != nil {
			t.Fatal(err)
		}
	}
	end() // of a run that has not begun
	turn(false, "Edit")
	turn(false, "Read")
	ev.Reload(rest)
	turn(false, "Edit")
	end()
	end()
	snap, rev, err := store.Load(t.Context(), "run")
	if err != nil {
		t.Fatal(err)
	}
	again, err := state.Decode(snap.Encode())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := store.Save(t.Context(), "run", rev, again); err != nil {
		t.Fatal(err)
	}
	if was := snap.Reminder("r"); was.Fires != 2 || was.Open != 0 {
		t.Errorf("%+v", was)
	}
	// a further part of the turn: the later word counts, also of the one that has fired before
	turn(true, "Bash")
	turn(false, "Bash")
	want := "gone fired 0 mine 1, r fired 0 mine 1, r fired 0 mine 1, " +
		"r open 2  9, r open 0  9, gone open 2  9, r heeded 2 mine 1, "
	got := ""
	names := map[string]bool{}
	for r, err := range store.Records(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		got += fmt.Sprintf("%s %s %d %s %d, ", r.ID, r.Outcome, r.Turns, r.Agent, r.Time.Unix())
		names[r.Firing] = true
	}
	if got != want || len(names) != 3 {
		t.Errorf("%s, %d firings\nwant %s", got, len(names), want)
	}
}
