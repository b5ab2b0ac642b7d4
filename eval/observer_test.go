package eval_test

import (
	"errors"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/aside-go/aside/compile/fact"
	"github.com/aside-go/aside/eval"
)

// TestObserver holds which facts follow from which events.
func TestObserver(t *testing.T) {
	t.Parallel()
	base := func(more facts) facts {
		f := facts{"user_message": false, "compacted": false, "resumed": false,
			"tool_used": []string{}, "last_tool_call_failed": false, fact.FailedTools: []string{}}
		for k, v := range more {
			if f[k] = v; v == nil {
				delete(f, k)
			}
		}
		return f
	}
	boom := errors.New("boom")
	for _, c := range []struct {
		name  string
		steps []func(o *eval.Observer)
		want  facts // of the last step
	}{
		{"nothing happened", []func(*eval.Observer){func(*eval.Observer) {}}, base(nil)},
		{"a message of a person", []func(*eval.Observer){func(o *eval.Observer) { o.UserMessage("hi") }},
			base(facts{"user_message": true, "prompt": "hi"})},
		{"the prompt stays, the event does not", []func(*eval.Observer){
			func(o *eval.Observer) { o.UserMessage("hi") }, func(*eval.Observer) {}},
			base(facts{"prompt": "hi"})},
		{"tools in the order of the batch", []func(*eval.Observer){func(o *eval.Observer) {
			o.ToolCall("Edit", nil)
			o.ToolCall("Bash", boom)
			o.ToolCall("Edit", nil)
		}}, base(facts{"tool_used": []string{"Edit", "Bash",
			"Edit"}, "last_tool_call_failed": true, fact.FailedTools: []string{"Bash"}})},
		{"tools are told once", []func(*eval.Observer){
			func(o *eval.Observer) { o.ToolCall("Edit", boom) }, func(*eval.Observer) {}}, base(nil)},
		{"a response with usage", []func(*eval.Observer){func(o *eval.Observer) {
			o.Model("acme", "big", 200)
			o.Response(eval.Usage{ContextTokens: 50, ResponseTokens: 7, Known: true})
			o.ResponseText("done")
		}}, base(facts{"context_tokens": int64(50), "context_window": int64(200), "last_response_tokens": int64(7),
			"provider": "acme", "model": "big", "response": "done"})},
		{"output is told once, the context stays", []func(*eval.Observer){
			func(o *eval.Observer) { o.Response(eval.Usage{ContextTokens: 50, ResponseTokens: 7, Known: true}) },
			func(*eval.Observer) {}},
			base(facts{"context_tokens": int64(50)})},
		{"a response without usage", []func(*eval.Observer){
			func(o *eval.Observer) { o.Response(eval.Usage{ContextTokens: 50, ResponseTokens: 7, Known: true}) },
			func(o *eval.Observer) { o.Response(eval.Usage{}) }}, base(nil)},
		{"a response without text makes the text unknown", []func(*eval.Observer){
			func(o *eval.Observer) { o.Response(eval.Usage{}); o.ResponseText("one") },
			func(o *eval.Observer) { o.Response(eval.Usage{}) }}, base(nil)},
		{"a turn without a response has the text of none", []func(*eval.Observer){
			func(o *eval.Observer) { o.Response(eval.Usage{}); o.ResponseText("one") },
			func(o *eval.Observer) {}}, base(nil)},
		{"the text may come first", []func(*eval.Observer){
			func(o *eval.Observer) { o.ResponseText(""); o.Response(eval.Usage{}) }}, base(facts{"response": ""})},
		{"compaction makes the context unknown", []func(*eval.Observer){
			func(o *eval.Observer) { o.Response(eval.Usage{ContextTokens: 50, Known: true}) },
			func(o *eval.Observer) { o.Compacted() }}, base(facts{"compacted": true})},
		{"until it is reported again", []func(*eval.Observer){
			func(o *eval.Observer) { o.Compacted() },
			func(o *eval.Observer) { o.Response(eval.Usage{ContextTokens: 9, ResponseTokens: 1, Known: true}) }},
			base(facts{"context_tokens": int64(9), "last_response_tokens": int64(1)})},
		{"or known at once", []func(*eval.Observer){
			func(o *eval.Observer) { o.Compacted(); o.ContextTokens(12) }}, base(facts{"compacted": true,
			"context_tokens": int64(12)})},
		{"a window that is not known", []func(*eval.Observer){
			func(o *eval.Observer) { o.Model("", "big", 100) },
			func(o *eval.Observer) { o.Model("", "small", 0) }}, base(facts{"model": "small"})},
		{"thread and message count", []func(*eval.Observer){
			func(o *eval.Observer) { o.Thread("plan"); _ = o.Set("message_count", 4) },
			func(o *eval.Observer) { _ = o.Set("message_count", 6) },
			func(*eval.Observer) {}}, base(facts{"thread_type": "plan", "message_count": int64(6)})},
		{"messages", []func(*eval.Observer){func(o *eval.Observer) { _ = o.Set("message_count", 6) }},
			base(facts{"message_count": int64(6)})},
		{"resumed: the step before is not known", []func(*eval.Observer){func(o *eval.Observer) { o.Resumed() }},
			base(facts{"resumed": true, "tool_used": nil, "last_tool_call_failed": nil, fact.FailedTools: nil})},
		{"a call without an outcome", []func(*eval.Observer){func(o *eval.Observer) {
			o.ToolCall("Edit", eval.ErrNoOutcome)
		}}, base(facts{"tool_used": []string{"Edit"}, "last_tool_call_failed": nil, fact.FailedTools: nil})},
		{"another call failed", []func(*eval.Observer){func(o *eval.Observer) {
			o.ToolCall("Edit", eval.ErrNoOutcome)
			o.ToolCall("Bash", boom)
		}}, base(facts{"tool_used": []string{"Edit", "Bash"}, "last_tool_call_failed": true,
			fact.FailedTools: []string{"Bash"}})},
		{"resumed, then a response",
			[]func(*eval.Observer){func(o *eval.Observer) { o.Resumed(); o.Response(eval.Usage{}) }},
			base(facts{"resumed": true})},
		{"a var stays until it is told again", []func(*eval.Observer){
			func(o *eval.Observer) {
				if err := errors.Join(o.Set("todos", 3), o.Set("vars.mood", "good")); err != nil {
					t.Error(err)
				}
			},
			func(o *eval.Observer) {
				if err := o.Set("mood", nil); err != nil {
					t.Error(err)
				}
			}}, base(facts{"vars.todos": int64(3)})},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			ev := evaluator(t, when("r", "never"))
			obs := ev.Observe("run")
			var turn eval.Turn
			for _, s := range c.steps {
				s(obs)
				turn = obs.Turn()
			}
			turn.Fill = func(f *fact.Frame) {
				got := facts{}
				for id := range fact.ID(f.Schema().Len()) {
					if f.Known(id) {
						got[f.Schema().Fact(id).Name] = f.Value(id)
					}
				}
				if failed, known := f.Failed(); known {
					got[fact.FailedTools] = failed
				}
				if d := cmp.Diff(c.want, got, cmpopts.EquateEmpty()); d != "" {
					t.Error(d)
				}
			}
			decide(t, ev, turn) // which calls Fill
		})
	}
}

// TestObserverTellsAll: after events of every kind, each built-in fact is known: an event tells it, or the
// run counts it.
func TestObserverTellsAll(t *testing.T) {
	t.Parallel()
	ev := evaluator(t, when("r", "identical_calls > 1000"))
	obs := ev.Observe("run")
	known := facts{}
	for range 2 {
		obs.UserMessage("hi")
		obs.Call(fact.Call{Tool: "Bash", Class: fact.Shell, Command: "ls", Told: true, Output: "x",
			OutputTold: true, Failed: fact.True})
		obs.Call(fact.Call{Tool: "Edit", Class: fact.Edit, Paths: []string{"a.go"}, Told: true,
			WrittenTold: true, OutputTold: true})
		obs.Compacted()
		obs.Resumed()
		obs.Model("acme", "big", 200)
		obs.Response(eval.Usage{ContextTokens: 50, ResponseTokens: 7, Known: true})
		obs.ResponseText("done")
		obs.Thread("plan")
		own := facts{"cwd": "/srv", "branch": "main", "cost": 0.25, "mode": "plan", "message_count": 4}
		for name, v := range own {
			if err := obs.Set(name, v); err != nil {
				t.Error(err)
			}
		}
		known = decide(t, ev, obs.Turn()).Facts()
	}
	for _, name := range fact.Builtin().Names() {
		if _, ok := known[name]; !ok {
			t.Errorf("no event tells %s, and the run does not count it", name)
		}
	}
}

func TestObserverVars(t *testing.T) {
	t.Parallel()
	ev := evaluator(t, while("r", "vars.todos > 2"))
	obs := ev.Observe("run")
	var fe *eval.FactError
	if err := obs.Set("todo", 1); !errors.As(err, &fe) || len(fe.Suggestions) == 0 ||
		fe.Suggestions[0] != "vars.todos" {
		t.Errorf("%v", err)
	}
	if err := obs.Set("todos", "many"); !errors.As(err, &fe) {
		t.Errorf("%v", err)
	}
	if err := obs.Set("todos", 3); err != nil {
		t.Fatal(err)
	}
	if d := decide(t, ev, obs.Turn()); ids(d.Fired) != "r" {
		t.Errorf("fired %s", ids(d.Fired))
	}
	ev.Reload(nil) // nothing is declared any more
	if d := decide(t, ev, obs.Turn()); d.Facts()["vars.todos"] != nil {
		t.Error("a var that is gone is handed over")
	}
}

// TestObserverUsage holds that usage follows from tokens and window alone.
func TestObserverUsage(t *testing.T) {
	t.Parallel()
	ev := evaluator(t, when("r", "context_usage > 50%"))
	obs := ev.Observe("run")
	obs.Response(eval.Usage{ContextTokens: 90, Known: true})
	if d := decide(t, ev, obs.Turn()); d.Facts()["context_usage"] != nil {
		t.Error("usage without a window")
	}
	obs.Model("", "", 100)
	if d := decide(t, ev, obs.Turn()); d.Facts()["context_usage"] != 0.9 || ids(d.Fired) != "r" {
		t.Errorf("%v", d.Facts())
	}
}

func TestObserverShared(t *testing.T) {
	t.Parallel()
	obs := evaluator(t, when("r", "never")).Observe("run")
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for range 100 {
				obs.UserMessage("x")
				obs.ToolCall("Edit", nil)
				obs.Response(eval.Usage{Known: true})
				obs.ResponseText("x")
				obs.Model("a", "b", 1)
				obs.Compacted()
				_ = obs.Set("todos", 1)
				obs.Turn()
			}
		})
	}
	wg.Wait()
}
