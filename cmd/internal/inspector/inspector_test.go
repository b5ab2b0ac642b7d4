package inspector_test

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/aside-go/aside/cmd/internal/access"
	"github.com/aside-go/aside/cmd/internal/inspector"
	"github.com/aside-go/aside/cmd/internal/proxy"
	"github.com/aside-go/aside/cmd/internal/test/browser"
	"github.com/aside-go/aside/compile"
	"github.com/aside-go/aside/eval"
	"github.com/aside-go/aside/inject/transport"
	"github.com/aside-go/aside/internal/document"
	"github.com/aside-go/aside/internal/test/testkit"
	"github.com/aside-go/aside/state"
)

func TestMain(m *testing.M) { os.Exit(browser.Main(m)) }

// rules are those of most tests.
const rules = `reminders:
  - id: nearly-full
    when: context_usage > 60%
    rearm: context_usage < 40%
    tier: safety
    content: The context is {{.context_usage | percent}} full.
  - id: run-tests
    description: asks for tests
    when: after_tool:Edit,Write
    cooldown: 10 turns
    expect: tool_used contains "Bash"
    within: 2 turns
    content: Files have changed. Run the tests.
  - id: plan
    when: manual
    content: Write a plan first.
`

// world is a proxy with an inspector, in front of an API that answers at once.
type world struct {
	t         testing.TB
	ev        *eval.Evaluator
	inspector *inspector.Inspector
	url       string
	client    *http.Client
	at        time.Time
	turns     map[string]int
	talks     map[string][]map[string]any // of Anthropic's API, by run
}

func open(t testing.TB, o inspector.Options, source string) *world {
	t.Helper()
	w := &world{t: t, at: time.Date(2026, 3, 1, 9, 0, 0, 0, time.UTC), turns: map[string]int{},
		talks: map[string][]map[string]any{}}
	sources, ds := document.Read("rules.yaml", []byte(source))
	if len(ds) > 0 {
		t.Fatal(ds)
	}
	set, ds := compile.FromFiles(sources, compile.Options{})
	if ds.HasErrors() {
		t.Fatal(ds)
	}
	if o.Guard == nil {
		o.Guard = access.New(nil, access.Limits{})
	}
	w.inspector = inspector.New(o)
	store := state.NewMemory()
	w.ev = eval.New(set, eval.Options{Store: store, Decided: w.inspector.Decided})
	w.inspector.Attach(w.ev, store)
	answers := http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		rw.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(rw, `{"id":"m","type":"message","role":"assistant","model":"claude-sonnet-4-5",`+
			`"content":[{"type":"text","text":"Done."}],"stop_reason":"end_turn",`+
			`"usage":{"input_tokens":90000,"output_tokens":20}}`)
	})
	api := httptest.NewServer(answers)
	t.Cleanup(api.Close)
	ups, err := proxy.ParseUpstreams([]string{api.URL}, "eu-west-1")
	if err != nil {
		t.Fatal(err)
	}
	base := proxy.NewBase(0)
	t.Cleanup(base.CloseIdleConnections)
	p := proxy.New(proxy.Options{Eval: w.ev, Store: store, Upstreams: ups, Guard: o.Guard,
		Own:       []proxy.Handler{w.inspector},
		Transport: transport.Options{Base: base, AllCalls: o.Keep > 0, Report: w.inspector.Report}})
	front := httptest.NewServer(p)
	w.url, w.client = front.URL, front.Client()
	t.Cleanup(front.Close)
	t.Cleanup(w.inspector.Close)
	return w
}

// turn decides a turn of a run by its facts, a minute after the one before.
func (w *world) turn(run string, facts map[string]any) *eval.Decision {
	w.t.Helper()
	w.at = w.at.Add(time.Minute)
	d, err := w.ev.Decide(context.Background(), run, eval.Turn{Facts: facts, At: w.at})
	if err != nil {
		w.t.Fatal(err)
	}
	return d
}

// edits decides turns in which a tool was called and the context has grown.
func (w *world) edits(run string, n int) {
	for i := range n {
		facts := map[string]any{"context_tokens": 20_000 + 9_000*(i%18), "context_window": 200_000,
			"tool_used": []string{"Read"}, "last_tool_call_failed": i%7 == 3, "user_message": i%12 == 0,
			"model": "claude-sonnet-4-5"}
		if i%4 == 1 {
			facts["tool_used"] = []string{"Edit", "Bash"}
		}
		if i%18 == 0 && i > 0 {
			facts["compacted"] = true
		}
		w.turn(run, facts)
	}
}

// says sends the next request of a conversation through the proxy: what a user says, or the result of a call.
func (w *world) says(run string, blocks ...map[string]any) {
	w.t.Helper()
	talk := append(w.talks[run], map[string]any{"role": "user", "content": blocks})
	body, err := json.Marshal(map[string]any{"model": "claude-sonnet-4-5", "max_tokens": 100, "messages": talk})
	if err != nil {
		w.t.Fatal(err)
	}
	r, _ := http.NewRequest(http.MethodPost, w.url+"/v1/messages", strings.NewReader(string(body)))
	r.Header.Set("X-Aside-Run", run)
	r.Header.Set("Content-Type", "application/json")
	res, err := w.client.Do(r)
	if err != nil {
		w.t.Fatal(err)
	}
	_, _ = io.Copy(io.Discard, res.Body)
	res.Body.Close()
	if res.StatusCode != http.StatusOK {
		w.t.Fatal(res.Status)
	}
	w.talks[run] = talk
}

// answers adds to a conversation what the model has said.
func (w *world) answers(run string, blocks ...map[string]any) {
	w.talks[run] = append(w.talks[run], map[string]any{"role": "assistant", "content": blocks})
}

func said(s string) map[string]any { return map[string]any{"type": "text", "text": s} }

// get asks for a path, as a browser does.
func (w *world) get(path string, header ...string) (*http.Response, string) {
	w.t.Helper()
	r, _ := http.NewRequest(http.MethodGet, w.url+path, nil)
	r.Header.Set("Accept", "text/html,application/xhtml+xml")
	testkit.SetHeader(r, header...)
	res, err := w.client.Do(r)
	if err != nil {
		w.t.Fatal(err)
	}
	defer res.Body.Close()
	b, err := io.ReadAll(res.Body)
	if err != nil {
		w.t.Fatal(err)
	}
	return res, string(b)
}

// guarded lets in whoever has a token: admin for everything, reader for looking.
func guarded(t testing.TB) *access.Guard {
	t.Helper()
	tokens, err := access.Parse([]byte("boss admin admin\nguest read reader\n"))
	if err != nil {
		t.Fatal(err)
	}
	return access.New(tokens, access.Limits{})
}
