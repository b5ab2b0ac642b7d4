//go:build unix

package main

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/aside-go/aside/cmd/internal/test/process"
	"github.com/aside-go/aside/internal/test/testkit"
)

// shelf is a server that keeps one file, and takes another by PUT.
type shelf struct {
	mu    sync.Mutex // guards what follows
	file  []byte
	n     int // version of file
	torn  bool
	raced bool // somebody else writes before the next PUT
}

func (s *shelf) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if r.Header.Get("Authorization") != "Bearer secret" {
		w.WriteHeader(http.StatusUnauthorized)
		return
	}
	if r.Method == http.MethodPut && s.raced {
		s.n, s.raced = s.n+1, false
	}
	etag := fmt.Sprintf(`"v%d"`, s.n)
	switch {
	case r.Method == http.MethodPut:
		if none := r.Header.Get("If-None-Match") == "*"; none != (s.file == nil) ||
			!none && r.Header.Get("If-Match") != etag {
			w.WriteHeader(http.StatusPreconditionFailed)
			return
		}
		s.file, _ = io.ReadAll(r.Body)
		s.n++
		w.WriteHeader(http.StatusNoContent)
	case s.file == nil:
		w.WriteHeader(http.StatusNotFound)
	case r.Header.Get("If-None-Match") == etag:
		w.WriteHeader(http.StatusNotModified)
	default:
		w.Header().Set("ETag", etag)
		w.Header().Set("Content-Length", fmt.Sprint(len(s.file)))
		if s.torn { // the connection ends in the middle
			_, _ = w.Write(s.file[:len(s.file)/2])
			return
		}
		_, _ = w.Write(s.file)
	}
}

func (s *shelf) set(change func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	change()
}

// TestBundle is an operator's way: build, sign, push; a process that follows, through a torn download,
// another key and a server that is away, also over a restart; and the rule files for hooks.
func TestBundle(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	var on shelf
	srv := httptest.NewServer(&on)
	defer srv.Close()
	url := srv.URL + "/team.tar.gz"
	process.Put(t, dir, "token", "secret\n")
	process.Put(t, dir, "rules/a.md", "---\nid: a\nwhen: turn_count >= 1\n---\nFirst.\n")
	do := func(code int, want string, args ...string) string {
		t.Helper()
		r := exe.Invoke(t, dir, nil, append([]string{"bundle"}, args...)...)
		if all := r.Out + r.Err; r.Code != code || !strings.Contains(all, want) {
			t.Fatalf("bundle %q: %d\n%s\nwant %d and %q", args, r.Code, all, code, want)
		}
		return r.Out + r.Err
	}
	publish := func(revision string, more ...string) (digest string) {
		t.Helper()
		file := "team-" + revision + ".tar.gz"
		out := do(0, "digest", append([]string{"build", "rules", "--name", "team", "--revision",
			revision}, more...)...)
		do(0, "is signed by", "sign", file, "--key", "team.key")
		do(0, "pushed", "push", file, url, "--token-file", "token")
		return regexp.MustCompile(`digest ([0-9a-f]{16})`).FindStringSubmatch(out)[1]
	}
	do(0, "keep team.key secret", "keygen", "team")
	do(1, "is there already", "keygen", "team")
	do(0, "", "keygen", "other")
	do(2, "--revision", "build", "rules")
	do(2, "go together", "build", "rules", "--revision", "1", "--rollout", "10%")
	do(2, "a share of runs", "build", "rules", "--revision", "1", "--rollout", "ten")
	do(2, "a day such as", "build", "rules", "--revision", "1", "--expires", "soon")
	do(2, "is of a later time", "build", "rules", "--revision", "1", "--expires", "2001-01-01")
	process.Put(t, dir, "empty/.x", "")
	do(1, "holds no rule file", "build", "empty", "--revision", "1")
	first := publish("1")
	do(1, "no accepted key", "verify", "team-1.tar.gz", "--pub", "other.pub")
	do(2, "private key", "verify", "team-1.tar.gz", "--pub", "team.key")
	do(2, "no private key", "sign", "team-1.tar.gz", "--key", "team.pub")
	do(0, "has team revision 1, digest "+first, "push", "team-1.tar.gz", url, "--token-file", "token")
	do(3, "401", "push", "team-1.tar.gz", url)

	serve := func() *process.Server {
		return exe.Serve(t, dir, nil, "--state", "memory", "--bundle", url, "--bundle-key", "team.pub",
			"--bundle-token-file", "token", "--bundle-interval", "1h", "--bundle-stale", "2h")
	}
	decided := func(s *process.Server, text, digest string) {
		t.Helper()
		res, err := http.Post(s.URL+"/v1/runs/r/turns", "application/json", strings.NewReader(`{"facts":{}}`))
		if err != nil {
			t.Fatal(err)
		}
		body, _ := io.ReadAll(res.Body)
		res.Body.Close()
		if !strings.Contains(string(body), text) || !strings.Contains(string(body), `"rules":"`+digest+`"`) {
			t.Errorf("decided %s, want %q by %s", body, text, digest)
		}
	}
	ready := func(s *process.Server, status int, want string) {
		t.Helper()
		res, err := http.Get(s.URL + "/readyz")
		if err != nil {
			t.Fatal(err)
		}
		defer res.Body.Close()
		var body struct {
			Checks struct{ Rules json.RawMessage }
		}
		if err := json.NewDecoder(res.Body).Decode(&body); err != nil || res.StatusCode != status ||
			!strings.Contains(string(body.Checks.Rules), want) {
			t.Errorf("readyz: %d %s %v, want %d and %q", res.StatusCode, body.Checks.Rules, err, status, want)
		}
	}
	s := serve()
	decided(s, "First.", first)
	ready(s, http.StatusOK, `"digest":"`+first+`"`)

	process.Put(t, dir, "rules/a.md", "---\nid: a\nwhen: context_usage > 75\n---\nSecond.\n")
	do(1, "R0204", "build", "rules", "--name", "team", "--revision", "2")
	process.Put(t, dir, "rules/a.md", "---\nid: a\nwhile: turn_count >= 1\n---\nSecond.\n")
	second := publish("2", "--expires", "2999-01-01")
	on.set(func() { on.torn = true })
	s.Signal(syscall.SIGHUP)
	s.Await("cut short")
	decided(s, `"fired":[]`, first)
	ready(s, http.StatusOK, "cut short")
	on.set(func() { on.torn = false })
	s.Signal(syscall.SIGHUP)
	s.Await("rules of a bundle are in use")
	decided(s, "Second.", second)

	do(1, "older than 2", "push", "team-1.tar.gz", url, "--token-file", "token")
	on.set(func() { on.raced = true })
	do(0, "digest "+second, "build", "rules", "--name", "team", "--revision", "3")
	do(1, "is not signed", "push", "team-3.tar.gz", url, "--token-file", "token")
	do(0, "", "sign", "team-3.tar.gz", "--key", "team.key")
	do(1, "somebody else has pushed", "push", "team-3.tar.gz", url, "--token-file", "token")

	do(0, "digest "+second, "pull", url, "--key", "team.pub", "--to", "hooks", "--token-file", "token")
	if b, err := os.ReadFile(filepath.Join(dir, "hooks", "a.md")); err != nil ||
		!strings.Contains(string(b), "Second.") {
		t.Errorf("pulled %q %v", b, err)
	}
	list := process.Program(testkit.Built(t, "aside")).Invoke
	if r := list(t, dir, nil, "list", "--rules", "hooks"); r.Code != 0 || !strings.Contains(r.Out, "a") ||
		r.Err != "" {
		t.Errorf("the rules that were pulled: %+v", r)
	}
	process.Put(t, dir, "own/mine.md", "---\nid: mine\nmanual: true\n---\nMine.\n")
	do(1, "is not a file of a bundle", "pull", url, "--key", "team.pub", "--to", "own", "--token-file", "token")
	do(1, "own stays as it is", "pull", url, "--key", "team.pub", "--to", "own", "--token-file", "token")
	do(1, "no accepted key", "pull", url, "--key", "other.pub", "--to", "hooks", "--token-file", "token")

	s.Signal(syscall.SIGTERM)
	if code := s.End(); code != 0 {
		t.Errorf("exit %d", code)
	}
	srv.Close() // and a start while the server is away
	s = serve()
	decided(s, "Second.", second)
	ready(s, http.StatusOK, "refused")
	if !strings.Contains(s.Said.String(), "rules as they were kept: team revision 2") {
		t.Errorf("%s", &s.Said)
	}
	do(3, "hooks keeps team revision 2", "pull", url, "--key", "team.pub", "--to", "hooks",
		"--token-file", "token")

	if err := os.RemoveAll(filepath.Join(dir, "home")); err != nil {
		t.Fatal(err)
	}
	ready(serve(), http.StatusServiceUnavailable, "there are no rules yet")
}
