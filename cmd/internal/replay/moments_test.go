package replay_test

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"github.com/aside-go/aside/cmd/internal/replay"
	"github.com/aside-go/aside/compile/reminder"
)

// TestMoments: what would have been said before a call, and before the end of the work, stands between the
// turns; it is not a turn, and nothing of a command is shown.
func TestMoments(t *testing.T) {
	t.Parallel()
	rules := []reminder.Reminder{
		{ID: "push", Trigger: "before_tool:Bash(git push*)", Pause: true, Text: "Look again."},
		{ID: "each", Trigger: "before_tool:* and turn_count == 1", Text: "Before each."},
		{ID: "tests", Trigger: `stopping and not called_since("Bash(go test*)", "@edit")`, Text: "Test."},
		{ID: "done", Trigger: "stopping and response == Done.", Text: "Is it?"},
		{ID: "elsewhere", Trigger: "before_tool:Bash(rm*)", Text: "No."},
		{ID: "edited", Trigger: "after_tool:Edit", Text: "Edited."},
	}
	run := func(o replay.Options) string {
		t.Helper()
		var out, errs bytes.Buffer
		o.Files, o.Paths = fstest.MapFS{"s.jsonl": {Data: []byte(callSession)}}, []string{"s.jsonl"}
		o.Out, o.Err = &out, &errs
		if err := replay.Run(t.Context(), o); err != nil || errs.Len() > 0 {
			t.Fatal(err, errs.String())
		}
		shown := strings.ReplaceAll(out.String(), "git push*", "")
		if strings.Contains(shown, "SECRET") || strings.Contains(shown, "git push") {
			t.Errorf("a text of a call is shown:\n%s", out.String())
		}
		return out.String()
	}
	if alone := run(replay.Options{Set: compiled(t, rules[0])}); !strings.Contains(alone, "fired 1 time") {
		t.Errorf("a rule that looks at no turn never fires:\n%s", alone)
	}
	var got []string
	for line := range strings.Lines(run(replay.Options{JSON: true, Set: compiled(t, rules...)})) {
		var l struct {
			Turn         int
			Moment, Tool string
			Fired        []struct{ ID string }
			Summary      *struct{ Turns int }
		}
		if err := json.Unmarshal([]byte(line), &l); err != nil {
			t.Fatal(err)
		}
		if l.Summary != nil {
			if l.Summary.Turns != 2 {
				t.Errorf("%d turns", l.Summary.Turns)
			}
			continue
		}
		at := []string{"turn", "1", l.Moment, l.Tool}
		if l.Turn == 2 {
			at[1] = "2"
		}
		for _, f := range l.Fired {
			at = append(at, f.ID)
		}
		got = append(got, strings.Join(slices.DeleteFunc(at, func(s string) bool { return s == "" }), " "))
	}
	want := []string{"turn 1", "turn 1 before_tool Bash each push", "turn 1 before_tool Edit each",
		"turn 2 edited", "turn 2 stopping done tests"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
	people := run(replay.Options{Set: compiled(t, rules...)})
	for _, want := range []string{"before Bash\n", "before Edit\n", "before the end\n",
		"▸ push  3 tokens, because before_tool:Bash(git push*)"} {
		if !strings.Contains(people, want) {
			t.Errorf("no %q in\n%s", want, people)
		}
	}
	other := rules[1:] // without push
	for _, o := range []replay.Options{{}, {JSON: true}} {
		o.Set, o.Against = compiled(t, rules...), compiled(t, other...)
		if diff := run(o); !strings.Contains(diff, "push") || strings.Count(diff, "Look again.")+strings.Count(diff,
			"Before") > 1 {
			t.Errorf("the comparison says\n%s", diff)
		}
	}
}

// TestNoTimes: in a recording without times no fact of time is known, and no time passes.
func TestNoTimes(t *testing.T) {
	t.Parallel()
	var rules []reminder.Reminder
	for id, trigger := range map[string]string{"hour": "hour < 23", "day": "weekday in [thu, fri]",
		"idle":    "idle < 1h",
		"elapsed": "elapsed < 1h", "every": "not every 30m", "turns": "turn_count == 2"} {
		rules = append(rules, reminder.Reminder{ID: id, Trigger: trigger, Text: "x", Mode: reminder.While})
	}
	log := `{"model":"gpt-5","messages":[{"role":"user","content":"a"}]}
{"model":"gpt-5","messages":[{"role":"user","content":"a"},{"role":"assistant","content":"b"},{"role":"user","content":"c"}]}`
	var out, errs bytes.Buffer
	err := replay.Run(t.Context(), replay.Options{Files: fstest.MapFS{"s.jsonl": {Data: []byte(log)}},
		Paths: []string{"s.jsonl"}, Set: compiled(t, rules...), Out: &out, Err: &errs, JSON: true})
	if err != nil || errs.Len() > 0 {
		t.Fatal(err, errs.String())
	}
	turns, _ := decode(t, out.String())
	if len(turns) != 2 || len(turns[0].Fired) > 0 || len(turns[1].Fired) != 1 ||
		turns[1].Fired[0].ID != "turns" {
		t.Errorf("%s", out.String())
	}
}
