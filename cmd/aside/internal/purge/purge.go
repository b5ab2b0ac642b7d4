// Package purge removes what aside has left on a machine beside the configurations of agents, once no agent
// calls it any longer: what is remembered of runs and of trust, logs, copies of configurations, and starter
// rules that nobody has changed. Rules that a person wrote go only where that person says so.
package purge

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/aside-go/aside/cmd/aside/internal/install"
	"github.com/aside-go/aside/cmd/aside/internal/setup"
	"github.com/aside-go/aside/cmd/internal/command"
	"github.com/aside-go/aside/cmd/internal/hook"
	"github.com/aside-go/aside/cmd/internal/starter"
	"github.com/aside-go/aside/cmd/internal/terminal"
	"github.com/aside-go/aside/internal/agent"
)

// Options are the flags of a purge.
type Options struct {
	Scope  install.Scope // "": all that is here; else what a scope has: a project's, or the user's
	DryRun bool          // say what would be removed
}

// purge is one purge.
type purge struct {
	*command.Env
	Options
	machine *install.Machine
	removed int
	errs    []error
}

// Run removes it all, and prints what it has removed and what it has kept.
func Run(e *command.Env, m *install.Machine, o Options) error {
	p := &purge{Env: e, Options: o, machine: m}
	dirs := map[install.Scope]string{install.User: e.Home, install.Project: e.Dir}
	for _, scope := range setup.Scopes(e) {
		if o.Scope != "" && o.Scope != scope {
			continue
		}
		for _, a := range agent.All() {
			p.remove(m.Backups(a, scope)...)
		}
		// the rules of a project belong to all who work on it
		if scope == o.Scope || scope == install.User {
			p.rules(filepath.Join(dirs[scope], ".aside"))
		}
	}
	if o.Scope != install.Project {
		p.elsewhere()
		p.state()
	}
	err := errors.Join(p.errs...)
	if err == nil && p.removed == 0 {
		e.Note("nothing of aside is left to purge")
	}
	return err
}

// elsewhere names the other projects that still have hooks.
func (p *purge) elsewhere() {
	for _, dir := range p.machine.Projects() {
		there := *p.machine
		there.Project = dir
		if dir != p.Dir && slices.ContainsFunc(agent.All(), func(a *agent.Agent) bool {
			return slices.ContainsFunc(there.Inspect(a, install.Project),
				func(f install.Found) bool { return len(f.Hooks) > 0 })
		}) {
			p.Note("another project still has hooks of aside: cd %s && aside uninstall --all --scope project",
				p.machine.Quoted(dir))
		}
	}
}

// remove removes files, and directories with all that is in them.
func (p *purge) remove(paths ...string) {
	for _, path := range paths {
		if _, err := os.Lstat(path); errors.Is(err, fs.ErrNotExist) {
			continue
		}
		p.removed++
		if p.DryRun {
			fmt.Fprintf(p.Out, "would remove  %s\n", p.Short(path))
		} else if err := os.RemoveAll(path); err != nil {
			p.errs = append(p.errs, err)
		} else {
			fmt.Fprintf(p.Out, "removed    %s\n", p.Short(path))
		}
	}
}

// state removes what is remembered of runs and of trust, the logs, and the directories above them that are
// empty now, unless an installation has found them there.
func (p *purge) state() {
	made, _ := p.machine.Made()
	if !slices.Contains(made, p.machine.State) { // a hook or a command has made it, and what had to be above it
		var above []string
		for at := filepath.Dir(p.machine.State); ; at = filepath.Dir(at) {
			if rel, err := filepath.Rel(p.Home, at); err != nil || rel == "." || !filepath.IsLocal(rel) {
				break
			}
			above = append(above, at)
		}
		slices.Reverse(above)
		made = append(above, made...)
	}
	h := hook.Host{Env: p.machine.Env, Home: p.Home}
	paths := []string{p.machine.State}
	for _, log := range h.LogFiles() {
		if dir := filepath.Dir(log); !slices.Contains(paths, dir) {
			paths = append(paths, dir)
		}
	}
	p.remove(paths...)
	p.empty(append(made, filepath.Dir(paths[len(paths)-1])))
}

// empty removes directories, the last first, that hold nothing.
func (p *purge) empty(dirs []string) {
	for _, dir := range slices.Backward(dirs) {
		if !p.DryRun {
			_ = os.Remove(dir) // it stays where something is in it
		}
	}
}

// rules removes the starter rules that nobody has changed from a directory, and the rest of it where a person
// says so.
func (p *purge) rules(dir string) {
	ours := map[string][]byte{}
	for _, f := range starter.Files(starter.All()...) {
		ours[f.Name] = f.Text
	}
	var theirs, dirs []string
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			dirs = append(dirs, path)
			return nil
		}
		name, _ := filepath.Rel(dir, path)
		text, is := ours[filepath.ToSlash(name)]
		b, err := os.ReadFile(path)
		if is && err == nil && bytes.Equal(b, text) && d.Type().IsRegular() {
			p.remove(path)
		} else {
			theirs = append(theirs, path)
		}
		return nil
	})
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		p.errs = append(p.errs, err)
	}
	if len(theirs) > 0 && p.yes(theirs) {
		p.remove(theirs...)
	}
	p.empty(dirs)
}

// yes asks whether files that a person wrote are to go, too. Without a terminal they stay.
func (p *purge) yes(theirs []string) bool {
	var names []string
	for _, path := range theirs {
		names = append(names, "  "+terminal.Visible(p.Short(path)))
	}
	files := terminal.Count(len(theirs), "file")
	if p.DryRun || !command.Interactive() {
		p.Note("kept %s of yours, which you have added or changed:\n%s", files, strings.Join(names, "\n"))
		return false
	}
	p.Note("these are yours, added or changed by you:\n%s", strings.Join(names, "\n"))
	if p.Confirm("Remove "+files+" that cannot be brought back?", false) {
		return true
	}
	p.Note("kept %s", files)
	return false
}
