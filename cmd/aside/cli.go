package main

import (
	"cmp"
	"context"
	"reflect"
	"strconv"
	"strings"
	"time"

	"github.com/alecthomas/kong"

	"github.com/aside-go/aside/cmd/aside/internal/begin"
	"github.com/aside-go/aside/cmd/aside/internal/command"
	"github.com/aside-go/aside/internal/agent"
	"github.com/aside-go/aside/internal/duration"
)

// cli is the command line.
type cli struct {
	Version versionFlag `hidden:"" help:"Print the version."`
	Color   colorFlag   `enum:"auto,always,never," default:"" placeholder:"WHEN" help:"Colours: auto (on a terminal), always or never. The environment variables NO_COLOR and FORCE_COLOR say the same."`

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

	Runs   runsCmd   `cmd:"" group:"runs" help:"List the runs that are remembered."`
	View   viewCmd   `cmd:"" group:"runs" help:"Show a session with its reminders where the model read them."`
	Effect effectCmd `cmd:"" group:"runs" help:"Say whether reminders help: what became of their firings, with their texts and without."`
	Why    whyCmd    `cmd:"" group:"runs" help:"Say why each reminder fired or did not on the last turn of a run."`
	State  stateCmd  `cmd:"" group:"runs" help:"Move the state of runs between stores."`
	Remind remindCmd `cmd:"" group:"runs" help:"Fire a reminder by hand, on the next turn of a run."`

	Hook       hookCmd       `cmd:"" group:"hosts" help:"Called by a coding agent at each of its events: says which reminders are due."`
	Statusline statuslineCmd `cmd:"" group:"hosts" help:"Stand in front of Claude Code's status line, and note how full the context is."`

	Eval   evalCmd   `cmd:"" group:"hosts" help:"Evaluate rules as a co-process: facts in, decisions out, a JSON line each."`
	Inject injectCmd `cmd:"" group:"hosts" help:"Put reminders into a request body on stdin."`
	Strip  stripCmd  `cmd:"" group:"hosts" help:"Take out of a request body what inject put in."`
	Serve  serveCmd  `cmd:"" group:"hosts" help:"Stand between agents and the model APIs, and put reminders into requests on their way."`
	Bundle bundleCmd `cmd:"" group:"hosts" help:"Rules from one place for many machines: build, sign, verify, push and pull bundles."`

	Completion completionCmd `cmd:"" group:"other" help:"Print a completion script for a shell."`
	VersionCmd versionCmd    `cmd:"" name:"version" group:"other" help:"Print the version."`
	Help       helpCmd       `cmd:"" group:"other" help:"Explain a command, or a topic: aside help topics."`
}

const description = "Reminders for agents: a text, and a rule that says when a model should read it."

var groups = kong.ExplicitGroups([]kong.Group{
	{Key: "start", Title: "To begin:"},
	{Key: "rules", Title: "Rules:"},
	{Key: "runs", Title: "Runs:"},
	{Key: "hosts", Title: "For agents:"},
	{Key: "other", Title: "Also:"},
})

// commandLine returns a pointer to a struct for kong: with the one command of cli that name names, or cli
// itself where it names none. Building kong's model of all commands would take most of the time of a short
// command.
func commandLine(name string) any {
	all := reflect.TypeFor[cli]()
	for f := range all.Fields() {
		if _, is := f.Tag.Lookup("cmd"); is && cmp.Or(f.Tag.Get("name"), strings.ToLower(f.Name)) == name {
			version, _ := all.FieldByName("Version")
			color, _ := all.FieldByName("Color")
			return reflect.New(reflect.StructOf([]reflect.StructField{version, color, f})).Interface()
		}
	}
	return &cli{}
}

// parser returns a parser for one command, or for all where name names none.
func parser(e *command.Env, name string) (*kong.Kong, error) {
	k, err := kong.New(commandLine(name),
		kong.Name("aside"), kong.Bind(e), kong.Description(description), groups,
		kong.Vars{"agents": strings.Join(agent.Names(agent.WithHooks()), ", "),
			"modes": strings.Join(agent.Modes(), ", ")},
		kong.Writers(e.Out, e.Err),
		kong.ConfigureHelp(kong.HelpOptions{Compact: true, NoExpandSubcommands: true, FlagsLast: true,
			WrapUpperBound: cmp.Or(min(e.Width, 100), 100)}),
		kong.Exit(func(code int) { panic(quit(code)) }),
		kong.KindMapper(reflect.Int, number("a whole number", strconv.Atoi)),
		kong.KindMapper(reflect.Float64, number("a number", func(s string) (float64,
			error) {
			return strconv.ParseFloat(s, 64)
		})),
		resolver(e),
		kong.TypeMapper(reflect.TypeFor[time.Duration](), number("a time such as 30s or 10m", duration.Parse)),
	)
	if err == nil {
		k.Model.HelpFlag.Help = "Show this help."
	}
	return k, err
}

// quit is the value of the panic with which kong's exit hook ends a parse after --help or --version; kong
// offers no other way.
type quit int

// run parses args and runs the command that they name.
func run(ctx context.Context, e *command.Env, args []string) (err error) {
	if len(args) == 0 {
		args = []string{"--help"}
		if command.Interactive() && e.OutTTY && e.ErrTTY && begin.Nothing(e) {
			args = []string{"setup"}
		}
	}
	if err := configure(e, args); err != nil {
		return err
	}
	k, err := parser(e, args[0])
	if err != nil {
		return err
	}
	kctx, quitted, err := parse(k, args)
	if quitted {
		return nil
	}
	if err != nil {
		return wrongUsage(k, args, err)
	}
	kctx.BindTo(ctx, (*context.Context)(nil))
	return kctx.Run(e, k)
}

// parse parses args. quitted is true where kong has printed help or the version, and there is nothing to run.
func parse(k *kong.Kong, args []string) (kctx *kong.Context, quitted bool, err error) {
	defer func() {
		switch p := recover().(type) {
		case nil:
		case quit:
			quitted = true
		default:
			panic(p)
		}
	}()
	kctx, err = k.Parse(args)
	return kctx, false, err
}
