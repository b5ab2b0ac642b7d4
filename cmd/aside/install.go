package main

import (
	"context"
	"strings"

	"github.com/aside-go/aside/cmd/aside/internal/command"
	"github.com/aside-go/aside/cmd/aside/internal/setup"
	"github.com/aside-go/aside/internal/agent"
)

// installFlags are the flags that install and uninstall share.
type installFlags struct {
	Agent  string `arg:"" placeholder:"AGENT" help:"The agent, such as claude-code; aside help install lists them."`
	Scope  string `enum:"user,project" default:"user" help:"Whose configuration: yours (user), or that of the project in the current directory (project)."`
	DryRun bool   `help:"Print what would change as a diff, and write nothing."`
	JSON   bool   `name:"json" help:"Print a JSON object."`
}

// installCmd is "aside install".
type installCmd struct {
	installFlags
	Mode       *string `placeholder:"MODE" help:"Another way of working than the agent's usual one; \"\" is that again."`
	StatusLine bool    `name:"statusline" help:"claude-code: learn from the status line how full the context is. What it shows stays."`
	Program    string  `placeholder:"PATH" help:"What the agent is to run; by default the aside-hook beside this program, else this program itself."`
}

// uninstallCmd is "aside uninstall".
type uninstallCmd struct {
	installFlags
}

// Help lists the agents.
func (*installCmd) Help() string {
	var b strings.Builder
	b.WriteString(`Registers hooks in the agent's own configuration, so that reminders reach it, and adds its /remind command where it takes one. Everything else in those files stays as it is, comments and blanks included; what a file was before is kept beside it. Installing twice changes nothing the second time; after a new version of aside, install again.

Agents:

`)
	for _, a := range agent.All() {
		line := "    " + a.Name + strings.Repeat(" ", 13-len(a.Name)) + a.Title
		switch {
		case a.Config.Why != "":
			line += ": cannot be reminded"
		case len(a.Modes) > 0:
			line += " (--mode " + strings.Join(a.Modes, ", ") + ")"
		}
		b.WriteString(line + "\n")
	}
	b.WriteString(`
Where a configuration is shared with others, give --program aside-hook, and the program is looked for in each one's PATH.

--json prints {"agent","scope","program","changed","files":[{"path","target","did","why","backup"}],"next":[…]}; did is made, changed, unchanged, removed or kept.

Examples:

    aside install claude-code
    aside install codex --scope project --dry-run
    aside install claude-code --statusline
    aside uninstall claude-code`)
	return b.String()
}

// Help says what is taken out.
func (*uninstallCmd) Help() string {
	return `Takes out of the agent's configuration what install put in, and nothing else. A file that nobody has changed meanwhile is what it was before, byte for byte. Rules, trust and what is remembered of runs stay.

Examples:

    aside uninstall claude-code
    aside uninstall codex --scope project --dry-run`
}

// Run installs.
func (c *installCmd) Run(ctx context.Context, e *command.Env) error {
	return setup.Install(ctx, e, setup.InstallOptions{
		Options: setup.Options(c.installFlags), Mode: c.Mode, StatusLine: c.StatusLine, Program: c.Program,
	})
}

// Run uninstalls.
func (c *uninstallCmd) Run(ctx context.Context, e *command.Env) error {
	return setup.Uninstall(ctx, e, setup.Options(c.installFlags))
}
