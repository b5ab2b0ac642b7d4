package starter

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/aside-go/aside/cmd/internal/command"
	"github.com/aside-go/aside/cmd/internal/review"
	"github.com/aside-go/aside/cmd/internal/rules"
	"github.com/aside-go/aside/cmd/internal/terminal"
	"github.com/aside-go/aside/compile"
	"github.com/aside-go/aside/compile/fact"
	"github.com/aside-go/aside/internal/atomicfile"
	"github.com/aside-go/aside/internal/near"
)

// Cmd is "aside init".
type Cmd struct {
	Names []string `arg:"" optional:"" name:"name" help:"Only these of the starter rules; by default all. --list names them."`
	Agent string   `placeholder:"AGENT" help:"Only those that can fire in this agent, which may never tell what the others are about. One of ${agents}, serve."`
	Dir   string   `default:"." placeholder:"DIR" help:"The project, which is made if it is not there; by default the current directory."`
	List  bool     `xor:"do" help:"Only list the starter rules, and write nothing."`
	Force bool     `xor:"do" help:"Overwrite files that are there."`
}

// Set returns the starter rules, compiled.
func Set(schema *fact.Schema) ([]compile.Source, *compile.Set) {
	rs, _ := Reminders() // without diagnostics, as TestReminders checks
	set, _ := compile.FromFiles(rs, compile.Options{Schema: schema})
	return rs, set
}

// Instead puts the starter rules in the place of rules of which there are none, and says so.
func Instead(e *command.Env, r *rules.Loaded) {
	r.Reminders, r.Set = Set(r.Set.Schema())
	e.Note("rules: the %d starter rules, as you have none (aside setup writes them)", r.Set.Len())
}

// Run writes the starter rules, or lists them.
func (c *Cmd) Run(e *command.Env) error {
	if err := Known(c.Names); err != nil {
		return err
	}
	if err := rules.KnownAgent(c.Agent); err != nil {
		return err
	}
	ids, err := c.ids(e)
	if err != nil {
		return err
	}
	if c.List {
		return c.listRules(e, ids)
	}
	switch fi, err := os.Stat(c.Dir); {
	case errors.Is(err, fs.ErrNotExist): // Place makes it
	case err != nil:
		return err
	case !fi.IsDir():
		return command.No("%s is not a directory", c.Dir)
	}
	return c.write(e, ids)
}

// Known returns an error for the first name that is none of All.
func Known(names []string) error {
	known := All()
	for _, name := range names {
		if slices.Contains(known, name) {
			continue
		}
		if fi, err := os.Stat(name); err == nil && fi.IsDir() {
			return command.Usage("%q is a directory: did you mean --dir %s?", name, name)
		}
		return command.No("there is no starter rule %q", name).
			And(cmp.Or(near.Question(near.IDs(name, known)), "aside list --packs names them all"))
	}
	return nil
}

// ids returns the starter rules that are asked for, in order, but with --agent only those that can fire in
// that agent, and stand-ins for others. Without --agent none is left out: people may work on a project with
// different agents, and a rule that can never fire in one may fire in another.
func (c *Cmd) ids(e *command.Env) ([]string, error) {
	ids := slices.Compact(slices.Sorted(slices.Values(c.Names)))
	switch {
	case len(ids) > 0:
	case c.List && c.Agent == "":
		ids = All()
	default:
		ids = IDs()
	}
	if c.Agent == "" {
		return ids, nil
	}
	var fit []string
	unfit := Unfit(c.Agent)
	for _, id := range ids {
		switch why, other := unfit[id], StandIn(id); {
		case why == "":
			fit = append(fit, id)
		case other == "" || unfit[other] != "":
			e.Note("left out %s: %s", id, why)
		default:
			e.Note("%s instead of %s: %s", other, id, why)
			fit = append(fit, other)
		}
	}
	fit = slices.Compact(slices.Sorted(slices.Values(fit)))
	if len(fit) == 0 {
		return nil, command.No("there is nothing left to write")
	}
	return fit, nil
}

// listRules lists starter rules.
func (c *Cmd) listRules(e *command.Env, ids []string) error {
	rs, _ := Reminders(ids...) // without diagnostics, as TestReminders checks
	var rows [][]string
	for _, r := range rs {
		rows = append(rows, []string{e.Paint("1", r.ID), r.Description})
	}
	return terminal.Table(e.Out, rows, e.Width)
}

func (c *Cmd) write(e *command.Env, ids []string) error {
	files, err := Place(e, c.Dir, Files(ids...), c.Force)
	kept := 0
	for _, f := range files {
		if f.Kept {
			e.Note("kept   %s", f.Path)
			kept++
		} else {
			fmt.Fprintf(e.Out, "wrote  %s\n", f.Path)
		}
	}
	if err != nil {
		return err
	}
	if kept > 0 {
		e.Note("%s already there (--force overwrites)", map[bool]string{true: "one file was",
			false: fmt.Sprintf("%d files were", kept)}[kept == 1])
	}
	root := filepath.Join(c.Dir, ".aside")
	of := ""
	if at, err := rules.Project(e, c.Dir); err == nil && at != "" && at != rules.Here(e) {
		of = " --project " + c.Dir
	}
	e.Note("\nNext:\n  aside replay%s        what they would have done in your newest session\n"+
		"  aside test %s\n  aside list%[1]s\n  aside help triggers", of, filepath.Join(root, Tests))
	return nil
}

// Placed is what became of a file of a starter rule.
type Placed struct {
	Path string
	Kept bool // it was there already, and stays as it is
}

// Place writes files of rules below .aside of a directory, and trusts them. Files that are there are kept,
// but with force. It returns what it has done until an error, too.
func Place(e *command.Env, dir string, list []File, force bool) (files []Placed, err error) {
	written := map[string][]byte{}
	defer func() { review.Approve(e, dir, written) }()
	for _, f := range list {
		name := filepath.Join(dir, ".aside", filepath.FromSlash(f.Name))
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			return files, err
		}
		err := place(name, f.Text, force)
		kept := errors.Is(err, fs.ErrExist)
		if err != nil && !kept {
			return files, err
		}
		files = append(files, Placed{name, kept})
		if !kept {
			written[".aside/"+f.Name] = f.Text
		}
	}
	return files, nil
}

// place writes a file, whole or not at all. Where the file exists the error is fs.ErrExist, or with force it
// is replaced.
func place(name string, text []byte, force bool) error {
	o := atomicfile.Options{Mode: 0o644}
	if !force {
		o.Ready = func() error {
			if _, err := os.Lstat(name); !errors.Is(err, fs.ErrNotExist) {
				return cmp.Or(err, fs.ErrExist)
			}
			return nil
		}
		if err := o.Ready(); err != nil {
			return err
		}
	}
	return o.Write(name, text)
}
