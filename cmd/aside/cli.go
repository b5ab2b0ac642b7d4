package main

import (
	"strings"

	"github.com/alecthomas/kong"

	"github.com/aside-go/aside/cmd/aside/internal/begin"
	"github.com/aside-go/aside/cmd/internal/command"
	"github.com/aside-go/aside/cmd/internal/program"
	"github.com/aside-go/aside/internal/agent"
)

// cli is the command line.
type cli struct {
	program.Common

	Setup     setupCmd     `cmd:"" group:"start" help:"From nothing to the first reminder: find agents, show and write hooks and rules."`
	Init      initCmd      `cmd:"" group:"start" help:"Write a few useful starter rules and a rule test."`
	Install   installCmd   `cmd:"" group:"start" help:"Have reminders reach a coding agent: register hooks in its configuration."`
	Uninstall uninstallCmd `cmd:"" group:"start" help:"Take that out of an agent's configuration again."`
	Doctor    doctorCmd    `cmd:"" group:"start" help:"Find out why reminders do not arrive: is aside installed, trusted, loaded, delivered?"`

	Replay replayCmd `cmd:"" group:"start" help:"Run the rules over recorded conversations: what would have fired, where and why."`

	Add     addCmd     `cmd:"" group:"rules" help:"Write a rule of your own."`
	Edit    editCmd    `cmd:"" group:"rules" help:"Change a rule."`
	Disable disableCmd `cmd:"" group:"rules" help:"Switch a reminder off."`
	Enable  enableCmd  `cmd:"" group:"rules" help:"Switch a reminder on again."`

	Suggest suggestCmd `cmd:"" group:"rules" help:"Propose rules from your own sessions, with the sessions that speak for each."`

	Import importCmd `cmd:"" group:"rules" help:"Make rules of those of other tools."`

	Check checkCmd `cmd:"" group:"rules" help:"Find mistakes in rule files."`
	Fmt   fmtCmd   `cmd:"" group:"rules" help:"Print rule files in canonical form, or rewrite them."`
	Test  testCmd  `cmd:"" group:"rules" help:"Run rule tests."`
	List  listCmd  `cmd:"" group:"rules" help:"List the reminders that are loaded."`
	Show  showCmd  `cmd:"" group:"rules" help:"Show one reminder, where it comes from and what it overrides."`

	Lsp lspCmd `cmd:"" group:"rules" help:"Speak with an editor about rule files (Language Server Protocol)."`

	Schema schemaCmd `cmd:"" group:"rules" help:"Print the JSON Schema of rule files or of rule tests, for editors."`

	Trust trustCmd `cmd:"" group:"rules" help:"Show the rule files of a project, and let agents read them."`

	Runs   program.RunsCmd   `cmd:"" group:"runs" help:"List the runs that are remembered."`
	View   viewCmd           `cmd:"" group:"runs" help:"Show a session with its reminders where the model read them."`
	Effect program.EffectCmd `cmd:"" group:"runs" help:"Say whether reminders help: what became of their firings, with their texts and without."`
	Why    program.WhyCmd    `cmd:"" group:"runs" help:"Say why each reminder fired or did not on the last turn of a run."`
	State  program.StateCmd  `cmd:"" group:"runs" help:"Move the state of runs between stores."`
	Remind program.RemindCmd `cmd:"" group:"runs" help:"Fire a reminder by hand, on the next turn of a run."`

	Hook       hookCmd       `cmd:"" group:"hosts" help:"Called by a coding agent at each of its events: says which reminders are due."`
	Statusline statuslineCmd `cmd:"" group:"hosts" help:"Stand in front of Claude Code's status line, and note how full the context is."`

	Eval   evalCmd   `cmd:"" group:"hosts" help:"Evaluate rules as a co-process: facts in, decisions out, a JSON line each."`
	Inject injectCmd `cmd:"" group:"hosts" help:"Put reminders into a request body on stdin."`
	Strip  stripCmd  `cmd:"" group:"hosts" help:"Take out of a request body what inject put in."`
	Serve  serveCmd  `cmd:"" group:"hosts" help:"Stand between agents and the model APIs, and put reminders into requests on their way."`

	Completion program.CompletionCmd `cmd:"" group:"other" help:"Print a completion script for a shell."`
	VersionCmd program.VersionCmd    `cmd:"" name:"version" group:"other" help:"Print the version."`
	Help       program.HelpCmd       `cmd:"" group:"other" help:"Explain a command, or a topic: aside help topics."`
}

// aside is the program.
var aside = &program.Program{
	Name:        "aside",
	Description: "Reminders for agents: a text, and a rule that says when a model should read it.",
	Commands:    cli{},
	Groups: []kong.Group{
		{Key: "start", Title: "To begin:"},
		{Key: "rules", Title: "Rules:"},
		{Key: "runs", Title: "Runs:"},
		{Key: "hosts", Title: "For agents:"},
		{Key: "other", Title: "Also:"},
	},
	Vars: kong.Vars{"agents": strings.Join(agent.Names(agent.WithHooks()), ", "),
		"modes": strings.Join(agent.Modes(), ", ")},
	Bare:   bare,
	Other:  "asided",
	Others: service,
}

// bare sets aside up where nothing is set up yet and somebody is there to answer.
func bare(e *command.Env) []string {
	if command.Interactive() && e.OutTTY && e.ErrTTY && begin.Nothing(e) {
		return []string{"setup"}
	}
	return []string{"--help"}
}
