package main

import (
	"context"

	"github.com/aside-go/aside/cmd/aside/internal/command"
	"github.com/aside-go/aside/cmd/aside/internal/why"
)

// whyCmd is "aside why".
type whyCmd struct {
	ID string `arg:"" optional:"" name:"id" help:"One reminder; without it all of them."`
	runFlag
	rulesFlag
	stateFlag
	Var  varFlags `sep:"none" placeholder:"NAME:TYPE[:KIND]" help:"Declare a fact vars.NAME that the rules may read. Repeatable."`
	JSON bool     `name:"json" help:"Print a JSON object."`
}

// Help shows examples.
func (*whyCmd) Help() string {
	return `Says for the last turn of a run what each part of a trigger came to, whether the reminder was armed, what else stood in its
way, and what comes next: which values it waits for, and how far off they are.

Examples:

    aside why
    aside why run-tests --run 4d5611e5`
}

// Run explains.
func (c *whyCmd) Run(ctx context.Context, e *command.Env) error {
	return why.Run(ctx, e, why.Options{
		ID: c.ID, RunID: c.RunID, State: c.State, Rules: c.request(e, c.Var), JSON: c.JSON,
	})
}
