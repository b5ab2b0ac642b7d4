package main

import (
	"github.com/aside-go/aside/cmd/aside/internal/command"
	"github.com/aside-go/aside/cmd/aside/internal/review"
)

// trustCmd is "aside trust".
type trustCmd struct {
	Dir    string `arg:"" optional:"" placeholder:"DIR" help:"The project; by default the current directory."`
	Yes    bool   `xor:"what" help:"Trust what is shown, without asking."`
	Revoke bool   `xor:"what" help:"Trust nothing of the project any longer."`
	List   bool   `xor:"what" help:"List the projects that are trusted."`
	Full   bool   `help:"Show every line of the texts."`
	JSON   bool   `name:"json" help:"Print a JSON object, an array with --list; ask nothing."`
}

// Help says what trust is.
func (*trustCmd) Help() string {
	return `Rules of a project are somebody else's words in your agent's ear. Until you have trusted a project, none of its rule files is opened; from then on only those are read whose bytes are the ones you saw. A file that changes is not trusted any longer, and the others go on: ask again.

A project's rules can add text and do nothing else. They can neither replace nor switch off a safety reminder of your own, nor come after it.

--json prints {"project","trusted","error","files":[{"file","target","size","sha256","status","why","reminders":[{"id","mode","trigger","tier","priority","enabled","text"}]}]}: status is new, trusted, changed, gone or refused, and the exit code is 1 as long as something is not trusted. With --list it prints [{"project","at","files"}].

What you trust is remembered in $XDG_STATE_HOME/aside/trust, else ~/.local/state/aside/trust; nothing inside a project can change it.

Examples:

    aside trust                      # show the rule files of this project, and ask
    aside trust ../other --yes
    aside trust --revoke
    aside trust --list`
}

// Run shows the rule files of a project, asks, and records the answer.
func (c *trustCmd) Run(e *command.Env) error { return review.Run(e, review.Options(*c)) }
