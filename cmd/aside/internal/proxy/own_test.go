package proxy_test

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/aside-go/aside/cmd/aside/internal/evaljson"
	"github.com/aside-go/aside/cmd/aside/internal/proxy"
	"github.com/aside-go/aside/compile/reminder"
	"github.com/aside-go/aside/eval"
	"github.com/aside-go/aside/inject/transport"
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

func TestHealth(t *testing.T) {
	t.Parallel()
	opts := unreachable(t)
	opts.Token, opts.Version = "sesame", "v1"
	w := open(t, nil, opts, near, manual)
	res, body := w.do("GET", "/healthz", "")
	if res.StatusCode != 200 || body != `{"status":"ok","rules":2,"version":"v1"}`+"\n" ||
		res.Header.Get("Content-Type") != "application/json" {
		t.Error(res.StatusCode, body)
	}
	if res, _ := w.do("HEAD", "/healthz", ""); res.StatusCode != 200 {
		t.Error(res.StatusCode)
	}
}

// TestOwnPaths: what the proxy's own paths answer.
func TestOwnPaths(t *testing.T) {
	t.Parallel()
	const fired = `{"fired":[{"id":"near-full","text":"full","priority":0,"tier":"guidance",` +
		`"attach":"tail","keep":"user turn","manual":false}],"kept":[],"errors":[]}`
	const quiet = `{"fired":[],"kept":[],"errors":[]}`
	for _, c := range []struct {
		name, method, path, body string
		status                   int
		want                     string // a part of the answer
	}{
		{"one object", "POST", "/aside/eval", `{"facts":{"context_usage":0.8}}`, 200, fired},
		{"one object on several lines", "POST", "/aside/eval", "{\"facts\":\n {\"context_usage\": 0.8}\n}\n", 200,
			fired},
		{"lines", "POST", "/aside/eval", "{}\n{\"facts\":{\"context_usage\":0.8}}", 200, quiet + "\n" +
			fired + "\n"},
		{"a wrong line among lines", "POST", "/aside/eval", "{\"x\":1}\n{}", 200,
			`"errors":["unknown key \"x\""]}` + "\n" + quiet + "\n"},
		{"no JSON", "POST", "/aside/eval", "hello", 200, `"errors":["not JSON`},
		{"nothing", "POST", "/aside/eval", "", 200, ""},
		{"too long", "POST", "/aside/eval", strings.Repeat(" ", evaljson.MaxLine+1), 413, "the body is too long"},
		{"eval by GET", "GET", "/aside/eval", "", 405, "this path takes POST"},
		{"remind", "POST", "/aside/remind", `{"run":"known","name":"by-hand"}`, 200,
			`{"run":"known","name":"by-hand"}`},
		{"remind the most recent", "POST", "/aside/remind", `{"name":"by-hand"}`, 200,
			`{"run":"known","name":"by-hand"}`},
		{"remind what there is not", "POST", "/aside/remind", `{"run":"known","name":"by-hnad"}`, 404,
			`"suggestions":["by-hand"]`},
		{"remind nothing", "POST", "/aside/remind", `{"run":"known"}`, 400, "not an object such as"},
		{"remind, the message where other errors have it", "POST", "/aside/remind", `{"name":"no"}`, 404,
			`"message":"aside: there is no reminder of that name"`},
		{"remind in no run", "POST", "/aside/remind", `{"run":"knwon","name":"by-hand"}`, 404,
			`"suggestions":["known"]`},
		{"remind, wrong key", "POST", "/aside/remind", `{"id":"by-hand"}`, 400, "not an object such as"},
		{"remind, two objects", "POST", "/aside/remind", `{"name":"by-hand"} {}`, 400, "not an object such as"},
		{"remind, no JSON", "POST", "/aside/remind", `x`, 400, "not an object such as"},
		{"runs", "GET", "/aside/runs", "", 200,
			`{"total":2,"runs":[{"run":"known","turn":2,"at":"2026-01-02T00:00:00Z"},` +
				`{"run":"older","turn":1,"at":"2026-01-01T00:00:00Z"}]}`},
		{"one run", "GET", "/aside/runs?limit=1", "", 200,
			`{"total":2,"runs":[{"run":"known","turn":2,"at":"2026-01-02T00:00:00Z"}]}`},
		{"no runs", "GET", "/aside/runs?limit=0", "", 400, "limit is a number from 1"},
		{"why", "GET", "/aside/why?run=older", "", 200, `"older "`},
		{"why the most recent", "GET", "/aside/why", "", 200, `"known "`},
		{"why one", "GET", "/aside/why?id=by-hand", "", 200, `"known by-hand"`},
		{"why what there is not", "GET", "/aside/why?id=by-hnad", "", 404, `"suggestions":["by-hand"]`},
		{"why in no run", "GET", "/aside/why?run=oldr", "", 404, `"suggestions":["older"]`},
		{"an unknown path", "GET", "/aside/rnus", "", 404, "did you mean GET /aside/runs"},
		{"no path", "POST", "/aside/", "", 404, "no such path"},
		{"metrics by POST", "POST", "/metrics", "", 405, "this path takes GET"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			opts := unreachable(t)
			opts.Why = func(_ context.Context, run, id string) (any, error) {
				if id == "by-hnad" {
					return nil, &eval.UnknownError{Name: id, Suggestions: []string{"by-hand"}}
				}
				return run + " " + id, nil
			}
			opts.Store = state.NewMemory()
			w := open(t, nil, opts, near, manual)
			for _, line := range []string{`{"run":"known","at":"2026-01-01T00:00:00Z"}`,
				`{"run":"known","at":"2026-01-02T00:00:00Z"}`, `{"run":"older","at":"2026-01-01T00:00:00Z"}`} {
				w.do("POST", "/aside/eval", line)
			}
			res, body := w.do(c.method, c.path, c.body)
			if res.StatusCode != c.status || !strings.Contains(body, c.want) || c.want == "" && body != "" {
				t.Errorf("%d %s\nwant %d %s", res.StatusCode, body, c.status, c.want)
			}
			if c.status >= 400 && !json.Valid([]byte(body)) {
				t.Errorf("not JSON: %s", body)
			}
		})
	}
}

// TestRemindedGoesOut: what was asked for by hand fires on the run's next turn.
func TestRemindedGoesOut(t *testing.T) {
	t.Parallel()
	w := open(t, nil, unreachable(t), manual)
	w.do("POST", "/aside/eval", `{"run":"r"}`)
	w.do("POST", "/aside/remind", `{"run":"r","name":"by-hand"}`)
	if _, body := w.do("POST", "/aside/eval", `{"run":"r"}`); !strings.Contains(body, `"id":"by-hand"`) {
		t.Error(body)
	}
}

// TestEvalStreams: with the type of lines, each is answered before the next is sent.
func TestEvalStreams(t *testing.T) {
	t.Parallel()
	w := open(t, nil, unreachable(t), near)
	in, feed := io.Pipe()
	r, err := http.NewRequest("POST", w.url+"/aside/eval", in)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/x-ndjson; charset=utf-8")
	go io.WriteString(feed, "{}\n")
	res, err := w.client.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	lines := bufio.NewReader(res.Body)
	for range 3 {
		if line, err := lines.ReadString('\n'); err != nil || line != `{"fired":[],"kept":[],"errors":[]}`+"\n" {
			t.Fatal(line, err)
		}
		if _, err := io.WriteString(feed, "{}\n"); err != nil {
			t.Fatal(err)
		}
	}
	feed.Close()
	if rest := readAll(t, lines); strings.Count(rest, "\n") != 1 {
		t.Errorf("%q", rest)
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
		{"no token asked for", "", "/aside/runs", nil, 200},
		{"localhost", "", "/aside/runs", []string{"Host: localhost:7717"}, 200},
		{"IPv6", "", "/aside/runs", []string{"Host: [::1]:7717"}, 200},
		{"a name that points here", "", "/aside/runs", []string{"Host: rebound.example:7717"}, 403},
		{"an address of a network", "", "/metrics", []string{"Host: 192.168.0.7"}, 403},
		{"a web page", "", "/aside/eval", []string{"Origin: https://evil.example"}, 403},
		{"a web page that names itself", "", "/aside/remind", []string{"Sec-Fetch-Site: cross-site"}, 403},
		{"a path that is not there", "", "/aside/x", []string{"Host: rebound.example"}, 403},
		{"a vendor's path", "", "/v1/messages", []string{"Host: rebound.example"}, 200},
		{"health for anybody", "sesame", "/healthz", []string{"Host: rebound.example"}, 200},
		{"no token", "sesame", "/aside/runs", nil, 401},
		{"no token, no path", "sesame", "/aside/x", nil, 401},
		{"no token for metrics", "sesame", "/metrics", nil, 401},
		{"a wrong one", "sesame", "/aside/runs", []string{"X-Aside-Token: sesam"}, 401},
		{"in its header", "sesame", "/aside/runs", []string{"X-Aside-Token: sesame", "Host: proxy.example"}, 200},
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
			opts.Token = c.token
			w := open(t, nil, opts, manual)
			method, body := "GET", ""
			if !strings.HasSuffix(c.path, "s") && !strings.HasSuffix(c.path, "z") || c.path == "/v1/messages" {
				method, body = "POST", "{}"
			}
			res, said := w.do(method, c.path, body, c.header...)
			if res.StatusCode != c.want {
				t.Errorf("%d, want %d: %s", res.StatusCode, c.want, said)
			}
			if strings.Contains(said, "sesame") || strings.Contains(w.logs.String(), "sesame") {
				t.Error("the token was told")
			}
		})
	}
}

// TestStateFails: a store that fails is an answer in words of ours.
func TestStateFails(t *testing.T) {
	t.Parallel()
	for err, want := range map[error]string{
		errors.New("disk hush"): "the state of runs could not be read or written",
		state.ErrCorrupt:        "what is stored of the run cannot be read",
		state.ErrNewer:          "the run was written by a newer version",
	} {
		opts := unreachable(t)
		opts.Store = broken{state.NewMemory(), err}
		opts.Why = func(context.Context, string, string) (any, error) { return nil, nil }
		w := open(t, nil, opts, manual)
		for _, path := range []string{"/aside/why?run=r", "/aside/why"} {
			if errors.Is(err, state.ErrCorrupt) && path == "/aside/why" || errors.Is(err, state.ErrNewer) &&
				path == "/aside/why" {
				continue // a list leaves out what cannot be read
			}
			if res, body := w.do("GET", path, ""); res.StatusCode != 500 || !strings.Contains(body, want) ||
				strings.Contains(body, "hush") {
				t.Error(path, res.StatusCode, body)
			}
		}
	}
}

type broken struct {
	state.Store
	err error
}

func (b broken) Load(context.Context, string) (*state.Snapshot, state.Revision, error) {
	return nil, 0, b.err
}

func (b broken) Runs(context.Context, string) ([]string, string, error) {
	if errors.Is(b.err, state.ErrCorrupt) || errors.Is(b.err, state.ErrNewer) {
		return []string{"r"}, "", nil
	}
	return nil, "", b.err
}

// TestNoTurn: a run that has had no turn cannot be explained, and that is no fault.
func TestNoTurn(t *testing.T) {
	t.Parallel()
	opts := unreachable(t)
	opts.Why = func(context.Context, string, string) (any, error) { return nil, eval.ErrNoTurn }
	w := open(t, nil, opts, manual)
	w.do("POST", "/aside/eval", `{"run":"r"}`)
	if res, body := w.do("GET", "/aside/why?run=r", ""); res.StatusCode != 404 || !strings.Contains(body,
		"no turn yet") {
		t.Error(res.StatusCode, body)
	}
}

// TestNoMetrics: without metrics the path is the upstream's.
func TestNoMetrics(t *testing.T) {
	t.Parallel()
	opts := proxy.Options{NoMetrics: true, Upstreams: upstreams(t, "http://up"),
		Now: func() time.Time { return time.Unix(0, 0) },
		Transport: transport.Options{Base: base(func(r *http.Request) (*http.Response, error) {
			return says(200,
				r.URL.String()), nil
		})}}
	if _, body := open(t, nil, opts).do("GET", "/metrics", ""); body != "http://up/metrics" {
		t.Error(body)
	}
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
		_, scraped := w.do("GET", "/metrics", "")
		if closed && (res.StatusCode != http.StatusServiceUnavailable || sent != 0 ||
			res.Header.Get("Retry-After") != "1" ||
			!strings.Contains(body, "the state of the run cannot be read or written")) ||
			!closed && (res.StatusCode != http.StatusOK || sent != 1) {
			t.Errorf("closed %t: %d %s, sent %d times", closed, res.StatusCode, body, sent)
		}
		if !strings.Contains(scraped, "aside_state_failures_total 1") ||
			!strings.Contains(scraped, `aside_passed_total{reason="state"} 1`) {
			t.Errorf("closed %t: %s", closed, scraped)
		}
	}
}
