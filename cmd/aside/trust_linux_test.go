package main

import (
	"bufio"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/aside-go/aside/cmd/aside/internal/command"
)

// TestTrustAsks: a person is shown the files and asked, and only y trusts them.
func TestTrustAsks(t *testing.T) {
	t.Parallel()
	for answer, trusted := range map[string]bool{"y\n": true, "yes\n": true, "n\n": false, "\n": false,
		"yellow\n": false, "\x04": false} {
		t.Run(strings.TrimSpace(answer), func(t *testing.T) {
			t.Parallel()
			dir, home := t.TempDir(), t.TempDir()
			put(t, dir, ".aside/reminders/tests.md", "Run the tests.\n")
			screen, tty := pty(t, 80)
			cmd := exec.Command("aside", "trust")
			cmd.Dir = dir
			cmd.Env = []string{"HOME=" + home, "PATH=" + os.Getenv("PATH"), "NO_COLOR=1",
				"GORACE=atexit_sleep_ms=0"}
			cmd.Stdin, cmd.Stdout, cmd.Stderr = tty, tty, tty
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			var shown strings.Builder
			r := bufio.NewReader(screen)
			for !strings.HasSuffix(shown.String(), "[y/N] ") {
				b, err := r.ReadByte()
				if err != nil {
					t.Fatalf("%v behind %q", err, shown.String())
				}
				shown.WriteByte(b)
			}
			if !strings.Contains(shown.String(), "│ Run the tests.") || !strings.Contains(shown.String(),
				"Let your agents read this file as shown? [y/N] ") {
				t.Errorf("shown: %q", shown.String())
			}
			if _, err := screen.WriteString(answer); err != nil {
				t.Fatal(err)
			}
			err := cmd.Wait()
			if (err == nil) != trusted || cmd.ProcessState.ExitCode() > command.ExitNo {
				t.Errorf("%q: %v", answer, err)
			}
			if _, err := os.Stat(filepath.Join(home, ".local/state/aside/trust")); (err == nil) != trusted {
				t.Errorf("%q: %v", answer, err)
			}
		})
	}
}
