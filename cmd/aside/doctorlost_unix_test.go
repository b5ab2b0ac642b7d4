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
	if got := exe.Invoke(t, dir, nil, "install", "claude-code", "--program", program); got.Code != 0 {
		t.Fatal(got.Err)
	}
	lost := func() (what string) {
		for _, f := range examined(t, dir) {
			if f.Check == "delivery" && f.Status == "wrong" {
				what += f.What + "\n"
			}
		}
		return what
	}
	if got := lost(); !strings.HasPrefix(got, "a prompt that fires a by hand comes back from the hooks without") {
		t.Error(got)
	}
	exe.Serve(t, dir, nil, "--upstream", "http://127.0.0.1:1", "--max-body", "20")
	if got := lost(); !strings.HasPrefix(got, "a request that fires a by hand leaves aside serve on 127.0.0.1:") ||
		strings.Count(got, "\n") != 1 {
		t.Error(got) // the hooks may leave the rules to the server
	}
}
