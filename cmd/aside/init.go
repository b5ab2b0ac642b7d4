package main

import (
	"github.com/aside-go/aside/cmd/aside/internal/command"
	"github.com/aside-go/aside/cmd/aside/internal/starter"
)

// initCmd is "aside init".
type initCmd struct {
	Names []string `arg:"" optional:"" name:"name" help:"Only these of the starter rules; by default all. --list names them."`
	Agent string   `placeholder:"AGENT" help:"Only those that can fire in this agent, which may never tell what the others are about. One of ${agents}, serve."`
	Dir   string   `default:"." placeholder:"DIR" help:"The project; by default the current directory."`
	List  bool     `xor:"do" help:"Only list the starter rules, and write nothing."`
	Force bool     `xor:"do" help:"Overwrite files that are there."`
}

// Help says what is written.
func (*initCmd) Help() string {
	return `Writes a handful of reminders to .aside/reminders, and a rule test of each to .aside/tests. Files that are there already stay as they are.
The rules are for any agent; aside check --agent AGENT says which of them one agent can never fire, and --agent leaves those out.

Examples:

    aside init
    aside init --list
    aside init run-tests after-compaction
    aside init --agent codex         # without those that cannot fire there
    aside init --dir ~               # for all your projects`
}

// Run writes the starter rules.
func (c *initCmd) Run(e *command.Env) error { return starter.Write(e, starter.Options(*c)) }
