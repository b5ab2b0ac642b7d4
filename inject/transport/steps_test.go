package transport_test

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/aside-go/aside/internal/api"
	"github.com/aside-go/aside/internal/test/client"
	"github.com/aside-go/aside/internal/test/modelapi"
	"github.com/aside-go/aside/internal/test/siblings"
	"github.com/aside-go/aside/internal/test/testkit"
)

// TestStepsHeard: the key of an answer that is read off the response as it passes is that of the answer in
// each later request, whatever the API, streamed or not, however the client writes its history; and the head
// before it is that of the request that was answered.
func TestStepsHeard(t *testing.T) {
	t.Parallel()
	for _, which := range []modelapi.API{modelapi.Anthropic, modelapi.Chat, modelapi.Responses, modelapi.Gemini,
		modelapi.Converse, modelapi.Interactions} {
		for seed := range uint64(testkit.Repeat(2, 6)) {
			t.Run(fmt.Sprint(which, " ", seed), func(t *testing.T) {
				t.Parallel()
				script := client.Script()
				if seed%2 == 1 {
					script = siblings.Counters(script)
				}
				fake := client.Direct(modelapi.New(modelapi.Options{Script: script}))
				answers, mu := map[*client.Sent][]byte{}, sync.Mutex{}
				a := client.New(client.Trip(func(r *http.Request) (*http.Response, error) {
					resp, err := fake.RoundTrip(r)
					if err != nil {
						return nil, err
					}
					b, err := io.ReadAll(resp.Body)
					if err != nil {
						return nil, err
					}
					mu.Lock()
					defer mu.Unlock()
					answers[client.From(r)] = b
					resp.Body = io.NopCloser(bytes.NewReader(b))
					return resp, nil
				}), client.Options{API: which, Seed: seed, Unnamed: true,
					Habits: client.Habits{Think: 60, Fail: 20, Note: 60, Parallel: true}})
				if err := a.Run(t.Context(), 12); err != nil {
					t.Fatal(err)
				}
				var known []siblings.Step // by the responses so far
				for _, s := range a.Sent() {
					if s.Kind != client.Turn || s.Thread != "" {
						continue
					}
					e := api.EndpointOf(s.Path)
					steps, asked := siblings.Steps(t, e.API, s.Path, s.Body)
					if got, want := fmt.Sprint(steps), fmt.Sprint(known); got != want {
						t.Fatalf("request %d has the steps\n%s, and heard was\n%s", s.N, got, want)
					}
					key, _ := siblings.Heard(t, e.API, answers[s], 7)
					known = append(known, siblings.Step{Before: asked, Answer: key})
				}
				if len(known) < 12 {
					t.Errorf("only %d answers", len(known))
				}
			})
		}
	}
}

// TestStepsBlind: what clients do to an answer when they send it back (WIRE.md §2.2) does not change its key.
func TestStepsBlind(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name    string
		api     api.Name
		answer  string   // the response
		body    string   // of the next request, with %s for the answer
		written []string // the answer in it
	}{
		{"anthropic, a text", api.Anthropic,
			`{"type":"message","content":[{"type":"thinking","thinking":"hm","signature":"s"},` +
				`{"type":"text","text":"It is "},{"type":"text","text":"dönе.\n"}]}`,
			`{"messages":[{"role":"user","content":"q"},%s,{"role":"user","content":"r"}]}`,
			[]string{`{"role":"assistant","content":"It is dönе."}`,
				`{"content":[{"type":"text","text":"It is d\u00f6nе.","cache_control":{"type":"ephemeral"}}],"role":"assistant"}`,
				`{"role":"assistant","content":[{"type":"thinking","thinking":"hm","signature":"s"},{"type":"text","text":"It is "},{"type":"text","text":"dönе."}]}`}},
		{"anthropic, an id says all", api.Anthropic,
			`{"type":"message","content":[{"type":"text","text":"I look."},{"type":"tool_use","id":"toolu_0000000000000001","name":"Read","input":{"a":1}}]}`,
			`{"messages":[{"role":"user","content":"q"},%s,{"role":"user","content":[{"type":"tool_result","tool_use_id":"toolu_0000000000000001","content":"x"}]}]}`,
			[]string{`{"role":"assistant","content":[{"type":"tool_use","id":"toolu_0000000000000001","name":"Read","input":{"a":1}}]}`,
				`{"role":"assistant","content":[{"type":"text","text":"I"},{"type":"tool_use","id":"toolu_0000000000000001","name":"Read","input":{"a":"…"}}]}`}},
		{"chat, a counter", api.Chat,
			`{"choices":[{"index":0,"message":{"role":"assistant","content":null,"refusal":null,"tool_calls":[` +
				`{"id":"call_1","type":"function","function":{"name":"f","arguments":"{\"b\": 2.0, \"a\": null}"}}]}}]}`,
			`{"messages":[{"role":"user","content":"q"},%s,{"role":"tool","tool_call_id":"call_1","content":"x"}]}`,
			[]string{`{"role":"assistant","tool_calls":[{"id":"call_1","type":"function","function":{"name":"f","arguments":"{\"b\":2}"}}]}`,
				`{"role":"assistant","content":"","tool_calls":[{"function":{"arguments":"{\"b\":2.0}","name":"f"},"id":"call_1","index":0}]}`}},
		{"responses, items that are kept", api.Responses,
			`{"object":"response","output":[{"type":"reasoning","id":"rs_1","summary":[]},{"type":"function_call","id":"fc_1","call_id":"call_0000000000001","name":"f","arguments":"{}"}]}`,
			`{"input":[{"role":"user","content":"q"},%s,{"type":"function_call_output","call_id":"call_0000000000001","output":"x"}]}`,
			[]string{`{"type":"item_reference","id":"rs_1"},{"type":"function_call","call_id":"call_0000000000001","name":"f","arguments":"{ }"}`,
				`{"type":"function_call","id":"fc_1","call_id":"call_0000000000001","name":"f","arguments":"{}","status":"completed"}`}},
		{"gemini without ids", api.Gemini,
			`{"candidates":[{"content":{"role":"model","parts":[{"text":"hm","thought":true},{"text":"I "},{"text":"look."},{"functionCall":{"name":"f","args":{"a":1,"b":null}},"thoughtSignature":"s"}]}}]}`,
			`{"contents":[{"role":"user","parts":[{"text":"q"}]},%s,{"role":"user","parts":[{"functionResponse":{"name":"f","response":{}}}]}]}`,
			[]string{`{"role":"model","parts":[{"text":"I look."},{"functionCall":{"name":"f","args":{"a":1.0}}}]}`,
				`{"role":"model","parts":[{"text":"I "}]},{"role":"model","parts":[{"text":"look."},{"functionCall":{"args":{"a":1},"name":"f"}}]}`}},
		{"converse", api.Converse,
			`{"output":{"message":{"role":"assistant","content":[{"reasoningContent":{"reasoningText":{"text":"hm"}}},{"text":" Yes. "}]}}}`,
			`{"messages":[{"role":"user","content":[{"text":"q"}]},%s,{"role":"user","content":[{"text":"r"}]}]}`,
			[]string{`{"role":"assistant","content":[{"text":"Yes."},{"cachePoint":{"type":"default"}}]}`}},
	} {
		want, _ := siblings.Heard(t, tt.api, []byte(tt.answer), 1<<20)
		_, asked := siblings.Steps(t, tt.api, "", []byte(tt.body[:strings.Index(tt.body, ",%s")]+"]}"))
		for _, w := range tt.written {
			steps, _ := siblings.Steps(t, tt.api, "", []byte(fmt.Sprintf(tt.body, w)))
			if len(steps) != 1 || steps[0].Answer != want || steps[0].Before != asked {
				t.Errorf("%s: %v, want %s behind %s: %s", tt.name, steps, want, asked, w)
			}
		}
	}
}
