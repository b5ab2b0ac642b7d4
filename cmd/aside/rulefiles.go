package main

import (
	"cmp"
	"context"
	"io"
	"os"
	"strings"

	"github.com/aside-go/aside/cmd/aside/internal/author"
	"github.com/aside-go/aside/cmd/aside/internal/lsp"
	"github.com/aside-go/aside/cmd/internal/command"
	"github.com/aside-go/aside/cmd/internal/config"
	"github.com/aside-go/aside/cmd/internal/listing"
	"github.com/aside-go/aside/cmd/internal/program"
	"github.com/aside-go/aside/cmd/internal/review"
	"github.com/aside-go/aside/cmd/internal/rules"
	"github.com/aside-go/aside/cmd/internal/schema"
	"github.com/aside-go/aside/compile/fact"
	"github.com/aside-go/aside/compile/load"
	"github.com/aside-go/aside/grammar"
	"github.com/aside-go/aside/internal/near"
)

// listCmd is "aside list".
type listCmd struct {
	ID string `arg:"" optional:"" name:"id" help:"Show this rule alone, with what it can and cannot do."`
	program.ShownFlags
	program.StateFlag
	Var   program.VarFlags `sep:"none" placeholder:"NAME:TYPE[:KIND]" help:"Declare a fact vars.NAME that the rules may read. Repeatable."`
	JSON  bool             `name:"json" xor:"form" help:"Print a JSON array, or of one rule an object."`
	Packs bool             `xor:"form" help:"List the rules of the cookbook instead, by packs, and which of them are yours."`
}

// Run lists.
func (c *listCmd) Run(ctx context.Context, e *command.Env) error {
	switch {
	case c.Packs:
		return author.Packs(e, "")
	case c.ID != "":
		return listing.Show(e, c.Request(c.Var), c.ID, c.JSON)
	}
	return listing.List(ctx, e, listing.Options{Rules: c.Request(c.Var), State: c.State, JSON: c.JSON})
}

// schemaCmd is "aside schema".
type schemaCmd struct {
	Name string `arg:"" optional:"" default:"reminder" placeholder:"NAME" help:"reminder, for rule files, test, for rule tests, config, for the configuration file, eval, for the protocol of aside eval, or view, for what aside view --json prints; by default reminder."`
}

// Run prints the schema.
func (c *schemaCmd) Run(e *command.Env) error {
	text, ok := schema.Named(c.Name)
	if !ok {
		return command.Usage("there is no schema %q%s", c.Name, cmp.Or(near.Hint(": ", c.Name, schema.Names[:]),
			": the schemas are "+strings.Join(schema.Names[:], ", ")))
	}
	if c.Name == "config" {
		text = schema.Config(aside.Configurable(e).Schemas())
	}
	_, err := e.Out.Write(text)
	return err
}

// lspCmd is "aside lsp".
type lspCmd struct {
	Rules []string         `sep:"none" placeholder:"PATH" help:"Rule file, directory or glob that is served beside the directories named reminders. Repeatable."`
	Var   program.VarFlags `sep:"none" placeholder:"NAME:TYPE[:KIND]" help:"Declare a fact vars.NAME that the rules may read. Repeatable."`

	Stdio           bool `hidden:"" help:"What editors add of themselves; there is no other way."`
	ClientProcessID int  `name:"clientProcessId" hidden:"" help:"The same; initialize says it, too."`
}

// Run serves an editor until that ends the session.
func (c *lspCmd) Run(ctx context.Context, e *command.Env) error {
	vars, err := rules.Declared(c.Var)
	if err != nil {
		return err
	}
	own := config.Path(os.Getenv, e.Home)
	opts := lsp.Options{Home: e.Home, Dir: e.Dir, Rules: c.Rules, Config: own,
		Declared: func(project string) []fact.Fact {
			mine, _ := config.User(own, nil) // every other command tells its mistakes
			return config.Facts(vars, mine, rules.ProjectConfig(e, load.Project(project, e.Home), true))
		},
		Findings: func(path string, src []byte) grammar.Diagnostics {
			if path == own {
				return config.Own(path, src, aside.Configurable(e)).Diagnostics
			}
			return config.Project(path, src).Diagnostics
		},
		Version: command.Version(), Log: e.Err,
		Saved: func(path string, from, to []byte) { review.Keep(e, path, from, to) }}
	if store, err := rules.Trust(e); err == nil {
		opts.Trusted = load.Gate(store)
	}
	return command.Verdict(lsp.New(opts).Serve(ctx, io.NopCloser(e.In), os.Stdout) != 0)
}
