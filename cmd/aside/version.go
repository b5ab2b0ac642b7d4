package main

import (
	"fmt"

	"github.com/alecthomas/kong"

	"github.com/aside-go/aside/cmd/aside/internal/command"
)

// versionCmd is "aside version".
type versionCmd struct{}

// Run prints the version.
func (*versionCmd) Run(e *command.Env) error {
	fmt.Fprintln(e.Out, command.Version())
	return nil
}

// versionFlag is "aside --version".
type versionFlag bool

// BeforeReset prints the version and ends the parse.
func (versionFlag) BeforeReset(k *kong.Kong) error {
	fmt.Fprintln(k.Stdout, command.Version())
	k.Exit(command.ExitFine)
	return nil
}

// IgnoreDefault lets BeforeReset run only where the flag was given.
func (versionFlag) IgnoreDefault() {}
