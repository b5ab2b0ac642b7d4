package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/aside-go/aside/internal/test/testkit"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"aside": main})
}

// TestScripts runs each script of testdata/script in a home of its own that holds nothing. Where a script
// compares with cmp, -update writes the output into the script.
func TestScripts(t *testing.T) {
	t.Parallel()
	testscript.Run(t, testscript.Params{
		Dir:                 filepath.Join("testdata", "script"),
		UpdateScripts:       testkit.Update(),
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"exits": exits,
		},
		Condition: func(cond string) (bool, error) {
			if cond == "root" {
				return os.Geteuid() == 0, nil
			}
			return false, fmt.Errorf("no condition %q", cond)
		},
		Setup: func(env *testscript.Env) error {
			env.Setenv("GORACE", "atexit_sleep_ms=0") // as invoke
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
