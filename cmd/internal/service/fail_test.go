package service_test

import (
	"compress/gzip"
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/aside-go/aside/cmd/internal/access"
	"github.com/aside-go/aside/cmd/internal/service"
	"github.com/aside-go/aside/state"
)

func options() service.Options { return service.Options{} }

// TestScopes: each path takes its scope.
func TestScopes(t *testing.T) {
	t.Parallel()
	scopes := []string{"proxy", "decide", "remind", "read", "admin"}
	var lines []string
	for _, s := range scopes {
		lines = append(lines, s+" "+s+" secret-of-"+s)
	}
	tokens, err := access.Parse([]byte(strings.Join(lines, "\n")))
	if err != nil {
		t.Fatal(err)
	}
	w := open(t, service.Options{Guard: access.New(tokens, access.Limits{})}, full, hand)
	w.ask("POST", "/v1/runs/r/turns", "{}", "X-Aside-Token: secret-of-decide")
	for _, c := range []struct{ method, path, body, scope string }{
		{"GET", "/v1/runs", "", "read"},
		{"GET", "/v1/runs/r", "", "read"},
		{"GET", "/v1/runs/r/why", "", "read"},
		{"POST", "/v1/runs/r/turns", "{}", "decide"},
		{"POST", "/v1/runs/r/remind/by-hand", "", "remind"},
		{"PUT", "/v1/runs/r/reminders/x", `{"content":"x"}`, "remind"},
		{"DELETE", "/v1/runs/r/reminders/x", "", "remind"},
		{"DELETE", "/v1/runs/gone", "", "admin"},
	} {
		for _, s := range scopes {
			if s == "admin" && c.method == "DELETE" && c.scope == "remind" {
				continue // it is gone by then
			}
			status, said, h := w.ask(c.method, c.path, c.body, "Authorization: Bearer secret-of-"+s)
			if may := s == c.scope || s == "admin"; may && status >= 300 ||
				!may && (status != 403 || !strings.Contains(said, "has not the scope "+c.scope)) ||
				strings.Contains(said, "secret") {
				t.Errorf("%s %s with %s: %d %s %v", c.method, c.path, s, status, said, h)
			}
		}
		status, said, h := w.ask(c.method, c.path, c.body)
		if status != 401 || h.Get("WWW-Authenticate") != "Bearer" || strings.Contains(said, "secret") {
			t.Errorf("%s %s: %d %s", c.method, c.path, status, said)
		}
	}
	if status, _, _ := w.ask("GET", "/v1/openapi.json", ""); status != 200 {
		t.Error(status)
	}
}

// TestRefused: limits and foreign pages are problems, too.
func TestRefused(t *testing.T) {
	t.Parallel()
	w := open(t, options())
	if status, said, _ := w.ask("POST", "/v1/runs/r/turns", "{}",
		"Origin: https://evil.example"); status != 403 {
		t.Error(status, said)
	}
	w = open(t, service.Options{Guard: access.New(nil, access.Limits{Rate: 0.001})})
	w.ask("GET", "/v1/runs", "")
	if status, said, h := w.ask("GET", "/v1/runs", ""); status != 429 || h.Get("Retry-After") != "1000" {
		t.Error(status, said, h)
	}
}

// TestGzip: a body in gzip is read, within the limit for what is in it; one in another encoding is refused.
func TestGzip(t *testing.T) {
	t.Parallel()
	zip := func(text string) string {
		var b strings.Builder
		z := gzip.NewWriter(&b)
		if _, err := z.Write([]byte(text)); err != nil || z.Close() != nil {
			t.Fatal(err)
		}
		return b.String()
	}
	const turn = `{"facts":{"context_usage":0.8}}`
	for _, c := range []struct {
		name, encoding, body string
		status               int
		want                 string
	}{
		{"in gzip", "gzip", zip(turn), 200, `"id":"full"`},
		{"by its old name", "X-GZIP", zip(turn), 200, `"id":"full"`},
		{"in none", "identity", turn, 200, `"id":"full"`},
		{"a bomb", "gzip", zip(strings.Repeat(" ", 5<<20)), 413, "too-long"},
		{"of full size", "gzip", zip(turn + strings.Repeat(" ", 4<<20-len(turn))), 200, `"id":"full"`},
		{"too long itself", "gzip", zip("{}")[:10] + strings.Repeat("\x00\x00\x00\xff\xff", 1<<20),
			413, "too-long"},
		{"none in truth", "gzip", turn, 400, "not-understood"},
		{"cut off", "gzip", zip(turn)[:20], 400, "not-understood"},
		{"another", "zstd", turn, 400, "or in gzip"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			w := open(t, options(), full)
			w.plain = turn
			status, said, _ := w.ask("POST", "/v1/runs/r/turns", c.body, "Content-Encoding: "+c.encoding)
			if status != c.status || !strings.Contains(said, c.want) {
				t.Errorf("%d %s", status, said)
			}
		})
	}
}

// TestStateFails: a store that fails is a problem in words of ours, and is told.
func TestStateFails(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		err    error
		code   string
		status int
	}{
		{errors.New("disk hush"), "state-away", 503},
		{state.ErrIndeterminate, "state-away", 503},
		{state.ErrCorrupt, "state-broken", 500},
		{state.ErrNewer, "state-broken", 500},
	} {
		w := open(t, service.Options{Store: broken{state.NewMemory(), c.err}}, hand)
		for _, r := range [][3]string{{"POST", "/v1/runs/r/turns", "{}"}, {"GET", "/v1/runs/r/why", ""},
			{"GET", "/v1/runs/r", ""}, {"POST", "/v1/runs/r/remind/by-hand", ""},
			{"PUT", "/v1/runs/r/reminders/x", `{"content":"x"}`}} {
			status, said, h := w.ask(r[0], r[1], r[2])
			if status != c.status || !strings.Contains(said, c.code) || strings.Contains(said, "hush") ||
				(h.Get("Retry-After") == "1") != (status == 503) {
				t.Errorf("%v: %d %s", r, status, said)
			}
		}
		if w.failed != 5 {
			t.Errorf("%v: told %d times", c.err, w.failed)
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
