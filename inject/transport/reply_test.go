package transport_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/aside-go/aside/compile"
	"github.com/aside-go/aside/compile/reminder"
	"github.com/aside-go/aside/eval"
	"github.com/aside-go/aside/inject/transport"
	"github.com/aside-go/aside/internal/response"
	"github.com/aside-go/aside/internal/test/modelapi"
	"github.com/aside-go/aside/state"
)

// TestReplyAtOnce: a client that names a response goes on before the answer to it is saved, and perhaps
// through another process. What the API keeps is not sent again, the calls are known, and the count goes on.
func TestReplyAtOnce(t *testing.T) {
	t.Parallel()
	const id = "call_000000000000000000000000"
	for _, elsewhere := range []bool{false, true} {
		for _, way := range []string{byResponse, byReferences} {
			var h held
			set, store := rules(t, "edited: after_tool:Edit", "a! always"), onDisk{state.NewMemory()}
			w := newWorld(t, set, setting{store: store, Options: transport.Options{Later: h.later},
				fake: modelapi.Options{Script: modelapi.Turns(modelapi.Say("yes"), modelapi.Reply{
					Parts: []modelapi.Part{modelapi.Use(id, "Edit", "{}")}})}})
			c := &keptClient{w: w, way: way}
			for i, say := range []map[string]any{{"role": "user", "content": "go"}, {"role": "user", "content": "on"},
				{"type": "function_call_output", "call_id": id, "output": "ok"}, {"role": "user", "content": "and on"}} {
				if elsewhere {
					w.restart(eval.New(set, eval.Options{Store: store}))
				}
				c.ask(say)
				want := slices.Repeat([]string{"A"}, i+1)
				// of the items that it refers to, a process knows the calls that it has seen, and those that are saved
				tools := i >= 2 && (way == byResponse || !elsewhere)
				if tools {
					want = slices.Insert(want, 2, "EDITED")
				}
				_, r := w.last()
				got := w.texts()
				if tools { // the two of a turn, in any order
					slices.Sort(got[2:min(4, len(got))])
					slices.Sort(want[2:4])
				}
				if !slices.Equal(got, want) || r.Turn != i+1 {
					t.Errorf("%s, elsewhere %t: turn %d holds %q, want %q: %+v", way, elsewhere, i+1, got, want, r)
				}
			}
		}
	}
}

// TestReplyNamed: a process that has not seen the response that a run with a name goes on from knows that
// there was one, so it does not offer the texts before it again. Where the request for it has failed, it
// does.
func TestReplyNamed(t *testing.T) {
	t.Parallel()
	for _, fails := range []bool{false, true} {
		var h held
		set, store := rules(t, "a: turn_count == 2"), onDisk{state.NewMemory()}
		s := setting{store: store, Options: transport.Options{Later: h.later}}
		if fails {
			s.fake.Faults = map[int]modelapi.Fault{2: {Status: 500}}
		}
		w := newWorld(t, set, s)
		w.header.Set(transport.RunHeader, "run")
		previous := ""
		for _, say := range []string{"go", "on", "and on"} {
			w.restart(eval.New(set, eval.Options{Store: store}))
			w.post("/v1/responses", `{"model":"gpt-5.6","store":true,"input":"`+say+`"`+previous+`}`)
			if _, r := w.last(); r.Usage.ID != "" {
				previous = `,"previous_response_id":"` + r.Usage.ID + `"`
			}
		}
		if got := w.texts(); !slices.Equal(got, []string{"A"}) {
			t.Errorf("the request before fails %t: %q", fails, got)
		}
	}
}

// TestReplyAlike: where the API keeps the messages, no text goes out again behind a message that looks like
// an earlier one: a result of a call whose id is a short number, or the same words. A retry has the same
// bytes, also after the response has come that the client has lost.
func TestReplyAlike(t *testing.T) {
	t.Parallel()
	for _, way := range []string{byResponse, inConversation} {
		for _, say := range []map[string]any{{"role": "user", "content": "on"},
			{"type": "function_call_output", "call_id": "call_1", "output": "ok"}} {
			reply := modelapi.Say("yes")
			if say["call_id"] != nil {
				reply.Parts = []modelapi.Part{modelapi.Use("call_1", "Edit", "{}")}
			}
			w := newWorld(t, rules(t, "a! always"), setting{fake: modelapi.Options{
				Script: modelapi.Turns(slices.Repeat([]modelapi.Reply{reply}, 9)...)}})
			c := &keptClient{w: w, way: way, named: way == inConversation}
			c.ask(map[string]any{"role": "user", "content": "go"})
			for turn := 2; turn < 6; turn++ {
				was := *c
				c.ask(say)
				sent, _ := w.last()
				if got := w.texts(); len(got) != turn {
					t.Errorf("%s, turn %d holds %q: %s", way, turn, got, sent)
				}
				if way != byResponse || turn == 2 {
					continue
				}
				*c = was
				c.ask(say)
				if again, _ := w.last(); again != sent {
					t.Errorf("%s, turn %d: %s, again %s", way, turn, sent, again)
				}
			}
		}
	}
}

// TestReplyPrompt: the API keeps messages, and no system prompt, so each request holds the texts of that.
func TestReplyPrompt(t *testing.T) {
	t.Parallel()
	set, diags := compile.New([]reminder.Reminder{{ID: "a", Trigger: "always", Text: "A",
		Attach: reminder.RunStart}}, compile.Options{})
	if len(diags) > 0 {
		t.Fatal(diags)
	}
	w := newWorld(t, set, setting{})
	previous := ""
	for _, say := range []string{"go", "on", "and on"} {
		w.post("/v1/responses", `{"model":"gpt-5.6","store":true,"instructions":"Help.","input":"`+say+`"`+
			previous+`}`)
		body, r := w.last()
		if !strings.Contains(body, `\nA\n`) {
			t.Errorf("%s: %s", say, body)
		}
		previous = `,"previous_response_id":"` + r.Usage.ID + `"`
	}
}

// TestReplyStored: the store keeps the last few responses of a run that goes on by their ids, and no text.
func TestReplyStored(t *testing.T) {
	t.Parallel()
	store := state.NewMemory()
	w := newWorld(t, rules(t, "a! always"), setting{store: store})
	c := &keptClient{w: w, way: byResponse}
	for i := range 24 {
		c.ask(map[string]any{"role": "user", "content": fmt.Sprint("secret ", i)})
	}
	runs, err := state.AllRuns(t.Context(), store)
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for _, run := range runs {
		s, _, err := store.Load(t.Context(), run)
		if b := string(s.Encode()); err != nil || strings.Contains(b, "secret") {
			t.Errorf("%v: %s", err, b)
		}
		if strings.HasPrefix(run, response.KeptPrefix) {
			n++
		}
	}
	if n < 16 || n > 19 { // and one item of the first, and what all of them say
		t.Errorf("%d responses are stored: %q", n, runs)
	}
	w.restart(eval.New(w.ev.Set(), eval.Options{Store: store}))
	c.ask(map[string]any{"role": "user", "content": "on"})
	if _, r := w.last(); r.Turn != 25 {
		t.Errorf("%+v", r)
	}
}
