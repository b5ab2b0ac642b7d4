package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/alecthomas/kong"

	"github.com/aside-go/aside/cmd/aside/internal/command"
	"github.com/aside-go/aside/cmd/aside/internal/completion"
	"github.com/aside-go/aside/cmd/aside/internal/manual"
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

// completionCmd is "aside completion".
type completionCmd struct {
	Shell string `arg:"" enum:"bash,zsh,fish" help:"bash, zsh or fish."`
}

// Help says how the scripts are used.
func (*completionCmd) Help() string {
	return `To use it at once:

    source <(aside completion bash)
    source <(aside completion zsh)
    aside completion fish | source

For every new shell: put that line into ~/.bashrc or ~/.zshrc, or the script into
~/.config/fish/completions/aside.fish.`
}

// Run prints the script.
func (c *completionCmd) Run(e *command.Env) error {
	k, err := parser(e, "") // with all commands
	if err != nil {
		return err
	}
	_, err = e.Out.WriteString(completion.Script(c.Shell, k, manual.Topics()...))
	return err
}

// helpCmd is "aside help COMMAND".
type helpCmd struct {
	Command []string `arg:"" optional:"" help:"The command; or a topic, of which aside help topics has the list."`
}

// Run prints the page of a topic, or the help that --help prints.
func (h *helpCmd) Run(ctx context.Context, e *command.Env) error {
	if len(h.Command) == 1 {
		if topic, ok := manual.Find(h.Command[0]); ok {
			return manual.Print(e.Out, topic, func(s string) string { return e.Paint("1", s) })
		}
	}
	err := run(ctx, e, append(h.Command, "--help"))
	var wrong *command.Error
	if len(h.Command) > 0 && errors.As(err, &wrong) && wrong.Code == command.ExitUsage {
		wrong.More = []string{"aside help lists the commands, and aside help topics the pages of the manual"}
	}
	return err
}
