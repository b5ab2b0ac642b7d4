package main

import (
	"context"
	"io"
	"os"

	"github.com/aside-go/aside/cmd/aside/internal/command"
	"github.com/aside-go/aside/cmd/aside/internal/lsp"
	"github.com/aside-go/aside/cmd/aside/internal/rules"
	"github.com/aside-go/aside/compile/load"
)

// lspCmd is "aside lsp".
type lspCmd struct {
	Rules []string `sep:"none" placeholder:"PATH" help:"Rule file, directory or glob that is served beside the directories named reminders. Repeatable."`
	Var   varFlags `sep:"none" placeholder:"NAME:TYPE[:KIND]" help:"Declare a fact vars.NAME that the rules may read. Repeatable."`

	Stdio           bool `hidden:"" help:"What editors add of themselves; there is no other way."`
	ClientProcessID int  `name:"clientProcessId" hidden:"" help:"The same; initialize says it, too."`
}

// Help says how it is used.
func (*lspCmd) Help() string {
	return `Started by an editor, which speaks with it on stdin and stdout (Language Server Protocol 3.17). It tells what is wrong with
rule files and rule tests as you type, completes, explains on hover, formats, mends, and finds where a reminder is and what overrides it.
Other Markdown and YAML is left alone.`
}

// Run serves an editor until that ends the session.
func (c *lspCmd) Run(ctx context.Context, e *command.Env) error {
	schema, err := rules.Schema(c.Var)
	if err != nil {
		return err
	}
	opts := lsp.Options{Home: e.Home, Dir: e.Dir, Rules: c.Rules, Schema: schema, Version: command.Version(), Log: e.Err}
	if store, err := rules.Trust(e); err == nil {
		opts.Trusted = load.Gate(store)
	}
	return command.Verdict(lsp.New(opts).Serve(ctx, io.NopCloser(e.In), os.Stdout) != 0)
}
