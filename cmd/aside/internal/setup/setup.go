// Package setup installs and uninstalls the hooks of a coding agent for the user of the command line: it
// knows the machine that this process runs on and the program for agents to run, and prints the outcome. The
// package install changes the files.
package setup

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/rogpeppe/go-internal/diff"

	"github.com/aside-go/aside/cmd/aside/internal/install"
	"github.com/aside-go/aside/cmd/internal/command"
	"github.com/aside-go/aside/internal/agent"
)

// Flags are the flags that install and uninstall share.
type Flags struct {
	Agents []string      `arg:"" optional:"" name:"agent" help:"The agents, such as claude-code; aside help setup lists them. Without any: those that you pick of what is here."`
	All    bool          `help:"All agents, of which install takes those that are here, without asking."`
	Scope  install.Scope `enum:"user,project," default:"" help:"Whose configuration: yours (user), which is meant by default, or that of the project in the current directory (project)."`
	DryRun bool          `help:"Print what would change as a diff, and write nothing."`
	JSON   bool          `name:"json" help:"Print a JSON object for each agent."`
}

// HookFlags say how the hooks of an agent are registered.
type HookFlags struct {
	Mode       *string `placeholder:"MODE" help:"Another way of working than the agent's usual one; \"\" is that again."`
	StatusLine bool    `name:"statusline" help:"claude-code: learn from the status line how full the context is. What it shows stays."`
	Program    string  `placeholder:"PATH" help:"What the agent is to run; by default the aside-hook beside this program, else this program itself."`
}

// InstallCmd is "aside install".
type InstallCmd struct {
	Flags
	HookFlags
}

// Run registers hooks for agents, and prints the files that it has changed. An agent that fails does not keep
// the others from it.
func (c *InstallCmd) Run(ctx context.Context, e *command.Env) error {
	m, err := Machine(e)
	if err != nil {
		return err
	}
	if err := Into(e, c.Scope); err != nil {
		return err
	}
	scope := cmp.Or(c.Scope, install.User)
	agents, err := c.wanted(e, m, scope)
	if err != nil {
		return err
	}
	for _, a := range agents {
		if err := c.Fits(a); err != nil {
			return err
		}
	}
	if m.Program, err = Program(c.Program); err != nil {
		return err
	}
	return each(ctx, e, agents, func(a *agent.Agent) error {
		return c.one(e, m, c.Request(a, scope, c.DryRun))
	})
}

// Request asks for the hooks of one agent.
func (c *HookFlags) Request(a *agent.Agent, s install.Scope, dry bool) install.Request {
	return install.Request{Agent: a, Scope: s, DryRun: dry, Mode: c.Mode, StatusLine: c.StatusLine}
}

// Into returns an error where nothing is to be written for a scope from here.
func Into(e *command.Env, s install.Scope) error {
	if s != install.Project {
		return nil
	}
	if e.Dir == "" {
		return errNoDir
	}
	if e.IsHome(e.Dir) {
		return command.Usage("--scope project: this is your home, and not a project; leave it out")
	}
	return nil
}

var errNoDir = errors.New("the current directory cannot be told")

// Fits returns an error where a flag is not for an agent.
func (c *HookFlags) Fits(a *agent.Agent) error {
	if c.Mode != nil && *c.Mode != "" && !slices.Contains(a.Modes, *c.Mode) {
		if len(a.Modes) == 0 {
			return command.Usage("--mode %s: %s has no other way of working", *c.Mode, a.Name)
		}
		return command.Usage("--mode %s: %s has %s", *c.Mode, a.Name, strings.Join(a.Modes, ", "))
	}
	if c.StatusLine && !a.Config.StatusLine {
		return command.Usage("--statusline is for claude-code")
	}
	return nil
}

// one registers the hooks of one agent.
func (c *InstallCmd) one(e *command.Env, m *install.Machine, r install.Request) error {
	res, err := m.Install(r)
	if err != nil {
		return Failed(e, err)
	}
	err = errors.Join(c.print(e, m, r, res), kept(res))
	if c.JSON {
		return err
	}
	Warn(e, m, r)
	switch {
	case c.DryRun:
		return err
	case !res.Changed():
		e.Note("%s is installed already; nothing was changed", r.Agent.Title)
		return err
	}
	e.Note("%s runs %s", r.Agent.Title, e.Short(cmp.Or(m.Program.Hook, m.Program.Aside)))
	WarnProgram(e, m.Program)
	if r.Scope == install.Project && filepath.IsAbs(m.Program.Aside) {
		e.Note("that is a path of this machine: where others share the file, --program aside-hook has each one's " +
			"PATH looked through")
	}
	e.Note("\nNext:")
	for _, line := range res.After {
		e.Note("  %s", line)
	}
	e.Note("  aside setup --check says whether all is well.")
	return err
}

// fleeting are places whose programs may soon be gone: a part of their paths, and how to install one that
// stays.
var fleeting = []struct{ part, place, get string }{
	{"/go-build", "a directory of the go command", "go install github.com/aside-go/aside/cmd/...@latest"},
	{"/_npx/", "the cache of npx", "npm install -g @aside/cli"},
	{"/archive-v0/", "the cache of uv", "uv tool install aside-cli"},
	{"/pipx/.cache/", "the cache of pipx", "pipx install aside-cli"},
	{"/.cache/pipx/", "the cache of pipx", "pipx install aside-cli"},
}

// WarnProgram warns of a program that may soon be gone.
func WarnProgram(e *command.Env, p install.Program) {
	path := filepath.ToSlash(p.Aside)
	for _, f := range fleeting {
		if strings.Contains(path, f.part) {
			e.Note("warning: that is in %s, which may be emptied; %s puts it where it stays, and then run this "+
				"command again", f.place, f.get)
		}
	}
}

// Warn warns where a setting switches hooks off, which an installation leaves as it is, and where the other
// scope has hooks of ours, too.
func Warn(e *command.Env, m *install.Machine, r install.Request) {
	twice := ""
	for _, s := range Scopes(e) {
		for _, f := range m.Inspect(r.Agent, s) {
			if f.Off != "" {
				e.Note("warning: %s switches all hooks off: take %s out of it", e.Short(f.Path), f.Off)
			}
			if s != r.Scope && len(f.Hooks) > 0 {
				twice = cmp.Or(twice, e.Short(f.Path))
			}
		}
	}
	if twice != "" {
		e.Note("warning: %s has hooks of aside, too: each event in this project reaches aside twice; one of "+
			"the two is enough: aside uninstall %s --scope project", twice, r.Agent.Name)
	}
}

// Uninstall takes the hooks out again, and prints the files that it has changed.
func Uninstall(ctx context.Context, e *command.Env, c Flags) error {
	m, err := Machine(e)
	if err != nil {
		return err
	}
	if c.Scope == install.Project && e.Dir == "" {
		return errNoDir
	}
	if c.All {
		return c.uninstallAll(ctx, e, m)
	}
	scope := cmp.Or(c.Scope, install.User)
	agents, err := c.installed(e, m, scope)
	if err != nil {
		return err
	}
	return each(ctx, e, agents, func(a *agent.Agent) error {
		changed, err := c.remove(e, m, install.Request{Agent: a, Scope: scope, DryRun: c.DryRun})
		if err == nil && !changed && !c.JSON && !c.DryRun {
			e.Note("nothing of aside is installed for %s in %s", a.Title, whose[scope])
		}
		return err
	})
}

// uninstallAll takes out the hooks of all agents.
func (c *Flags) uninstallAll(ctx context.Context, e *command.Env, m *install.Machine) error {
	list := Scopes(e)
	if c.Scope != "" {
		list = []install.Scope{c.Scope}
	}
	any := false
	var errs []error
	for _, scope := range list {
		errs = append(errs, each(ctx, e, agent.All(), func(a *agent.Agent) error {
			r := install.Request{Agent: a, Scope: scope, DryRun: true}
			res, err := m.Uninstall(r)
			switch {
			case errors.Is(err, install.ErrCannot):
				return nil
			case err != nil && m.Foreign(a, scope):
				return nil // it cannot be read, and holds no word of ours
			case err != nil:
				return Failed(e, err)
			case !res.Changed() && kept(res) == nil:
				return nil
			}
			any = true
			r.DryRun = c.DryRun
			_, err = c.remove(e, m, r)
			return err
		}))
	}
	err := errors.Join(errs...)
	if !any && err == nil && !c.JSON {
		e.Note("no agent has hooks of aside here")
	}
	return worst(errs)
}

// remove takes out the hooks of one agent, and reports whether there was something to take out.
func (c *Flags) remove(e *command.Env, m *install.Machine, r install.Request) (bool, error) {
	res, err := m.Uninstall(r)
	if err != nil {
		return false, Failed(e, err)
	}
	err = errors.Join(c.print(e, m, r, res), kept(res))
	if c.JSON || c.DryRun {
		return res.Changed(), err
	}
	for _, f := range res.Files {
		if f.Backup != "" && f.Did == install.Changed {
			e.Note("somebody else changed it meanwhile; what it was before the installation is still in %s",
				e.Short(f.Backup))
		}
	}
	return res.Changed(), err
}

// each does something for each of several agents. The error of one of several is printed at once, and does
// not keep the others from it.
func each(ctx context.Context, e *command.Env, agents []*agent.Agent, do func(*agent.Agent) error) error {
	var errs []error
	for _, a := range agents {
		if err := ctx.Err(); err != nil {
			return err
		}
		err := do(a)
		if err != nil && len(agents) > 1 {
			err = &command.Error{Code: e.Report(err)}
		}
		errs = append(errs, err)
	}
	return worst(errs)
}

// worst returns the error with the highest exit code, nil where there is none.
func worst(errs []error) (most error) {
	code := 0
	for _, err := range errs {
		n := command.ExitMachine
		if x := (*command.Error)(nil); errors.As(err, &x) {
			n = x.Code
		}
		if err != nil && n > code {
			most, code = err, n
		}
	}
	return most
}

// kept returns command.ErrNo where a file was left alone because somebody has changed it, and hooks need it.
func kept(res *install.Result) error {
	for _, f := range res.Files {
		if f.Did == install.Kept && !f.Spare {
			return command.ErrNo
		}
	}
	return nil
}

// whose says of each scope whose configuration it is.
var whose = map[install.Scope]string{install.User: "your configuration", install.Project: "this project"}

// wanted returns the agents to install for: those that are named, all that are here, or those that a person
// picks.
func (c *Flags) wanted(e *command.Env, m *install.Machine, scope install.Scope) ([]*agent.Agent, error) {
	if len(c.Agents) > 0 {
		return Agents(c.Agents)
	}
	here := Find(e, m, scope)
	if len(here) == 0 {
		return nil, command.No("no agent was found, neither its program nor its configuration").
			And("aside setup NAME takes one all the same; aside help setup lists them")
	}
	if c.All {
		return Agents(Names(here))
	}
	return c.choose(e, here, "install")
}

// installed returns the agents to uninstall for.
func (c *Flags) installed(e *command.Env, m *install.Machine, scope install.Scope) ([]*agent.Agent, error) {
	if len(c.Agents) > 0 {
		return Agents(c.Agents)
	}
	bare := func(p Present) bool { return !slices.Contains(p.Hooks, scope) }
	here := slices.DeleteFunc(Find(e, m, scope), bare)
	if len(here) == 0 {
		return nil, command.No("no agent has hooks of aside in %s", whose[scope])
	}
	return c.choose(e, here, "uninstall")
}

// choose has a person pick agents.
func (c *Flags) choose(e *command.Env, here []Present, verb string) ([]*agent.Agent, error) {
	if !command.Interactive() {
		names := strings.Join(Names(here), " ")
		return nil, command.Usage("which agent is missing, and %w", command.ErrNobody).
			And("here: aside "+verb+" "+names, "or: aside "+verb+" --all")
	}
	names, err := e.Pick(Choices(e, here))
	if err != nil {
		return nil, err
	}
	if len(names) == 0 {
		return nil, command.ErrLeft
	}
	return Agents(names)
}

// Failed returns an error of an installation with its exit code.
func Failed(e *command.Env, err error) error {
	var s *install.SyntaxError
	switch {
	case errors.As(err, &s):
		return command.No("%s:%d:%d: %s", e.Short(s.File), s.Line, s.Column, s.Message).And(s.Hint)
	case errors.Is(err, install.ErrCannot), errors.Is(err, install.ErrForeign),
		errors.Is(err, install.ErrOutside):
		return command.No("%w", err)
	}
	return err
}

// Installed is the output of install and uninstall with --json.
type Installed struct {
	Agent   string         `json:"agent"`
	Scope   install.Scope  `json:"scope"`
	Program string         `json:"program,omitempty"`
	Changed bool           `json:"changed"`
	Files   []install.File `json:"files"`
	Next    []string       `json:"next,omitempty"`
}

// InstalledOf returns what became of an installation, or would.
func InstalledOf(m *install.Machine, r install.Request, res *install.Result) Installed {
	return Installed{Agent: r.Agent.Name, Scope: r.Scope, Program: cmp.Or(m.Program.Hook, m.Program.Aside),
		Changed: res.Changed(), Files: append([]install.File{}, res.Files...), Next: res.After}
}

// print prints the changes of the files, with --dry-run as a diff.
func (c *Flags) print(e *command.Env, m *install.Machine, r install.Request, res *install.Result) error {
	if c.JSON {
		return e.PrintJSON(InstalledOf(m, r, res))
	}
	for _, f := range res.Files {
		if f.Did == install.Kept {
			e.Note("kept       %s: it %s", e.Short(f.Path), f.Why)
		}
	}
	if c.DryRun {
		for _, f := range res.Files {
			e.Out.Write(Patch(e, f))
		}
		if !res.Changed() {
			e.Note("nothing would change for %s", r.Agent.Title)
		}
		return nil
	}
	PrintFiles(e, res)
	return nil
}

// PrintFiles prints what became of the files of an installation.
func PrintFiles(e *command.Env, res *install.Result) {
	for _, f := range res.Files {
		path := e.Short(f.Path)
		switch f.Did {
		case install.Kept:
		case install.Made:
			fmt.Fprintf(e.Out, "wrote      %s\n", path)
		case install.Unchanged:
			fmt.Fprintf(e.Out, "unchanged  %s\n", path)
		case install.Changed:
			was := ""
			if f.Backup != "" && len(f.Was) > 0 {
				was = " (before: " + filepath.Base(f.Backup) + ")"
			}
			fmt.Fprintf(e.Out, "changed    %s%s\n", path, was)
		default:
			fmt.Fprintf(e.Out, "%-9s  %s\n", f.Did, path)
		}
	}
}

// Patch returns a unified diff of what became of a file. A file that does not exist is /dev/null.
func Patch(e *command.Env, f install.File) []byte {
	a, b := "a/"+e.Short(f.Path), "b/"+e.Short(f.Path)
	if f.Was == nil {
		a = "/dev/null"
	}
	if f.Is == nil {
		b = "/dev/null"
	}
	_, d, _ := bytes.Cut(diff.Diff(a, f.Was, b, f.Is), []byte("\n")) // drop the line with the diff command
	return d
}
