//go:build unix

package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/aside-go/aside/cmd/internal/command"
)

// TestReplayInterrupted: an interrupt ends a replay with whole lines, a summary of the turns so far, and a
// word of how far it came.
func TestReplayInterrupted(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	manyRules(t, dir, 1000)
	files, turns := recorded(t, filepath.Join(dir, "sessions"), 48<<20)
	cmd := exec.Command("aside", "replay", "--json", "--rules", "rules.yaml", "sessions")
	cmd.Dir = dir
	cmd.Env = []string{"HOME=" + dir, "PATH=" + os.Getenv("PATH")}
	var errs bytes.Buffer
	cmd.Stderr = &errs
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(out)
	lines.Buffer(nil, 1<<26)
	n := 0
	var last string
	for lines.Scan() {
		if n++; n == 10 {
			if err := cmd.Process.Signal(syscall.SIGINT); err != nil {
				t.Fatal(err)
			}
		}
		if last = lines.Text(); !json.Valid([]byte(last)) {
			t.Fatalf("line %d is cut off: %.200s", n, last)
		}
	}
	if err := lines.Err(); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait()
	var sum struct{ Summary struct{ Turns int } }
	if err := json.Unmarshal([]byte(last), &sum); err != nil || sum.Summary.Turns != n-1 || n >= turns {
		t.Errorf("%d lines of %d turns, and a summary of %+v, %v", n, turns, sum, err)
	}
	want := fmt.Sprintf("interrupted after 0 files of %d and %d turns: what follows is about that part\n", files,
		n-1)
	if code := cmd.ProcessState.ExitCode(); code != command.ExitInterrupted ||
		!strings.Contains(errs.String(), want) {
		t.Errorf("exit code %d, no %q in %q", code, want, errs.String())
	}
}
