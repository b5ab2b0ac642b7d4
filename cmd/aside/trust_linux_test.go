package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/aside-go/aside/cmd/internal/command"
	"github.com/aside-go/aside/cmd/internal/test/process"
)

// TestTrustAsks: a person is shown the files and asked, and only y trusts them.
func TestTrustAsks(t *testing.T) {
	t.Parallel()
	for answer, trusted := range map[string]bool{"y\n": true, "yes\n": true, "n\n": false, "\n": false,
		"yellow\n": false, "\x04": false} {
		t.Run(strings.TrimSpace(answer), func(t *testing.T) {
			t.Parallel()
			dir, home := t.TempDir(), t.TempDir()
			process.Put(t, dir, ".aside/reminders/tests.md", "Run the tests.\n")
			cmd := exec.Command("aside", "trust")
			cmd.Dir = dir
			cmd.Env = []string{"HOME=" + home, "PATH=" + os.Getenv("PATH"), "NO_COLOR=1",
				"GORACE=atexit_sleep_ms=0"}
			code, shown := converse(t, cmd, 80, reply{"[y/N] ", answer})
			if !strings.Contains(shown, "│ Run the tests.") || !strings.Contains(shown,
				"Let your agents read this file as shown? [y/N] ") {
				t.Errorf("shown: %q", shown)
			}
			if (code == command.ExitFine) != trusted || code > command.ExitNo {
				t.Errorf("%q: exit code %d", answer, code)
			}
			if _, err := os.Stat(filepath.Join(home, ".local/state/aside/trust")); (err == nil) != trusted {
				t.Errorf("%q: %v", answer, err)
			}
		})
	}
}
