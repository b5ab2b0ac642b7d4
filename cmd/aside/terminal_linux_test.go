package main

import (
	"context"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"golang.org/x/term"

	"github.com/aside-go/aside/cmd/internal/replay"
	"github.com/aside-go/aside/cmd/internal/sample"
	"github.com/aside-go/aside/cmd/internal/terminal"
	"github.com/aside-go/aside/cmd/internal/test/process"
)

// seen returns the text that a terminal shows when write prints to it, without the carriage returns it adds.
func seen(t *testing.T, columns uint16, write func(tty *os.File)) string {
	t.Helper()
	screen, tty := pty(t, columns)
	all := make(chan string)
	go func() {
		b, _ := io.ReadAll(screen) // it ends with an error once nobody holds the other end
		all <- string(b)
	}()
	write(tty)
	tty.Close()
	return strings.ReplaceAll(<-all, "\r\n", "\n")
}

// TestProgress: work that takes longer than a second says how far it is, on a terminal, and takes that away
// again.
func TestProgress(t *testing.T) {
	t.Parallel()
	progress := regexp.MustCompile(`\r\x1b\[Kreplaying: file \d of \d, \d+ MB, \d+ turns`)
	const gone = "\r\x1b[K"
	for name, c := range map[string]struct {
		tick time.Duration // from one look at the clock to the next
		most int           // times that progress is shown
		some bool
	}{
		"quick": {tick: time.Microsecond},
		"slow":  {tick: 100 * time.Millisecond, some: true, most: 60},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			out := seen(t, 80, func(tty *os.File) {
				now := time.Unix(0, 0)
				files, err := fs.Sub(sample.Sessions, "sample")
				if err != nil {
					t.Fatal(err)
				}
				err = replay.Run(context.Background(), replay.Options{
					Files: files, Paths: []string{"."}, Out: io.Discard, Err: tty, Progress: term.IsTerminal(int(tty.Fd())),
					Clock: func() time.Time { now = now.Add(c.tick); return now },
				})
				if err != nil {
					t.Fatal(err)
				}
			})
			shown := progress.FindAllStringIndex(out, -1)
			if n := len(shown); n > c.most || n == 0 && c.some {
				t.Errorf("shown %d times", n)
			}
			if c.some && !strings.HasPrefix(out[shown[len(shown)-1][1]:], gone) {
				t.Errorf("left behind: %q", out)
			}
			if n := strings.Count(progress.ReplaceAllString(out, ""), gone); c.some && n != 1 {
				t.Errorf("taken away %d times, want once, before the note: it would flicker\n%q", n, out)
			}
		})
	}
}

// TestOnTerminal: colours and the terminal's width where there is a terminal, and only where the user wants
// them.
func TestOnTerminal(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	process.Put(t, dir, "bad.md", "---\nwhen: context_usage > 75\n---\nx\n")
	process.Put(t, dir, "bad_test.yaml",
		"reminders: [{id: r, when: always, content: x}]\ntests: [{name: fires, steps: [{fires: [r]}, "+
			"{fires: [r]}]}]\n")
	for _, c := range []struct {
		name    string
		env     []string
		args    []string
		columns uint16
		want    []string
		not     []string
	}{
		{"replay", []string{"LANG=C.UTF-8"}, []string{"replay"}, 80, []string{"\x1b[1m", "█"}, nil},
		{"replay at 120 columns", []string{"LANG=C.UTF-8"}, []string{"replay"}, 120,
			[]string{"Finish the step at hand, and write down what is still open before"}, nil},
		{"replay without colour", []string{"LANG=C.UTF-8", "NO_COLOR=1"}, []string{"replay"}, 80, []string{"█"},
			[]string{"\x1b"}},
		{"replay on a poor terminal", []string{"TERM=dumb", "LANG=C"}, []string{"replay"}, 80, []string{"#"},
			[]string{"\x1b", "█"}},
		{"check", nil, []string{"check", "bad.md"}, 80, []string{"\x1b[1;31merror\x1b[0m[R0204]",
			"\x1b[1;31m^^\x1b[0m did you mean 75%?"}, nil},
		{"test", nil, []string{"test", "bad_test.yaml"}, 80, []string{"\x1b[1;31mFAIL\x1b[0m fires"}, nil},
		{"check without colour", []string{"NO_COLOR=1"}, []string{"check", "bad.md"}, 80, []string{"error[R0204]"},
			[]string{"\x1b"}},
		{"colour by flag", []string{"NO_COLOR=1"}, []string{"check", "--color=always", "bad.md"}, 80,
			[]string{"\x1b[1;31merror\x1b[0m[R0204]"}, nil},
		{"no colour by flag", nil, []string{"check", "--color", "never", "bad.md"}, 80, []string{"error[R0204]"},
			[]string{"\x1b"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			out := seen(t, c.columns, func(tty *os.File) {
				cmd := exec.Command("aside", c.args...)
				cmd.Dir = dir
				cmd.Env = append([]string{"HOME=" + filepath.Join(dir, "home"), "PATH=" + os.Getenv("PATH"),
					"TERM=xterm"}, c.env...)
				cmd.Stdout, cmd.Stderr = tty, tty
				_ = cmd.Run()
			})
			for _, want := range c.want {
				if !strings.Contains(out, want) {
					t.Errorf("no %q in\n%s", want, out)
				}
			}
			for _, not := range c.not {
				if strings.Contains(out, not) {
					t.Errorf("%q in\n%s", not, out)
				}
			}
			for l := range strings.Lines(regexp.MustCompile(`\x1b\[[0-9;]*m`).ReplaceAllString(out, "")) {
				if wide := terminal.Width(strings.TrimRight(l, "\n")); wide > int(c.columns) &&
					!strings.Contains(l, ": note: ") {
					t.Errorf("%d columns wide: %q", wide, l)
				}
			}
		})
	}
}

// TestPager: what a person reads is shown by the pager, and a pager that is left early is not a mistake.
func TestPager(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for pager, want := range map[string]string{
		"sed 's/^/| /'":     "| run 1  ",
		"head -n 1":         "run 1  ",
		"cat >/dev/null":    "session: ",
		"no-such-pager-too": "not found",
	} {
		code := -1
		out := seen(t, 80, func(tty *os.File) {
			cmd := exec.Command("aside", "replay")
			cmd.Dir = dir
			cmd.Env = []string{"HOME=" + dir, "PATH=" + os.Getenv("PATH"), "TERM=xterm", "PAGER=" + pager,
				"NO_COLOR=1"}
			cmd.Stdin, cmd.Stdout, cmd.Stderr = tty, tty, tty
			_ = cmd.Run()
			code = cmd.ProcessState.ExitCode()
		})
		if code != 0 || !strings.Contains(out, want) || pager != "sed 's/^/| /'" && strings.Contains(out,
			"turns in 1 run") {
			t.Errorf("%s: exit code %d\n%s", pager, code, out)
		}
	}
}

// TestForcedColour: colours without a terminal, where they are asked for.
func TestForcedColour(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	process.Put(t, dir, "bad.md", "---\nwhen: context_usage > 75\n---\nx\n")
	for env, want := range map[string]bool{"FORCE_COLOR=1": true, "CLICOLOR_FORCE=1": true,
		"FORCE_COLOR=0": false,
		"TERM=xterm":    false} {
		cmd := exec.Command("aside", "check", "bad.md")
		cmd.Dir, cmd.Env = dir, []string{"HOME=" + dir, "PATH=" + os.Getenv("PATH"), env}
		if out, _ := cmd.Output(); strings.Contains(string(out), "\x1b[") != want || len(out) == 0 {
			t.Errorf("%s: %q", env, out)
		}
	}
}
