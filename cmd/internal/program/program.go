// Package program is the frame that the programs have in common: the command line with its help, its
// configuration and its exit codes, and the commands that both aside and asided have.
//
// The result of a command goes to stdout, messages about the result go to stderr, and the exit code is 0 for
// success, 1 for the answer no, 2 for wrong usage, 3 for an error of the machine, and 130 for an interrupt
// (CLI.md). A Program is not changed by what it runs.
package program

import (
	"cmp"
	"context"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/signal"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/alecthomas/kong"

	"github.com/aside-go/aside/cmd/internal/command"
	"github.com/aside-go/aside/cmd/internal/terminal"
	"github.com/aside-go/aside/internal/duration"
)

// Program is a program with commands.
type Program struct {
	Name, Description string
	// Commands is the struct of the command line, as kong takes it; its value is not used. Each field with the
	// tag cmd is a command.
	Commands any
	Groups   []kong.Group
	// Pages has what --help says of a command below its usage, in the file help/NAME.txt. The commands of this
	// package have theirs here. ${NAME} stands for one of Vars, as in help tags.
	Pages fs.FS
	Vars  kong.Vars
	// First is the group of the commands that help shows without --all. "": it shows all.
	First string
	// Older is a sentence about commands that have another name now, which help --all ends with.
	Older string
	// Bare returns the arguments that stand in for none. nil: --help.
	Bare func(*command.Env) []string
	// Other is the program beside this one, and Others its commands, or flags of commands of both, that this one
	// has not: nil stands for all flags. They are named where somebody types them here, and passed over in the
	// configuration, which both read.
	Other  string
	Others map[string][]string
	// Databases opens the stores of databases. nil: this program has none.
	Databases command.Databases
	// Switched reads which rules are switched. nil: this program switches none.
	Switched command.Switched
}

// Common are the flags of every program.
type Common struct {
	Version versionFlag `hidden:"" help:"Print the version."`
	Color   colorFlag   `enum:"auto,always,never," default:"" placeholder:"WHEN" help:"Colours: auto (on a terminal), always or never. The environment variables NO_COLOR and FORCE_COLOR say the same."`
}

// How long a command may take to end after an interrupt.
const (
	grace = 2 * time.Second        // unless Env.Grace is longer
	idle  = 100 * time.Millisecond // where it waits for stdin, which may never end
)

// Main runs the command line of the process, and returns the exit code. The command itself runs on another
// goroutine, so that an interrupt ends the process even while a read of stdin blocks.
func (p *Program) Main() int {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	signals := make(chan os.Signal, 2) // room for two: the second one ends the process at once
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	e := p.Env()
	done := make(chan int, 1)
	go func() { done <- p.guarded(ctx, e, os.Args[1:]) }()
	for waits := true; waits; {
		select {
		case code := <-done:
			return code
		case <-signals:
			waits = e.Viewing.Load() // it is the pager's
		}
	}
	cancel()
	over := time.After(max(grace, time.Duration(e.Grace.Load())))
	for {
		select {
		case code := <-done:
			if code == 0 {
				return 0
			}
		case <-signals:
		case <-over:
		case <-time.After(idle):
			if !e.Stdin.Reading() {
				continue
			}
			if command.Interactive() {
				e.Note("") // behind the question
			}
		}
		return command.ExitInterrupted
	}
}

// Env returns what the commands of p work with in this process.
func (p *Program) Env() *command.Env {
	e := command.New()
	e.Databases, e.Switched, e.Named = p.Databases, p.Switched, p.named
	return e
}

var ofAside = regexp.MustCompile(`\baside(:| [a-z]+)`)

// named returns words of a command that both programs have, in which this one has its own name. They are
// written as those of aside.
func (p *Program) named(text string) string {
	if p.Name == "aside" {
		return text
	}
	return ofAside.ReplaceAllStringFunc(text, func(s string) string {
		what := strings.TrimPrefix(s, "aside")
		if what != ":" && !p.has(strings.TrimSpace(what)) {
			return s
		}
		return p.Name + what
	})
}

// guarded runs the command line and returns the exit code. A panic becomes one line for the user and exit
// code 3, since Go's own exit code for it, 2, tells a coding agent to block its action.
func (p *Program) guarded(ctx context.Context, e *command.Env, args []string) (code int) {
	defer func() {
		if fault := recover(); fault != nil {
			fmt.Fprintf(os.Stderr, "%s: internal error: %.300v (please report it with the command line)\n", p.Name,
				fault)
			code = command.ExitMachine
		}
	}()
	code = e.Report(p.Run(ctx, e, args))
	if err := e.Out.Flush(); err != nil && !errors.Is(err, syscall.EPIPE) && (code == command.ExitFine ||
		code == command.ExitNo) {
		code = e.Report(err) // the output is not complete, so its exit code does not hold
	}
	return code
}

// one returns a pointer to a struct for kong: with the one command that name names, or with all where it
// names none. Building kong's model of all commands would take most of the time of a short command.
func (p *Program) one(name string) (commands any, found bool) {
	all := reflect.TypeOf(p.Commands)
	for f := range all.Fields() {
		if _, is := f.Tag.Lookup("cmd"); is && cmp.Or(f.Tag.Get("name"), strings.ToLower(f.Name)) == name {
			common, _ := all.FieldByName("Common")
			return reflect.New(reflect.StructOf([]reflect.StructField{common, f})).Interface(), true
		}
	}
	return reflect.New(all).Interface(), false
}

// Parser returns a parser for one command, or for all where name names none.
func (p *Program) Parser(e *command.Env, name string) (*kong.Kong, error) {
	commands, _ := p.one(name)
	k, err := kong.New(commands,
		kong.Name(p.Name), kong.Bind(e), kong.Description(p.Description), kong.ExplicitGroups(p.Groups), p.Vars,
		kong.Writers(e.Out, e.Err),
		kong.ConfigureHelp(kong.HelpOptions{Compact: true, NoExpandSubcommands: true, FlagsLast: true,
			WrapUpperBound: cmp.Or(min(e.Width, 100), 100)}),
		kong.Exit(func(code int) { panic(quit(code)) }),
		kong.KindMapper(reflect.Int, number("a whole number", strconv.Atoi)),
		kong.KindMapper(reflect.Float64, number("a number", func(s string) (float64,
			error) {
			return strconv.ParseFloat(s, 64)
		})),
		p.resolver(e),
		kong.TypeMapper(reflect.TypeFor[time.Duration](), number("a time such as 30s or 10m", duration.Parse)),
	)
	if err == nil {
		k.Model.HelpFlag.Help = "Show this help."
		p.own(k.Model.Node)
	}
	return k, err
}

//go:embed help/*.txt
var pages embed.FS

// page returns what --help says of a command below its usage. A command whose tag names another one has the
// page of that.
func (p *Program) page(n *kong.Node) string {
	name := strings.ReplaceAll(nameOf(n), " ", "-")
	if n.Tag != nil && n.Tag.Has("page") {
		name = n.Tag.Get("page")
	}
	for _, from := range []fs.FS{p.Pages, pages} {
		if text, err := fs.ReadFile(from, "help/"+name+".txt"); err == nil {
			return p.values().Replace(strings.TrimSuffix(string(text), "\n"))
		}
	}
	return ""
}

// values writes the values of Vars for their names.
func (p *Program) values() *strings.Replacer {
	var pairs []string
	for name, value := range p.Vars {
		pairs = append(pairs, "${"+name+"}", value)
	}
	return strings.NewReplacer(pairs...)
}

// own gives the commands their pages, and puts this program's name into the help of those that both programs
// have.
func (p *Program) own(n *kong.Node) {
	n.Help, n.Detail = p.named(n.Help), p.named(p.page(n))
	for _, f := range n.Flags {
		f.Help = p.named(f.Help)
	}
	for _, a := range n.Positional {
		a.Help = p.named(a.Help)
	}
	for _, c := range n.Children {
		p.own(c)
	}
}

// quit is the value of the panic with which kong's exit hook ends a parse after --help or --version; kong
// offers no other way.
type quit int

// Run parses args and runs the command that they name.
func (p *Program) Run(ctx context.Context, e *command.Env, args []string) (err error) {
	if len(args) == 0 {
		args = []string{"--help"}
		if p.Bare != nil {
			args = p.Bare(e)
		}
	}
	if err := p.configure(e, args); err != nil {
		return err
	}
	if args[0] == "--help" || args[0] == "-h" {
		return p.overview(e, false)
	}
	k, err := p.Parser(e, args[0])
	if err != nil {
		return err
	}
	kctx, quitted, err := parse(k, args)
	if quitted {
		return nil
	}
	if err != nil {
		return p.wrongUsage(k, args, err)
	}
	kctx.BindTo(ctx, (*context.Context)(nil))
	return kctx.Run(e, k, p)
}

// overview prints the commands: those of the first group, or all.
func (p *Program) overview(e *command.Env, all bool) error {
	k, err := p.Parser(e, "")
	if err != nil {
		return err
	}
	k.Model.Children = slices.DeleteFunc(k.Model.Children, func(c *kong.Node) bool { // kong prints empty groups
		return c.Hidden || !all && p.First != "" && c.Group.Key != p.First
	})
	if _, _, err := parse(k, []string{"--help"}); err != nil {
		return err
	}
	more := p.Older
	if p.First != "" && !all {
		more = p.named("aside help --all lists the other commands, aside help topics the manual, and " +
			"aside help QUESTION answers a question.")
	}
	if more != "" {
		e.Print("\n" + terminal.Fold(more, cmp.Or(e.Width, 100)) + "\n")
	}
	return nil
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
