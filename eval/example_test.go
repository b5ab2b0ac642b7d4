package eval_test

import (
	"context"
	"errors"
	"fmt"
	"log"

	"github.com/aside-go/aside/compile"
	"github.com/aside-go/aside/compile/reminder"
	"github.com/aside-go/aside/eval"
)

// reminders is the set that the examples use.
func reminders() *compile.Set {
	set, diags := compile.New([]reminder.Reminder{
		{ID: "near-full", Trigger: "context_usage > 75%", Rearm: "context_usage < 60%",
			Text: "The context is {{.context_usage | percent}} full."},
		{ID: "run-tests", Mode: reminder.While, Trigger: "after_tool:Edit,Write",
			Text: "Files changed: the tests have not run since."},
		{ID: "be-brief", Trigger: "manual", Text: "Short answers are wanted."},
	}, compile.Options{})
	if diags.HasErrors() {
		log.Fatal(diags)
	}
	return set
}

// One turn of an agent's loop: report the events, prepare, commit, and only then send.
func Example() {
	ctx := context.Background()
	ev := eval.New(reminders(), eval.Options{})
	obs := ev.Observe("session-1")
	obs.Model("anthropic", "claude", 200_000)

	obs.UserMessage("rename the function")
	obs.Response(eval.Usage{ContextTokens: 160_000, ResponseTokens: 300, Known: true})
	obs.ToolCall("Edit", nil)

	d, err := ev.Prepare(ctx, "session-1", obs.Turn())
	if err != nil {
		log.Fatal(err)
	}
	for _, due := range d.Due { // for the copy that is sent
		fmt.Println(due.Text)
	}
	if err := d.Commit(ctx); err != nil { // or d.Discard()
		log.Fatal(err)
	}
	// Output:
	// The context is 80% full.
	// Files changed: the tests have not run since.
}

// Prepare decides and writes nothing; a decision that is discarded was never spent.
func ExampleEvaluator_Prepare() {
	ctx := context.Background()
	ev := eval.New(reminders(), eval.Options{})
	turn := eval.Turn{Facts: map[string]any{"context_usage": 0.8}}

	d, _ := ev.Prepare(ctx, "run", turn)
	fmt.Println(d.Fired[0].ID, "because", d.Why("near-full"))
	d.Discard()

	d, _ = ev.Prepare(ctx, "run", turn)
	fmt.Println(d.Fired[0].ID, d.Commit(ctx))

	d, _ = ev.Prepare(ctx, "run", turn)
	fmt.Println(len(d.Fired), d.Held[0].Why)
	// Output:
	// near-full because context_usage > 75%
	// near-full <nil>
	// 0 not armed
}

// Decide is Prepare and Commit in one. With a key, the same turn gives the same decision, to every caller and
// at every call.
func ExampleEvaluator_Decide() {
	ctx := context.Background()
	ev := eval.New(reminders(), eval.Options{})
	turn := eval.Turn{Key: "request-7", Facts: map[string]any{"context_usage": 0.8}}
	for range 2 {
		d, err := ev.Decide(ctx, "run", turn)
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(d.Turn, d.Due[0].Text, d.Again)
	}
	// Output:
	// 1 The context is 80% full. false
	// 1 The context is 80% full. true
}

// Remind fires by name; the error of a wrong name lists the nearest names.
func ExampleEvaluator_Remind() {
	ctx := eval.WithRun(context.Background(), "run")
	ev := eval.New(reminders(), eval.Options{})
	fmt.Println(ev.Names())

	var unknown *eval.UnknownError
	if err := ev.Remind(ctx, "", "run-test"); errors.As(err, &unknown) {
		fmt.Println(err, unknown.Suggestions)
	}
	if err := ev.Remind(ctx, "", "be-brief"); err != nil {
		log.Fatal(err)
	}
	d, err := ev.Decide(ctx, "", eval.Turn{})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(d.Due[0].Text)
	// Output:
	// [be-brief near-full run-tests]
	// there is no reminder "run-test": did you mean run-tests? [run-tests]
	// Short answers are wanted.
}

// Explain gives, for each reminder, the parts of its last turn and its next firing.
func ExampleEvaluator_Explain() {
	ctx := context.Background()
	ev := eval.New(reminders(), eval.Options{})
	if _, err := ev.Decide(ctx, "run", eval.Turn{Facts: map[string]any{"context_usage": 0.8}}); err != nil {
		log.Fatal(err)
	}
	xs, err := ev.Explain(ctx, "run")
	if err != nil {
		log.Fatal(err)
	}
	for _, x := range xs {
		fmt.Printf("%s: %v %s (%s)\n  %s\n", x.ID, x.Fired, x.Trigger.Truth, x.Trigger.Value, x.Next)
	}
	// Output:
	// be-brief: false false (false)
	//   fires only by name
	// near-full: true true (context_usage is 80%)
	//   armed again at context_usage < 60%, now 80%
	// run-tests: false unknown (tool_used is unknown)
	//   fires when after_tool:Edit,Write, but it needs tool_used, which this host has not told
}

// Reload replaces the set while runs go on; a reminder whose trigger is unchanged keeps its state.
func ExampleEvaluator_Reload() {
	ctx := context.Background()
	ev := eval.New(reminders(), eval.Options{})
	turn := eval.Turn{Facts: map[string]any{"context_usage": 0.8}}
	d, _ := ev.Decide(ctx, "run", turn)
	fmt.Println(len(d.Fired))

	set, _ := compile.New([]reminder.Reminder{
		{ID: "near-full", Trigger: "context_usage > 75%", Text: "Another text."},
	}, compile.Options{})
	ev.Reload(set)
	d, _ = ev.Decide(ctx, "run", turn)
	fmt.Println(len(d.Fired), ev.Names())
	// Output:
	// 1
	// 0 [near-full]
}

// An Observer turns events into facts: each event is part of one turn, and lasting values stay.
func ExampleObserver() {
	ev := eval.New(reminders(), eval.Options{})
	obs := ev.Observe("run")
	obs.Thread("plan")
	obs.ToolCall("Edit", nil)
	obs.ToolCall("Bash", errors.New("exit status 1"))
	for range 2 {
		d, err := ev.Decide(context.Background(), "run", obs.Turn())
		if err != nil {
			log.Fatal(err)
		}
		f := d.Facts()
		fmt.Println(f["thread_type"], f["tool_used"], f["last_tool_call_failed"])
	}
	// Output:
	// plan [Edit Bash] true
	// plan [] false
}

// Missed brings back the texts of a request that failed for good.
func ExampleDecision_Missed() {
	ctx := context.Background()
	ev := eval.New(reminders(), eval.Options{})
	d, _ := ev.Decide(ctx, "run", eval.Turn{Facts: map[string]any{"tool_used": []string{"Edit"}}})
	if err := d.Missed(ctx); err != nil {
		log.Fatal(err)
	}
	d, _ = ev.Decide(ctx, "run", eval.Turn{})
	fmt.Println(len(d.Fired), d.Due[0].ID, d.Due[0].Late)
	// Output:
	// 0 run-tests true
}

// WithRun names the run once for a whole call tree.
func ExampleWithRun() {
	ctx := eval.WithRun(context.Background(), "session-1")
	ev := eval.New(reminders(), eval.Options{})
	d, err := ev.Decide(ctx, "", eval.Turn{})
	fmt.Println(eval.RunFrom(ctx), d.Turn, err)
	// Output:
	// session-1 1 <nil>
}

// One context of an Observer serves for all model calls of a run: each is decided by what the Observer knows
// then.
func ExampleObserver_Context() {
	ev := eval.New(reminders(), eval.Options{})
	obs := ev.Observe("session-1")
	ctx := obs.Context(context.Background())
	obs.ToolCall("Edit", nil)
	for range 2 {
		d, err := ev.Decide(ctx, "", eval.Turn{})
		if err != nil {
			log.Fatal(err)
		}
		f := d.Facts()
		fmt.Println(d.Turn, f["tool_used"], f["thread_type"])
		obs.Thread("plan")
	}
	// Output:
	// 1 [Edit] <nil>
	// 2 [] plan
}
