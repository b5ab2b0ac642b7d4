package main

import (
	"embed"
	"strings"

	"github.com/alecthomas/kong"

	"github.com/aside-go/aside/cmd/aside/internal/begin"
	"github.com/aside-go/aside/cmd/aside/internal/bodies"
	"github.com/aside-go/aside/cmd/aside/internal/check"
	"github.com/aside-go/aside/cmd/aside/internal/doctor"
	"github.com/aside-go/aside/cmd/aside/internal/importer"
	"github.com/aside-go/aside/cmd/aside/internal/setup"
	"github.com/aside-go/aside/cmd/aside/internal/suggest"
	"github.com/aside-go/aside/cmd/aside/internal/testrun"
	"github.com/aside-go/aside/cmd/aside/internal/view"
	"github.com/aside-go/aside/cmd/internal/command"
	"github.com/aside-go/aside/cmd/internal/program"
	"github.com/aside-go/aside/cmd/internal/review"
	"github.com/aside-go/aside/cmd/internal/serve"
	"github.com/aside-go/aside/cmd/internal/starter"
	"github.com/aside-go/aside/internal/agent"
)

// cli is the command line.
type cli struct {
	program.Common

	Setup     begin.Cmd      `cmd:"" group:"first" help:"Find your agents, write hooks and rules; say what is wrong."`
	Add       addCmd         `cmd:"" group:"first" help:"Write a rule: from a sentence, the cookbook, or another tool."`
	Edit      editCmd        `cmd:"" group:"first" help:"Change a rule."`
	List      listCmd        `cmd:"" group:"first" help:"List the rules that are loaded, or show one of them."`
	Check     check.Cmd      `cmd:"" group:"first" help:"Find mistakes in rule files."`
	Test      testrun.Cmd    `cmd:"" group:"first" help:"Run rule tests."`
	Replay    replayCmd      `cmd:"" group:"first" help:"Say what the rules would have done in recorded sessions."`
	View      view.Cmd       `cmd:"" group:"first" help:"Show a session with its reminders where the model read them."`
	Why       program.WhyCmd `cmd:"" group:"first" help:"Say why each reminder fired or did not."`
	Disable   disableCmd     `cmd:"" group:"first" help:"Switch a rule off, everywhere or in one project."`
	Trust     review.Cmd     `cmd:"" group:"first" help:"Show the rules of a project, and let agents read them."`
	Uninstall uninstallCmd   `cmd:"" group:"first" help:"Take hooks out of your agents again, or all of aside."`

	Enable  enableCmd    `cmd:"" group:"rules" help:"Switch a rule on again."`
	Suggest suggest.Cmd  `cmd:"" group:"rules" help:"Propose rules from your own sessions, with the sessions that speak for each."`
	Fmt     check.FmtCmd `cmd:"" group:"rules" help:"Print rule files in canonical form, or rewrite them."`
	Lsp     lspCmd       `cmd:"" group:"rules" help:"Speak with an editor about rule files (Language Server Protocol)."`
	Schema  schemaCmd    `cmd:"" group:"rules" help:"Print the JSON Schema of rule files or of rule tests, for editors."`

	Runs   program.RunsCmd   `cmd:"" group:"runs" help:"List the runs that are remembered."`
	Effect program.EffectCmd `cmd:"" group:"runs" help:"Say whether reminders help: what became of their firings, with their texts and without."`
	Remind program.RemindCmd `cmd:"" group:"runs" help:"Fire a reminder by hand, on the next turn of a run."`
	State  program.StateCmd  `cmd:"" group:"runs" help:"Move the state of runs between stores."`

	Hook       hookCmd       `cmd:"" group:"hosts" help:"Called by a coding agent at each of its events: says which reminders are due."`
	Statusline statuslineCmd `cmd:"" group:"hosts" help:"Stand in front of Claude Code's status line, and note how full the context is."`

	Eval   evalCmd          `cmd:"" group:"hosts" help:"Evaluate rules as a co-process: facts in, decisions out, a JSON line each."`
	Inject bodies.InjectCmd `cmd:"" group:"hosts" help:"Put reminders into a request body on stdin."`
	Strip  bodies.StripCmd  `cmd:"" group:"hosts" help:"Take out of a request body what inject put in."`
	Serve  serveCmd         `cmd:"" group:"hosts" help:"Stand between agents and the model APIs, and put reminders into requests on their way."`

	Completion program.CompletionCmd `cmd:"" group:"other" help:"Print a completion script for a shell."`
	VersionCmd program.VersionCmd    `cmd:"" name:"version" group:"other" help:"Print the version."`
	Help       program.HelpCmd       `cmd:"" group:"other" help:"Explain a command, a topic or a word, or search the manual."`

	// Older names, which go on working.
	Init    starter.Cmd      `cmd:"" hidden:"" help:"Write starter rules and a rule test of each; aside setup does that, too."`
	Install setup.InstallCmd `cmd:"" hidden:"" help:"Register hooks in an agent's configuration; aside setup does that, too."`
	Doctor  doctor.Cmd       `cmd:"" hidden:"" help:"Say what is wrong between a rule and the model: aside setup --check."`
	Import  importer.Cmd     `cmd:"" hidden:"" help:"Make rules of those of other tools: aside add --from PATH."`
	Show    listCmd          `cmd:"" hidden:"" page:"list" help:"Show one rule: aside list ID."`
}

//go:embed help/*.txt
var pages embed.FS

// aside is the program.
var aside = &program.Program{
	Name:        "aside",
	Description: "Reminders for agents: a text, and a rule that says when a model should read it.",
	Commands:    cli{},
	Groups: []kong.Group{
		{Key: "first", Title: "Commands:"},
		{Key: "rules", Title: "Rules:"},
		{Key: "runs", Title: "Runs:"},
		{Key: "hosts", Title: "For agents:"},
		{Key: "other", Title: "Also:"},
	},
	Vars: kong.Vars{"agents": strings.Join(agent.Names(agent.WithHooks()), ", "),
		"modes": strings.Join(agent.Modes(), ", "), "table": agents(), "clients": serve.Clients},
	Pages: pages,
	Bare:  bare,
	First: "first",
	Older: "Older names go on working: init and install (setup), doctor (setup --check), show (list ID), " +
		"import (add --from).",
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
