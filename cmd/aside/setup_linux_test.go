package main

import (
	"bufio"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/aside-go/aside/cmd/internal/command"
	"github.com/aside-go/aside/cmd/internal/terminal"
	"github.com/aside-go/aside/cmd/internal/test/process"
	"github.com/aside-go/aside/internal/test/testkit"
)

// reply is one part of a conversation on a terminal.
type reply struct {
	waits  string // what the screen ends with before
	answer string
}

// converse runs the command on a terminal of its own and answers its questions. It returns the exit code and
// all that the terminal has shown.
func converse(t *testing.T, cmd *exec.Cmd, columns uint16, parts ...reply) (int, string) {
	t.Helper()
	screen, tty := pty(t, columns)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = tty, tty, tty
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	tty.Close()
	var shown strings.Builder
	r := bufio.NewReader(screen)
	for _, p := range parts {
		for from := shown.Len(); !strings.HasSuffix(shown.String()[from:], p.waits); {
			b, err := r.ReadByte()
			if err != nil {
				t.Fatalf("%v before %q, behind\n%s", err, p.waits, shown.String())
			}
			shown.WriteByte(b)
		}
		if _, err := screen.WriteString(p.answer); err != nil {
			t.Fatal(err)
		}
	}
	for {
		b, err := r.ReadByte() // it ends with an error once nobody holds the other end
		if err != nil {
			break
		}
		shown.WriteByte(b)
	}
	_ = cmd.Wait()
	return cmd.ProcessState.ExitCode(), strings.ReplaceAll(shown.String(), "\r\n", "\n")
}

// newcomer is a machine with two agents and nothing of aside.
func newcomer(t *testing.T) (cmd func(args ...string) *exec.Cmd, home string) {
	t.Helper()
	root := t.TempDir()
	home = filepath.Join(root, "home")
	for _, name := range []string{"claude", "crush"} {
		process.Put(t, root, "bin/"+name, "#!/bin/sh\necho 2.1.329\n")
		if err := os.Chmod(filepath.Join(root, "bin", name), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	process.Put(t, root, "home/.claude/settings.json", "{\n  // mine\n  \"model\": \"opus\"\n}\n")
	process.Put(t, root, "home/.codex/keep", "")
	process.Put(t, root, "project/go.mod", "")
	return func(args ...string) *exec.Cmd {
		cmd := exec.Command("aside", args...)
		cmd.Dir = filepath.Join(root, "project")
		cmd.Env = []string{"HOME=" + home, "PATH=" + filepath.Join(root, "bin"),
			"TERM=xterm", "NO_COLOR=1", "LANG=C", "GORACE=atexit_sleep_ms=0"}
		return cmd
	}, home
}

const (
	which = "or numbers, names, all, none: "
	agree = "for the whole diff [y] "
)

// TestSetupAsks: a newcomer who types the name of the program is led to hooks and rules, in lines that fit
// the terminal.
func TestSetupAsks(t *testing.T) {
	t.Parallel()
	for _, columns := range []uint16{60, 100}[:testkit.Repeat(1, 2)] {
		cmd, home := newcomer(t)
		code, shown := converse(t, cmd(), columns, reply{which, "9\n"}, reply{which, "\n"},
			reply{which, "run-tests 1\n"},
			reply{agree, "d\n"}, reply{agree, "y\n"})
		begin, rest, _ := strings.Cut(shown, "Write this?")
		for _, want := range []string{"  1 * claude-code  Claude Code\n",
			"  2 * codex        Codex CLI, only ~/.codex is ",
			"crush        Charm Crush, untried\n", "\"9\" is not in the list\n", " * run-tests ", "settings.json, +",
			"  ... 1", "aside, 4 new files: rules, and a rule test of each\n"} {
			if !strings.Contains(begin, want) {
				t.Errorf("%d columns: no %q in\n%s", columns, want, begin)
			}
		}
		for _, want := range []string{"+++ b/~/.claude/settings.json\n", "+++ b/~/.aside/reminders/run-tests.md\n",
			"\nchanged    ~/.claude/settings.json", "\nNext\n- Claude Code: ", "/remind run-tests\n"} {
			if !strings.Contains(rest, want) {
				t.Errorf("%d columns: no %q in\n%s", columns, want, rest)
			}
		}
		for l := range strings.Lines(begin) {
			l = regexp.MustCompile("^Which.*").ReplaceAllString(strings.TrimRight(l, "\n"), "")
			if wide := terminal.Width(l); wide > int(columns) {
				t.Errorf("%d columns wide: %q", wide, l)
			}
		}
		example, err := os.ReadFile(filepath.Join(home, ".aside", "tests", "run-tests_test.yaml"))
		if err != nil {
			t.Fatal(err)
		}
		for l := range strings.Lines(string(example)) { // the diff is what is written, also where a line is long
			if !strings.Contains(rest, "\n+"+l) {
				t.Errorf("%d columns: the diff has no %q", columns, l)
			}
		}
		if about := regexp.MustCompile(`(?m)^  6 \* repeated-failures +steps`).FindString(begin); len(about) !=
			len("  6 * before-destructive-command  steps") {
			t.Errorf("%d columns: a row out of line: %q", columns, about)
		}
		files, _ := filepath.Glob(filepath.Join(home, ".aside", "reminders", "*"))
		if code != 0 || len(files) != 2 || strings.ContainsFunc(begin, func(r rune) bool { return r > 127 }) {
			t.Errorf("exit code %d, %q\n%s", code, files, shown)
		}
		if code, shown = converse(t, cmd(), columns); code != 0 || !strings.Contains(shown, "Usage: aside") {
			t.Errorf("once it is set up: %d\n%s", code, shown)
		}
	}
}

// TestSetupLeft: whoever leaves before the end has lost and changed nothing.
func TestSetupLeft(t *testing.T) {
	t.Parallel()
	const interrupt, end = "\x03", "\x04"
	for name, c := range testkit.Few(map[string]struct {
		parts []reply
		code  int
	}{
		"interrupt at the agents": {[]reply{{which, interrupt}}, command.ExitInterrupted},
		"interrupt at the rules":  {[]reply{{which, "1\n"}, {which, interrupt}}, command.ExitInterrupted},
		"interrupt at the diff": {[]reply{{which, "\n"}, {which, "\n"}, {agree, interrupt}},
			command.ExitInterrupted},
		"end at the agents": {[]reply{{which, end}}, command.ExitNo},
		"end at the diff":   {[]reply{{which, "\n"}, {which, "\n"}, {agree, end}}, command.ExitNo},
		"no":                {[]reply{{which, "all\n"}, {which, "all\n"}, {agree, "n\n"}}, command.ExitNo},
		"none":              {[]reply{{which, "none\n"}, {which, "none\n"}}, command.ExitNo},
	}, 2) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			cmd, home := newcomer(t)
			was := tree(t, home)
			code, shown := converse(t, cmd("setup"), 80, c.parts...)
			if code != c.code || !strings.HasSuffix(shown, "\n") {
				t.Errorf("exit code %d, want %d\n%q", code, c.code, shown)
			}
			same(t, tree(t, home), was)
		})
	}
}

// configured is what a home holds beside the state of aside, whatever its path.
func configured(t *testing.T, home string) map[string]string {
	t.Helper()
	all := map[string]string{}
	for path, is := range tree(t, home) {
		if path = strings.ReplaceAll(path, home, "~"); !strings.HasPrefix(path, "~/.local") {
			all[path] = strings.ReplaceAll(is, home, "~")
		}
	}
	return all
}

// TestSetupInterrupted: an interrupt in the middle of the writing leaves each file as it was, or as it is to
// be, and the same command again ends where an undisturbed one does. The list of the directories that were
// made is a full pipe, at which the program comes to a stand.
func TestSetupInterrupted(t *testing.T) {
	t.Parallel()
	setup := []string{"setup", "--yes", "--agent", "claude-code,crush", "--rules", "run-tests"}
	whole, there := newcomer(t)
	if out, err := whole(setup...).CombinedOutput(); err != nil {
		t.Fatal(err, string(out))
	}
	want := configured(t, there)
	cmd, home := newcomer(t)
	was := configured(t, home)
	process.Put(t, home, ".local/state/aside/install/projects", "")
	pipe := filepath.Join(home, ".local/state/aside/install/made")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	full, err := syscall.Open(pipe, syscall.O_RDWR|syscall.O_NONBLOCK|syscall.O_CLOEXEC, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer syscall.Close(full)
	for _, size := range []int{4096, 1} {
		for err = nil; err == nil; {
			_, err = syscall.Write(full, make([]byte, size))
		}
	}
	half := cmd(setup...)
	if err := half.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- half.Wait() }()
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for over := false; !over; {
		if _, err := os.Stat(filepath.Join(home, ".claude/commands")); err == nil { // right before the pipe
			_ = half.Process.Signal(os.Interrupt) // the second one ends it at once
		}
		select {
		case <-ended:
			over = true
		case <-tick.C:
		}
	}
	if code := half.ProcessState.ExitCode(); code != command.ExitInterrupted {
		t.Errorf("exit code %d", code)
	}
	written := 0
	for path, now := range configured(t, home) {
		switch {
		case now == want[path] && now != was[path]:
			written++
		case now != was[path]:
			t.Errorf("%s is half written: %q", path, now)
		}
	}
	if written == 0 || written == len(want)-len(was) {
		t.Errorf("%d of %d files were written", written, len(want))
	}
	if err := os.Remove(pipe); err != nil {
		t.Fatal(err)
	}
	if out, err := cmd(setup...).CombinedOutput(); err != nil {
		t.Fatal(err, string(out))
	}
	same(t, configured(t, home), want)
}

// TestSetupGoesOn: where the rules could not be written to the end, the same command again writes what is
// missing, and no more: not what a person chose not to have, nor what they have removed since.
func TestSetupGoesOn(t *testing.T) {
	t.Parallel()
	run := func(cmd *exec.Cmd, code int) {
		t.Helper()
		if out, _ := cmd.CombinedOutput(); cmd.ProcessState.ExitCode() != code {
			t.Fatalf("exit code %d\n%s", cmd.ProcessState.ExitCode(), out)
		}
	}
	cmd, home := newcomer(t)
	again := []string{"setup", "--yes", "--agent", "crush"}
	tests := filepath.Join(home, ".aside", "tests")
	process.Put(t, home, ".aside/tests", "in the way")
	run(cmd("setup", "--yes", "--agent", "crush", "--rules", "run-tests,secret-files"), command.ExitMachine)
	if err := os.Remove(filepath.Join(home, ".aside/reminders/run-tests.md")); err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(tests); err != nil {
		t.Fatal(err)
	}
	run(cmd(again...), 0)
	files := func() (names []string) {
		for path := range tree(t, filepath.Join(home, ".aside")) {
			if name := filepath.Base(path); filepath.Ext(name) != "" && name != ".aside" {
				names = append(names, name)
			}
		}
		slices.Sort(names)
		return names
	}
	want := []string{"run-tests.md", "run-tests_test.yaml", "secret-files.md", "secret-files_test.yaml"}
	if diff := cmp.Diff(want, files()); diff != "" {
		t.Error(diff)
	}
	if err := os.Remove(filepath.Join(home, ".aside/reminders/run-tests.md")); err != nil {
		t.Fatal(err)
	}
	run(cmd(again...), 0)
	if slices.Contains(files(), "run-tests.md") {
		t.Error("a rule that was removed is there again")
	}
}

// TestInstallAsks: install and uninstall without a name ask, and purge asks before it removes a rule that a
// person wrote.
func TestInstallAsks(t *testing.T) {
	t.Parallel()
	cmd, home := newcomer(t)
	was := tree(t, home)
	code, shown := converse(t, cmd("install"), 80, reply{which, "codex, 1\n"})
	if code != 0 || !strings.Contains(shown, "\nCodex CLI runs ") || !strings.Contains(shown,
		"\nClaude Code runs ") {
		t.Errorf("exit code %d\n%s", code, shown)
	}
	code, shown = converse(t, cmd("uninstall"), 80, reply{which, "codex\n"})
	if code != 0 || !strings.Contains(shown, "  1 * claude-code  Claude Code, set up\n") ||
		!strings.Contains(shown, "\nremoved    ~/.codex/hooks.json\n") {
		t.Errorf("exit code %d\n%s", code, shown)
	}
	process.Put(t, home, ".aside/reminders/mine.md", "Mine.\n")
	const remove = "Remove 1 file that cannot be brought back? [y/N] "
	code, shown = converse(t, cmd("uninstall", "--all", "--purge"), 80, reply{remove, "\n"})
	if _, err := os.Stat(filepath.Join(home, ".aside/reminders/mine.md")); code != 0 || err != nil {
		t.Errorf("exit code %d, %v\n%s", code, err, shown)
	}
	if code, shown = converse(t, cmd("uninstall", "--all", "--purge"), 80, reply{remove, "y\n"}); code != 0 {
		t.Errorf("exit code %d\n%s", code, shown)
	}
	same(t, tree(t, home), was)
}
