package main

import (
	"context"

	"github.com/aside-go/aside/cmd/aside/internal/command"
	"github.com/aside-go/aside/cmd/aside/internal/doctor"
)

// doctorCmd is "aside doctor".
type doctorCmd struct {
	Agent string `placeholder:"AGENT" help:"Look at one agent only, which should be set up."`
	JSON  bool   `name:"json" help:"Print a JSON object."`
}

// Help says what is looked at.
func (*doctorCmd) Help() string {
	return `Looks at everything between a rule and the model: the programs that agents run, what is registered where and whether it runs, rules and trust, the state directory, what hooks have logged, and for Claude Code whether the last reminder stands in the newest session. Each thing that is wrong comes with what to do. Nothing is changed.

The exit code is 1 if something is wrong. --json prints {"ok","findings":[{"check","agent","status","what","remedy"}]}; status is ok, note or wrong.

Examples:

    aside doctor
    aside doctor --agent codex --json`
}

// Run looks at everything, and prints the findings.
func (c *doctorCmd) Run(ctx context.Context, e *command.Env) error {
	return doctor.Run(ctx, e, doctor.Options(*c))
}
