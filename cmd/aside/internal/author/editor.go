package author

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"os/exec"
	"runtime"

	"github.com/aside-go/aside/cmd/internal/command"
)

// editor returns the command line of the person's editor. Where none is set, one of those that most machines
// have is taken, if there is a terminal for it.
func editor() (string, error) {
	if set := cmp.Or(os.Getenv("VISUAL"), os.Getenv("EDITOR")); set != "" {
		return set, nil
	}
	if !command.Interactive() {
		return "", command.Usage("there is no terminal for an editor").
			And("give the rule by flags: --when TRIGGER --text TEXT; or set EDITOR")
	}
	usual := []string{"sensible-editor", "nano", "vi"}
	if runtime.GOOS == "windows" {
		usual = []string{"notepad"}
	}
	for _, name := range usual {
		if _, err := exec.LookPath(name); err == nil {
			return name, nil
		}
	}
	return "", command.Usage("no editor was found").
		And("set EDITOR, or give the rule by flags: --when TRIGGER --text TEXT")
}

// runEditor has a person edit a file. An interrupt is the editor's own: it does not end this program before
// the editor has ended.
func runEditor(ctx context.Context, e *command.Env, path string) error {
	line, err := editor()
	if err != nil {
		return err
	}
	cmd := exec.Command("sh", "-c", line+` "$@"`, line, path)
	if runtime.GOOS == "windows" {
		cmd = exec.Command("cmd", "/c", line+` "`+path+`"`)
	}
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	if err := e.Out.Flush(); err != nil {
		return err
	}
	if command.Interactive() && e.ErrTTY {
		e.Note("waiting for %s to close %s", line, path)
	}
	e.Grace.Store(math.MaxInt64)
	err = cmd.Run()
	e.Grace.Store(0)
	if exit, is := errors.AsType[*exec.ExitError](err); is {
		if code := exit.ExitCode(); code == 126 || code == 127 { // the shell has said why
			return command.No("the editor %q cannot be run", line).And("set EDITOR to the name of your editor")
		}
		return command.No("the editor %q ended with %w: nothing was changed", line, exit)
	}
	if err != nil {
		return fmt.Errorf("the editor %q cannot be run: %w", line, err)
	}
	return ctx.Err()
}
