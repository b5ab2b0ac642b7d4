package main

import (
	"context"

	"github.com/aside-go/aside/cmd/aside/internal/view"
	"github.com/aside-go/aside/cmd/internal/command"
	"github.com/aside-go/aside/cmd/internal/program"
)

// viewCmd is "aside view".
type viewCmd struct {
	Session string `arg:"" optional:"" name:"transcript" help:"A session file, as aside replay reads it, or the run that one records, as aside runs names it. Without it: the newest session of your agents."`
	program.ShownFlags
	Follow bool             `xor:"form" help:"The session goes on: show what is new as it comes."`
	JSON   bool             `name:"json" xor:"form" help:"Print a JSON object, whose schema aside schema view prints."`
	Var    program.VarFlags `sep:"none" placeholder:"NAME:TYPE[:KIND]" help:"Declare a fact vars.NAME that the rules may read. Repeatable."`
}

// Help shows examples.
func (*viewCmd) Help() string {
	return `Shows a session with its reminders as grey blocks where the model read them, or where it would have
read them by these rules. On a terminal, n and p go from one to the next, Enter opens one, and a panel says why it
is there, what comes next, and what became of it; e opens its rule in your editor, and its marks move; ? names all
keys. Without a terminal it prints the same as text.

Examples:

    aside view                            # your newest session
    aside view --follow                   # beside an agent at work
    aside view --rules new.md session.jsonl
    aside view session.jsonl | less
    aside view --json | jq '.items[].reminder | select(.)'`
}

// Run shows the session.
func (c *viewCmd) Run(ctx context.Context, e *command.Env) error {
	return view.Run(ctx, e, view.Options{Session: c.Session, Follow: c.Follow, JSON: c.JSON,
		Rules: c.Request(c.Var)})
}
