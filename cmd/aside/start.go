package main

import (
	"context"
	"strings"

	"github.com/aside-go/aside/cmd/aside/internal/begin"
	"github.com/aside-go/aside/cmd/aside/internal/doctor"
	"github.com/aside-go/aside/cmd/aside/internal/install"
	"github.com/aside-go/aside/cmd/aside/internal/purge"
	"github.com/aside-go/aside/cmd/aside/internal/setup"
	"github.com/aside-go/aside/cmd/internal/command"
	"github.com/aside-go/aside/cmd/internal/review"
	"github.com/aside-go/aside/cmd/internal/starter"
	"github.com/aside-go/aside/internal/agent"
)

// setupCmd is "aside setup".
type setupCmd struct {
	Agents []string `arg:"" optional:"" name:"agent" help:"These agents, or none; by default those that you pick of what is here. aside help setup lists them."`
	Agent  []string `hidden:"" placeholder:"AGENT" help:"The same."`
	Rules  []string `placeholder:"RULE" help:"These starter rules, or none; by default those that you pick. aside list --packs names them."`
	Scope  string   `enum:"user,project" default:"user" help:"For all your projects (user), or for the project in the current directory (project)."`
	Yes    bool     `short:"y" help:"Ask nothing: what is not named is taken as an empty answer would."`
	DryRun bool     `help:"Ask nothing, print what would be written as a diff, and write nothing."`
	Check  bool     `xor:"form" help:"Change nothing, and say what is wrong between a rule and the model, each with what to do."`
	JSON   bool     `name:"json" help:"Print what was written, or with --dry-run would be, as JSON; ask nothing."`
	hookFlags
}

// hookFlags say how the hooks of an agent are registered.
type hookFlags struct {
	Mode       *string `placeholder:"MODE" help:"Another way of working than the agent's usual one; \"\" is that again."`
	StatusLine bool    `name:"statusline" help:"claude-code: learn from the status line how full the context is. What it shows stays."`
	Program    string  `placeholder:"PATH" help:"What the agent is to run; by default the aside-hook beside this program, else this program itself."`
}

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

// Run leads through it.
func (c *setupCmd) Run(ctx context.Context, e *command.Env) error {
	names := append(c.Agents, c.Agent...)
	if c.Check {
		if len(names) > 1 {
			return command.Usage("--check looks at one agent, or at all of them")
		}
		return doctor.Run(ctx, e, doctor.Options{Agent: strings.Join(names, ""), JSON: c.JSON})
	}
	return begin.Run(ctx, e, begin.Options{Rules: c.Rules, Yes: c.Yes, InstallOptions: setup.InstallOptions{
		Options: setup.Options{Agents: names, Scope: c.Scope, DryRun: c.DryRun, JSON: c.JSON},
		Mode:    c.Mode, StatusLine: c.StatusLine, Program: c.Program}})
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

// installFlags are the flags that install and uninstall share.
type installFlags struct {
	Agents []string `arg:"" optional:"" name:"agent" help:"The agents, such as claude-code; aside help setup lists them. Without any: those that you pick of what is here."`
	All    bool     `help:"All agents, of which install takes those that are here, without asking."`
	Scope  string   `enum:"user,project," default:"" help:"Whose configuration: yours (user), which is meant by default, or that of the project in the current directory (project)."`
	DryRun bool     `help:"Print what would change as a diff, and write nothing."`
	JSON   bool     `name:"json" help:"Print a JSON object for each agent."`
}

// installCmd is "aside install".
type installCmd struct {
	installFlags
	hookFlags
}

// uninstallCmd is "aside uninstall".
type uninstallCmd struct {
	installFlags
	Purge bool `help:"With --all: then remove all else of aside, too: what is remembered of runs and of trust, logs, copies of configurations, starter rules. Rules that you wrote stay unless you say so when asked."`
}

// Run installs.
func (c *installCmd) Run(ctx context.Context, e *command.Env) error {
	return setup.Install(ctx, e, setup.InstallOptions{
		Options: setup.Options(c.installFlags), Mode: c.Mode, StatusLine: c.StatusLine, Program: c.Program,
	})
}

// Run uninstalls.
func (c *uninstallCmd) Run(ctx context.Context, e *command.Env) error {
	if c.Purge && (!c.All || c.JSON) {
		return command.Usage("--purge goes with --all, and without --json")
	}
	if err := setup.Uninstall(ctx, e, setup.Options(c.installFlags)); err != nil || !c.Purge {
		return err
	}
	m, err := setup.Machine(e)
	if err != nil {
		return err
	}
	return purge.Run(e, m, purge.Options{Scope: install.Scope(c.Scope), DryRun: c.DryRun})
}

// doctorCmd is "aside doctor".
type doctorCmd struct {
	Agent string `placeholder:"AGENT" help:"Look at one agent only, which should be set up."`
	JSON  bool   `name:"json" help:"Print a JSON object."`
}

// Run looks at everything, and prints the findings.
func (c *doctorCmd) Run(ctx context.Context, e *command.Env) error {
	return doctor.Run(ctx, e, doctor.Options(*c))
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
