package transport_test

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/aside-go/aside/compile"
	"github.com/aside-go/aside/compile/reminder"
	"github.com/aside-go/aside/eval"
	"github.com/aside-go/aside/inject/transport"
	"github.com/aside-go/aside/internal/test/modelapi"
	"github.com/aside-go/aside/state"
)

// world is a Transport in front of a fake of the APIs.
type world struct {
	t    *testing.T
	ev   *eval.Evaluator
	fake *modelapi.Fake
	rt   *transport.Transport
	opts transport.Options

	mu      sync.Mutex
	reports []transport.Report
	sent    []*http.Request // as the API gets them
	bodies  [][]byte
	header  http.Header // of requests
}

// rules are reminders in short: "id: trigger" fires once, "id! trigger" on every turn, each with the text
// "ID".
func rules(t *testing.T, lines ...string) *compile.Set {
	t.Helper()
	var rs []reminder.Reminder
	for _, l := range lines {
		i := strings.IndexAny(l, ":!")
		r := reminder.Reminder{ID: l[:i], Trigger: strings.TrimSpace(l[i+1:]), Text: strings.ToUpper(l[:i])}
		if l[i] == '!' {
			r.Mode = reminder.While
		}
		rs = append(rs, r)
	}
	set, diags := compile.New(rs, compile.Options{})
	if len(diags) > 0 {
		t.Fatal(diags)
	}
	return set
}

type setting struct {
	transport.Options
	store state.Store
	fake  modelapi.Options
	base  func(http.RoundTripper) http.RoundTripper
}

func newWorld(t *testing.T, set *compile.Set, s setting) *world {
	t.Helper()
	w := &world{t: t, ev: eval.New(set, eval.Options{Store: s.store}), fake: modelapi.New(s.fake),
		header: http.Header{}}
	server := httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		b, err := io.ReadAll(r.Body)
		if err != nil {
			return
		}
		w.mu.Lock()
		w.sent, w.bodies = append(w.sent, r), append(w.bodies, b)
		w.mu.Unlock()
		r.Body = io.NopCloser(bytes.NewReader(b))
		w.fake.ServeHTTP(rw, r)
	}))
	t.Cleanup(server.Close)
	s.Base = http.RoundTripper(to(server.URL))
	if s.base != nil {
		s.Base = s.base(s.Base)
	}
	s.Report = func(_ context.Context, r transport.Report) {
		w.mu.Lock()
		defer w.mu.Unlock()
		w.reports = append(w.reports, r)
	}
	w.opts = s.Options
	w.rt = transport.New(w.ev, w.opts)
	return w
}

// restart puts a new process in the place of the old one.
func (w *world) restart(ev *eval.Evaluator) {
	w.ev, w.rt = ev, transport.New(ev, w.opts)
}

// to sends requests to a server, whatever host they name.
type to string

func (u to) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.URL.Scheme, r.URL.Host, _ = "http", strings.TrimPrefix(string(u), "http://"), true
	return http.DefaultTransport.RoundTrip(r)
}

// post sends a body and returns the status and what came.
func (w *world) post(path, body string, edit ...func(*http.Request)) (int, string) {
	w.t.Helper()
	r, err := http.NewRequestWithContext(context.Background(), http.MethodPost, "http://api.test"+path,
		strings.NewReader(body))
	if err != nil {
		w.t.Fatal(err)
	}
	for k, v := range w.header {
		r.Header[k] = v
	}
	for _, e := range edit {
		e(r)
	}
	resp, err := w.rt.RoundTrip(r)
	if err != nil {
		return 0, err.Error()
	}
	defer resp.Body.Close()
	b, err := io.ReadAll(resp.Body)
	if err != nil {
		return resp.StatusCode, err.Error()
	}
	return resp.StatusCode, string(b)
}

// thinking posts a conversation with a model that thinks, and returns the conversation with the answer.
func (w *world) thinking(c chat, model string) (chat, int) {
	w.t.Helper()
	status, got := w.post(messages, strings.Replace(c.of(model), `"max_tokens":10`,
		`"max_tokens":2000,"thinking":{"type":"adaptive"}`, 1))
	if status != http.StatusOK {
		return c, status
	}
	var answer struct{ Content json.RawMessage }
	if err := json.Unmarshal([]byte(got), &answer); err != nil {
		w.t.Fatal(err)
	}
	return append(c[:len(c):len(c)], raw(map[string]any{"role": "assistant", "content": answer.Content})), status
}

// last returns what the API got last, and what was reported of it.
func (w *world) last() (body string, r transport.Report) {
	w.t.Helper()
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(w.bodies) == 0 || len(w.reports) == 0 {
		w.t.Fatal("nothing was sent or reported")
	}
	return string(w.bodies[len(w.bodies)-1]), w.reports[len(w.reports)-1]
}

// texts returns what stands in reminder tags in the last request that the fake could read, each with the
// index of its message.
func (w *world) texts() (out []string) {
	w.t.Helper()
	recs := w.fake.Records()
	if len(recs) == 0 || recs[len(recs)-1].Prompt == nil {
		w.t.Fatal("no request that can be read")
	}
	for _, f := range recs[len(recs)-1].Prompt.Reminders() {
		out = append(out, strings.TrimSpace(f.Text))
	}
	return out
}

// fired returns the ids that fired, of all reports.
func (w *world) fired() (out []string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, r := range w.reports {
		for _, f := range r.Fired {
			out = append(out, f.ID)
		}
	}
	return out
}

// chat is a client of Anthropic's API: the messages of a conversation.
type chat []json.RawMessage

func (c chat) user(text string) chat {
	return append(c[:len(c):len(c)], raw(map[string]any{"role": "user", "content": text}))
}

func (c chat) says(text string) chat {
	return append(c[:len(c):len(c)], raw(map[string]any{"role": "assistant", "content": text}))
}

// uses appends a call of a tool and its result.
func (c chat) uses(id, tool string) chat {
	c = append(c[:len(c):len(c)], raw(map[string]any{"role": "assistant",
		"content": []any{map[string]any{"type": "tool_use", "id": id, "name": tool, "input": map[string]any{}}}}))
	return append(c, raw(map[string]any{"role": "user", "content": []any{map[string]any{"type": "tool_result",
		"tool_use_id": id, "content": "ok"}}}))
}

// of is the request of a model.
func (c chat) of(model string) string {
	return string(raw(map[string]any{"model": model, "max_tokens": 10, "messages": c,
		"tools": []any{map[string]any{"name": "Edit", "input_schema": map[string]any{"type": "object"}}}}))
}

func raw(v any) json.RawMessage {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return b
}

const (
	messages = "/v1/messages"
	plainly  = "claude-sonnet-4-6" // takes texts as blocks
	natively = "claude-opus-5"     // takes turn-scoped system messages
)
