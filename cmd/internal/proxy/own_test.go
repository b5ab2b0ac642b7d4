package proxy_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/aside-go/aside/cmd/internal/access"
	"github.com/aside-go/aside/cmd/internal/proxy"
	"github.com/aside-go/aside/compile/reminder"
	"github.com/aside-go/aside/state"
)

var (
	near   = reminder.Reminder{ID: "near-full", Trigger: "context_usage > 75%", Text: "full"}
	manual = reminder.Reminder{ID: "by-hand", Trigger: "manual", Text: "hello"}
)

func readAll(t testing.TB, r io.Reader) string {
	t.Helper()
	b, err := io.ReadAll(r)
	if err != nil {
		t.Error(err)
	}
	return string(b)
}

// unreachable are Options of a proxy through which nothing may go.
func unreachable(t testing.TB) proxy.Options {
	return nowhere(t, func(r *http.Request) (*http.Response, error) {
		t.Errorf("%s was sent on", r.URL)
		return says(200, "{}"), nil
	}, "http://up")
}

// TestOwnPaths: the proxy answers paths of its own, and mounts those of package service.
func TestOwnPaths(t *testing.T) {
	t.Parallel()
	opts := unreachable(t)
	opts.Version = "v1"
	w := open(t, nil, opts, near, manual)
	for _, c := range []struct {
		method, path, body string
		status             int
		want               string // a part of the answer
	}{
		{"GET", "/livez", "", 200, `{"status":"ok","version":"v1"}`},
		{"HEAD", "/livez", "", 200, ""},
		{"GET", "/readyz", "", 200, `{"status":"ready","version":"v1","checks":{"rules":{"ok":true,` +
			`"detail":{"reminders":2}},"serving":{"ok":true},"state":{"ok":true}}}`},
		{"POST", "/readyz", "", 405, "this path takes GET"},
		{"POST", "/metrics", "", 405, "this path takes GET"},
		{"POST", "/v1/runs/r/turns", `{"facts":{"context_usage":0.8}}`, 200, `"id":"near-full"`},
		{"GET", "/v1/runs/nothing", "", 404, `"type":"urn:aside:problem:no-such-run"`},
		{"GET", "/metrics", "", 200, `aside_requests_total{api="none",kind="other",status="4xx"} 3`},
	} {
		res, body := w.do(c.method, c.path, c.body)
		if res.StatusCode != c.status || !strings.Contains(body, c.want) {
			t.Errorf("%s %s: %d %s\nwant %d %s", c.method, c.path, res.StatusCode, body, c.status, c.want)
		}
	}
}

// TestWho: who may speak to the proxy itself, and to the vendors through it.
func TestWho(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, token, path string
		header            []string
		want              int
	}{
		{"no token asked for", "", "/v1/runs", nil, 200},
		{"a name that points here", "", "/v1/runs", []string{"Host: rebound.example:7717"}, 403},
		{"an address of a network", "", "/metrics", []string{"Host: 192.168.0.7"}, 403},
		{"a vendor's path", "", "/v1/messages", []string{"Host: rebound.example"}, 403},
		{"health for anybody", "sesame", "/readyz", []string{"Host: rebound.example"}, 200},
		{"no token", "sesame", "/v1/runs", nil, 401},
		{"no token for metrics", "sesame", "/metrics", nil, 401},
		{"in its header", "sesame", "/v1/runs", []string{"X-Aside-Token: sesame", "Host: proxy.example"}, 200},
		{"as a bearer", "sesame", "/metrics", []string{"Authorization: bearer sesame"}, 200},
		{"a wrong bearer", "sesame", "/metrics", []string{"Authorization: Bearer sesame2"}, 401},
		{"vendor, no token", "sesame", "/v1/messages", nil, 401},
		{"vendor, bearer", "sesame", "/v1/messages", []string{"Authorization: Bearer sesame"}, 401},
		{"vendor, token", "sesame", "/v1/messages", []string{"Authorization: Bearer k", "X-Aside-Token: sesame"},
			200},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			opts := nowhere(t, func(r *http.Request) (*http.Response, error) {
				if r.Header.Get("X-Aside-Token") != "" {
					t.Error("the token was sent on")
				}
				return says(200, "{}"), nil
			}, "http://up")
			opts.Guard = guard(c.token)
			w := open(t, nil, opts, manual)
			method, body := "GET", ""
			if c.path == "/v1/messages" {
				method, body = "POST", "{}"
			}
			res, said := w.do(method, c.path, body, c.header...)
			if res.StatusCode != c.want {
				t.Errorf("%d, want %d: %s", res.StatusCode, c.want, said)
			}
			if c.want == 401 && c.path == "/v1/messages" && !strings.Contains(said, `"type":"error"`) {
				t.Errorf("not in the shape of the vendor: %s", said)
			}
			if strings.Contains(said, "sesame") || strings.Contains(w.logs.String(), "sesame") {
				t.Error("the token was told")
			}
		})
	}
}

// TestLimited: a refused request to a vendor has its error, and says when to come again.
func TestLimited(t *testing.T) {
	t.Parallel()
	opts := nowhere(t, func(*http.Request) (*http.Response, error) { return says(200, "{}"), nil }, "http://up")
	opts.Guard = access.New(nil, access.Limits{Rate: 0.001})
	w := open(t, nil, opts)
	if res, body := w.do("POST", "/v1/messages", "{}"); res.StatusCode != 200 {
		t.Error(res.StatusCode, body)
	}
	res, body := w.do("POST", "/v1/messages", "{}")
	if res.StatusCode != 429 || res.Header.Get("Retry-After") == "" ||
		!strings.Contains(body, `"type":"rate_limit_error"`) {
		t.Error(res.StatusCode, res.Header, body)
	}
}

// TestReadiness: /readyz says what is wrong, and whether requests should go elsewhere because of it.
func TestReadiness(t *testing.T) {
	t.Parallel()
	away := errors.New("hush: the database is away")
	for _, c := range []struct {
		closed bool
		check  proxy.Check
		want   string
		status int
	}{
		{false, proxy.Check{OK: true}, `"status":"degraded"`, 200},
		{true, proxy.Check{OK: true}, `"status":"unready"`, 503},
		{false, proxy.Check{Why: "old", Needed: true}, `"more":{"ok":false,"why":"old"}`, 503},
	} {
		opts := unreachable(t)
		opts.Store = broken{state.NewMemory(), away}
		opts.Transport.FailClosed = c.closed
		opts.Checks = map[string]func(context.Context) proxy.Check{
			"more": func(context.Context) proxy.Check { return c.check }}
		w := open(t, nil, opts)
		res, body := w.do("GET", "/readyz", "")
		log := w.logs.String() // for a monitor that asks again and again, a line for the outage alone
		if strings.Count(log, "state failed") != 1 || strings.Contains(log, "get status 503") != c.closed ||
			strings.Contains(log, `"level":"INFO","msg":"answered"`) {
			t.Error(log)
		}
		if res.StatusCode != c.status || !strings.Contains(body, c.want) || strings.Contains(body, "hush") ||
			!strings.Contains(body, `"state":{"ok":false,"why":"the state of runs cannot be read"}`) {
			t.Errorf("%+v: %d %s", c, res.StatusCode, body)
		}
	}
}

// TestReadinessOfSaves: a store that can be read and takes no saves is not ready, whether or not anything was
// to be saved; a save speaks for the store for ten seconds, or until another one fails.
func TestReadinessOfSaves(t *testing.T) {
	t.Parallel()
	var full atomic.Bool
	now := time.Now()
	opts := unreachable(t)
	opts.Store = &readOnly{state.NewMemory(), &full}
	opts.Transport.FailClosed = true
	opts.Now = func() time.Time { return now }
	w := open(t, nil, opts, manual)
	ready := func(want bool) {
		t.Helper()
		now = now.Add(2 * time.Second) // more than a check is good for
		res, body := w.do("GET", "/readyz", "")
		if (res.StatusCode == 200) != want ||
			!want && !strings.Contains(body, "the state of runs cannot be saved") {
			t.Errorf("%d %s, want ready: %t", res.StatusCode, body, want)
		}
	}
	turn := func(status int) {
		t.Helper()
		if res, body := w.do("POST", "/v1/runs/r/turns", "{}"); res.StatusCode != status {
			t.Error(res.StatusCode, body)
		}
	}
	ready(true)
	full.Store(true)
	now = now.Add(10 * time.Second)
	ready(false)
	full.Store(false)
	ready(true)
	full.Store(true)
	turn(503)
	ready(false)
	full.Store(false)
	turn(200)
	full.Store(true)
	ready(true)
	now = now.Add(10 * time.Second)
	ready(false)
}

// readOnly is a store that refuses all saves at times.
type readOnly struct {
	state.Store
	is *atomic.Bool
}

func (s *readOnly) Save(ctx context.Context, run string, prev state.Revision,
	next *state.Snapshot) (state.Revision, error) {
	if s.is.Load() {
		return 0, errors.New("cannot execute UPDATE in a read-only transaction")
	}
	return s.Store.Save(ctx, run, prev, next)
}

// TestOwnStateFails: a store that fails before a path of ours is counted, and logged without being told.
func TestOwnStateFails(t *testing.T) {
	t.Parallel()
	opts := unreachable(t)
	opts.Store = broken{state.NewMemory(), errors.New("disk hush")}
	w := open(t, nil, opts, manual)
	res, body := w.do("POST", "/v1/runs/r/turns", "{}")
	_, scraped := w.do("GET", "/metrics", "")
	if res.StatusCode != 503 || strings.Contains(body, "hush") || !strings.Contains(w.logs.String(),
		"disk hush") ||
		!strings.Contains(scraped, "aside_state_failures_total 1") {
		t.Error(res.StatusCode, body, w.logs.String(), scraped)
	}
}

type broken struct {
	state.Store
	err error
}

func (b broken) Load(context.Context, string) (*state.Snapshot, state.Revision, error) {
	return nil, 0, b.err
}

// TestFailClosed: with FailClosed a request whose run cannot be read is not sent; without it, it is.
func TestFailClosed(t *testing.T) {
	t.Parallel()
	for _, closed := range []bool{false, true} {
		sent := 0
		opts := proxy.Options{Store: broken{state.NewMemory(), errors.New("the disk is gone")}}
		opts.Transport.FailClosed = closed
		w := open(t, http.HandlerFunc(func(rw http.ResponseWriter, _ *http.Request) {
			sent++
			_, _ = io.WriteString(rw, `{}`)
		}), opts, manual)
		res, body := w.do("POST", "/v1/messages",
			`{"model":"claude-opus-5","max_tokens":9,"messages":[{"role":"user","content":"hi"}]}`)
		w.do("POST", "/v1/runs/r/turns", "{}")
		_, scraped := w.do("GET", "/metrics", "")
		if n := map[bool]int{false: 1, true: 2}[closed]; !strings.Contains(scraped,
			fmt.Sprintf("\naside_unavailable_total %d\n", n)) {
			t.Errorf("closed %t: not %d requests that got 503 here\n%s", closed, n, scraped)
		}
		if closed && (res.StatusCode != http.StatusServiceUnavailable || sent != 0 ||
			res.Header.Get("Retry-After") != "1" ||
			!strings.Contains(body, "the state of the run cannot be read or written")) ||
			!closed && (res.StatusCode != http.StatusOK || sent != 1) {
			t.Errorf("closed %t: %d %s, sent %d times", closed, res.StatusCode, body, sent)
		}
		if !strings.Contains(scraped, "aside_state_failures_total 2") ||
			closed == strings.Contains(scraped, `aside_model_calls_total{coverage="passed",reason="state"} 1`) {
			t.Errorf("closed %t: %s", closed, scraped)
		}
	}
}
