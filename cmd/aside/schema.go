package main

import (
	"strings"

	"github.com/aside-go/aside/cmd/aside/internal/command"
	"github.com/aside-go/aside/cmd/aside/internal/schema"
	"github.com/aside-go/aside/internal/near"
)

// schemaCmd is "aside schema".
type schemaCmd struct {
	Name string `arg:"" optional:"" default:"reminder" placeholder:"NAME" help:"reminder, for rule files, or test, for rule tests; by default reminder."`
}

// Help says how editors find the schema.
func (*schemaCmd) Help() string {
	return `Prints a JSON Schema (2020-12). Editors that know YAML complete keys by it and mark what does not belong. Triggers and texts it does not look into: aside check and aside lsp do.

Examples:

    aside schema > .aside/reminder.schema.json
    aside schema test > .aside/test.schema.json

An editor with yaml-language-server (VS Code's YAML extension, Neovim, Helix, Zed) finds it by a first line in the file

    # yaml-language-server: $schema=../reminder.schema.json

or by a setting: "yaml.schemas": {".aside/reminder.schema.json": ".aside/reminders/*.yaml", ".aside/test.schema.json": "*_test.yaml"}`
}

// Run prints the schema.
func (c *schemaCmd) Run(e *command.Env) error {
	text, ok := schema.Named(c.Name)
	if !ok {
		names := strings.Join(schema.Names[:], " or ")
		if near := near.Names(c.Name, schema.Names[:]); len(near) > 0 {
			names = near[0]
		}
		return command.Usage("there is no schema %q: did you mean %s?", c.Name, names)
	}
	_, err := e.Out.Write(text)
	return err
}
