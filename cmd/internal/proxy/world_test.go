package proxy_test

import (
	"bytes"
	"context"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/aside-go/aside/cmd/internal/access"
	"github.com/aside-go/aside/cmd/internal/metrics"
	"github.com/aside-go/aside/cmd/internal/proxy"
	"github.com/aside-go/aside/cmd/internal/service"
	"github.com/aside-go/aside/compile"
	"github.com/aside-go/aside/compile/reminder"
	"github.com/aside-go/aside/eval"
	"github.com/aside-go/aside/inject/transport"
	"github.com/aside-go/aside/internal/test/testkit"
	"github.com/aside-go/aside/state"
)

// world is an upstream, a proxy in front of it, and a client.
type world struct {
	t      testing.TB
	ev     *eval.Evaluator
	proxy  *proxy.Proxy
	url    string
	client *http.Client
	logs   *logs
}

// open makes a world. up is what all upstreams are, nil where opts says otherwise.
func open(t testing.TB, up http.Handler, opts proxy.Options, rules ...reminder.Reminder) *world {
	t.Helper()
	w := &world{t: t, logs: &logs{}}
	if up != nil {
		s := httptest.NewServer(up)
		t.Cleanup(s.Close)
		opts.Upstreams = upstreams(t, s.URL)
	}
	set, ds := compile.New(rules, compile.Options{})
	if len(ds) > 0 {
		t.Fatal(ds)
	}
	if opts.Store == nil {
		opts.Store = state.NewMemory()
	}
	counted := metrics.New()
	opts.Meter = counted
	w.ev = eval.New(set, eval.Options{Store: opts.Store, Decided: counted.Decided})
	opts.Eval = w.ev
	if opts.Guard == nil {
		opts.Guard = guard("")
	}
	opts.Own = []proxy.Handler{metrics.Handler{Metrics: counted, Guard: opts.Guard},
		service.New(service.Options{Eval: w.ev, Store: opts.Store, Guard: opts.Guard, Place: opts.Transport.Place,
			State: func(err error) { w.proxy.State(err) }})}
	if opts.Log == nil {
		opts.Log = slog.New(slog.NewJSONHandler(w.logs, &slog.HandlerOptions{Level: slog.LevelDebug}))
	}
	if opts.Transport.Base == nil {
		base := proxy.NewBase(0)
		t.Cleanup(base.CloseIdleConnections)
		opts.Transport.Base = base
	}
	w.proxy = proxy.New(opts)
	front := httptest.NewServer(w.proxy)
	w.url, w.client = front.URL, front.Client()
	t.Cleanup(front.Close)
	return w
}

// guard lets whoever has the token ask; "": this machine.
func guard(token string) *access.Guard { return access.New(access.Single(token), access.Limits{}) }

func upstreams(t testing.TB, flags ...string) proxy.Upstreams {
	t.Helper()
	u, err := proxy.ParseUpstreams(flags, "eu-west-1")
	if err != nil {
		t.Fatal(err)
	}
	return u
}

// do sends a request, and returns when its answer is there and noted; header is "Name: value" lines.
func (w *world) do(method, path, body string, header ...string) (*http.Response, string) {
	w.t.Helper()
	res := w.send(method, path, body, header...)
	defer res.Body.Close()
	b, err := io.ReadAll(res.Body)
	if err != nil {
		w.t.Fatal(err)
	}
	w.proxy.Settle()
	return res, string(b)
}

func (w *world) send(method, path, body string, header ...string) *http.Response {
	w.t.Helper()
	r, err := http.NewRequest(method, w.url+path, strings.NewReader(body))
	if err != nil {
		w.t.Fatal(err)
	}
	testkit.SetHeader(r, header...)
	res, err := w.client.Do(r)
	if err != nil {
		w.t.Fatal(err)
	}
	return res
}

// logs is what was logged.
type logs struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *logs) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *logs) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

// told is a logger that hands the message of each record to a channel, so that a test can wait for what
// happens elsewhere.
func told() (*slog.Logger, <-chan string) {
	ch := make(chan string, 1000)
	return slog.New(teller(ch)), ch
}

type teller chan string

func (t teller) Enabled(context.Context, slog.Level) bool { return true }
func (t teller) WithAttrs([]slog.Attr) slog.Handler       { return t }
func (t teller) WithGroup(string) slog.Handler            { return t }
func (t teller) Handle(_ context.Context, r slog.Record) error {
	t <- r.Message
	return nil
}

// await reads messages until one is want.
func await(t testing.TB, ch <-chan string, want string) {
	t.Helper()
	for m := range ch {
		if m == want {
			return
		}
	}
}

// base is an http.RoundTripper in place of all upstreams.
type base func(*http.Request) (*http.Response, error)

func (b base) RoundTrip(r *http.Request) (*http.Response, error) { return b(r) }

// says is an answer.
func says(status int, body string) *http.Response {
	return &http.Response{StatusCode: status, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header: http.Header{"Content-Type": {"application/json"}},
		Body:   io.NopCloser(strings.NewReader(body)), ContentLength: int64(len(body))}
}

// nowhere are Options of a proxy whose upstreams are b.
func nowhere(t testing.TB, b base, flags ...string) proxy.Options {
	return proxy.Options{Upstreams: upstreams(t, flags...), Transport: transport.Options{Base: b}}
}
