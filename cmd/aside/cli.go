package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/alecthomas/kong"

	"github.com/aside-go/aside/cmd/aside/internal/command"
	"github.com/aside-go/aside/cmd/aside/internal/completion"
	"github.com/aside-go/aside/cmd/aside/internal/manual"
	"github.com/aside-go/aside/internal/agent"
	"github.com/aside-go/aside/internal/near"
)

// cli is the command line.
type cli struct {
	Version versionFlag `hidden:"" help:"Print the version."`

	Init      initCmd      `cmd:"" group:"start" help:"Write a few useful starter rules and a rule test."`
	Install   installCmd   `cmd:"" group:"start" help:"Have reminders reach a coding agent: register hooks in its configuration."`
	Uninstall uninstallCmd `cmd:"" group:"start" help:"Take that out of an agent's configuration again."`
	Doctor    doctorCmd    `cmd:"" group:"start" help:"Find out why reminders do not arrive: is aside installed, trusted, loaded, delivered?"`

	Replay replayCmd `cmd:"" group:"start" help:"Run the rules over recorded conversations: what would have fired, where and why."`

	Check checkCmd `cmd:"" group:"rules" help:"Find mistakes in rule files."`
	Fmt   fmtCmd   `cmd:"" group:"rules" help:"Print rule files in canonical form, or rewrite them."`
	Test  testCmd  `cmd:"" group:"rules" help:"Run rule tests."`
	List  listCmd  `cmd:"" group:"rules" help:"List the reminders that are loaded."`
	Show  showCmd  `cmd:"" group:"rules" help:"Show one reminder, where it comes from and what it overrides."`

	Lsp lspCmd `cmd:"" group:"rules" help:"Speak with an editor about rule files (Language Server Protocol)."`

	Schema schemaCmd `cmd:"" group:"rules" help:"Print the JSON Schema of rule files or of rule tests, for editors."`

	Trust trustCmd `cmd:"" group:"rules" help:"Show the rule files of a project, and let agents read them."`

	Why    whyCmd    `cmd:"" group:"runs" help:"Say why each reminder fired or did not on the last turn of a run."`
	Remind remindCmd `cmd:"" group:"runs" help:"Fire a reminder by hand, on the next turn of a run."`

	Hook       hookCmd       `cmd:"" group:"hosts" help:"Called by a coding agent at each of its events: says which reminders are due."`
	Statusline statuslineCmd `cmd:"" group:"hosts" help:"Stand in front of Claude Code's status line, and note how full the context is."`

	Eval   evalCmd   `cmd:"" group:"hosts" help:"Evaluate rules as a co-process: facts in, decisions out, a JSON line each."`
	Inject injectCmd `cmd:"" group:"hosts" help:"Put reminders into a request body on stdin."`
	Strip  stripCmd  `cmd:"" group:"hosts" help:"Take out of a request body what inject put in."`
	Serve  serveCmd  `cmd:"" group:"hosts" help:"Stand between agents and the model APIs, and put reminders into requests on their way."`

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

// commandLine returns a pointer to a struct for kong: with the one command of cli that name names, or cli itself where it names none.
// Building kong's model of all commands would take most of the time of a short command.
func commandLine(name string) any {
	all := reflect.TypeFor[cli]()
	for f := range all.Fields() {
		if _, is := f.Tag.Lookup("cmd"); is && cmp.Or(f.Tag.Get("name"), strings.ToLower(f.Name)) == name {
			version, _ := all.FieldByName("Version")
			return reflect.New(reflect.StructOf([]reflect.StructField{version, f})).Interface()
		}
	}
	return &cli{}
}

// parser returns a parser for one command, or for all where name names none.
func parser(e *command.Env, name string) (*kong.Kong, error) {
	k, err := kong.New(commandLine(name),
		kong.Name("aside"), kong.Description(description), groups,
		kong.Vars{"agents": strings.Join(agent.Names(agent.WithHooks()), ", "), "modes": strings.Join(agent.Modes(), ", ")},
		kong.Writers(e.Out, e.Err),
		kong.ConfigureHelp(kong.HelpOptions{Compact: true, NoExpandSubcommands: true, FlagsLast: true, WrapUpperBound: 100}),
		kong.Exit(func(code int) { panic(quit(code)) }),
	)
	if err == nil {
		k.Model.HelpFlag.Help = "Show this help."
	}
	return k, err
}

// quit is the value of the panic with which kong's exit hook ends a parse after --help or --version; kong offers no other way.
type quit int

// run parses args and runs the command that they name.
func run(ctx context.Context, e *command.Env, args []string) (err error) {
	if len(args) == 0 {
		args = []string{"--help"}
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

// wrongUsage returns an error that says what is wrong with args, what may have been meant, and how the command is used.
func wrongUsage(k *kong.Kong, args []string, err error) error {
	var pe *kong.ParseError
	hasContext := errors.As(err, &pe)
	err = plainUsage(err)
	line, help := "usage: aside <command> …", "aside help"
	if hasContext && pe.Context.Selected() != nil {
		cmd := pe.Context.Selected()
		line, help = "usage: aside "+synopsis(cmd), "aside help "+cmd.Name
	} else if name := firstWord(args); name != "" && !known(k, name) {
		err = fmt.Errorf("there is no command %q%s", name, near.Hint(": ", name, completion.Commands(k)))
	}
	return &command.Error{Code: command.ExitUsage, Err: err, More: []string{line, help + " says more"}}
}

// plainUsage returns an error of kong in plain words, without the notation in which kong describes a command line.
func plainUsage(err error) error {
	s := err.Error()
	if flag, rest, ok := strings.Cut(s, `: expected `); ok {
		if strings.HasSuffix(rest, "(<EOL>)") {
			return fmt.Errorf("%s needs a value", flag)
		}
		if _, try, ok := strings.Cut(rest, "; perhaps try "); ok {
			return fmt.Errorf("%s needs a value; one that begins with - is written %s", flag, strings.ReplaceAll(strings.TrimSuffix(try, "?"), `"`, ""))
		}
		kind, got, _ := strings.Cut(rest, " but got ")
		if got, err := strconv.QuotedPrefix(got); err == nil {
			switch {
			case strings.HasSuffix(kind, " int"):
				return fmt.Errorf("%s: %s is not a whole number", flag, got)
			case strings.HasSuffix(kind, " float"):
				return fmt.Errorf("%s: %s is not a number", flag, got)
			case kind == "duration":
				return fmt.Errorf("%s: %s is not a time such as 30s or 10m", flag, got)
			}
		}
	}
	if arg, ok := strings.CutPrefix(s, `expected "`); ok {
		return fmt.Errorf("%s is missing", strings.TrimSuffix(strings.TrimSuffix(arg, `"`), " ..."))
	}
	if flags, ok := strings.CutPrefix(s, "missing flags: "); ok {
		return fmt.Errorf("%s is missing", strings.ReplaceAll(flags, "=", " "))
	}
	return err
}

func firstWord(args []string) string {
	for _, a := range args {
		if !strings.HasPrefix(a, "-") {
			return a
		}
	}
	return ""
}

func known(k *kong.Kong, name string) bool {
	for _, c := range k.Model.Children {
		if c.Name == name {
			return true
		}
	}
	return false
}

// synopsis returns one line with the command, its arguments and its flags.
func synopsis(cmd *kong.Node) string {
	words := []string{cmd.Name}
	for _, p := range cmd.Positional {
		words = append(words, p.Summary())
	}
	for _, f := range cmd.Flags {
		s := "--" + f.Name
		if f.Short != 0 {
			s = "-" + string(f.Short)
		}
		switch {
		case f.Hidden || f.Name == "help":
			continue
		case !f.IsBool():
			if words := completion.Enum(f.Value); len(words) > 0 {
				s += " " + strings.Join(words, "|")
			} else {
				s += " " + strings.TrimSuffix(f.FormatPlaceHolder(), ",...") // for a repeatable flag … is added below
			}
		}
		if f.IsSlice() {
			s += "…"
		}
		if !f.Required {
			s = "[" + s + "]"
		}
		words = append(words, s)
	}
	return strings.Join(words, " ")
}

// helpCmd is "aside help COMMAND".
type helpCmd struct {
	Command []string `arg:"" optional:"" help:"The command; or a topic, of which aside help topics has the list."`
}

// Run prints the page of a topic, or the help that --help prints.
func (h *helpCmd) Run(ctx context.Context, e *command.Env) error {
	if len(h.Command) == 1 && slices.Contains(manual.Topics(), h.Command[0]) {
		return manual.Print(e.Out, h.Command[0], func(s string) string { return e.Paint("1", s) })
	}
	return run(ctx, e, append(h.Command, "--help"))
}
