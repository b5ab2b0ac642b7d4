package main

import (
	"github.com/aside-go/aside/cmd/aside/internal/command"
	"github.com/aside-go/aside/inject"
	"github.com/aside-go/aside/inject/wire"
)

// stripCmd is "aside strip".
type stripCmd struct {
	apiFlag
}

// Help shows examples.
func (*stripCmd) Help() string {
	return `Reads a body on stdin, writes it without reminders to stdout: with --mark every one so marked, without it only bare ones at places where inject puts them. A tag that somebody else wrote stays.

Examples:

    aside strip --api messages <body.json
    aside strip --api messages --mark 5f2c <body.json`
}

// Run strips.
func (c *stripCmd) Run(e *command.Env) error {
	body, err := readBody(e, c.apiFlag)
	if err != nil {
		return err
	}
	out, err := wire.Strip(body, wire.Options{API: wire.API(c.API), Model: c.Model, Options: inject.Options{Mark: c.Mark}})
	if err != nil {
		return command.No("stdin: %w", err)
	}
	_, err = e.Out.Write(out)
	return err
}
