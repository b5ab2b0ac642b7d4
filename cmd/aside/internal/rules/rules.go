// Package rules loads the reminders that a command works with: from the paths of the command line or the
// standard directories, as far as they are trusted, and prints their diagnostics. It runs no
// reminder.
package rules

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"

	"github.com/aside-go/aside/cmd/aside/internal/command"
	"github.com/aside-go/aside/compile"
	"github.com/aside-go/aside/compile/load"
	"github.com/aside-go/aside/internal/near"
	"github.com/aside-go/aside/internal/trust"
)

// Request says which rules a command works with.
type Request struct {
	Paths   []string // files, directories and globs in place of the standard directories
	Project string   // the project whose standard directories are read beside the user's own; "": none
	Vars    []string // further facts that the rules may read, each as Schema takes it
}

// Loaded are the rules that a command works with, and the places where they were looked for.
type Loaded struct {
	*load.Result
	From []string // the paths of the files and directories, which need not exist
}

// Here returns the project of the working directory, "" for none. Rules of a project are somebody else's
// words: a command that shows something to a person reads those that are trusted, and a command that puts
// texts before a model reads them only where Named names the project.
func Here(e *command.Env) string {
	if e.Dir == e.Home {
		return ""
	}
	return e.Dir
}

// Load loads rules. It reads only files that are trusted, and prints which are not.
func Load(e *command.Env, q Request) (*Loaded, error) {
	schema, err := Schema(q.Vars)
	if err != nil {
		return nil, err
	}
	sources, err := Sources(e, q.Paths, q.Project)
	if err != nil {
		return nil, err
	}
	opts := load.Options{Options: compile.Options{Schema: schema}}
	if store, err := Trust(e); err == nil {
		opts.Trusted = store
	}
	r := &Loaded{Result: load.Load(sources, opts)}
	for _, src := range sources {
		r.From = append(r.From, src.Path)
	}
	untrusted(e, r.Untrusted, q.Project)
	return r, nil
}

// LoadNamed is Load for a command that reads the rules of no project but the one that q names, in the user's
// words.
func LoadNamed(e *command.Env, q Request) (*Loaded, error) {
	if q.Project == "" {
		return Load(e, q)
	}
	if len(q.Paths) > 0 {
		return nil, command.Usage(
			"--project adds to the standard directories, and --rules replaces them: give one of the two")
	}
	var err error
	if q.Project, err = command.Directory(q.Project); err != nil {
		return nil, err
	}
	if q.Project == e.RealHome() {
		q.Project = ""
	}
	return Load(e, q)
}

// Sources returns the places from which rules are read, lowest precedence first: the matches of patterns, or,
// without patterns, the standard directories of the user and of a project, "" for none.
func Sources(e *command.Env, patterns []string, project string) ([]load.Source, error) {
	var sources []load.Source
	for _, p := range patterns {
		found, err := load.Paths(p)
		switch {
		case errors.Is(err, filepath.ErrBadPattern):
			return nil, command.Usage("%q is not a pattern", p)
		case errors.Is(err, fs.ErrNotExist):
			return nil, &fs.PathError{Op: "open", Path: p, Err: ErrNoMatch}
		case err != nil:
			return nil, err
		}
		for _, src := range found {
			if !slices.Contains(sources, src) {
				sources = append(sources, src)
			}
		}
	}
	if len(patterns) > 0 {
		return sources, nil
	}
	return load.Standard(e.Home, project), nil
}

// Trust opens the record of the files that the user trusts.
func Trust(e *command.Env) (*trust.Store, error) {
	dir, err := e.StateDir()
	if err != nil {
		return nil, errors.New("there is no place to remember what you trust: HOME is not set")
	}
	return trust.Open(filepath.Join(dir, "trust")), nil
}

// Complain prints the diagnostics of r to stderr, and reports whether one of them is an error.
func (r *Loaded) Complain(e *command.Env) bool {
	Render(e, e.Err, r.Diagnostics, r.Files, false)
	return r.Diagnostics.HasErrors()
}

// Nothing prints that no reminder is loaded, the places where reminders were looked for, and a remedy.
func (r *Loaded) Nothing(e *command.Env) {
	if r.Diagnostics.HasErrors() {
		e.Note("no reminder could be loaded")
		return
	}
	if len(r.Untrusted) > 0 {
		e.Note("no reminder is loaded")
		return
	}
	if len(r.From) == 0 {
		e.Note("no reminders: HOME is not set, so there is nowhere to look; --rules PATH says where")
		return
	}
	e.Note("no reminders found in:")
	for _, p := range r.From {
		e.Note("  %s", e.Short(p))
	}
	e.Note("aside init writes a few to start with")
}

// Find returns the reminder of an id, be it disabled or with errors. The error names reminders with similar
// ids.
func (r *Loaded) Find(id string) (*compile.Source, error) {
	if i, ok := r.Set.Index(id); ok {
		return r.Set.Reminder(i), nil
	}
	for i := range r.Reminders {
		if r.Reminders[i].ID == id {
			return &r.Reminders[i], nil // disabled, or with errors
		}
	}
	return nil, Unknown(id, r.Set.IDs())
}

// Unknown returns the error for an id that no reminder has. ids are those of all reminders.
func Unknown(id string, ids []string) *command.Error {
	x := &command.Error{Code: command.ExitNo, Err: fmt.Errorf("there is no reminder %q", id)}
	switch q := near.Question(near.IDs(id, ids)); {
	case q != "":
		x.More = []string{q}
	case len(ids) == 0:
		x.More = []string{"none is loaded: aside init writes a few to start with"}
	default:
		x.More = []string{"aside list names them all"}
	}
	return x
}
