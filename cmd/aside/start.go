package main

import (
	"context"
	"strings"

	"github.com/aside-go/aside/cmd/aside/internal/purge"
	"github.com/aside-go/aside/cmd/aside/internal/setup"
	"github.com/aside-go/aside/cmd/internal/command"
	"github.com/aside-go/aside/cmd/internal/review"
	"github.com/aside-go/aside/cmd/internal/starter"
	"github.com/aside-go/aside/internal/agent"
)

// agents lists the agents, a line each.
func agents() string {
	var b strings.Builder
	for _, a := range agent.All() {
		line := "    " + a.Name + strings.Repeat(" ", 13-len(a.Name)) + a.Title
		switch {
		case a.Config.Why != "":
			line += ": cannot be reminded"
		case len(a.Modes) > 0:
			line += " (--mode " + strings.Join(a.Modes, ", ") + ")"
		}
		if a.Untried {
			line += " (untried)"
		}
		b.WriteString(line + "\n")
	}
	return b.String()
}

// initCmd is "aside init".
type initCmd struct {
	Names []string `arg:"" optional:"" name:"name" help:"Only these of the starter rules; by default all. --list names them."`
	Agent string   `placeholder:"AGENT" help:"Only those that can fire in this agent, which may never tell what the others are about. One of ${agents}, serve."`
	Dir   string   `default:"." placeholder:"DIR" help:"The project, which is made if it is not there; by default the current directory."`
	List  bool     `xor:"do" help:"Only list the starter rules, and write nothing."`
	Force bool     `xor:"do" help:"Overwrite files that are there."`
}

// Run writes the starter rules.
func (c *initCmd) Run(e *command.Env) error { return starter.Write(e, starter.Options(*c)) }

// uninstallCmd is "aside uninstall".
type uninstallCmd struct {
	setup.Flags
	Purge bool `help:"With --all: then remove all else of aside, too: what is remembered of runs and of trust, logs, copies of configurations, starter rules. Rules that you wrote stay unless you say so when asked."`
}

// Run uninstalls.
func (c *uninstallCmd) Run(ctx context.Context, e *command.Env) error {
	if c.Purge && (!c.All || c.JSON) {
		return command.Usage("--purge goes with --all, and without --json")
	}
	if err := setup.Uninstall(ctx, e, c.Flags); err != nil || !c.Purge {
		return err
	}
	m, err := setup.Machine(e)
	if err != nil {
		return err
	}
	return purge.Run(e, m, purge.Options{Scope: c.Scope, DryRun: c.DryRun})
}

// trustCmd is "aside trust".
type trustCmd struct {
	Dir    string `arg:"" optional:"" placeholder:"DIR" help:"The project, or a directory in it; by default the current directory."`
	Yes    bool   `short:"y" xor:"what" help:"Trust what is shown, without asking."`
	Revoke bool   `xor:"what" help:"Trust nothing of the project any longer."`
	List   bool   `xor:"what" help:"List the projects that are trusted."`
	JSON   bool   `name:"json" help:"Print a JSON object, an array with --list; ask nothing."`
}

// Run shows the rule files of a project, asks, and records the answer.
func (c *trustCmd) Run(e *command.Env) error { return review.Run(e, review.Options(*c)) }
