package transport_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/aside-go/aside/compile"
	"github.com/aside-go/aside/compile/reminder"
	"github.com/aside-go/aside/eval"
	"github.com/aside-go/aside/inject/transport"
	"github.com/aside-go/aside/internal/test/modelapi"
	"github.com/aside-go/aside/internal/test/testkit"
	"github.com/aside-go/aside/state"
)

// The ways in which a client of OpenAI Responses may tell a conversation.
const (
	inFull         = "in full"
	byReference    = "references to reasoning and messages" // as the AI SDK does
	byReferences   = "references to all items"
	byResponse     = "previous_response_id"
	inConversation = "conversation"
)

// keptClient is a client of OpenAI Responses that tells a session in one of the ways.
type keptClient struct {
	w      *world
	way    string
	stream bool
	named  bool
	input  []json.RawMessage // all items so far, as the way has them
	fresh  []json.RawMessage // those since the last response
	last   string            // the id of that
}

// ask says items and returns those of the response.
func (c *keptClient) ask(items ...map[string]any) (output []map[string]any) {
	c.w.t.Helper()
	for _, i := range items {
		c.input, c.fresh = append(c.input, raw(i)), append(c.fresh, raw(i))
	}
	body := map[string]any{"model": "gpt-5.6", "input": c.input, "stream": c.stream,
		"tools": []any{map[string]any{"type": "function", "name": "Bash", "parameters": map[string]any{}}}}
	switch c.way {
	case inFull:
		body["store"] = false
	case byResponse:
		if body["input"] = c.fresh; c.last != "" {
			body["previous_response_id"] = c.last
		}
	case inConversation:
		body["input"], body["conversation"] = c.fresh, "conv_1"
	}
	status, got := c.w.post("/v1/responses", string(raw(body)), func(r *http.Request) {
		if c.named {
			r.Header.Set(transport.RunHeader, "run")
		}
	})
	if status != 200 {
		c.w.t.Fatalf("%s: status %d: %s", c.way, status, got)
	}
	var response struct {
		ID     string
		Output []map[string]any
	}
	if c.stream {
		for line := range strings.Lines(got) {
			if data, ok := strings.CutPrefix(line, "data: "); ok && strings.Contains(data, "response.completed") {
				var e struct{ Response json.RawMessage }
				_ = json.Unmarshal([]byte(data), &e)
				got = string(e.Response)
			}
		}
	}
	if err := json.Unmarshal([]byte(got), &response); err != nil || response.ID == "" {
		c.w.t.Fatalf("%v: %s", err, got)
	}
	c.last, c.fresh = response.ID, nil
	for _, item := range response.Output {
		if kind := item["type"]; c.way == byReferences || c.way == byReference && kind != "function_call" {
			c.input = append(c.input, raw(map[string]any{"type": "item_reference", "id": item["id"]}))
		} else {
			c.input = append(c.input, raw(item))
		}
	}
	return response.Output
}

// keptRules ask in all ways which tools were called, with what, and how the calls ended. On the first turn of
// a conversation that the server keeps it is not known that there were no calls before, so no rule asks then.
var keptRules = []string{
	"edit: after_tool:Edit", "push: after_tool:Bash(git push*)", "failed: tool_failed:Bash",
	`count: tool_count("Bash(git *)") >= 3`, `used: used("Read") and not used("Edit")`,
	`since: turn_count > 1 and called_since("Bash(go test*)", "@edit")`, `output: output contains "FAIL"`,
	"calls: tool_calls > 4",
	"many: tool_used == Read and tool_used == " +
		"Bash", `quiet: turn_count > 1 and user_message and not used("Bash")`,
	"prompt: prompt == again",
}

// keptSession draws what the model answers and what persons and tools say to it.
type keptSession struct {
	replies []modelapi.Reply
	prompts []string
	outputs map[string]map[string]any // by the id of the call
}

func drawKept(t *rapid.T) (s keptSession) {
	s.outputs = map[string]map[string]any{}
	for turn := range rapid.IntRange(2, 4).Draw(t, "prompts") {
		s.prompts = append(s.prompts, rapid.SampledFrom([]string{"go on", "again", "again"}).Draw(t, "prompt"))
		for round := range rapid.IntRange(0, 3).Draw(t, "rounds") {
			var r modelapi.Reply
			if rapid.Bool().Draw(t, "thinks") {
				r.Parts = append(r.Parts, modelapi.Part{Thinking: "hm"})
			}
			if rapid.IntRange(0, 3).Draw(t, "speaks") == 0 {
				r.Parts = append(r.Parts, modelapi.Part{Text: "Let me see."})
			}
			for n := range rapid.IntRange(1, 3).Draw(t, "calls") {
				id := fmt.Sprintf("call_%024d", 100*turn+10*round+n)
				call := rapid.SampledFrom([][2]string{{"Bash", `{"command":"git push -f"}`},
					{"Bash", `{"command":"go test ./..."}`}, {"Edit", `{"file_path":"a.go"}`},
					{"Read", `{"file_path":"a.go"}`}, {"Bash", `{"command":"git status"}`}}).Draw(t, "call")
				r.Parts = append(r.Parts, modelapi.Use(id, call[0], call[1]))
				s.outputs[id] = map[string]any{"type": "function_call_output", "call_id": id, "output": rapid.SampledFrom(
					[]string{"ok", "FAIL x", "ok"}).Draw(t, "output")}
				if rapid.IntRange(0, 3).Draw(t, "fails") == 0 {
					s.outputs[id]["status"] = "failed"
				}
			}
			s.replies = append(s.replies, r)
		}
		s.replies = append(s.replies, modelapi.Say(fmt.Sprintf("Done %d.", turn)))
	}
	return s
}

// play tells a session in a way and returns what fired, turn by turn.
func (s keptSession) play(t *testing.T, way string, stream, named bool, restart int) (fired []string) {
	t.Helper()
	set, store := rules(t, keptRules...), state.NewMemory()
	w := newWorld(t, set, setting{store: store, fake: modelapi.Options{Script: modelapi.Turns(s.replies...)}})
	c := &keptClient{w: w, way: way, stream: stream, named: named}
	requests := 0
	for _, prompt := range s.prompts {
		say := []map[string]any{{"role": "user", "content": prompt}}
		for len(say) > 0 {
			if requests++; requests == restart { // of the process; what was saved is still there
				w.restart(eval.New(set, eval.Options{Store: store}))
			}
			output := c.ask(say...)
			say = nil
			for _, item := range output {
				if id, _ := item["call_id"].(string); id != "" {
					say = append(say, s.outputs[id])
				}
			}
		}
	}
	for i, r := range w.reports {
		var ids []string
		for _, f := range r.Fired {
			ids = append(ids, f.ID)
		}
		slices.Sort(ids)
		fired = append(fired, fmt.Sprintf("%d:%s", i+1, strings.Join(ids, ",")))
		if r.Passed != "" || r.Turn != i+1 {
			t.Errorf("%s: request %d: %+v", way, i+1, r)
		}
	}
	return fired
}

// TestS11Kept: the same session fires the same, in whichever way the client of a server that keeps the
// conversation tells it, with a restart of the process, too.
func TestS11Kept(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	rapid.Check(t, func(rt *rapid.T) {
		s, stream, named := drawKept(rt), rapid.Bool().Draw(rt, "stream"), rapid.Bool().Draw(rt, "named")
		restart := rapid.IntRange(0, 6).Draw(rt, "restart")
		want := s.play(t, inFull, stream, named, restart)
		for _, f := range want {
			_, ids, _ := strings.Cut(f, ":")
			for id := range strings.SplitSeq(ids, ",") {
				seen[id] = true
			}
		}
		for _, way := range []string{byReference, byReferences, byResponse, inConversation} {
			if got := s.play(t, way, stream, named, restart); !slices.Equal(got, want) {
				rt.Fatalf("%s, stream %t, named %t\nfires   %s\nin full %s", way, stream, named, got, want)
			}
		}
	})
	for _, r := range keptRules {
		if id, _, _ := strings.Cut(r, ":"); !seen[id] && testkit.Thorough() {
			t.Errorf("%s never fired", id)
		}
	}
}

// TestKeptReload: what a call was called with is not known any more to rules that are read after it.
func TestKeptReload(t *testing.T) {
	t.Parallel()
	store := state.NewMemory()
	before := rules(t, "push: after_tool:Bash(git push*)", "go: after_tool:Bash(go *)")
	after := rules(t, "push: after_tool:Bash(git push*)", "other: after_tool:Bash(git *)",
		"not: not after_tool:Bash(go *) and not user_message", "bash: after_tool:Bash")
	w := newWorld(t, before, setting{store: store, fake: modelapi.Options{Script: modelapi.Turns(modelapi.Reply{
		Parts: []modelapi.Part{modelapi.Use("call_000000000000000000000000", "Bash",
			`{"command":"git push secret"}`)}})}})
	c := &keptClient{w: w, way: byResponse, named: true}
	c.ask(map[string]any{"role": "user", "content": "go"})
	snapshot, _, err := store.Load(t.Context(), "run")
	if kept := snapshot.Encode(); err != nil || bytes.Contains(kept, []byte("secret")) ||
		!bytes.Contains(kept, []byte("git push*")) {
		t.Errorf("I10: %v: the state holds %s", err, kept)
	}
	w.restart(eval.New(after, eval.Options{Store: store}))
	c.ask(map[string]any{"type": "function_call_output", "call_id": "call_000000000000000000000000",
		"output": "ok"})
	if got := w.fired(); !slices.Equal(got, []string{"bash", "push"}) {
		t.Errorf("%q fired", got)
	}
}

// TestKeptElsewhere: a response that was not seen, another one than that which the request goes on from, and
// one that was cut off leave the calls unknown.
func TestKeptElsewhere(t *testing.T) {
	t.Parallel()
	for name, edit := range map[string]func(c *keptClient){
		"another response":  func(c *keptClient) { c.last = keptID(1) },
		"one that was cut":  nil,
		"the one before it": func(*keptClient) {},
	} {
		fake := modelapi.Options{Script: func(p *modelapi.Prompt) modelapi.Reply {
			if strings.Contains(p.Messages[len(p.Messages)-1].Blocks[0].Text, "call") {
				return modelapi.Reply{Parts: []modelapi.Part{modelapi.Use("call_000000000000000000000000", "Bash", "{}")}}
			}
			return modelapi.Say("done")
		}}
		if edit == nil {
			fake.Faults = map[int]modelapi.Fault{2: {Cut: true, After: 3}}
		}
		w := newWorld(t, rules(t, "bash: after_tool:Bash", "none: not after_tool:Bash and turn_count > 2"),
			setting{fake: fake})
		c := &keptClient{w: w, way: byResponse, stream: true, named: true}
		c.ask(map[string]any{"role": "user", "content": "hello"})
		if edit == nil {
			w.post("/v1/responses",
				`{"model":"gpt-5.6","stream":true,"previous_response_id":"`+keptID(1)+`","input":"call"}`,
				func(r *http.Request) { r.Header.Set(transport.RunHeader, "run") })
			c.last = keptID(2)
		} else {
			c.ask(map[string]any{"role": "user", "content": "call"})
			edit(c)
		}
		w.post("/v1/responses", string(raw(map[string]any{"model": "gpt-5.6", "previous_response_id": c.last,
			"tools": []any{map[string]any{"type": "function", "name": "Bash", "parameters": map[string]any{}}},
			"input": []any{map[string]any{"type": "function_call_output", "output": "ok",
				"call_id": "call_000000000000000000000000"}}})), func(r *http.Request) {
			r.Header.Set(transport.RunHeader, "run")
		})
		var want []string
		if name == "the one before it" {
			want = []string{"bash"}
		}
		if got := w.fired(); !slices.Equal(got, want) {
			t.Errorf("%s: %q fired %+v", name, got, w.reports)
		}
	}
}

// TestKeptTwice: of two answers to the same first request, neither of which is saved yet, a conversation goes
// on from the one that it names.
func TestKeptTwice(t *testing.T) {
	t.Parallel()
	var h held
	w := newWorld(t, rules(t, "bash: after_tool:Bash"), setting{Options: transport.Options{Later: h.later},
		fake: modelapi.Options{Script: func(*modelapi.Prompt) modelapi.Reply {
			return modelapi.Reply{Parts: []modelapi.Part{modelapi.Use("call_1", "Bash", "{}")}}
		}}})
	one, two := &keptClient{w: w, way: byResponse}, &keptClient{w: w, way: byResponse}
	for _, c := range []*keptClient{one, two} {
		c.ask(map[string]any{"role": "user", "content": "go"})
	}
	for i, c := range []*keptClient{one, two} {
		c.ask(map[string]any{"type": "function_call_output", "call_id": "call_1", "output": "ok"})
		if got := w.texts(); !slices.Equal(got, []string{"BASH"}) {
			t.Errorf("conversation %d holds %q", i+1, got)
		}
	}
}

// keptID is the id of the fake's nth response.
func keptID(n int) string { return fmt.Sprintf("resp_%024d", n) }

// TestKeptHeldOut: a conversation that goes on from a response is held out as it was when it began.
func TestKeptHeldOut(t *testing.T) {
	t.Parallel()
	set, diags := compile.New([]reminder.Reminder{{ID: "r", Mode: reminder.While, Trigger: "always", Text: "x",
		Expect: "after_tool:Edit", Holdout: 0.5}}, compile.Options{})
	if diags.HasErrors() {
		t.Fatal(diags)
	}
	held := map[string]int{}
	for i := range 24 {
		w := newWorld(t, set, setting{})
		c := &keptClient{w: w, way: byResponse}
		seen := ""
		for _, prompt := range []string{fmt.Sprint("go ", i), "on", "and on"} {
			c.ask(map[string]any{"role": "user", "content": prompt})
			_, r := w.last()
			for _, f := range r.Fired {
				seen += fmt.Sprintf("%t ", f.HeldOut)
			}
		}
		held[seen]++
	}
	if len(held) != 2 || held["true true true "] == 0 || held["false false false "] == 0 {
		t.Errorf("%v", held)
	}
}
