package main

import (
	"context"

	"github.com/aside-go/aside/cmd/aside/internal/author"
	"github.com/aside-go/aside/cmd/aside/internal/importer"
	"github.com/aside-go/aside/cmd/internal/command"
)

// addCmd is "aside add".
type addCmd struct {
	Name  string  `arg:"" optional:"" placeholder:"NAME" help:"The new reminder's id, which is the name of its file, too; or ID@PACK for a rule of the cookbook. Without it, or with @PACK, the rules of the cookbook are listed."`
	Scope string  `enum:"user,project" default:"user" help:"Whose rule it is: yours in all projects (user), or this project's, for all who work on it (project)."`
	When  string  `xor:"trigger" placeholder:"TRIGGER" help:"Fire each time that this becomes true."`
	While string  `xor:"trigger" placeholder:"TRIGGER" help:"Fire on each turn on which this is true."`
	Text  *string `placeholder:"TEXT" help:"What the model reads; - is stdin. With a trigger no editor is opened."`
	From  string  `placeholder:"STARTER" help:"Begin with a copy of this starter rule (aside init --list); no editor is opened."`
}

// Help shows examples.
func (*addCmd) Help() string {
	return `Opens your editor ($VISUAL, $EDITOR) on a draft with the parts of the language in comments. When you
have saved it, it is checked, put into ~/.aside/reminders, or into .aside/reminders of the project, and trusted;
and you are told what it would have done in your newest session. While the draft has a mistake you are asked
whether to edit it again.

Examples:

    aside add                        # the cookbook
    aside add no-todo
    aside add migrations --scope project --when 'after_tool:@edit(*.sql)' --text 'Write a way back, too.'
    aside add my-tests --from run-tests
    aside add push-to-main@git
    aside add style --when started --text - < STYLE.md`
}

// Run writes a new rule.
func (c *addCmd) Run(ctx context.Context, e *command.Env) error {
	return author.Add(ctx, e, author.AddOptions(*c))
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
	ID string `arg:"" name:"id" help:"The reminder."`
}

// Help explains what is written.
func (*disableCmd) Help() string {
	return `Writes "enabled: false" into the file that the reminder is read from, and changes nothing else there.
Where that file cannot be written, a file in .aside/reminders hides the reminder. A file of a project that was
trusted stays trusted. aside list shows what is off.

Example:

    aside disable run-tests`
}

// Run switches a reminder off.
func (c *disableCmd) Run(e *command.Env) error { return author.Switch(e, c.ID, false) }

// enableCmd is "aside enable".
type enableCmd struct {
	ID string `arg:"" name:"id" help:"The reminder."`
}

// Help shows an example.
func (*enableCmd) Help() string {
	return `Takes back what aside disable has written.

Example:

    aside enable run-tests`
}

// Run switches a reminder on again.
func (c *enableCmd) Run(e *command.Env) error { return author.Switch(e, c.ID, true) }

// importCmd is "aside import".
type importCmd struct {
	Paths  []string `arg:"" optional:"" name:"path" help:"Rule files of hookify, lists of reminders (.yaml, .yml, .json), rules about files of Cursor, Claude Code, Copilot or OpenHands, or directories of them; by default hookify's rules of this project and your own."`
	Scope  string   `enum:"user,project" default:"project" help:"Whose rules they become: yours in all projects (user), or this project's (project)."`
	Force  bool     `help:"Overwrite files that are there."`
	DryRun bool     `help:"Print the rules, and write nothing."`
}

// Help shows examples.
func (*importCmd) Help() string {
	return `Writes a rule file for each, and says by line what could not be taken, or not as it was. The other tool's
files stay as they are, and nothing is overwritten without --force.

Of hookify, the plugin of Claude Code, all events, fields and operators are known. A rule that blocks a call becomes
one that holds it back once; of one that warns the reminder comes after the call. What it looks for in the session's
file is looked for in the texts of the user turn that ends. Its patterns are Python's, without lookahead.

Of lists of reminders the name, the text and the schedule are taken: kind (always, turn, timer, oneshot,
condition), turn_interval, interval, max_fires, condition.

Rules about files (Cursor's globs, paths of Claude Code and OpenHands, Copilot's applyTo, triggers) fire with the
first call on such a file, and again after a compaction.

The exit code is 1 if a rule could not be taken at all.

Examples:

    aside import --dry-run
    aside import .claude/hookify.dangerous-rm.local.md
    aside import .cursor/rules
    aside import --scope user reminders.json`
}

// Run imports.
func (c *importCmd) Run(e *command.Env) error { return importer.Run(e, importer.Options(*c)) }
