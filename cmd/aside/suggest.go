package main

import (
	"context"
	"time"

	"github.com/aside-go/aside/cmd/aside/internal/suggest"
	"github.com/aside-go/aside/cmd/internal/command"
	"github.com/aside-go/aside/cmd/internal/program"
)

// suggestCmd is "aside suggest".
type suggestCmd struct {
	Transcripts []string      `arg:"" optional:"" name:"transcript" help:"Session files, or directories of them. Without any: all sessions of your agents."`
	Since       program.Since `placeholder:"TIME" help:"Leave out what is older: a date, a time, or a span such as 28d."`
	Only        []string      `sep:"none" placeholder:"ID" help:"Only this proposal. Repeatable."`
	Write       bool          `help:"Write the rules that are proposed, and their rule tests. Nothing is overwritten."`
	Scope       string        `enum:"user,project" default:"user" help:"With --write, whose rules they are: yours in all projects (user), or this project's (project)."`
	JSON        bool          `name:"json" help:"Print one JSON object."`
}

// Help shows examples.
func (*suggestCmd) Help() string {
	return `Looks in your sessions for patterns that cost turns, and proposes a rule against each of them, with its
rule test: files changed and no test ran before the end; a third turn in a row failed; files are read again
after a compaction; a to-do list went stale; a command that destroys something came right after a failure. What
a rule of yours covers is not proposed, and neither is what models do anyway. Of your commands a proposal names
a well-known program or test command at most, such as npm or go test.

Examples:

    aside suggest --since 28d
    aside suggest --write --only todo-list
    aside suggest --json | jq .`
}

// Run proposes rules.
func (c *suggestCmd) Run(ctx context.Context, e *command.Env) error {
	return suggest.Run(ctx, e, suggest.Options{Paths: c.Transcripts, Since: c.Since.Before(time.Now()),
		Only:  c.Only,
		Write: c.Write, Scope: c.Scope, JSON: c.JSON})
}
