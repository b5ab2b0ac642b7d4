//go:build unix

package main

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/aside-go/aside/cmd/internal/test/process"
)

// TestServeTogether: two of them at once, on one state directory.
func TestServeTogether(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	process.Put(t, dir, "rules/hand.md", "---\nwhen: manual\n---\nx\n")
	a, b := exe.Serve(t, dir, nil, "--rules", "rules", "--state", "state"), exe.Serve(t, dir, nil,
		"--rules", "rules",
		"--state", "state")
	a.Ask("POST", "/v1/runs/r/turns", `{}`)
	if body := b.Ask("POST", "/v1/runs/r/remind/hand", ""); !strings.Contains(body, `"id":"hand"`) {
		t.Error(body)
	}
	if body := a.Ask("POST", "/v1/runs/r/turns", `{}`); !strings.Contains(body, `"id":"hand"`) {
		t.Error(body)
	}
}

// TestServe: the evaluation API lists proxied runs, the metrics count proxied requests, and serve reads no
// untrusted rule of a project.
func TestServe(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	process.Put(t, dir, ".aside/reminders/kind.md", "Be kind.\n")
	process.Put(t, dir, "rules/mine.md", "---\nwhile: always\n---\nMine.\n")
	up := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = w.Write([]byte(`{"type":"message"}`))
	}))
	defer up.Close()
	s := exe.Serve(t, dir, nil, "--upstream", up.URL, "--rules", "rules", "--state", "memory")
	if body := s.Ask("POST", "/v1/messages",
		`{"model":"m","messages":[{"role":"user","content":"hi"}]}`); body != `{"type":"message"}` {
		t.Error(body)
	}
	for path, want := range map[string]string{"/v1/runs": `"conversation-`,
		"/metrics": `aside_fires_total{reminder="mine"} 1`} {
		if body := s.Ask("GET", path, ""); !strings.Contains(body, want) {
			t.Errorf("%s: no %s in %s", path, want, body)
		}
	}
	s = exe.Serve(t, dir, nil, "--state", "memory")
	if body := s.Ask("POST", "/v1/runs/r/turns", `{"remind":["kind"]}`); !strings.Contains(body,
		"there is no reminder") {
		t.Error(body)
	}
	s = exe.Serve(t, dir, nil, "--state", "memory", "--no-metrics", "--upstream", up.URL)
	if body := s.Ask("GET", "/metrics", ""); strings.Contains(body, "aside_fires_total") {
		t.Error(body)
	}
}
