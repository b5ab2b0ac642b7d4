// Package process runs a program as a process of its own, in a directory and a home that hold nothing else: a
// command to its end, or a server while a test asks it. Only tests import it.
package process

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// Program is a program: its path, or its name where the PATH has it.
type Program string

// Result is the end of a process.
type Result struct {
	Code     int // -1 after a signal
	Out, Err string
	CPU      time.Duration
	Peak     int64 // bytes of memory; 0 where it is not known
}

// patience is how long a command may run that is expected to end. One that waits for ever would take its
// whole package's time, and nobody would see which command it was.
const patience = 2 * time.Minute

// Invoke runs p in dir until it ends, and kills it when it does not. The home is below dir.
func (p Program) Invoke(t *testing.T, dir string, stdin io.Reader, args ...string) Result {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	cmd := p.command(ctx, dir, args...)
	cmd.Stdin = stdin
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	err := cmd.Run()
	var x *exec.ExitError
	if err != nil && !errors.As(err, &x) {
		t.Fatal(err)
	}
	if ctx.Err() != nil {
		t.Fatalf("%s %q does not end: %s", p, args, &errs)
	}
	if strings.Contains(errs.String(), "internal error") {
		t.Errorf("%s %q: %s", p, args, &errs)
	}
	st := cmd.ProcessState
	return Result{Code: st.ExitCode(), Out: out.String(), Err: errs.String(), CPU: st.UserTime() +
		st.SystemTime(), Peak: peak(st)}
}

// Eventually asks again and again until the answer is yes, and fails the test when that takes too long.
func Eventually(t *testing.T, yes func() bool) {
	t.Helper()
	for end := time.Now().Add(patience); !yes(); {
		if time.Now().After(end) {
			t.Fatalf("not within %v", patience)
		}
	}
}

func (p Program) command(ctx context.Context, dir string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, string(p), args...)
	cmd.Dir = dir
	cmd.Env = []string{"HOME=" + filepath.Join(dir, "home"), "PATH=" + os.Getenv("PATH"), "NO_COLOR=1",
		"GORACE=atexit_sleep_ms=0"} // a race build waits a second at its end otherwise
	return cmd
}

// Put writes a file below dir.
func Put(t testing.TB, dir, name, text string) {
	t.Helper()
	p := filepath.Join(dir, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(p), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(p, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// Link makes a symbolic link below dir.
func Link(t testing.TB, dir, name, to string) {
	t.Helper()
	p := filepath.Join(dir, name)
	if err := os.MkdirAll(filepath.Dir(p), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(to, p); err != nil {
		t.Fatal(err)
	}
}
