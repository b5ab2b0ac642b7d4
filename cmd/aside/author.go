package main

import (
	"cmp"
	"context"
	"strings"

	"github.com/alecthomas/kong"

	"github.com/aside-go/aside/cmd/aside/internal/author"
	"github.com/aside-go/aside/cmd/aside/internal/importer"
	"github.com/aside-go/aside/cmd/internal/command"
)

// addCmd is "aside add".
type addCmd struct {
	Name   []string `arg:"" optional:"" name:"sentence|name" help:"What the rule is for, in a sentence, for which rules are shown; or the new rule's id, which is the name of its file, too; or ID@PACK, a rule of the cookbook. Without it, or with @PACK, the rules of the cookbook are listed."`
	Scope  string   `enum:"user,project," default:"" help:"Whose rule it is: yours in all projects (user), or this project's, for all who work on it (project). By default yours, and with --from that of a project where it is one's."`
	When   string   `xor:"trigger" placeholder:"TRIGGER" help:"Fire each time that this becomes true."`
	While  string   `xor:"trigger" placeholder:"TRIGGER" help:"Fire on each turn on which this is true."`
	Text   *string  `placeholder:"TEXT" help:"What the model reads; - is stdin. With a trigger no editor is opened."`
	From   []string `sep:"none" placeholder:"PATH" help:"Make rules of those of other tools: files or directories of them. Or, with NAME, begin with a copy of this starter rule. Repeatable."`
	Force  bool     `help:"With --from: overwrite files that are there."`
	DryRun bool     `help:"With --from: print the rules, and write nothing."`
}

// Run writes a new rule.
func (c *addCmd) Run(ctx context.Context, e *command.Env) error {
	if len(c.From) > 0 && len(c.Name) == 0 {
		all := importer.Cmd{Paths: c.From, Scope: cmp.Or(c.Scope, "project"), Force: c.Force, DryRun: c.DryRun}
		return all.Run(e)
	}
	if c.Force || c.DryRun {
		return command.Usage("--force and --dry-run go with --from, without a name")
	}
	return author.Add(ctx, e, author.AddOptions{Name: strings.Join(c.Name, " "), Scope: cmp.Or(c.Scope, "user"),
		When: c.When, While: c.While, Text: c.Text, From: strings.Join(c.From, " ")})
}

// editCmd is "aside edit".
type editCmd struct {
	Name string `arg:"" name:"id" placeholder:"NAME" help:"The reminder, or the path of a rule file."`
}

// Run lets a person change a rule.
func (c *editCmd) Run(ctx context.Context, e *command.Env) error { return author.Edit(ctx, e, c.Name) }

// disableCmd is "aside disable".
type disableCmd struct {
	ID      string   `arg:"" name:"id" help:"The rule."`
	Project hereFlag `placeholder:"[DIR]" help:"In this project alone; without DIR in that of the current directory."`
}

// Run switches a rule off.
func (c *disableCmd) Run(e *command.Env) error {
	return author.Switch(e, c.ID, false, string(c.Project))
}

// hereFlag is the flag --project of a command that changes rules: a directory, or alone.
type hereFlag string

// Decode reads the directory that follows, if one does.
func (f *hereFlag) Decode(ctx *kong.DecodeContext) error {
	*f = "."
	if dir, is := ctx.Scan.Peek().Value.(string); is && ctx.Scan.Peek().IsValue() {
		ctx.Scan.Pop()
		*f = hereFlag(dir)
	}
	return nil
}

// enableCmd is "aside enable".
type enableCmd disableCmd

// Run switches a rule on again.
func (c *enableCmd) Run(e *command.Env) error {
	return author.Switch(e, c.ID, true, string(c.Project))
}
