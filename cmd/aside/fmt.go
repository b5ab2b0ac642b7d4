package main

import (
	"github.com/aside-go/aside/cmd/aside/internal/check"
	"github.com/aside-go/aside/cmd/aside/internal/command"
)

// fmtCmd is "aside fmt".
type fmtCmd struct {
	Diff  bool `short:"d" xor:"how" help:"Print what would change as a diff, and exit with 1 if anything would."`
	Write bool `short:"w" xor:"how" help:"Rewrite the files."`
	List  bool `short:"l" help:"Print only the names of the files that would change."`
	stdinFlag
	Paths []string `arg:"" name:"path" help:"Files, directories or globs; - is stdin."`
}

// Help shows examples.
func (*fmtCmd) Help() string {
	return `Triggers are written with "and", "or" and "not", and quoted where YAML needs it; turns as "1 turn" and "2 turns"; comments stay. A file with errors is left alone, and so is a rule test.

Examples:

    aside fmt reminders/edit.md      # print it
    aside fmt -l .aside/reminders    # which files would change
    aside fmt -d .aside/reminders    # how, and exit with 1 if any would
    aside fmt -w .aside/reminders    # change it`
}

// Run formats.
func (c *fmtCmd) Run(e *command.Env) error {
	return check.Format(e, check.FormatOptions{Paths: c.Paths, Name: c.Name, Diff: c.Diff, Write: c.Write, List: c.List})
}
