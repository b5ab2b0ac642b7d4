package process

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/aside-go/aside/internal/test/testkit"
)

// Main builds p, runs the tests of its package so that the PATH has it, calls ends, and exits. A process of
// the test binary itself would take three times as long to start, for what the libraries of tests do before
// main.
func (p Program) Main(m *testing.M, ends ...func()) {
	path, err := testkit.Build(string(p))
	if err != nil {
		panic(err)
	}
	if err := os.Setenv("PATH", filepath.Dir(path)+string(os.PathListSeparator)+os.Getenv("PATH")); err != nil {
		panic(err)
	}
	code := m.Run()
	for _, end := range ends {
		end()
	}
	testkit.RemoveScratch()
	os.Exit(code)
}

// Scripts runs each script below testdata in a home of its own that holds nothing. Where a script
// compares with cmp, -update writes the output into the script. The line "[!thorough] stop" stands before
// what a person does not want to wait for.
func Scripts(t *testing.T) {
	t.Helper()
	testscript.Run(t, testscript.Params{
		Dir:                 filepath.Join("testdata", "script"),
		UpdateScripts:       testkit.Update(),
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"exits": exits,
		},
		Condition: func(cond string) (bool, error) {
			switch cond {
			case "root":
				return os.Geteuid() == 0, nil
			case "thorough":
				return testkit.Thorough() || testkit.Update(), nil
			}
			return false, fmt.Errorf("no condition %q", cond)
		},
		Setup: func(env *testscript.Env) error {
			env.Setenv("GORACE", "atexit_sleep_ms=0") // as Invoke
			// The home lies outside of the working directory, which is the project: what it holds of trust would not
			// count else.
			outside, err := os.MkdirTemp("", "home")
			if err != nil {
				return err
			}
			env.Defer(func() { os.RemoveAll(outside) })
			home := filepath.Join(env.WorkDir, "home")
			env.Setenv("HOME", home)
			env.Setenv("NO_COLOR", "1")
			env.Setenv("XDG_STATE_HOME", "")
			if err := os.CopyFS(outside, os.DirFS(home)); err != nil && !errors.Is(err, fs.ErrNotExist) {
				return err
			}
			if err := os.RemoveAll(home); err != nil {
				return err
			}
			return os.Symlink(outside, home)
		},
	})
}

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
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	cmd := exec.CommandContext(ctx, path, args[1:]...)
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
	if ctx.Err() != nil {
		ts.Fatalf("it does not end")
	}
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
