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

	"github.com/aside-go/aside/cmd/aside/internal/command"
	"github.com/aside-go/aside/cmd/aside/internal/install"
)

// Options are the flags that install and uninstall share.
type Options struct {
	Agent  string
	Scope  string // user or project
	DryRun bool
	JSON   bool
}

// InstallOptions are the flags of install.
type InstallOptions struct {
	Options
	Mode       *string // nil: as it is
	StatusLine bool
	Program    string // "": this program, or the aside-hook beside it
}

// Install registers hooks for an agent, and prints the files that it has changed.
func Install(ctx context.Context, e *command.Env, c InstallOptions) error {
	m, r, err := c.request(ctx, e)
	if err != nil {
		return err
	}
	r.Mode, r.StatusLine = c.Mode, c.StatusLine
	if c.Mode != nil && *c.Mode != "" && !slices.Contains(r.Agent.Modes, *c.Mode) {
		if len(r.Agent.Modes) == 0 {
			return command.Usage("--mode %s: %s has no other way of working", *c.Mode, r.Agent.Name)
		}
		return command.Usage("--mode %s: %s has %s", *c.Mode, r.Agent.Name, strings.Join(r.Agent.Modes, ", "))
	}
	if c.StatusLine && !r.Agent.Config.StatusLine {
		return command.Usage("--statusline is for claude-code")
	}
	if m.Program, err = Program(c.Program); err != nil {
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
		e.Note("%s is installed already; nothing was changed", r.Agent.Title)
		return kept(res)
	}
	e.Note("%s runs %s", r.Agent.Title, e.Short(cmp.Or(m.Program.Hook, m.Program.Aside)))
	if strings.Contains(m.Program.Aside, "go-build") {
		e.Note("warning: that is a temporary program of the go command; install aside where it stays, and " +
			"install again")
	}
	if r.Scope == install.Project && filepath.IsAbs(m.Program.Aside) {
		e.Note("that is a path of this machine: where others share the file, --program aside-hook has each one's " +
			"PATH looked through")
	}
	if len(res.After) > 0 {
		e.Note("\nNext:")
		for _, line := range res.After {
			e.Note("  %s", line)
		}
	}
	e.Note("  aside doctor tells whether all is well.")
	return kept(res)
}

// Uninstall takes the hooks out again, and prints the files that it has changed.
func Uninstall(ctx context.Context, e *command.Env, c Options) error {
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
			e.Note("somebody else changed it meanwhile; what it was before the installation is still in %s",
				e.Short(f.Backup))
		}
	}
	if !res.Changed() {
		e.Note("nothing of aside is installed for %s in %s", r.Agent.Title,
			map[string]string{"user": "your configuration", "project": "this project"}[c.Scope])
	}
	return kept(res)
}

// kept returns command.ErrNo where a file was left alone because somebody has changed it.
func kept(res *install.Result) error {
	for _, f := range res.Files {
		if f.Did == install.Kept {
			return command.ErrNo
		}
	}
	return nil
}

// request returns the machine and the request that the flags describe.
func (c *Options) request(ctx context.Context, e *command.Env) (*install.Machine, install.Request, error) {
	a, err := Agent(c.Agent)
	if err != nil {
		return nil, install.Request{}, err
	}
	if c.Scope == string(install.Project) && e.Dir == "" {
		return nil, install.Request{}, errors.New("the current directory cannot be told")
	}
	m, err := Machine(ctx, e)
	return m, install.Request{Agent: a, Scope: install.Scope(c.Scope), DryRun: c.DryRun}, err
}

// failed returns an error of an installation with its exit code.
func (c *Options) failed(e *command.Env, err error) error {
	var s *install.SyntaxError
	switch {
	case errors.As(err, &s):
		return &command.Error{Code: command.ExitNo, Err: fmt.Errorf("%s:%d:%d: %s", e.Short(s.File), s.Line,
			s.Column, s.Message), More: []string{s.Hint}}
	case errors.Is(err, install.ErrCannot), errors.Is(err, install.ErrForeign), errors.Is(err,
		install.ErrOutside):
		return command.No("%w", err)
	}
	return err
}

// Installed is the output of install and uninstall with --json.
type Installed struct {
	Agent   string          `json:"agent"`
	Scope   string          `json:"scope"`
	Program string          `json:"program,omitempty"`
	Changed bool            `json:"changed"`
	Files   []InstalledFile `json:"files"`
	Next    []string        `json:"next,omitempty"`
}

type InstalledFile struct {
	Path   string      `json:"path"`
	Target string      `json:"target,omitempty"` // the file that Path leads to, if Path is a link
	Did    install.Did `json:"did"`
	Why    string      `json:"why,omitempty"`
	Backup string      `json:"backup,omitempty"`
}

// print prints the changes of the files, with --dry-run as a diff.
func (c *Options) print(e *command.Env, m *install.Machine, res *install.Result) error {
	switch {
	case c.JSON:
		all := Installed{Agent: c.Agent, Scope: c.Scope, Program: cmp.Or(m.Program.Hook, m.Program.Aside),
			Changed: res.Changed(), Files: []InstalledFile{}, Next: res.After}
		for _, f := range res.Files {
			all.Files = append(all.Files, InstalledFile{f.Path, f.Real, f.Did, f.Why, f.Backup})
		}
		return errors.Join(e.PrintJSON(all), kept(res))
	case c.DryRun:
		for _, f := range res.Files {
			if f.Did == install.Kept {
				e.Note("%s %s", e.Short(f.Path), f.Why)
			}
			e.Out.Write(patch(e.Short(f.Path), f.Was, f.Is))
		}
		if !res.Changed() {
			e.Note("nothing would change")
		}
		return nil
	}
	for _, f := range res.Files {
		path := e.Short(f.Path)
		switch f.Did {
		case install.Made:
			fmt.Fprintf(e.Out, "wrote      %s\n", path)
		case install.Kept:
			e.Note("kept       %s: it %s", path, f.Why)
		case install.Unchanged:
			fmt.Fprintf(e.Out, "unchanged  %s\n", path)
		case install.Changed:
			was := ""
			if f.Backup != "" && !bytes.Equal(f.Was, nil) {
				was = " (before: " + filepath.Base(f.Backup) + ")"
			}
			fmt.Fprintf(e.Out, "changed    %s%s\n", path, was)
		default:
			fmt.Fprintf(e.Out, "%-9s  %s\n", f.Did, path)
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
