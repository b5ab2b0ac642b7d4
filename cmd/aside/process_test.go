//go:build unix

package main

import (
	"bufio"
	"bytes"
	"io"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/aside-go/aside/cmd/internal/command"
	"github.com/aside-go/aside/cmd/internal/test/process"
)

// TestS1Together: two processes at once on one state directory, turn after turn under the same keys: each
// edge fires in one decision, which both are told.
func TestS1Together(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	process.Put(t, dir, "r.md", "---\nwhen: context_usage > 75%\nkeep: 1 turn\n---\nNear full.\n")
	var in strings.Builder
	for i := range 20 {
		usage := "0.1"
		if i%2 == 1 {
			usage = "0.8"
		}
		in.WriteString(`{"run":"r","facts":{"context_usage":` + usage + `}}` + "\n")
	}
	var wg sync.WaitGroup
	var mu sync.Mutex
	fired := 0
	for range 2 {
		wg.Go(func() {
			r := exe.Invoke(t, dir, strings.NewReader(in.String()), "eval", "--rules", "r.md", "--state", "state")
			if r.Code != 0 || strings.Count(r.Out, "\n") != 20 || strings.Contains(r.Out, `{"errors":`) {
				t.Errorf("exit code %d\n%s%s", r.Code, r.Out, r.Err)
			}
			mu.Lock()
			defer mu.Unlock()
			fired += strings.Count(r.Out, `"id":"r"`)
		})
	}
	wg.Wait()
	if fired < 1 || fired > 20 { // by itself each sees ten edges; together no edge is seen twice
		t.Errorf("fired %d times", fired)
	}
	if r := exe.Invoke(t, dir, nil, "why", "--rules", "r.md", "--state", "state"); r.Code != 0 ||
		!strings.Contains(r.Out, "turn") {
		t.Errorf("exit code %d\n%s%s", r.Code, r.Out, r.Err)
	}
}

// TestS1SameKeys: with keys, both processes are told the same.
func TestS1SameKeys(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	process.Put(t, dir, "r.md", "---\nwhen: context_usage > 75%\n---\nNear full.\n")
	const processes = 6
	out := make([]string, processes)
	var wg sync.WaitGroup
	for i := range processes {
		wg.Go(func() {
			r := exe.Invoke(t, dir, strings.NewReader(`{"run":"r","key":"k","facts":{"context_usage":0.8}}`), "eval",
				"--rules", "r.md", "--state", "state")
			if r.Code != 0 {
				t.Errorf("exit code %d: %s", r.Code, r.Err)
			}
			out[i] = r.Out
		})
	}
	wg.Wait()
	for _, o := range out {
		if o != out[0] || !strings.Contains(o, `"id":"r"`) {
			t.Errorf("%q\n%q", o, out[0])
		}
	}
}

// TestInterrupt: an interrupt ends a command that waits for stdin, quietly, and not with a code that means
// something else.
func TestInterrupt(t *testing.T) {
	t.Parallel()
	for _, args := range [][]string{{"eval", "--rules", "r.md"}, {"inject", "--api", "messages", "--text", "x"},
		{"check", "-"}} {
		dir := t.TempDir()
		process.Put(t, dir, "r.md", "x")
		cmd := exec.Command("aside", args...)
		cmd.Dir = dir
		cmd.Env = []string{"HOME=" + dir, "PATH=" + os.Getenv("PATH")}
		stdin, err := cmd.StdinPipe()
		if err != nil {
			t.Fatal(err)
		}
		var out, errs bytes.Buffer
		cmd.Stderr = &errs
		stdout, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		if args[0] == "eval" { // it is surely running once it has answered
			if _, err := io.WriteString(stdin, "{}\n"); err != nil {
				t.Fatal(err)
			}
			one := make([]byte, 1)
			if _, err := stdout.Read(one); err != nil {
				t.Fatal(err)
			}
		}
		if err := cmd.Process.Signal(syscall.SIGINT); err != nil {
			t.Fatal(err)
		}
		if _, err := io.Copy(&out, stdout); err != nil {
			t.Fatal(err)
		}
		_ = cmd.Wait()
		st := cmd.ProcessState.Sys().(syscall.WaitStatus)
		// Before the command could ask for signals the system's own answer holds: the signal itself.
		if !(st.Exited() && st.ExitStatus() == command.ExitInterrupted) &&
			!(st.Signaled() && st.Signal() == syscall.SIGINT) {
			t.Errorf("%q: %v", args, cmd.ProcessState)
		}
		if errs.Len() > 0 {
			t.Errorf("%q: %q", args, errs.String())
		}
		stdin.Close()
	}
}

// TestInterruptReplay: so does a replay of stdin, at once.
func TestInterruptReplay(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	process.Put(t, dir, "r.md", "x")
	cmd := exec.Command("aside", "replay", "--rules", "r.md", "-")
	cmd.Dir = dir
	cmd.Env = []string{"HOME=" + dir, "PATH=" + os.Getenv("PATH")}
	stdin, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	defer stdin.Close()
	stderr, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	if _, err := stderr.Read(make([]byte, 1)); err != nil { // it names its rules before it reads
		t.Fatal(err)
	}
	sent := time.Now()
	if err := cmd.Process.Signal(syscall.SIGINT); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait()
	took := time.Since(sent)
	if cmd.ProcessState.ExitCode() != command.ExitInterrupted || took >= 2*time.Second {
		t.Error(cmd.ProcessState, took)
	}
}

// TestClosedPipe: whoever read our output has left. That is nobody's fault, and nothing is said.
func TestClosedPipe(t *testing.T) {
	t.Parallel()
	for _, how := range []string{`exec aside "$@"`, `trap "" PIPE; exec aside "$@"`} {
		for _, args := range [][]string{{"help"}, {"list", "--json", "--rules", "r.md"}, {"replay", "--json"},
			{"eval", "--rules", "r.md"}} {
			dir := t.TempDir()
			process.Put(t, dir, "r.md", "x")
			r, w, err := os.Pipe()
			if err != nil {
				t.Fatal(err)
			}
			r.Close()
			cmd := exec.Command("sh", append([]string{"-c", how, "sh"}, args...)...)
			cmd.Dir = dir
			cmd.Env = []string{"HOME=" + dir, "PATH=" + os.Getenv("PATH")}
			cmd.Stdin = strings.NewReader("{}\n")
			var errs bytes.Buffer
			cmd.Stdout, cmd.Stderr = w, &errs
			_ = cmd.Run()
			w.Close()
			st := cmd.ProcessState.Sys().(syscall.WaitStatus)
			if !(st.Exited() && st.ExitStatus() == 0) && !(st.Signaled() && st.Signal() == syscall.SIGPIPE) {
				t.Errorf("%s %q: %v", how, args, cmd.ProcessState)
			}
			for l := range strings.Lines(errs.String()) {
				if args[0] != "replay" || strings.HasPrefix(l, "aside:") {
					t.Errorf("%s %q: %s", how, args, l)
				}
			}
		}
	}
}

// TestServeLogGone: whoever read the log has left, and requests are answered all the same.
func TestServeLogGone(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("aside", "serve", "--listen", "127.0.0.1:0", "--state", "memory", "--upstream",
		"http://127.0.0.1:1")
	cmd.Dir, cmd.Env, cmd.Stderr = dir, []string{"HOME=" + dir}, w
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
	w.Close()
	lines, base := bufio.NewReader(r), ""
	for line := ""; !strings.Contains(line, "reminders go into"); {
		if line, err = lines.ReadString('\n'); err != nil {
			t.Fatal(err)
		}
		if at, listens := strings.CutPrefix(line, "aside: listening on "); listens {
			base = strings.TrimSpace(at)
		}
	}
	r.Close()
	for range 2 { // each is a line of the log
		res, err := http.Post(base+"/v1/messages", "application/json", strings.NewReader("{}"))
		if err != nil {
			t.Fatal(err)
		}
		if res.Body.Close(); res.StatusCode != http.StatusBadGateway {
			t.Error(res.Status)
		}
	}
}
