package main

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"strconv"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"
)

// exits is the script command "exits CODE [<FILE] PROGRAM ARG…": the program must end with exactly this code.
// What it printed is then in the files stdout.txt and stderr.txt, and never holds an internal error.
func exits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exits CODE [<FILE] PROGRAM ARG…")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	args = args[1:]
	stdin := ""
	if name, ok := strings.CutPrefix(args[0], "<"); ok {
		stdin, args = ts.ReadFile(name), args[1:]
	}
	path, err := exec.LookPath(args[0])
	ts.Check(err)
	cmd := exec.Command(path, args[1:]...)
	cmd.Dir = ts.MkAbs(".")
	cmd.Env = environ(ts)
	cmd.Stdin = strings.NewReader(stdin)
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	err = cmd.Run()
	var x *exec.ExitError
	if err != nil && !errors.As(err, &x) {
		ts.Fatalf("%v", err)
	}
	ts.Logf("[stdout]\n%s[stderr]\n%s", &out, &errs)
	if got := cmd.ProcessState.ExitCode(); got != want {
		ts.Fatalf("exit code %d, want %d", got, want)
	}
	if strings.Contains(errs.String(), "internal error") {
		ts.Fatalf("an internal error")
	}
	write(ts, "stdout.txt", out.Bytes())
	write(ts, "stderr.txt", errs.Bytes())
}

// environ are the variables that scripts set and the commands look at.
func environ(ts *testscript.TestScript) []string {
	var env []string
	for _, name := range []string{"HOME", "PATH", "NO_COLOR", "XDG_STATE_HOME", "TMPDIR", "ASIDE_STATE"} {
		if v := ts.Getenv(name); v != "" {
			env = append(env, name+"="+v)
		}
	}
	return env
}

func write(ts *testscript.TestScript, name string, b []byte) {
	ts.Check(os.WriteFile(ts.MkAbs(name), b, 0o644))
}
