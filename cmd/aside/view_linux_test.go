package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/aside-go/aside/cmd/internal/terminal"
	"github.com/aside-go/aside/cmd/internal/test/process"
)

// sessionIn puts a session and a rule that fires in it below dir, and returns its name and its text.
func sessionIn(t *testing.T, dir string) (name, text string) {
	t.Helper()
	const session = "b1e6f0c2-7d34-4a59-9e21-5c8a3f6d0b17.jsonl"
	src, err := os.ReadFile(filepath.Join("..", "internal", "sample", "sample", session))
	if err != nil {
		t.Fatal(err)
	}
	process.Put(t, dir, session, string(src))
	process.Put(t, dir, "home/.aside/reminders/run-tests.md",
		"---\nwhen: after_tool:Edit\nexpect: after_tool:Bash\nwithin: 3 turns\n---\nRun the tests.\n")
	return session, string(src)
}

// TestViewKeys: a person at a real terminal sees reminders, opens one, changes its rule, and has the terminal
// back as it was, however they leave.
func TestViewKeys(t *testing.T) {
	t.Parallel()
	const restored = "restored"
	// Each waits for one word, at a place where another one stood: only what changes is written to a terminal.
	for name, c := range map[string]struct {
		parts []reply
		seen  []string
	}{
		"opened": {parts: []reply{{"leave", "n"}, {"after_tool:Edit", "\r"}, {"▾", "q"}},
			seen: []string{"heeded"}},
		"interrupt": {parts: []reply{{"leave", "\x03"}}},
		"help":      {parts: []reply{{"leave", "?"}, {"PgDn", "q"}}},
		"search":    {parts: []reply{{"leave", "/nosuch\r"}, {"below", "q"}}},
		"wheel":     {parts: []reply{{"leave", strings.Repeat("\x1b[<65;10;10M", 16)}, {"thrown", "q"}}},
		"edit": {parts: []reply{{"leave", "n"}, {"after_tool:Edit", "e"}, {"firings,", "q"}},
			seen: []string{"changed", "run-tests: 18 firings, 10 before"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			session, _ := sessionIn(t, dir)
			cmd := exec.Command("sh", "-c",
				`was=$(stty -g); aside view `+session+` && [ "$was" = "$(stty -g)" ] && echo `+restored)
			cmd.Dir = dir
			cmd.Env = []string{"HOME=" + filepath.Join(dir, "home"), "PATH=" + os.Getenv("PATH"),
				"TERM=xterm-256color",
				"LANG=C.UTF-8", "NO_COLOR=1", "GORACE=atexit_sleep_ms=0",
				"EDITOR=sed -i 's/after_tool:Edit/after_tool:Bash/'"}
			code, shown := converse(t, cmd, 100, c.parts...)
			for _, want := range append(c.seen, "\x1b[?1049h", "\x1b[?1049l", "\x1b[?25h", "\x1b[?1002l") {
				if !strings.Contains(shown, want) {
					t.Errorf("no %q in\n%q", want, shown)
				}
			}
			if code != 0 || !strings.HasSuffix(strings.TrimSpace(shown), restored) {
				t.Errorf("exit code %d\n%q", code, shown)
			}
		})
	}
}

// TestViewText: without a terminal, and on one that has no screen, the same is printed as text, and nothing
// of it is obeyed.
func TestViewText(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	session, text := sessionIn(t, dir)
	r := exe.Invoke(t, dir, nil, "view", session)
	for _, want := range []string{"you · turn 1", "run-tests  4 tokens, would have been read, heeded",
		"why: after_tool:Edit",
		"next: fires on each turn", "outcome: the model would have read it; heeded after"} {
		if r.Code != 0 || !strings.Contains(r.Out, want) {
			t.Errorf("exit %d, no %q in\n%s%s", r.Code, want, r.Err, r.Out)
		}
	}
	if again := exe.Invoke(t, dir, nil, "view", "claude-code/b1e6f0c2"); again.Code != 1 {
		t.Errorf("a session that is no agent's is found: %d", again.Code)
	}
	process.Put(t, dir, "home/.claude/projects/p/"+session, text)
	for _, args := range [][]string{{"view", "claude-code/b1e6f0c2"}, {"view", "b1e6f0c2"}, {"view"}} {
		if again := exe.Invoke(t, dir, nil, args...); again.Code != 0 || again.Out != r.Out {
			t.Errorf("%q: exit %d\n%s", args, again.Code, again.Err)
		}
	}
	hostile := strings.ReplaceAll(text, "harbour", `har\u001b[2J\u202e\u009bbour`)
	process.Put(t, dir, "hostile.jsonl", hostile)
	shown := exe.Invoke(t, dir, nil, "view", "hostile.jsonl").Out
	if !strings.Contains(shown, "har␛[2J") || strings.ContainsFunc(strings.ReplaceAll(shown, "\n", ""),
		terminal.Obeys) {
		t.Errorf("%q", shown)
	}
	out := seen(t, 80, func(tty *os.File) {
		cmd := exec.Command("aside", "view", "--color", "always", session)
		cmd.Dir, cmd.Stdin, cmd.Stdout, cmd.Stderr = dir, tty, tty, tty
		cmd.Env = []string{"HOME=" + filepath.Join(dir, "home"), "PATH=" + os.Getenv("PATH"), "TERM=dumb"}
		_ = cmd.Run()
	})
	if strings.Contains(out, "\x1b[?") || !strings.Contains(out, "run-tests") {
		t.Errorf("%q", out)
	}
}
