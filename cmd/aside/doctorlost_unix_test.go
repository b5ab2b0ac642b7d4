//go:build unix

package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/aside-go/aside/cmd/internal/test/process"
)

// TestDoctorLost: hooks that run and lose a text are wrong, and so is a server that does.
func TestDoctorLost(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	process.Put(t, dir, "home/.aside/reminders/a.md", "---\nwhen: manual\n---\nSay please.\n")
	program := filepath.Join(dir, "bin/aside-hook")
	process.Put(t, dir, "bin/aside-hook", "#!/bin/sh\ncat >/dev/null\n")
	if err := os.Chmod(program, 0o755); err != nil {
		t.Fatal(err)
	}
	if got := exe.Invoke(t, dir, nil, "install", "codex", "--program", program); got.Code != 0 {
		t.Fatal(got.Err)
	}
	const hooks = "a prompt that fires a by hand comes back from the hooks without its text"
	lost := func() (what string) {
		for _, f := range examined(t, dir) {
			if f.Check == "delivery" && f.Status == "wrong" {
				what += f.What + "\n"
			}
		}
		return what
	}
	if got := lost(); !strings.HasPrefix(got, hooks) {
		t.Error(got)
	}
	s := exe.Serve(t, dir, nil, "--upstream", "http://127.0.0.1:1", "--max-body", "20")
	server := "a request that fires a by hand leaves aside serve on " +
		strings.TrimSpace(strings.TrimPrefix(s.URL, "http://"))
	if got := lost(); !strings.HasPrefix(got, hooks) || !strings.Contains(got, "\n"+server) {
		t.Error(got)
	}
	// hooks speak until the server has carried a request of the session, wherever the agent sends its requests
	process.Put(t, dir, "home/.codex/config.toml", "openai_base_url = \""+strings.TrimSpace(s.URL)+"/v1\"\n")
	if got := lost(); !strings.HasPrefix(got, hooks) || !strings.Contains(got, "\n"+server) {
		t.Error(got)
	}
}
