package eval_test

import (
	"bytes"
	"context"
	"testing"

	"github.com/aside-go/aside/compile"
	"github.com/aside-go/aside/compile/fact"
	"github.com/aside-go/aside/eval"
	"github.com/aside-go/aside/state"
)

// written is a store that writes each run and reads it again, as separate processes do. It fails the test if
// a secret is written.
type written struct {
	state.Store
	t      *testing.T
	secret string
}

func (w written) Save(ctx context.Context, run string, prev state.Revision,
	next *state.Snapshot) (state.Revision, error) {
	b := next.Encode()
	if bytes.Contains(b, []byte(w.secret)) {
		w.t.Errorf("the text is stored: %s", b)
	}
	s, err := state.Decode(b)
	if err != nil {
		w.t.Fatal(err)
	}
	return w.Store.Save(ctx, run, prev, s)
}

// TestTold: the truth of a condition on a response stands for the rest of the turn in which the text was
// told, that of one on a prompt until there is another, in other processes too; no text is kept.
func TestTold(t *testing.T) {
	t.Parallel()
	rules := set(t,
		when("unasked", `before_tool:"Bash(git push*)" and not (prompt matches "push")`),
		when("asked", `before_tool:Bash and prompt contains "push"`),
		when("done", `stopping and response contains "done" and not prompt contains "test"`),
		when("late", `compacted and prompt contains "push"`),
		when("mixed", `compacted and prompt contains branch`))
	push := &fact.Call{Tool: "Bash", Class: fact.Shell, Command: "git push -f", Told: true}
	before := eval.Turn{Moment: fact.BeforeTool, Call: push}
	stop := eval.Turn{Moment: fact.Stopping}
	turn := func(f facts) eval.Turn { return eval.Turn{Facts: f} }
	part := func(f facts) eval.Turn { return eval.Turn{Facts: f, More: true} }
	for _, c := range []struct {
		name  string
		turns []eval.Turn
		want  string
	}{
		{"a moment", []eval.Turn{turn(facts{"prompt": "hush, sesame"}), before}, "unasked"},
		{"a moment that it does not hold at", []eval.Turn{turn(facts{"prompt": "push, sesame"}), before}, "asked"},
		{"a moment that tells a text", []eval.Turn{turn(facts{"prompt": "push"}),
			{Moment: fact.BeforeTool, Call: push, Facts: facts{"prompt": "hush"}}}, "unasked"},
		{"unknown", []eval.Turn{turn(facts{}), before}, ""},
		{"two texts in two parts", []eval.Turn{turn(facts{"prompt": "go"}), part(facts{"response": "done, sesame"}),
			stop}, "done"},
		{"a later part", []eval.Turn{turn(facts{"prompt": "push"}), part(facts{"compacted": true})}, "late"},
		{"a later part with another text", []eval.Turn{turn(facts{"prompt": "push"}),
			part(facts{"compacted": true, "prompt": "hush"})}, ""},
		{"the next turn", []eval.Turn{turn(facts{"prompt": "push"}),
			turn(facts{"compacted": true, "prompt": nil})}, ""},
		{"the next turn, then a moment", []eval.Turn{turn(facts{"prompt": "hush"}), turn(facts{"prompt": nil}),
			before}, ""},
		{"the same prompt on later turns", []eval.Turn{turn(facts{"prompt": "push, sesame"}), turn(facts{}),
			turn(facts{"compacted": true})}, "late"},
		{"the same prompt, and no other text", []eval.Turn{turn(facts{"prompt": "go", "response": "done"}),
			turn(facts{}), stop}, ""},
		{"a prompt after all", []eval.Turn{turn(facts{"prompt": "push"}),
			turn(facts{"compacted": true, "prompt": "hush"})}, ""},
		{"another message, whose text is not told", []eval.Turn{turn(facts{"prompt": "push"}),
			turn(facts{"compacted": true, "user_message": true})}, ""},
		{"one in a later part", []eval.Turn{turn(facts{"prompt": "push"}), turn(facts{"compacted": true}),
			part(facts{"user_message": true}), turn(facts{"compacted": true})}, ""},
		{"one told in an earlier part", []eval.Turn{turn(facts{"prompt": "push"}),
			part(facts{"user_message": true}), turn(facts{"compacted": true})}, "late"},
		{"beside another fact", []eval.Turn{turn(facts{"prompt": "to main", "branch": "main"}),
			part(facts{"compacted": true})}, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			store := written{state.NewMemory(), t, "sesame"}
			var d *eval.Decision
			for _, turn := range c.turns {
				d = decide(t, eval.New(rules, eval.Options{Store: store}), turn)
			}
			if got := ids(d.Fired); got != c.want {
				t.Errorf("%q fired, want %q", got, c.want)
			}
			for _, f := range d.Fired {
				if part, ok := d.Part(f.ID); !ok || part.Truth != fact.True {
					t.Errorf("%+v", part)
				}
			}
		})
	}
}

// TestArrivals: a trigger that reads a text fires for each one that it wants.
func TestArrivals(t *testing.T) {
	t.Parallel()
	ev := evaluator(t, when("p", `prompt contains "x"`), when("r", `response contains "x"`))
	obs := ev.Observe("run")
	for i, want := range []string{"p", "r", "", "p r", "p"} {
		if want != "" && want != "r" {
			obs.UserMessage("x")
		}
		if i == 1 || i == 3 {
			obs.ResponseText("x")
		}
		if got := ids(decide(t, ev, obs.Turn()).Fired); got != want {
			t.Errorf("turn %d: %q fired, want %q", i+1, got, want)
		}
	}
}

// TestPatternComesBack: the counts of a call pattern go on while no rule names it, in other processes too.
func TestPatternComesBack(t *testing.T) {
	t.Parallel()
	with := set(t, while("twice", `tool_count("Bash(go test*)") == 2`), while("never", `not used("Bash(rm *)")`))
	without := set(t, while("other", "never"))
	store := written{state.NewMemory(), t, "sesame"}
	bash := func(command string) eval.Turn {
		return eval.Turn{Facts: facts{"calls": []fact.Call{
			{Tool: "Bash", Class: fact.Shell, Command: command, Told: true}}}}
	}
	for _, step := range []struct {
		set     *compile.Set
		command string
		want    string
	}{
		{with, "go test", "never"},
		{without, "go test ./x; echo sesame", ""},
		{with, "ls", "never twice"},
		{without, "rm -r x", ""},
		{with, "ls", "twice"},
	} {
		ev := eval.New(step.set, eval.Options{Store: store})
		d, err := ev.Decide(t.Context(), "run", bash(step.command))
		if err != nil {
			t.Fatal(err)
		}
		if got := ids(d.Fired); got != step.want {
			t.Errorf("after %q: fired %q, want %q", step.command, got, step.want)
		}
	}
}
