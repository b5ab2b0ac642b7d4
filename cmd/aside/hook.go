package main

import (
	"errors"
	"flag"
	"os"
	"time"

	"golang.org/x/term"

	"github.com/aside-go/aside/cmd/internal/hook"
	"github.com/aside-go/aside/cmd/internal/program"
	sessionfile "github.com/aside-go/aside/internal/agent/session"
)

// hookCmd is "aside hook". It is here for its help only: runHook runs a hook before the command line is
// parsed, since no error of a hook may lead to an exit code or a message.
type hookCmd struct {
	Agent   string        `required:"" placeholder:"AGENT" help:"The agent that calls: ${agents}."`
	Event   string        `placeholder:"NAME" help:"What happened, where the agent does not say so on stdin."`
	Mode    string        `placeholder:"MODE" help:"Another way of working than the agent's usual one: ${modes}."`
	Timeout time.Duration `placeholder:"2s" help:"How long it may take; then its event waits for the next hook."`
	program.RulesFlag
	State string `placeholder:"DIR" help:"Where runs are remembered. By default $$XDG_STATE_HOME/aside, else ~/.local/state/aside."`
}

// Run does nothing. It is for a command line that runHook does not recognise, such as one with a flag before
// the word hook.
func (*hookCmd) Run() error { return nil }

// runHook runs a hook if args are the command line of one, and reports whether they are. It leaves --help on
// a terminal to the parser.
func runHook(args []string) bool {
	if len(args) == 0 || args[0] != "hook" {
		return false
	}
	if _, err := hook.Parse(args); errors.Is(err, flag.ErrHelp) && term.IsTerminal(int(os.Stdin.Fd())) {
		return false
	}
	hook.Main(args, sessionfile.Read)
	return true
}
