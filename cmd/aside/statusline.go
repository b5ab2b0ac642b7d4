package main

import (
	"fmt"
	"io"
	"os"
	"slices"
	"time"

	"github.com/aside-go/aside/cmd/internal/hook"
)

// statuslineCmd is "aside statusline". Like hookCmd it is here for its help only: runStatusline runs it.
type statuslineCmd struct {
	Command []string `arg:"" optional:"" passthrough:"" placeholder:"COMMAND" help:"The command that prints the status line."`
}

// Run does nothing. It is for a command line that runStatusline does not recognise, such as one with a flag
// before the word statusline.
func (*statuslineCmd) Run() error { return nil }

const (
	maxStatus   = 1 << 20                // a longer stdin goes to the command, but is not read for the hooks
	statusLimit = 250 * time.Millisecond // how long recording for the hooks may delay the command
)

// runStatusline runs a status line if args are the command line of one, and returns its exit code; is reports
// whether they are.
func runStatusline(args []string) (code int, is bool) {
	if len(args) == 0 || args[0] != "statusline" || len(args) == 2 && (args[1] == "--help" || args[1] == "-h") {
		return 0, false
	}
	command := args[1:]
	if len(command) > 0 && command[0] == "--" {
		command = command[1:]
	}
	stdin, err := io.ReadAll(os.Stdin)
	if err == nil && len(stdin) <= maxStatus {
		hook.Status(stdin, statusLimit)
	}
	if len(command) > 0 {
		if code, ran := become(slices.Clone(command), stdin); ran {
			return code, true
		}
	}
	if text := hook.StatusText(stdin[:min(len(stdin), maxStatus)]); text != "" {
		fmt.Println(text)
	}
	return 0, true
}
