package main

import (
	"github.com/aside-go/aside/cmd/aside/internal/command"
	"github.com/aside-go/aside/cmd/aside/internal/listing"
)

// listCmd is "aside list".
type listCmd struct {
	rulesFlag
	Var  varFlags `sep:"none" placeholder:"NAME:TYPE[:KIND]" help:"Declare a fact vars.NAME that the rules may read. Repeatable."`
	JSON bool     `name:"json" help:"Print a JSON array."`
}

// Help shows examples.
func (*listCmd) Help() string {
	return `Reads, lowest precedence first: ~/.agents/reminders, ~/.claude/reminders, ~/.aside/reminders, then the same three below the current directory, as far as that is trusted (aside trust). A later one overrides an earlier one of the same id.

Examples:

    aside list
    aside list --rules .aside/reminders --json`
}

// Run lists.
func (c *listCmd) Run(e *command.Env) error { return listing.List(e, c.request(e, c.Var), c.JSON) }

// showCmd is "aside show".
type showCmd struct {
	ID string `arg:"" name:"id" help:"The reminder."`
	rulesFlag
	Var  varFlags `sep:"none" placeholder:"NAME:TYPE[:KIND]" help:"Declare a fact vars.NAME that the rules may read. Repeatable."`
	JSON bool     `name:"json" help:"Print a JSON object."`
}

// Help shows an example.
func (*showCmd) Help() string {
	return `Says beside what the file says when the reminder fires, for example, and how it stands to the others.

Example:

    aside show run-tests`
}

// Run shows.
func (c *showCmd) Run(e *command.Env) error {
	return listing.Show(e, c.request(e, c.Var), c.ID, c.JSON)
}
