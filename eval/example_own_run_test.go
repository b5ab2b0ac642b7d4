package eval_test

import (
	"context"
	"fmt"
	"log"
	"strings"

	"github.com/aside-go/aside/compile"
	"github.com/aside-go/aside/compile/fact"
	"github.com/aside-go/aside/compile/reminder"
	"github.com/aside-go/aside/eval"
)

// A condition over the messages of a run is a computed fact: a Go function that is asked at most once a turn,
// and only where a rule reads the fact. Rules come and go while the run goes on.
func Example_conditionOverMessages() {
	ctx := context.Background()
	history := map[string][]string{} // the host's own messages, by run
	schema, err := fact.NewSchema(fact.Fact{Name: "vars.apologies", Type: fact.Int,
		Compute: func(_ context.Context, run string) (any, error) {
			return strings.Count(strings.Join(history[run], "\n"), "sorry"), nil
		}})
	if err != nil {
		log.Fatal(err)
	}
	set, diags := compile.New([]reminder.Reminder{{ID: "no-apologies", Trigger: "vars.apologies >= 2",
		Text: "You have apologised {{.vars.apologies}} times. Go on with the work."}},
		compile.Options{Schema: schema})
	if diags.HasErrors() {
		log.Fatal(diags)
	}
	ev := eval.New(set, eval.Options{})
	turn := func(said string) {
		history["run"] = append(history["run"], said)
		d, err := ev.Decide(ctx, "run", eval.Turn{})
		if err != nil {
			log.Fatal(err)
		}
		for _, f := range d.Fired {
			fmt.Printf("%d %s: %s\n", d.Turn, f.ID, f.Text)
		}
	}

	turn("I am sorry.")
	diags, err = ev.Add(ctx, "run", reminder.Reminder{ID: "more", Trigger: "vars.apologies >= 3",
		Text: "Stop it."})
	if err != nil || diags.HasErrors() {
		log.Fatal(diags, err)
	}
	turn("So sorry, really.")
	turn("Sorry! I am sorry.")
	if err := ev.Remove(ctx, "run", "more"); err != nil {
		log.Fatal(err)
	}
	turn("sorry")

	diags, err = ev.Add(ctx, "run", reminder.Reminder{ID: "typo", Trigger: "vars.apologie > 3", Text: "x"})
	fmt.Println(diags[0].Message, err)
	// Output:
	// 2 no-apologies: You have apologised 2 times. Go on with the work.
	// 3 more: Stop it.
	// reminder "typo": the fact "vars.apologie" is not declared <nil>
}

// A reminder of one run stands beside those of the set. To replace it changes its text and its trigger, and
// keeps what the run has counted: it has fired twice already, and max_fires allows three.
func Example_runScopedReminder() {
	ctx := context.Background()
	ev := eval.New(reminders(), eval.Options{})
	add := func(text string) {
		diags, err := ev.Add(ctx, "run", reminder.Reminder{ID: "deploy", Mode: reminder.While,
			Trigger: "always", MaxFires: 3, Text: text})
		if err != nil || diags.HasErrors() {
			log.Fatal(diags, err)
		}
	}
	turn := func(run string) {
		d, err := ev.Decide(ctx, run, eval.Turn{})
		if err != nil {
			log.Fatal(err)
		}
		for _, f := range d.Fired {
			fmt.Println(run, d.Turn, f.Text)
		}
	}

	add("Deploy to staging.")
	turn("run")
	turn("run")
	turn("other") // knows nothing of it
	add("Deploy to production.")
	turn("run")
	turn("run")
	// Output:
	// run 1 Deploy to staging.
	// run 2 Deploy to staging.
	// run 3 Deploy to production.
}

// A firing by hand that returns its text at once, as a tool does that the model calls. The run and the facts
// come with the context.
func ExampleEvaluator_Fire() {
	set, diags := compile.New([]reminder.Reminder{{ID: "style", Trigger: "manual",
		Text: "On branch {{.branch}}, follow STYLE.md. The context is {{.context_usage | percent}} full."}},
		compile.Options{})
	if diags.HasErrors() {
		log.Fatal(diags)
	}
	ev := eval.New(set, eval.Options{})
	ctx := eval.WithRun(context.Background(), "session-1")
	if _, err := ev.Decide(ctx, "", eval.Turn{Facts: map[string]any{"context_usage": 0.3}}); err != nil {
		log.Fatal(err)
	}

	tool := func(ctx context.Context, name string) string { // it knows neither the run nor its state
		due, err := ev.Fire(ctx, "", name)
		if err != nil {
			return err.Error()
		}
		return due.Text
	}
	fmt.Println(tool(eval.WithTurn(ctx, eval.Turn{Facts: map[string]any{"branch": "main"}}), "style"))
	fmt.Println(tool(ctx, "stile"))
	// Output:
	// On branch main, follow STYLE.md. The context is 30% full.
	// there is no reminder "stile": did you mean style?
}

// Decided is told each turn, whoever prepares it: for metrics, traces, and a view of what fired and why.
func ExampleOptions() {
	fires := map[string]int{} // a metric; several runs at once would need a lock
	ev := eval.New(reminders(), eval.Options{Decided: func(_ context.Context, run string, d *eval.Decision) {
		for _, f := range d.Fired {
			fires[f.ID]++
			fmt.Printf("%s, turn %d: %s (%s): %s\n", run, d.Turn, f.ID, d.Why(f.ID), f.Text)
		}
		for _, h := range d.Held {
			fmt.Printf("%s, turn %d: %s is held: %s\n", run, d.Turn, h.ID, h.Why)
		}
	}})
	for _, usage := range []float64{0.5, 0.8, 0.9} {
		_, err := ev.Decide(context.Background(), "run", eval.Turn{Facts: map[string]any{"context_usage": usage}})
		if err != nil {
			log.Fatal(err)
		}
	}
	fmt.Println(fires)
	// Output:
	// run, turn 2: near-full (context_usage > 75%): The context is 80% full.
	// run, turn 3: near-full is held: not armed
	// map[near-full:1]
}
