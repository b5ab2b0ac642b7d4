package doors_test

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"regexp"
	"slices"
	"time"

	"pgregory.net/rapid"

	"github.com/aside-go/aside/eval"
	"github.com/aside-go/aside/inject/transport"
	"github.com/aside-go/aside/inject/wire"
	"github.com/aside-go/aside/state"
)

// api is the way in which an API writes a conversation.
type api struct {
	path, model string
	header      http.Header
	delivery    wire.Delivery
	// messages returns the messages that step i of a conversation adds
	messages func(c conversation, i int) []any
	answer   func(s step) map[string]any // the response that reports the usage that s is told
}

func text(role, s string) any { return map[string]any{"role": role, "content": s} }

// start returns the messages of a step that come after its calls.
func (s step) start() (ms []any) {
	if s.Compacted {
		ms = append(ms, text("user", s.summary()), text("assistant", "I see."))
	}
	if s.Prompt != "" {
		ms = append(ms, text("user", s.Prompt))
	}
	return ms
}

// anthropic is Anthropic Messages, as Claude Code sends them.
var anthropic = api{
	path: "/v1/messages", model: model, header: http.Header{"X-Claude-Code-Session-Id": {"s1"}},
	messages: func(c conversation, i int) (ms []any) {
		s := c[i]
		var uses, results []any
		if s.Answer != "" {
			uses = append(uses, map[string]any{"type": "text", "text": s.Answer})
		}
		for _, k := range s.Calls {
			id := k.ID
			uses = append(uses, map[string]any{"type": "tool_use", "id": id, "name": k.Tool, "input": k.Input})
			results = append(results, map[string]any{"type": "tool_result", "tool_use_id": id, "content": k.Output,
				"is_error": k.Failed})
		}
		if len(uses) > 0 {
			ms = append(ms, map[string]any{"role": "assistant", "content": uses})
		}
		if len(results) > 0 {
			ms = append(ms, map[string]any{"role": "user", "content": results})
		}
		return append(ms, s.start()...)
	},
	answer: func(s step) map[string]any {
		return map[string]any{"id": "msg_1", "type": "message", "role": "assistant", "model": model,
			"content": []any{}, "stop_reason": "end_turn", "usage": s.usage()}
	},
}

// completions is OpenAI's Chat Completions. What is due stands in the request once, at its end.
var completions = api{
	path: "/v1/chat/completions", model: "gpt-4o", header: http.Header{transport.RunHeader: {"s1"}},
	delivery: wire.Tail,
	messages: func(c conversation, i int) (ms []any) {
		s := c[i]
		var uses, results []any
		for _, k := range s.Calls {
			id := k.ID
			uses = append(uses, map[string]any{"type": "function", "id": id, "function": map[string]any{"name": k.Tool,
				"arguments": string(encoded(k.Input))}})
			results = append(results, map[string]any{"role": "tool", "tool_call_id": id, "content": k.Output})
		}
		switch m := map[string]any{"role": "assistant", "content": s.Answer, "tool_calls": uses}; {
		case len(uses) > 0:
			ms = append(append(ms, m), results...)
		case s.Answer != "":
			ms = append(ms, text("assistant", s.Answer))
		}
		return append(ms, s.start()...)
	},
	answer: func(s step) map[string]any {
		return map[string]any{"id": "c1", "object": "chat.completion", "model": "gpt-4o",
			"choices": []any{map[string]any{"index": 0, "message": text("assistant", "x"), "finish_reason": "stop"}},
			"usage": map[string]any{"prompt_tokens": s.Context, "completion_tokens": s.Response,
				"total_tokens": s.Context + s.Response}}
	},
}

var probes = regexp.MustCompile(`Probe (\w+)\.`)

// found returns the ids of the rules whose texts stand in b.
func found(b []byte) (ids []string) {
	for _, m := range probes.FindAllSubmatch(b, -1) {
		ids = append(ids, string(m[1]))
	}
	slices.Sort(ids)
	return ids
}

type upstream func(*http.Request) (*http.Response, error)

func (u upstream) RoundTrip(r *http.Request) (*http.Response, error) { return u(r) }

// byRequests tells a session by the requests of its model calls. What is due is what stands in them, which is
// of use where the delivery is wire.Tail.
func byRequests(t *rapid.T, a api, c conversation, rules []rule) (ds []decision) {
	var now time.Time
	var sent, answer []byte
	var reports []transport.Report
	store := state.NewMemory()
	ev := eval.New(compiled(t, rules), eval.Options{Store: store, Clock: func() time.Time { return now }})
	rt := transport.New(ev, transport.Options{Place: place, Delivery: a.delivery,
		Report: func(_ context.Context, r transport.Report) { reports = append(reports, r) },
		Base: upstream(func(r *http.Request) (*http.Response, error) {
			var err error
			if sent, err = io.ReadAll(r.Body); err != nil {
				return nil, err
			}
			return &http.Response{StatusCode: http.StatusOK, Request: r, ProtoMajor: 1, ProtoMinor: 1,
				Header: http.Header{"Content-Type": {"application/json"}}, ContentLength: int64(len(answer)),
				Body: io.NopCloser(bytes.NewReader(answer))}, nil
		})})
	// post sends the request of a model call, to which the next step tells the answer.
	post := func(messages []any, next step) transport.Report {
		answer = encoded(a.answer(next))
		body := encoded(map[string]any{"model": a.model, "max_tokens": 10, "messages": messages,
			"tools": []any{map[string]any{"name": "Bash", "input_schema": map[string]any{"type": "object"}}}})
		r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "http://api.test"+a.path,
			bytes.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		if r.Header, reports = a.header.Clone(), nil; slices.ContainsFunc(rules, rule.expects) {
			r.Header.Set("X-Aside-Run", named)
		}
		resp, err := rt.RoundTrip(r)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := io.Copy(io.Discard, resp.Body); err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
		if len(reports) != 1 || reports[0].Passed != "" || reports[0].Why != "" {
			t.Fatalf("%d messages: %+v", len(messages), reports)
		}
		return reports[0]
	}
	var messages []any
	for i, s := range c {
		now = s.At
		next := step{Context: 1, Response: 1}
		if i+1 < len(c) {
			next = c[i+1]
		}
		if s.Compacted { // the agent asks for a summary, which is not a turn, and goes on from that
			ask := text("user", "Your task is to create a detailed summary of the conversation so far.")
			post(append(messages[:len(messages):len(messages)], text("assistant", s.Answer), ask),
				step{Context: window - 1, Response: 5000})
			messages = s.start()
		} else {
			messages = append(messages, a.messages(c, i)...)
		}
		report := post(messages, next)
		if report.Turn != i+1 {
			t.Fatalf("request %d: %+v", i+1, report)
		}
		d := decision{Due: found(sent), said: sent}
		for _, f := range report.Fired {
			d.Fired = append(d.Fired, f.ID)
		}
		slices.Sort(d.Fired)
		ds = append(ds, d)
	}
	ds[len(ds)-1].records = recorded(t, store)
	return ds
}
