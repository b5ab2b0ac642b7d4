package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/aside-go/aside/cmd/internal/test/process"
)

// watched is a program on a terminal of its own.
type watched struct {
	mu    sync.Mutex // guards shown
	shown bytes.Buffer
}

// Write implements io.Writer.
func (w *watched) Write(b []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.shown.Write(b)
}

// waits waits until the terminal was told all of these words.
func (w *watched) waits(t *testing.T, words ...string) {
	t.Helper()
	var all string
	for end := time.Now().Add(time.Minute); time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
		w.mu.Lock()
		all = w.shown.String()
		w.mu.Unlock()
		found := true
		for _, word := range words {
			found = found && strings.Contains(all, word)
		}
		if found {
			return
		}
	}
	t.Fatalf("not all of %q in\n%q", words, all)
}

// TestAgentsView follows the session of a real agent while the agent is at work: its prompt, its calls and
// its last words come to the screen, and what the hooks said, which the model has read.
//
// ASIDE_AGENTS says which, as for TestAgents.
func TestAgentsView(t *testing.T) {
	c := hookCase{agent: "claude-code", scope: "user"}
	askedAgents(t, c.agent)
	sh, bin, _ := realAgents(t)
	dir := t.TempDir()
	home, project := filepath.Join(dir, "home"), filepath.Join(dir, "project")
	for _, d := range []string{home, project} {
		if err := os.MkdirAll(d, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	process.Put(t, home, ".aside/reminders/tool-used.md",
		"---\nwhen: after_tool:*\n---\nLook at what it printed.\n")
	c.aside(t, bin, dir, "install")
	ended := make(chan outcome, 1)
	go func() {
		defer close(ended)
		h := toolsOf(c.agent)
		ended <- session{prompt: "go", script: script{Turns: [][]item{{h.shell(1, "echo one")},
			{h.shell(2, "until [ -e seen ]; do sleep 0.1; done; echo two")}, {say("finished")}}}}.run(
			t, sh, c.agent, dir, address{}, []string{"--env", "PATH=" + bin + ":" + os.Getenv("PATH")})
	}()
	var files []string
	for end := time.Now().Add(time.Minute); len(files) == 0 && time.Now().Before(end); {
		time.Sleep(20 * time.Millisecond)
		files, _ = filepath.Glob(filepath.Join(home, ".claude/projects/*/*.jsonl"))
	}
	cmd := exec.Command(filepath.Join(bin, "aside"), "view", "--follow")
	cmd.Dir, cmd.Env = project, []string{"HOME=" + home, "PATH=" + os.Getenv("PATH"), "TERM=xterm-256color",
		"LANG=C.UTF-8", "NO_COLOR=1"}
	w := &watched{}
	screen, tty := pty(t, 100)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = tty, tty, tty
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	tty.Close()
	go func() { _, _ = screen.WriteTo(w) }() // it ends once nobody holds the other end
	w.waits(t, "following")
	process.Put(t, project, "seen", "")
	w.waits(t, "finished", "two", "tool-used")
	if _, err := screen.WriteString("p"); err != nil {
		t.Fatal(err)
	}
	w.waits(t, "after_tool:*", "outcome")
	if _, err := screen.WriteString("q"); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Wait(); err != nil {
		t.Error(err)
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if strings.Contains(w.shown.String(), "would have") {
		t.Errorf("the model has not read what the hooks said:\n%q", &w.shown)
	}
	if o := <-ended; o.code != 0 {
		t.Errorf("exit code %d\n%s", o.code, o.stderr)
	}
}
