// Command asided is the service: the proxy of aside serve with databases, the evaluation API, tokens with
// scopes, signed bundles of rules, metrics and traces. What it shares with aside lies under cmd/internal;
// this package holds its flags, but for those of bundles.
package main

import (
	"embed"
	"os"

	"github.com/alecthomas/kong"

	"github.com/aside-go/aside/cmd/asided/internal/bundle"
	"github.com/aside-go/aside/cmd/asided/internal/control"
	"github.com/aside-go/aside/cmd/asided/internal/database"
	"github.com/aside-go/aside/cmd/internal/program"
	"github.com/aside-go/aside/cmd/internal/serve"
)

// cli is the command line.
type cli struct {
	program.Common

	Serve  serveCmd  `cmd:"" group:"service" help:"Stand between agents and the model APIs, and decide for hosts that ask."`
	Bundle bundleCmd `cmd:"" group:"service" help:"Rules from one place for many machines: build, sign, verify, push and pull bundles."`

	Rules rulesCmd `cmd:"" group:"service" help:"Switch single rules off or into shadow, in every process, without new rules."`

	Runs   program.RunsCmd   `cmd:"" group:"runs" help:"List the runs that are remembered."`
	Why    program.WhyCmd    `cmd:"" group:"runs" help:"Say why each reminder fired or did not on the last turn of a run."`
	Remind program.RemindCmd `cmd:"" group:"runs" help:"Fire a reminder by hand, on the next turn of a run."`
	Effect program.EffectCmd `cmd:"" group:"runs" help:"Say whether reminders help: what became of their firings, with their texts and without."`
	State  stateCmd          `cmd:"" group:"runs" help:"Move the state of runs between stores, and versions."`

	Completion program.CompletionCmd `cmd:"" group:"other" help:"Print a completion script for a shell."`
	VersionCmd program.VersionCmd    `cmd:"" name:"version" group:"other" help:"Print the version."`
	Help       program.HelpCmd       `cmd:"" group:"other" help:"Explain a command, or a topic: aside help topics."`
}

// bundleCmd is "asided bundle".
type bundleCmd struct {
	Build  bundle.BuildCmd  `cmd:"" help:"Make a bundle of the rule files in a directory."`
	Keygen bundle.KeygenCmd `cmd:"" help:"Make a key that signs bundles."`
	Sign   bundle.SignCmd   `cmd:"" help:"Sign a bundle."`
	Verify bundle.VerifyCmd `cmd:"" help:"Check a bundle as a node does, and say what it holds."`
	Push   bundle.PushCmd   `cmd:"" help:"Put a bundle on a server, in place of an earlier one."`
	Pull   bundle.PullCmd   `cmd:"" help:"Bring the rule files of a server's bundle into a directory, for hooks."`
}

//go:embed help/*.txt
var pages embed.FS

// asided is the program.
var asided = &program.Program{
	Name:        "asided",
	Description: "Reminders for agents as a service: one place for rules and runs of many machines.",
	Commands:    cli{},
	Groups: []kong.Group{
		{Key: "service", Title: "The service:"},
		{Key: "runs", Title: "Runs:"},
		{Key: "other", Title: "Also:"},
	},
	Pages:     pages,
	Vars:      kong.Vars{"clients": serve.Clients},
	Other:     "aside",
	Others:    personal,
	Databases: database.Open, Switched: control.Told,
}

// personal are the commands that aside has alone.
var personal = map[string][]string{
	"add": nil, "check": nil, "disable": nil, "doctor": nil, "edit": nil, "enable": nil, "eval": nil,
	"fmt": nil, "hook": nil, "import": nil, "init": nil, "inject": nil, "install": nil, "list": nil,
	"lsp": nil, "replay": nil, "schema": nil, "setup": nil, "show": nil, "statusline": nil, "strip": nil,
	"suggest": nil, "test": nil, "trust": nil, "uninstall": nil, "view": nil,
}

func main() { os.Exit(asided.Main()) }
