package engine_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"strings"

	"github.com/aside-go/aside/compile/fact"
	"github.com/aside-go/aside/compile/reminder"
	"github.com/aside-go/aside/eval"
	"github.com/aside-go/aside/eval/engine"
	"github.com/aside-go/aside/inject"
	"github.com/aside-go/aside/inject/transport"
)

// open opens an engine for an example.
func open(opts engine.Options) *engine.Engine {
	eng, err := engine.Open(context.Background(), opts)
	if err != nil {
		log.Fatal(err)
	}
	return eng
}

// turn sends a conversation to a model that answers the same each time, and returns it with the answer.
func turn(ctx context.Context, eng *engine.Engine, history ...inject.Message) []inject.Message {
	c := eng.Transport().Copy(ctx, transport.Request{Model: "m", Messages: history})
	c.Done(transport.Response{})
	last := c.Messages[len(c.Messages)-1]
	fmt.Println(last.Role+":", last.Text+plain(last.Blocks))
	return append(history, inject.Message{Role: "assistant", Text: "Yes."})
}

// plain returns the texts of blocks, with reminders in brackets.
func plain(blocks []inject.Block) string {
	var texts []string
	for _, b := range blocks {
		if _, ours, found := strings.Cut(b.Text, ">\n"); found {
			b.Text = "[" + strings.TrimSuffix(ours, "\n</system-reminder>") + "]"
		}
		texts = append(texts, b.Text)
	}
	return strings.Join(texts, " ")
}

// user is a message of a person.
func user(text string) inject.Message { return inject.Message{Role: "user", Text: text} }

// A manager of reminders within an agent: they are registered and replaced in code, with schedules, triggers
// and functions of Go, and go into a copy of the messages.
func ExampleEngine_Register() {
	eng, ctx := open(engine.Options{Dirs: nil}), context.Background()
	defer eng.Close()
	deploying := false
	for _, err := range []error{
		eng.Register(reminder.Reminder{ID: "time", Trigger: "every 2 turns", Text: "Turn {{.turn_count}}."}),
		eng.Register(reminder.Reminder{ID: "edit", Trigger: "after_tool:Edit,Write", Text: "Test it."}),
		eng.Register(reminder.Reminder{ID: "edit", Trigger: "after_tool:Edit", MaxFires: 1, Text: "Test."}),
		eng.RegisterFunc(reminder.Reminder{ID: "deploy", Priority: 9, Text: "A deployment is under way."},
			func(context.Context, *engine.Run) bool { return deploying }),
	} {
		if err != nil {
			log.Fatal(err)
		}
	}
	run := eng.Run("session-1")
	ctx = run.Context(ctx)
	history := turn(ctx, eng, user("Rename it."))
	run.Observer().ToolCall("Edit", nil)
	deploying = true
	history = turn(ctx, eng, append(history, user("Go on."))...)
	if err := eng.Unregister("deploy"); err != nil {
		log.Fatal(err)
	}
	turn(ctx, eng, append(history, user("And now?"))...)
	// Output:
	// user: Rename it.
	// user: Go on. [Test.] [Turn 2.] [A deployment is under way.]
	// user: And now?
}

// Reminders of one run, with tiers and limits: kept in the state of the run, replaced with their counts,
// removed.
func ExampleEngine_Evaluator() {
	eng := open(engine.Options{Eval: eval.Options{Order: reminder.ByTier}})
	defer eng.Close()
	ev, ctx := eng.Evaluator(), eng.Run("session-1").Context(context.Background())
	for _, r := range []reminder.Reminder{
		{ID: "style", Mode: reminder.While, MaxFires: 2, Cooldown: reminder.Span{Turns: 2}, Text: "Be brief."},
		{ID: "keys", Mode: reminder.While, Tier: reminder.Safety, Text: "Never print keys."},
		{ID: "keys", Mode: reminder.While, Tier: reminder.Safety, Text: "Print no keys."}, // replaces
	} {
		if _, err := ev.Add(ctx, "", r); err != nil {
			log.Fatal(err)
		}
	}
	history := turn(ctx, eng, user("Hello."))
	history = turn(ctx, eng, append(history, user("Go on."))...)
	if err := ev.Remove(ctx, "", "keys"); err != nil {
		log.Fatal(err)
	}
	turn(ctx, eng, append(history, user("And?"))...)
	fmt.Println(ev.Forget(ctx, ""))
	// Output:
	// user: Hello. [Print no keys.] [Be brief.]
	// user: Go on. [Print no keys.]
	// user: And? [Be brief.]
	// <nil>
}

// The state goes with the context: whoever has it sets facts, fires by hand, asks for the names, and why.
func ExampleFrom() {
	dir := directory(map[string]string{
		"full": "---\nwhen: context_usage > 75%\nrearm: context_usage < 60%\n---\nThe context is full.\n",
		"hand": "---\nwhen: manual\n---\nBy hand.\n",
		"long": "---\nwhen: last_response_tokens > 4k or last_tool_call_failed\n---\nShorter, please.\n",
	})
	defer os.RemoveAll(dir)
	eng := open(engine.Options{Dirs: []string{dir}})
	defer eng.Close()
	tool := func(ctx context.Context) { // somewhere below
		run := engine.From(ctx)
		run.Observer().Model("vendor", "m", 200_000)
		run.Observer().Response(eval.Usage{ContextTokens: 160_000, ResponseTokens: 300, Known: true})
		if err := run.Remind(ctx, "hand"); err != nil {
			log.Fatal(err)
		}
	}
	ctx := eng.Run("session-1").Context(context.Background())
	history := turn(ctx, eng, user("Hello."))
	tool(ctx)
	turn(ctx, eng, append(history, user("Go on."))...)
	why, err := engine.From(ctx).Why(ctx)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(eng.Evaluator().Names(), why[0].ID, why[0].Fired, why[0].Trigger.Value)
	// Output:
	// user: Hello.
	// user: Go on. [The context is full.] [By hand.]
	// [full hand long] full true context_usage is 80%
}

// A chat shows each reminder as a grey block beside the message that it went out with, also after a restart;
// what it stores has none. Only messages of a person get one, by the type of the thread.
func ExampleRun_Transcript() {
	dir := directory(map[string]string{
		"plan":  "---\nwhile: user_message and thread:plan\n---\nChange no files.\n",
		"learn": "---\nwhile: user_message and thread:learning\n---\nExplain each step.\n",
	})
	state := directory(nil)
	defer os.RemoveAll(dir)
	defer os.RemoveAll(state)
	var history []inject.Message
	for _, thread := range []string{"plan", "learning"} { // a process each
		eng := open(engine.Options{Dirs: []string{dir}, State: state})
		run := eng.Run("chat-1")
		run.Thread(thread)
		history = turn(run.Context(context.Background()), eng, append(history, user("A question."))...)
		eng.Close()
	}
	eng := open(engine.Options{Dirs: []string{dir}, State: state})
	defer eng.Close()
	segments, err := eng.Run("chat-1").Transcript(context.Background(), history)
	if err != nil {
		log.Fatal(err)
	}
	for _, s := range segments {
		if s.Reminder {
			fmt.Println("  grey:", s.Body(), "because", s.Why)
			continue
		}
		fmt.Println(s.Role+":", s.Text)
	}
	// Output:
	// user: A question. [Change no files.]
	// user: A question. [Explain each step.]
	// user: A question.
	//   grey: Change no files. because user_message and thread:plan
	// assistant: Yes.
	// user: A question.
	//   grey: Explain each step. because user_message and thread:learning
	// assistant: Yes.
}

// A fact of one's own that a function of Go computes, when a rule asks for it.
func ExampleOpen_facts() {
	open := 3
	facts := []fact.Fact{{Name: "vars.open_tasks", Type: fact.Int,
		Compute: func(_ context.Context, run string) (any, error) { return open, nil }}}
	eng, err := engine.Open(context.Background(), engine.Options{Facts: facts})
	if err != nil {
		log.Fatal(err)
	}
	defer eng.Close()
	if err := eng.Register(reminder.Reminder{ID: "tasks", Trigger: "vars.open_tasks > 2",
		Text: "{{.vars.open_tasks}} tasks are open."}); err != nil {
		log.Fatal(err)
	}
	turn(eng.Run("session-1").Context(context.Background()), eng, user("Done?"))
	// Output:
	// user: Done? [3 tasks are open.]
}
