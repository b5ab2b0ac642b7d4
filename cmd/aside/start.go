package main

import (
	"context"
	"strings"

	"github.com/aside-go/aside/cmd/aside/internal/purge"
	"github.com/aside-go/aside/cmd/aside/internal/setup"
	"github.com/aside-go/aside/cmd/internal/command"
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
