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

// Help shows examples.
func (*addCmd) Help() string {
	return `With a sentence it shows at most three rules of the language and the cookbook that share words with it, and
what each would have done in your newest session; you take one with its number.

With a name it opens your editor ($VISUAL, $EDITOR) on a draft with the parts of the language in comments. What
you save is checked, put into ~/.aside/reminders, or into .aside/reminders of the project, and trusted; and you
are told what it would have done in your newest session. While the draft has a mistake you are asked whether to
edit it again.

--from takes rules of hookify, of Cursor, Claude Code, Copilot and OpenHands about files, and lists of reminders
with a schedule (.yaml, .json). It writes a rule file for each, and says by line what could not be taken, or not
as it was. The other tool's files stay as they are. aside help rules says more.

Examples:

    aside add "after a commit, remind me to push"
    aside add                        # the cookbook
    aside add no-todo
    aside add migrations --scope project --when 'after_tool:@edit(*.sql)' --text 'Write a way back, too.'
    aside add my-tests --from run-tests
    aside add push-to-main@git
    aside add style --when started --text - < STYLE.md
    aside add --from .cursor/rules --dry-run`
}

// Run writes a new rule.
func (c *addCmd) Run(ctx context.Context, e *command.Env) error {
	if len(c.From) > 0 && len(c.Name) == 0 {
		return importer.Run(e, importer.Options{Paths: c.From, Scope: cmp.Or(c.Scope, "project"), Force: c.Force,
			DryRun: c.DryRun})
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

// Help shows examples.
func (*editCmd) Help() string {
	return `Opens your editor ($VISUAL, $EDITOR) on a copy of the file that the reminder is read from. When you
have saved it, it is checked, put back and trusted, and you are told what it would have done in your newest
session. The file changes at once and as a whole, so that no agent reads half of it.

Examples:

    aside edit run-tests
    EDITOR='code --wait' aside edit run-tests`
}

// Run lets a person change a rule.
func (c *editCmd) Run(ctx context.Context, e *command.Env) error { return author.Edit(ctx, e, c.Name) }

// disableCmd is "aside disable".
type disableCmd struct {
	ID      string   `arg:"" name:"id" help:"The rule."`
	Project hereFlag `placeholder:"[DIR]" help:"In this project alone; without DIR in that of the current directory."`
}

// Help explains what is written.
func (*disableCmd) Help() string {
	return `Writes "enabled: false" into the file that the rule is read from, and changes nothing else there. Where
that file cannot be written, or with --project, a file in .aside/reminders hides the rule. A file of a project that
was trusted stays trusted. aside list shows what is off, and aside enable switches it on again.

Examples:

    aside disable run-tests
    aside disable run-tests --project`
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

// Help explains what is taken out.
func (*enableCmd) Help() string {
	return `Takes back what aside disable has written, in the project of the current directory or in your own rules;
with --project what was written there alone.`
}

// Run switches a rule on again.
func (c *enableCmd) Run(e *command.Env) error {
	return author.Switch(e, c.ID, true, string(c.Project))
}

// importCmd is "aside import".
type importCmd struct {
	Paths  []string `arg:"" optional:"" name:"path" help:"Rule files of hookify, lists of reminders (.yaml, .yml, .json), rules about files of Cursor, Claude Code, Copilot or OpenHands, or directories of them; by default hookify's rules of this project and your own."`
	Scope  string   `enum:"user,project" default:"project" help:"Whose rules they become: yours in all projects (user), or this project's (project)."`
	Force  bool     `help:"Overwrite files that are there."`
	DryRun bool     `help:"Print the rules, and write nothing."`
}

// Run imports.
func (c *importCmd) Run(e *command.Env) error { return importer.Run(e, importer.Options(*c)) }
