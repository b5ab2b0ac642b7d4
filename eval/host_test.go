package eval_test

import (
	"context"
	"fmt"
	"slices"
	"testing"

	"github.com/aside-go/aside/compile"
	"github.com/aside-go/aside/compile/fact"
	"github.com/aside-go/aside/compile/reminder"
	"github.com/aside-go/aside/eval"
)

// TestWithTurn: the host's word goes over the turn's, fact by fact; under one context its events happen once,
// and what it says of states stays.
func TestWithTurn(t *testing.T) {
	t.Parallel()
	schema, err := fact.NewSchema(fact.Fact{Name: "vars.green", Type: fact.Bool},
		fact.Fact{Name: "vars.pushed", Type: fact.Bool, Kind: fact.Event})
	if err != nil {
		t.Fatal(err)
	}
	while := func(id, trigger string) reminder.Reminder {
		return reminder.Reminder{ID: id, Mode: reminder.While, Trigger: trigger, Text: "x"}
	}
	set, diags := compile.New([]reminder.Reminder{
		while("plan", "thread_type == plan"), while("person", "user_message"), while("red", "vars.green == false"),
		while("pushed", "vars.pushed"), while("large", "context_tokens > 100"), while("said", `prompt == "host"`),
		while("bash", "after_tool:Bash"), while("failed", "last_tool_call_failed"), {ID: "hand", Trigger: "manual",
			Text: "x"}}, compile.Options{Schema: schema})
	if len(diags) > 0 {
		t.Fatal(diags)
	}
	ev := eval.New(set, eval.Options{})
	obs := ev.Observe("run")
	obs.UserMessage("host")
	obs.Thread("plan")
	obs.ToolCall("Bash", context.Canceled)
	obs.ContextTokens(200)
	if err := obs.Set("green", false); err != nil {
		t.Fatal(err)
	}
	turn := obs.Turn()
	turn.Facts = map[string]any{"vars.pushed": true}
	turn.Remind = []string{"hand"}
	ctx := eval.WithTurn(eval.WithRun(context.Background(), "run"), turn)
	all := []string{"bash", "failed", "hand", "large", "person", "plan", "pushed", "red", "said"}
	decide := func(name string, ctx context.Context, turn eval.Turn, want []string) {
		t.Helper()
		d, err := ev.Decide(ctx, "", turn)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, f := range d.Fired {
			got = append(got, f.ID)
		}
		if slices.Sort(got); !slices.Equal(got, want) {
			t.Errorf("%s: fired %q, want %q", name, got, want)
		}
	}
	wire := func(key string) eval.Turn {
		return eval.Turn{Key: key, Facts: map[string]any{"thread_type": "root", "context_tokens": 10,
			"prompt":       "wire",
			"user_message": false, "tool_used": []string{"Bash"}}}
	}
	if d, err := ev.Prepare(ctx, "", wire("counted")); err != nil || len(d.Fired) != len(all) {
		t.Error(d, err)
	}
	decide("the first turn", ctx, wire("1"), all)
	decide("the same turn", ctx, wire("1"), all)
	decide("the next turn", ctx, wire("2"), []string{"bash", "plan", "red"})
	decide("a turn without a key", ctx, eval.Turn{}, []string{"plan", "red"})
	decide("a context of its own", eval.WithTurn(ctx, eval.Turn{Facts: map[string]any{"user_message": true}}),
		wire("4"), []string{"bash", "person"})
}

// TestContext: one context of an Observer serves for a whole run. Facts are those of the model call; an event
// is part of the first turn that is committed after it, and of every one that was prepared before that.
func TestContext(t *testing.T) {
	t.Parallel()
	ev := eval.New(compile.Must(compile.New(nil, compile.Options{})), eval.Options{})
	obs := ev.Observe("run")
	ctx := obs.Context(t.Context())
	prepare := func(key string) *eval.Decision {
		t.Helper()
		d, err := ev.Prepare(ctx, "", eval.Turn{Key: key})
		if err != nil {
			t.Fatal(err)
		}
		return d
	}
	obs.Thread("plan")
	obs.UserMessage("go on")
	obs.ToolCall("Edit", nil)
	prepare("r-1").Discard()
	obs.ToolCall("Bash", nil)
	d := prepare("r-1")
	if f := d.Facts(); f["user_message"] != true || fmt.Sprint(f["tool_used"]) != "[Edit Bash]" {
		t.Errorf("after a turn that was given up: %v", f)
	}
	if err := d.Commit(ctx); err != nil {
		t.Fatal(err)
	}
	obs.Thread("act")
	obs.Call(fact.Call{Tool: "Read"})
	again := prepare("r-1")
	if err := again.Commit(ctx); err != nil || !again.Again {
		t.Errorf("the same turn: %v, again %v", err, again.Again)
	}
	f := prepare("r-2").Facts()
	if f["thread_type"] != "act" || f["user_message"] != false || fmt.Sprint(f["tool_used"]) != "[Read]" {
		t.Errorf("the next turn: %v", f)
	}
}
