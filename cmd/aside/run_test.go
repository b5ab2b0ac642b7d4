package main

import (
	"bytes"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// result is the end of one process.
type result struct {
	code     int
	out, err string
	cpu      time.Duration
	peak     int64 // bytes
}

// invoke runs the command as a process of its own, in a directory and a home that hold nothing else.
func invoke(t *testing.T, dir string, stdin io.Reader, args ...string) result {
	t.Helper()
	cmd := exec.Command("aside", args...)
	cmd.Dir, cmd.Stdin = dir, stdin
	cmd.Env = []string{"HOME=" + filepath.Join(dir, "home"), "PATH=" + os.Getenv("PATH"), "NO_COLOR=1",
		"GORACE=atexit_sleep_ms=0"} // a race build waits a second at its end otherwise
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	err := cmd.Run()
	var x *exec.ExitError
	if err != nil && !errors.As(err, &x) {
		t.Fatal(err)
	}
	if strings.Contains(errs.String(), "internal error") {
		t.Errorf("aside %q: %s", args, &errs)
	}
	st := cmd.ProcessState
	return result{code: st.ExitCode(), out: out.String(), err: errs.String(), cpu: st.UserTime() +
		st.SystemTime(), peak: peak(st)}
}

// put writes a file below dir.
func put(t *testing.T, dir, name, text string) {
	t.Helper()
	p := filepath.Join(dir, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(p), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(p, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}
