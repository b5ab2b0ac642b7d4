package main

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/rogpeppe/go-internal/diff"

	"github.com/aside-go/aside/cmd/aside/internal/install"
	"github.com/aside-go/aside/grammar"
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
	for _, a := range install.Agents() {
		line := "    " + a.Name + strings.Repeat(" ", 13-len(a.Name)) + a.Title
		switch {
		case a.Why != "":
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
func (c *installCmd) Run(ctx context.Context, e *env) error {
	m, r, err := c.request(ctx, e)
	if err != nil {
		return err
	}
	r.Mode, r.StatusLine = c.Mode, c.StatusLine
	if c.Mode != nil && *c.Mode != "" && !slices.Contains(r.Agent.Modes, *c.Mode) {
		if len(r.Agent.Modes) == 0 {
			return usage("--mode %s: %s has no other way of working", *c.Mode, r.Agent.Name)
		}
		return usage("--mode %s: %s has %s", *c.Mode, r.Agent.Name, strings.Join(r.Agent.Modes, ", "))
	}
	if c.StatusLine && r.Agent.Name != "claude-code" {
		return usage("--statusline is for claude-code")
	}
	if m.Program, err = e.program(c.Program); err != nil {
		return err
	}
	res, err := m.Install(r)
	if err != nil {
		return c.failed(e, err)
	}
	if c.JSON || c.DryRun {
		return c.print(e, m, res)
	}
	if err := c.print(e, m, res); err != nil {
		return err
	}
	if !res.Changed() {
		e.note("%s is installed already; nothing was changed", r.Agent.Title)
		return kept(res)
	}
	e.note("%s runs %s", r.Agent.Title, e.short(cmp.Or(m.Program.Hook, m.Program.Aside)))
	if strings.Contains(m.Program.Aside, "go-build") {
		e.note("warning: that is a temporary program of the go command; install aside where it stays, and install again")
	}
	if r.Scope == install.Project && filepath.IsAbs(m.Program.Aside) {
		e.note("that is a path of this machine: where others share the file, --program aside-hook has each one's PATH looked through")
	}
	if len(res.After) > 0 {
		e.note("\nNext:")
		for _, line := range res.After {
			e.note("  %s", line)
		}
	}
	e.note("  aside doctor tells whether all is well.")
	return kept(res)
}

// Run uninstalls.
func (c *uninstallCmd) Run(ctx context.Context, e *env) error {
	m, r, err := c.request(ctx, e)
	if err != nil {
		return err
	}
	res, err := m.Uninstall(r)
	if err != nil {
		return c.failed(e, err)
	}
	if err := c.print(e, m, res); err != nil || c.JSON || c.DryRun {
		return err
	}
	for _, f := range res.Files {
		if f.Backup != "" && f.Did == install.Changed {
			e.note("somebody else changed it meanwhile; what it was before the installation is still in %s", e.short(f.Backup))
		}
	}
	if !res.Changed() {
		e.note("nothing of aside is installed for %s in %s", r.Agent.Title, map[string]string{"user": "your configuration", "project": "this project"}[c.Scope])
	}
	return kept(res)
}

// kept returns errNo where a file was left alone because somebody has changed it.
func kept(res *install.Result) error {
	for _, f := range res.Files {
		if f.Did == install.Kept {
			return errNo
		}
	}
	return nil
}

// request returns the machine and the request that the flags describe.
func (c *installFlags) request(ctx context.Context, e *env) (*install.Machine, install.Request, error) {
	a, err := agent(c.Agent)
	if err != nil {
		return nil, install.Request{}, err
	}
	if c.Scope == string(install.Project) && e.dir == "" {
		return nil, install.Request{}, errors.New("the current directory cannot be told")
	}
	m, err := e.machine(ctx)
	return m, install.Request{Agent: a, Scope: install.Scope(c.Scope), DryRun: c.DryRun}, err
}

// agent finds an agent by its name.
func agent(name string) (*install.Agent, error) {
	if a, ok := install.Lookup(name); ok {
		return a, nil
	}
	names := install.Names()
	x := &exitError{code: exitUsage, err: fmt.Errorf("there is no agent %q", name), more: []string{"agents: " + strings.Join(names, ", ")}}
	near := grammar.Suggest(name, names)
	for _, n := range names {
		if len(name) > 2 && strings.HasPrefix(n, name) && !slices.Contains(near, n) {
			near = append(near, n)
		}
	}
	if len(near) > 0 {
		x.err = fmt.Errorf("%w: did you mean %s?", x.err, strings.Join(near, " or "))
	}
	return nil, x
}

// machine returns the machine that this process runs on. It asks each agent for its version once.
func (e *env) machine(ctx context.Context) (*install.Machine, error) {
	state, err := e.stateDir()
	if err != nil {
		return nil, errors.New("HOME is not set: it cannot be told where agents have their configuration")
	}
	versions := map[string]string{}
	return &install.Machine{
		Home: e.home, Project: e.dir, State: state, Env: os.Getenv, Windows: runtime.GOOS == "windows",
		Version: func(binary string) string {
			v, asked := versions[binary]
			if !asked {
				v = versionOf(ctx, binary)
				versions[binary] = v
			}
			return v
		},
	}, nil
}

// program returns what agents are to run: the program given by the user, else this program and the aside-hook beside it. Where PATH leads
// to this program by a link, the link's path is taken, since an upgrade may move what it leads to.
func (e *env) program(given string) (p install.Program, err error) {
	if given != "" {
		if filepath.Base(given) != given { // elsewhere a relative path is another program: agents run hooks in the project
			if given, err = filepath.Abs(given); err != nil {
				return p, err
			}
		}
		if p = install.ProgramAt(given); p.Aside != "" {
			return p, nil
		}
		return p, usage("--program %s: it must be aside or aside-hook, or installing again would not know it", given)
	}
	self, err := os.Executable()
	if err != nil {
		return p, err
	}
	p.Aside = self
	if found, err := exec.LookPath("aside"); err == nil && filepath.IsAbs(found) && sameFile(found, self) {
		p.Aside = found
	}
	for _, path := range []string{p.Aside, self} {
		hook := filepath.Join(filepath.Dir(path), "aside-hook"+filepath.Ext(filepath.Base(self)))
		if found, err := exec.LookPath(hook); err == nil {
			p.Hook = found
			break
		}
	}
	return p, nil
}

func sameFile(a, b string) bool {
	x, err := os.Stat(a)
	if err != nil {
		return false
	}
	y, err := os.Stat(b)
	return err == nil && os.SameFile(x, y)
}

var versionNumber = regexp.MustCompile(`\d+\.\d+(\.\d+)?[-+.\w]*`)

// versionOf runs a program with --version and returns the version that it prints, "" where it prints none, or takes too long.
func versionOf(ctx context.Context, binary string) string {
	path, err := exec.LookPath(binary)
	if err != nil || !filepath.IsAbs(path) {
		return ""
	}
	ctx, cancel := context.WithTimeout(ctx, 3*time.Second)
	defer cancel()
	cmd := exec.CommandContext(ctx, path, "--version")
	cmd.WaitDelay = 100 * time.Millisecond
	out, err := cmd.Output()
	if err != nil {
		return ""
	}
	return string(versionNumber.Find(out[:min(len(out), 1000)]))
}

// failed returns an error of an installation with its exit code.
func (c *installFlags) failed(e *env, err error) error {
	var s *install.SyntaxError
	switch {
	case errors.As(err, &s):
		return &exitError{code: exitNo, err: fmt.Errorf("%s:%d:%d: %s", e.short(s.File), s.Line, s.Column, s.Message), more: []string{s.Hint}}
	case errors.Is(err, install.ErrCannot), errors.Is(err, install.ErrForeign), errors.Is(err, install.ErrOutside):
		return no("%w", err)
	}
	return err
}

// installedJSON is what install and uninstall print with --json.
type installedJSON struct {
	Agent   string              `json:"agent"`
	Scope   string              `json:"scope"`
	Program string              `json:"program,omitempty"`
	Changed bool                `json:"changed"`
	Files   []installedFileJSON `json:"files"`
	Next    []string            `json:"next,omitempty"`
}

type installedFileJSON struct {
	Path   string      `json:"path"`
	Target string      `json:"target,omitempty"` // the file that Path leads to, if Path is a link
	Did    install.Did `json:"did"`
	Why    string      `json:"why,omitempty"`
	Backup string      `json:"backup,omitempty"`
}

// print prints what was done to the files, with --dry-run as a diff of what would be.
func (c *installFlags) print(e *env, m *install.Machine, res *install.Result) error {
	switch {
	case c.JSON:
		all := installedJSON{Agent: c.Agent, Scope: c.Scope, Program: cmp.Or(m.Program.Hook, m.Program.Aside), Changed: res.Changed(), Files: []installedFileJSON{}, Next: res.After}
		for _, f := range res.Files {
			all.Files = append(all.Files, installedFileJSON{f.Path, f.Real, f.Did, f.Why, f.Backup})
		}
		b, err := marshal(all)
		if err == nil {
			_, err = fmt.Fprintf(e.out, "%s\n", b)
		}
		return errors.Join(err, kept(res))
	case c.DryRun:
		for _, f := range res.Files {
			if f.Did == install.Kept {
				e.note("%s %s", e.short(f.Path), f.Why)
			}
			e.out.Write(patch(e.short(f.Path), f.Was, f.Is))
		}
		if !res.Changed() {
			e.note("nothing would change")
		}
		return nil
	}
	for _, f := range res.Files {
		path := e.short(f.Path)
		switch f.Did {
		case install.Made:
			fmt.Fprintf(e.out, "wrote      %s\n", path)
		case install.Kept:
			e.note("kept       %s: it %s", path, f.Why)
		case install.Unchanged:
			fmt.Fprintf(e.out, "unchanged  %s\n", path)
		case install.Changed:
			was := ""
			if f.Backup != "" && !bytes.Equal(f.Was, nil) {
				was = " (before: " + filepath.Base(f.Backup) + ")"
			}
			fmt.Fprintf(e.out, "changed    %s%s\n", path, was)
		default:
			fmt.Fprintf(e.out, "%-9s  %s\n", f.Did, path)
		}
	}
	return nil
}

// patch returns a unified diff, in which a nil text is a file that does not exist: /dev/null.
func patch(name string, was, is []byte) []byte {
	a, b := "a/"+name, "b/"+name
	if was == nil {
		a = "/dev/null"
	}
	if is == nil {
		b = "/dev/null"
	}
	d := diff.Diff(a, was, b, is)
	_, d, _ = bytes.Cut(d, []byte("\n")) // drop the line with the diff command
	return d
}
