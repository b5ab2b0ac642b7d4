package transport_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/aside-go/aside/compile"
	"github.com/aside-go/aside/compile/reminder"
	"github.com/aside-go/aside/eval"
	"github.com/aside-go/aside/inject/transport"
	"github.com/aside-go/aside/internal/test/modelapi"
	"github.com/aside-go/aside/state"
)

// threadClient is a client of Anthropic's message threads: it sends what is new, and all of the conversation
// where a thread begins.
type threadClient struct {
	w      *world
	model  string
	stream bool
	named  bool
	all    []json.RawMessage
	fresh  []json.RawMessage
	last   string // the id of the last response; "": a thread begins
}

// ask sends a message and what came before, as far as the API has not got it.
func (c *threadClient) ask(say any) (status int) {
	c.w.t.Helper()
	m := raw(map[string]any{"role": "user", "content": say})
	c.all, c.fresh = append(c.all, m), append(c.fresh, m)
	body := map[string]any{"model": c.model, "max_tokens": 9, "stream": c.stream, "messages": c.fresh,
		"thread": map[string]any{"type": "continue", "previous_message_id": c.last}}
	if c.last == "" {
		body["messages"], body["thread"], body["system"] = c.all, map[string]any{"type": "create"}, "You help."
		body["tools"] = []any{map[string]any{"name": "Bash", "input_schema": map[string]any{"type": "object"}}}
	}
	status, _ = c.w.post("/v1/messages?beta=true", string(raw(body)), func(r *http.Request) {
		r.Header.Set("Anthropic-Beta", "message-threads-2026-08-12")
		if c.named {
			r.Header.Set(transport.RunHeader, "run")
		}
	})
	if status != 200 {
		return status
	}
	records := c.w.fake.Records()
	a := records[len(records)-1].Answer
	var content []json.RawMessage
	for _, p := range a.Reply.Parts {
		content = append(content, p.Block())
	}
	c.all = append(c.all, raw(map[string]any{"role": "assistant", "content": content}))
	c.last, c.fresh = "msg_"+a.ID, nil
	return status
}

// TestMessageThreads: in a thread that Anthropic keeps each text goes out once, at its turn, with what is
// known of the calls, whether this process or another has seen the response; and where the client sends the
// whole conversation again, each stands where it stood.
func TestMessageThreads(t *testing.T) {
	t.Parallel()
	result := func(n int) []any {
		return []any{map[string]any{"type": "tool_result", "tool_use_id": fmt.Sprintf("toolu_%024d", n),
			"content": "ok"}}
	}
	call := func(n int, args string) modelapi.Reply {
		return modelapi.Reply{Parts: []modelapi.Part{{Thinking: fmt.Sprint("I call it for time ", n)},
			modelapi.Use(fmt.Sprintf("toolu_%024d", n), "Bash", args)}}
	}
	for _, model := range []string{"claude-haiku-4-5", "claude-opus-5-5"} {
		for _, way := range []string{"one process", "others", "stream", "named"} {
			t.Run(model+" "+way, func(t *testing.T) {
				t.Parallel()
				set, store := rules(t, "first: turn_count == 1", `push: after_tool:Bash(git push*)`,
					"third: turn_count == 3", "calls: tool_calls >= 3"), onDisk{state.NewMemory()}
				w := newWorld(t, set, setting{store: store, fake: modelapi.Options{Script: modelapi.Turns(
					call(1, `{"command":"ls"}`), call(2, `{"command":"git push"}`), call(3, `{"command":"ls"}`),
					modelapi.Say("That is all there is to do here, and it is done as you have asked."),
					modelapi.Say("yes"))}})
				c := &threadClient{w: w, model: model, stream: way == "stream", named: way == "named"}
				want := [][]string{{"first"}, nil, {"push", "third"}, {"calls"}, nil}
				for i, say := range []any{"go", result(1), result(2), result(3), "and on"} {
					if way == "others" {
						w.restart(eval.New(set, eval.Options{Store: store}))
					}
					if i == 4 { // the API has lost the thread
						c.last = ""
					}
					if status := c.ask(say); status != 200 {
						t.Fatalf("turn %d: status %d", i+1, status)
					}
					body, r := w.last()
					var fired []string
					for _, f := range r.Fired {
						fired = append(fired, f.ID)
					}
					slices.Sort(fired)
					held, due := w.texts(), []string{}
					for _, id := range slices.Concat(want[:i+1]...) { // by the API, of all that it has
						due = append(due, strings.ToUpper(id))
					}
					slices.Sort(held)
					slices.Sort(due)
					if r.Turn != i+1 || !slices.Equal(fired, want[i]) || !slices.Equal(held, due) || r.Passed != "" {
						t.Errorf("turn %d of %d: fired %q, want %q; holds %q, want %q: %+v\n%s", r.Turn, i+1, fired, want[i],
							held, due, r, body)
					}
				}
			})
		}
	}
}

// TestThreadPlaces: the prompt of a thread, which the API keeps, is not told again. A text behind words alone
// stands in the thread, and at its place where the client sends the whole conversation again, since the API
// has lost the thread, or the answer has broken off.
func TestThreadPlaces(t *testing.T) {
	t.Parallel()
	set, diags := compile.New([]reminder.Reminder{
		{ID: "start", Trigger: "always", Attach: reminder.RunStart, Text: "START"},
		{ID: "second", Trigger: "turn_count == 2", Text: "SECOND"},
		{ID: "third", Trigger: "turn_count == 3", Text: "THIRD"}}, compile.Options{})
	if len(diags) > 0 {
		t.Fatal(diags)
	}
	thought := func(text string) modelapi.Reply {
		return modelapi.Reply{Parts: []modelapi.Part{{Thinking: "Is it " + text + "?"}, {Text: text}}}
	}
	for _, broken := range []bool{false, true} {
		t.Run(fmt.Sprint("broken ", broken), func(t *testing.T) {
			t.Parallel()
			faults := map[int]modelapi.Fault{}
			if broken {
				faults[3] = modelapi.Fault{Cut: true, After: 3}
			}
			w := newWorld(t, set, setting{fake: modelapi.Options{Faults: faults,
				Script: modelapi.Turns(thought("yes"), thought("no"), thought("perhaps"), thought("so"))}})
			c := &threadClient{w: w, model: "claude-opus-5-5", stream: true}
			for i, want := range [][]string{{"START"}, {"START", "SECOND"}, {"START", "SECOND", "THIRD"},
				{"START", "SECOND", "THIRD"}} {
				all := len(c.all)
				status := c.ask("go on")
				if broken && i == 2 {
					c.all, c.fresh, c.last = c.all[:all], nil, ""
					status = c.ask("go on")
				} else if i == 2 {
					c.last = ""
				}
				if status != 200 {
					t.Fatalf("turn %d: status %d", i+1, status)
				}
				if _, r := w.last(); !slices.Equal(w.texts(), want) || r.Turn != i+1 || len(r.Held) > 0 {
					t.Errorf("turn %d: %q, want %q: %+v", i+1, w.texts(), want, r)
				}
			}
		})
	}
}
