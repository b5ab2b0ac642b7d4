package eval_test

import (
	"context"
	"encoding/json"
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/aside-go/aside/compile"
	"github.com/aside-go/aside/compile/fact"
	"github.com/aside-go/aside/compile/reminder"
	"github.com/aside-go/aside/eval"
	"github.com/aside-go/aside/state"
)

func explain(t *testing.T, ev *eval.Evaluator) map[string]eval.Explanation {
	t.Helper()
	xs, err := ev.Explain(context.Background(), "run")
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]eval.Explanation{}
	for _, x := range xs {
		out[x.ID] = x
	}
	return out
}

// TestExplain holds each number of an explanation.
func TestExplain(t *testing.T) {
	t.Parallel()
	now := start
	ev := eval.New(set(t,
		reminder.Reminder{ID: "cool", Mode: reminder.While, Trigger: "user_message",
			Cooldown: reminder.Span{Time: 10 * time.Minute}, MaxFires: 9, Text: "1234"},
		reminder.Reminder{ID: "every", Mode: reminder.While, Trigger: "every 2 turns", Text: "1234"},
		reminder.Reminder{ID: "failed", Mode: reminder.While, Trigger: "tool_failed:Bash", Text: "{{.model}}"},
		reminder.Reminder{ID: "words", Trigger: `prompt matches "deploy" and tool_count("Edit") > 0`, Text: "1234"},
		reminder.Reminder{ID: "mixed", Trigger: `prompt contains branch`, Text: "1234"},
	), eval.Options{Clock: func() time.Time { return now }, Budget: reminder.Budget{Turn: 50, Run: 5}})
	first := decide(t, ev, eval.Turn{Facts: facts{"user_message": true, "prompt": "deploy",
		"tool_used":      []string{"Edit", "Bash"},
		fact.FailedTools: []string{"Bash"}, "idle": "5m"}})
	if ids(first.Fired) != "cool words" {
		t.Fatal(ids(first.Fired))
	}
	xs := explain(t, ev)
	if x := xs["cool"]; !x.Fired || x.Trigger.Truth != fact.True || x.Fires != 1 || x.LastFire != 1 ||
		!x.Armed || !x.Due {
		t.Errorf("a firing is explained by what was before it: %+v", x)
	}
	if x := xs["words"]; !x.Fired || x.Armed || len(x.Unkept) > 0 || x.Trigger.Truth != fact.True ||
		x.Trigger.Parts[0].Value != "its text is not kept" {
		t.Errorf("the truth of a condition on a prompt is kept: %+v", x)
	}
	if x := xs["mixed"]; cmp.Diff(x.Unkept, []string{"prompt"}) != "" || x.Trigger.Truth != fact.Unknown {
		t.Errorf("the text of a prompt is not kept: %+v", x)
	}
	if x := xs["failed"]; x.Trigger.Truth != fact.True || x.Fired || len(x.Held) != 1 ||
		x.Held[0].Why != reminder.HeldText {
		t.Errorf("which tool failed is kept: %+v", x)
	}
	if len(xs["cool"].Unkept) != 0 {
		t.Errorf("%+v", xs["cool"].Unkept)
	}
	now = now.Add(4 * time.Minute)
	decide(t, ev, eval.Turn{Facts: facts{"user_message": true}})
	if err := ev.Remind(context.Background(), "run", "words"); err != nil {
		t.Fatal(err)
	}
	xs = explain(t, ev)
	x := xs["cool"]
	want := []reminder.Held{{ID: "cool", Why: reminder.HeldCooldown, Left: reminder.Span{Time: 6 * time.Minute}}}
	if cmp.Diff(want, x.Held) != "" || x.Cooldown != want[0].Left || x.Fires != 1 || x.MaxFires != 9 ||
		x.LastFire != 1 || x.Turn != 2 || x.Fired {
		t.Errorf("%+v", x)
	}
	if x.Budget != (reminder.Budget{Turn: 50, Run: 2}) {
		t.Errorf("budget %+v", x.Budget)
	}
	if x := xs["every"]; x.Trigger.Truth != fact.True || !x.Fired {
		t.Errorf("a cadence is about its own reminder: %+v", x)
	}
	if x := xs["words"]; !x.Queued ||
		x.Next != "goes out on the next turn that can carry text: it was asked for by name" || len(x.Unkept) != 0 {
		t.Errorf("%+v", x)
	}
	if x := xs["words"]; len(x.Trigger.Parts) != 2 || x.Trigger.Parts[1].Truth != fact.True {
		t.Errorf("the run's own past is there: %+v", x.Trigger)
	}
	now = now.Add(time.Minute)
	if d := decide(t, ev, eval.Turn{Facts: facts{"user_message": false}}); ids(d.Fired) != "words" {
		t.Errorf("fired %s", ids(d.Fired))
	}
	if d := decide(t, ev, eval.Turn{}); ids(d.Fired) != "every" {
		t.Errorf("fired %s", ids(d.Fired))
	}
	if x := explain(t, ev)["every"]; x.Budget.Run != -1 {
		t.Errorf("budget %+v", x.Budget)
	}
}

func TestExplainNothing(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	ev := evaluator(t, when("r", "always"))
	if _, err := ev.Explain(ctx, "run"); !errors.Is(err, eval.ErrNoTurn) {
		t.Error(err)
	}
	if err := ev.Remind(ctx, "run", "r"); err != nil {
		t.Fatal(err)
	}
	if _, err := ev.Explain(ctx, "run"); !errors.Is(err, eval.ErrNoTurn) {
		t.Error(err)
	}
	if _, err := ev.Explain(ctx, ""); !errors.Is(err, eval.ErrNoRun) {
		t.Error(err)
	}
}

// TestExplainAfterReload holds that facts which are no longer declared, or with another type, do no harm.
func TestExplainAfterReload(t *testing.T) {
	t.Parallel()
	ev := evaluator(t, while("r", "vars.todos > 2"))
	decide(t, ev, eval.Turn{Facts: facts{"vars.todos": 3, "vars.mood": "good", "model": "m"}})
	schema, err := fact.NewSchema(fact.Fact{Name: "vars.mood", Type: fact.Int})
	if err != nil {
		t.Fatal(err)
	}
	next, diags := compile.New([]reminder.Reminder{while("r", "vars.mood > 2"), while("s", "model == m")},
		compile.Options{Schema: schema})
	if diags.HasErrors() {
		t.Fatal(diags)
	}
	ev.Reload(next)
	xs := explain(t, ev)
	if xs["r"].Trigger.Truth != fact.Unknown || xs["s"].Trigger.Truth != fact.True {
		t.Errorf("%+v", xs)
	}
}

// TestFactsKept holds that every type of fact comes back from the state as it went in.
func TestFactsKept(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	store := state.NewMemory()
	ev := eval.New(set(t), eval.Options{Store: store, Clock: stopped})
	in := facts{"context_usage": 1e-7, "context_tokens": int64(1) << 53, "user_message": true,
		"idle": 90 * time.Second, "model": "a\"b\x01ü",
		"tool_used": []string{"a",
			"b\n"}, "prompt": "secret words", "response": "more words", "vars.todos": int64(
			-3), fact.FailedTools: []string{"a"}}
	first, err := ev.Decide(ctx, "run", eval.Turn{Key: "k", Facts: in})
	if err != nil {
		t.Fatal(err)
	}
	s, _, err := store.Load(ctx, "run")
	if err != nil {
		t.Fatal(err)
	}
	if s, err = state.Decode(s.Encode()); err != nil {
		t.Fatal(err)
	}
	want := `{"facts":{"context_tokens":9007199254740992,"context_usage":1e-7,"hour":0,"idle":"1m30s",` +
		`"last_tool_call_failed":true,"model":"a\"b\u0001ü","tool_used":["a","b\n"],"user_message":true,` +
		`"vars.todos":-3,"weekday":"thu"},"failed":["a"],"unkept":["prompt","response"]}`
	if got, err := json.Marshal(s.Facts()); string(got) != want || err != nil {
		t.Errorf("%s, %v, want\n%s", got, err, want)
	}
	again, err := ev.Decide(ctx, "run", eval.Turn{Key: "k", Facts: facts{"prompt": "secret words",
		"response": "more words"}})
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(first.Facts(), again.Facts()); d != "" {
		t.Error(d)
	}
}

// TestExplainDecision holds that a decision explains itself before it is committed as the evaluator does
// afterwards, and knows the sizes of texts that are not kept.
func TestExplainDecision(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	ev := evaluator(t, when("full", "context_usage > 75%"), when("words", `prompt matches "deploy"`),
		while("every", "every 2 turns"))
	for _, f := range []facts{{"context_usage": 0.8, "prompt": "hello"}, {"context_usage": 0.9,
		"prompt": "deploy"}, {"context_usage": 0.1, "prompt": ""}} {
		d, err := ev.Prepare(ctx, "run", eval.Turn{Facts: f})
		if err != nil {
			t.Fatal(err)
		}
		before, err := d.Explain()
		if err != nil {
			t.Fatal(err)
		}
		if err := d.Commit(ctx); err != nil {
			t.Fatal(err)
		}
		after, err := ev.Explain(ctx, "run")
		if err != nil {
			t.Fatal(err)
		}
		for i := range after {
			if b := before[i]; b.ID == "words" {
				want := fact.Of(f["prompt"] == "deploy")
				if b.Trigger.Truth != want || after[i].Trigger.Truth != want ||
					b.Trigger.Value == after[i].Trigger.Value || len(b.Unkept)+len(after[i].Unkept) > 0 {
					t.Errorf("%v: %+v\nafterwards %+v", f, b, after[i])
				}
			} else if diff := cmp.Diff(after[i], b); diff != "" {
				t.Errorf("%v: %s", f, diff)
			}
		}
		if kept, err := d.Explain(); err != nil || cmp.Diff(before, kept) != "" {
			t.Errorf("%v, after it was committed (-before +now): %s", err, cmp.Diff(before, kept))
		}
	}
	d, err := ev.Prepare(ctx, "run", eval.Turn{})
	if err != nil {
		t.Fatal(err)
	}
	d.Discard()
	if _, err := d.Explain(); !errors.Is(err, eval.ErrNoTurn) {
		t.Error(err)
	}
	again := func() *eval.Decision {
		d, err := ev.Prepare(ctx, "run", eval.Turn{Key: "k", Facts: facts{"prompt": "deploy"}})
		if err != nil {
			t.Fatal(err)
		}
		return d
	}
	if err := again().Commit(ctx); err != nil {
		t.Fatal(err)
	}
	xs, err := again().Explain()
	if err != nil || len(xs) != 3 || xs[2].ID != "words" || xs[2].Trigger.Truth != fact.True {
		t.Errorf("%+v, %v", xs, err)
	}
}

// TestExplainOfTools holds that an explanation knows the classes of tools told by name alone, also from the
// store, and that a moment before the first turn can be explained.
func TestExplainOfTools(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	ev := evaluator(t, when("edited", "after_tool:@edit"), when("end", "stopping"))
	d, err := ev.Prepare(ctx, "run", eval.Turn{Moment: fact.Stopping})
	if err != nil {
		t.Fatal(err)
	}
	if xs, err := d.Explain(); err != nil || xs[1].Trigger.Truth != fact.True {
		t.Errorf("%+v, %v", xs, err)
	}
	d.Discard()
	d, err = ev.Prepare(ctx, "run", eval.Turn{Fill: func(f *fact.Frame) {
		f.SetTools([]fact.Call{{Tool: "change", Class: fact.Edit}})
	}})
	if err != nil || len(d.Fired) != 1 {
		t.Fatalf("%v, %v", d, err)
	}
	if xs, err := d.Explain(); err != nil || xs[0].Trigger.Truth != fact.True {
		t.Errorf("%+v, %v", xs, err)
	}
	if err := d.Commit(ctx); err != nil {
		t.Fatal(err)
	}
	if x := explain(t, ev)["edited"]; x.Trigger.Truth != fact.True {
		t.Errorf("%+v", x)
	}
}

// TestExplainCalls: a snapshot keeps no calls. An explanation knows what the conditions on them were.
func TestExplainCalls(t *testing.T) {
	t.Parallel()
	store := state.NewMemory()
	rules := set(t,
		reminder.Reminder{ID: "class", Trigger: "after_tool:@edit", Text: "x"},
		reminder.Reminder{ID: "file", Trigger: "after_tool:@edit(*.go) and turn_count < 9", Text: "x"},
		reminder.Reminder{ID: "name", Trigger: "after_tool:Bash", Text: "x"},
		reminder.Reminder{ID: "other", Trigger: "turn_count > 9", Text: "x"})
	d := decide(t, eval.New(rules, eval.Options{Store: store}), eval.Turn{Facts: facts{"calls": []fact.Call{
		{Tool: "Bash", Class: fact.Shell, Command: "rm a.go", Told: true, Edits: true, Paths: []string{"a.go"}}}}})
	if ids(d.Fired) != "class file name" {
		t.Fatal(ids(d.Fired))
	}
	xs := explain(t, eval.New(rules, eval.Options{Store: store}))
	for id, want := range map[string]fact.Truth{"class": fact.True, "file": fact.True, "name": fact.True,
		"other": fact.False} {
		if got := xs[id].Trigger.Truth; got != want || xs[id].Unkept != nil {
			t.Errorf("%s was %v, not kept is %v", id, got, xs[id].Unkept)
		}
	}
}
