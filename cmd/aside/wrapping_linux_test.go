package main

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/aside-go/aside/cmd/internal/command"
	"github.com/aside-go/aside/cmd/internal/manual"
	"github.com/aside-go/aside/cmd/internal/terminal"
	"github.com/aside-go/aside/cmd/internal/test/process"
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
	kept := regexp.MustCompile("^(?: {4}|```|\\||[ 0-9]*\\|| *[│$#] |---$|Usage: |wrote +|/)")
	held := func(columns uint16, line, printed string) {
		fenced := false
		for l := range strings.Lines(printed) {
			l = strings.TrimRight(l, "\n")
			fenced = fenced != strings.HasPrefix(l, "```")
			if terminal.Width(l) > int(columns) && !fenced && !kept.MatchString(l) &&
				strings.Contains(strings.TrimLeft(l, " "), " ") {
				t.Errorf("aside %s at %d columns: %q", line, columns, l)
			}
		}
	}
	for _, line := range lines {
		held(40, line, shown(40, strings.Fields(line)...))
	}
	for _, line := range lines[5:12] {
		held(120, line, shown(120, strings.Fields(line)...))
	}

	// The pages of help need no terminal.
	k, err := aside.Parser(&command.Env{}, "")
	if err != nil {
		t.Fatal(err)
	}
	var pages []string
	for _, n := range k.Model.Leaves(true) {
		pages = append(pages, strings.TrimPrefix(n.Path(), "aside ")+" --help")
	}
	for _, topic := range manual.Topics() {
		pages = append(pages, "help "+topic)
	}
	for _, columns := range []uint16{40, 120} {
		for _, line := range pages {
			var out bytes.Buffer
			e := &command.Env{Out: bufio.NewWriter(&out), Err: io.Discard, Home: home, Width: int(columns)}
			if err := errors.Join(aside.Run(t.Context(), e, strings.Fields(line)), e.Out.Flush()); err != nil ||
				out.Len() == 0 {
				t.Errorf("aside %s: %v", line, err)
			}
			held(columns, line, out.String())
		}
	}
}
