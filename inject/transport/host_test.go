package transport_test

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/aside-go/aside/compile"
	"github.com/aside-go/aside/compile/fact"
	"github.com/aside-go/aside/compile/reminder"
	"github.com/aside-go/aside/eval"
	"github.com/aside-go/aside/inject/transport"
)

// hostRules mention facts that no request tells.
func hostRules(t *testing.T) *compile.Set {
	t.Helper()
	schema, err := fact.NewSchema(fact.Fact{Name: "vars.green", Type: fact.Bool},
		fact.Fact{Name: "vars.load", Type: fact.Number})
	if err != nil {
		t.Fatal(err)
	}
	set, diags := compile.New([]reminder.Reminder{
		{ID: "a-person", Trigger: "user_message", Mode: reminder.While, Text: "PERSON"},
		{ID: "edit", Trigger: "after_tool:Edit(src/*)", Text: "EDIT"},
		{ID: "failed", Trigger: "last_tool_call_failed", Text: "FAILED"},
		{ID: "load", Trigger: "vars.load > 3", Text: "LOAD"},
		{ID: "plan", Trigger: "thread_type == plan", Text: "PLAN"},
		{ID: "red", Trigger: "vars.green == false", Text: "RED"},
	}, compile.Options{Schema: schema})
	if len(diags) > 0 {
		t.Fatal(diags)
	}
	return set
}

// TestHostFacts: what the host knows goes over what the request tells, and what it does not know leaves the
// request's word; the report says which facts nobody told.
func TestHostFacts(t *testing.T) {
	t.Parallel()
	w := newWorld(t, hostRules(t), setting{})
	obs := w.ev.Observe("mine")
	ctx := eval.WithRun(context.Background(), "mine")
	c := chat{}.user("go")
	step := func(name string, ctx context.Context, fired, untold string) {
		t.Helper()
		w.post(messages, c.of(plainly), func(r *http.Request) { *r = *r.WithContext(ctx) })
		_, r := w.last()
		var ids []string
		for _, f := range r.Fired {
			ids = append(ids, f.ID)
		}
		if r.Run != "mine" || r.Passed != "" || strings.Join(ids, " ") != fired ||
			strings.Join(r.Untold, " ") != untold {
			t.Errorf("%s: run %q fired %q, untold %q, passed %q (%s)", name, r.Run, ids, r.Untold, r.Passed, r.Why)
		}
	}
	step("the request alone", ctx, "a-person", "thread_type vars.green vars.load")
	step("the same request again", ctx, "", "")

	// The request tells the call and its path, the host that it failed.
	c = c.uses("toolu_0000000000000001", "Edit")
	c[1] = json.RawMessage(strings.Replace(string(c[1]), `"input":{}`, `"input":{"file_path":"src/a.go"}`, 1))
	obs.ToolCall("Edit", errors.New("tests are red"))
	obs.Thread("plan")
	if err := obs.Set("green", false); err != nil {
		t.Fatal(err)
	}
	called := eval.WithTurn(ctx, obs.Turn())
	step("an Observer", called, "edit failed plan red", "vars.load")

	// The prompt stands in the request, and the Observer was told of no message: the request's word stands.
	c = c.says("done").user("more")
	step("no message told", eval.WithTurn(ctx, obs.Turn()), "a-person", "vars.load")

	// From the first message on that is told, what is not told has not been.
	obs.UserMessage("yes")
	c = c.says("done").user("yes")
	step("a message told", eval.WithTurn(ctx, obs.Turn()), "a-person", "vars.load")
	c = c.says("done").user("a note of the host's own")
	step("none but the host's own", eval.WithTurn(ctx, obs.Turn()), "", "vars.load")

	c = c.says("done").user("and again")
	step("facts without an Observer", eval.WithTurn(ctx, eval.Turn{Facts: map[string]any{"vars.load": 4}}),
		"a-person load", "thread_type vars.green")

	// Other calls than the request's: nothing of the request's calls is believed.
	c = c.uses("toolu_0000000000000002", "Edit")
	c[len(c)-2] = json.RawMessage(strings.Replace(string(c[len(c)-2]), `"input":{}`,
		`"input":{"file_path":"src/b.go"}`, 1))
	step("other calls", eval.WithTurn(ctx, eval.Turn{Facts: map[string]any{"tool_used": []string{"Read"}}}), "",
		"last_tool_call_failed thread_type vars.green vars.load")

	if refused := w.fake.Refused(); len(refused) > 0 {
		t.Error(refused)
	}
}

// TestHostRun: the run of the context is behind Options.Run and the header.
func TestHostRun(t *testing.T) {
	t.Parallel()
	w := newWorld(t, rules(t, "a: user_message"), setting{})
	ctx := eval.WithRun(context.Background(), "context")
	w.post(messages, chat{}.user("go").of(plainly), func(r *http.Request) { *r = *r.WithContext(ctx) })
	_, first := w.last()
	w.post(messages, chat{}.user("go").of(plainly), func(r *http.Request) {
		*r = *r.WithContext(ctx)
		r.Header.Set("X-Aside-Run", "header")
	})
	_, second := w.last()
	if got := []string{first.Run, second.Run}; !slices.Equal(got, []string{"context", "header"}) {
		t.Errorf("runs %q", got)
	}
	if why, err := w.ev.Explain(context.Background(), "context"); err != nil || len(why) != 1 {
		t.Error(why, err)
	}
}

// TestAddedToRun: a reminder that was added to the run works like one of the set, although that is empty or
// reads less of the requests; "/remind NAME" knows it.
func TestAddedToRun(t *testing.T) {
	t.Parallel()
	for _, set := range []*compile.Set{nil, rules(t, "quiet: never")} {
		w := newWorld(t, set, setting{Options: transport.Options{Commands: true}})
		add := func(id, trigger string) {
			t.Helper()
			diags, err := w.ev.Add(t.Context(), "mine", reminder.Reminder{ID: id, Trigger: trigger,
				Text: strings.ToUpper(id)})
			if len(diags) > 0 || err != nil {
				t.Fatal(diags, err)
			}
		}
		post := func(c chat) {
			w.post(messages, c.of(plainly), func(r *http.Request) {
				*r = *r.WithContext(eval.WithRun(r.Context(), "mine"))
			})
		}
		add("push", "after_tool:Bash(git push*)")
		add("hand", "manual")
		c := chat{}.user("go")
		post(c)
		c = c.ran("toolu_0000000000000001", "git push", "ok FAIL")
		post(c)
		add("fail", `output contains "FAIL"`)
		c = c.ran("toolu_0000000000000002", "make", "ok FAIL")
		post(c)
		c = c.says("done").user("/remind hand")
		post(c)
		c = c.says("done").user("/remind hound")
		post(c)
		if want := []string{"push", "fail", "hand"}; !slices.Equal(w.fired(), want) {
			t.Errorf("fired %q, want %q", w.fired(), want)
		}
		if _, r := w.last(); r.Unknown != "hound" || r.Passed != "" || r.Repeat != 3 {
			t.Errorf("%+v", r)
		}
	}
}
