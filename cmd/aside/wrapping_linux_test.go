package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/aside-go/aside/cmd/internal/test/commandline"
	"github.com/aside-go/aside/cmd/internal/test/process"
	"github.com/aside-go/aside/internal/test/testkit"
)

// TestWrapping: no command prints prose that is wider than the terminal. What people copy is left as it is:
// examples, tables of the manual, lines of rule files, usage and paths.
func TestWrapping(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	dir := filepath.Join(home, "work")
	process.Put(t, dir, ".git/HEAD", "")
	process.Put(t, dir, "bad.md", "---\nwhen: context_usage > 75 and turn_coutn > 3 and not compacted\n---\nx\n")
	process.Put(t, dir, "theirs/.aside/reminders/a.md", "---\nwhen: compacted\n---\nx\n")
	shown := func(columns uint16, args ...string) string {
		return seen(t, columns, func(tty *os.File) {
			cmd := exec.Command("aside", args...)
			cmd.Dir = dir
			cmd.Env = []string{"HOME=" + home, "PATH=" + os.Getenv("PATH"), "TERM=xterm", "LANG=C.UTF-8",
				"NO_COLOR=1", "PAGER=cat"}
			cmd.Stdout, cmd.Stderr = tty, tty
			_ = cmd.Run()
		})
	}
	lines := []string{
		"init", "check", "check bad.md", "check --explain R0204", "list", "list --packs",
		"show run-tests", "replay", "replay --cost", "replay --effect", "replay --diff .", "test",
		"runs", "why",
		"why --turn 3", "remind", "remind run-tests", "remind nothing", "doctor", "trust theirs",
		"trust --list", "suggest", "effect", "add", "add push-to-main@git", "import",
		"install --dry-run", "setup --dry-run", "uninstall", "schema nothing", "nothing",
		"replay --nothing",
		"serve --state /dev/null/x", "help --search cache", "help context_usage", "help cooldown",
		"disable run-tests", "enable run-tests", "fmt nothing.md", "state copy nowhere elsewhere",
		"version",
	}
	lines = lines[:testkit.Repeat(8, len(lines))]
	held := func(columns uint16, line, printed string) {
		for _, l := range commandline.Wide(int(columns), printed) {
			t.Errorf("aside %s at %d columns: %q", line, columns, l)
		}
	}
	for _, line := range lines {
		held(40, line, shown(40, strings.Fields(line)...))
	}
	for _, line := range lines[5:min(12, len(lines))] {
		held(120, line, shown(120, strings.Fields(line)...))
	}
	commandline.Wrapping(t, aside)
}
