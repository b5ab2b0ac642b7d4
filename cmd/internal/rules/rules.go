// Package rules loads the reminders that a command works with: from the paths of the command line or the
// standard directories, as far as they are trusted, and prints their diagnostics. It runs no
// reminder.
package rules

import (
	"cmp"
	"errors"
	"io/fs"
	"path/filepath"
	"slices"

	"github.com/aside-go/aside/cmd/internal/command"
	"github.com/aside-go/aside/cmd/internal/config"
	"github.com/aside-go/aside/compile"
	"github.com/aside-go/aside/compile/fact"
	"github.com/aside-go/aside/compile/load"
	"github.com/aside-go/aside/grammar"
	"github.com/aside-go/aside/internal/near"
	"github.com/aside-go/aside/internal/trust"
)

// Request says which rules a command works with.
type Request struct {
	Paths []string // files, directories and globs in place of the standard directories
	// the project whose standard directories are read beside the user's own, as the user named it
	Project string
	Here    bool     // without Project: that of the working directory; otherwise none
	Vars    []string // further facts that the rules may read, each as Schema takes it
	// the rules are read for their author's eyes alone: those of a project need not be trusted
	Author bool
	// files and directories whose reminders go over those of the same id, trusted or not
	Over []string

	read func(path string, src []byte) ([]compile.Source, grammar.Diagnostics) // as load.Options.Read
}

// Loaded are the rules that a command works with, and the places where they were looked for.
type Loaded struct {
	*load.Result
	From   []string // the paths of the files and directories, which need not exist
	Config string   // the path of the project's configuration, where that has mistakes

	Sources []load.Source // what load.Watch needs to follow them
	Options load.Options
}

// Here returns the project that the working directory belongs to, "" for none. Rules of a project are
// somebody else's words: a command that shows something to a person reads those that are trusted, and a
// command that puts texts before a model reads them only where the user names the project.
//
// Where there is no project the working directory is as good: it holds no rules, and is named where they are
// looked for.
func Here(e *command.Env) string {
	if project := load.Project(e.Dir, e.Home); project != "" || e.Dir == "" {
		return project
	}
	if e.IsHome(e.Dir) {
		return ""
	}
	return e.Dir
}

// Project returns the project that a directory belongs to, which the user has named: the nearest one upward,
// as Here finds it, else the directory itself; "" where that is the user's home.
func Project(e *command.Env, dir string) (string, error) {
	real, err := command.Directory(dir)
	if err != nil || real == e.RealHome() {
		return "", err
	}
	if project := load.Project(real, e.Home); project != "" {
		return project, nil
	}
	return real, nil
}

// Root returns the directory whose .aside a new rule goes into: the home directory for the scope "user", for
// "project" that of the working directory.
func Root(e *command.Env, scope string) (string, error) {
	if scope == "project" {
		if root := Here(e); root != "" {
			return root, nil
		}
		return "", command.No("this is not a project: without --scope project the rule is for all of them")
	}
	if e.Home == "" {
		return "", errors.New("there is no place for rules of your own: HOME is not set")
	}
	return e.Home, nil
}

// Place returns the place in which the paths of calls are compared, for a project that the user has named;
// the zero Place where none is named.
func Place(e *command.Env, dir string) (fact.Place, error) {
	if dir == "" {
		return fact.Place{}, nil
	}
	project, err := Project(e, dir)
	return fact.Place{Project: filepath.ToSlash(project), Home: filepath.ToSlash(e.Home)}, err
}

// ErrBoth is the error for rules that are named in two ways that exclude each other.
var ErrBoth = command.Usage(
	"--project adds to the standard directories, and --rules replaces them: give one of the two")

// Load loads rules. It reads only files that are trusted, and prints which are not.
func Load(e *command.Env, q Request) (*Loaded, error) {
	project := ""
	var err error
	switch {
	case q.Project != "" && len(q.Paths) > 0:
		return nil, ErrBoth
	case q.Project != "":
		if project, err = Project(e, q.Project); err != nil {
			return nil, err
		}
	case q.Here:
		project = Here(e)
	}
	about := project // whose configuration counts
	if q.Author && len(q.Paths) > 0 {
		about = load.Project(filepath.Dir(q.Paths[0]), e.Home)
	}
	c := ProjectConfig(e, about, q.Author)
	schema, err := Schema(e, q.Vars, c)
	if err != nil {
		return nil, err
	}
	sources, err := Sources(e, q.Paths, project)
	if q.Author && len(q.Paths) > 0 {
		sources, err = Named(e, q.Paths)
	}
	if err != nil {
		return nil, err
	}
	if q.Author {
		for i := range sources {
			sources[i].Project = ""
		}
	}
	over, err := Named(e, q.Over)
	if err != nil {
		return nil, err
	}
	sources = append(sources, over...)
	opts := load.Options{Options: compile.Options{Schema: schema}, Read: q.read}
	named := len(q.Paths) > 0 || q.Project != ""
	if opts.Trusted, err = gate(e, sources); err != nil && named {
		return nil, err
	}
	r := &Loaded{Result: load.Load(sources, opts), Sources: sources, Options: opts}
	r.Add(c)
	for _, src := range sources {
		r.From = append(r.From, src.Path)
	}
	r.Refused(e)
	return r, nil
}

// Add puts what is wrong with a configuration, nil for none, before what is wrong with the rules.
func (r *Loaded) Add(c *config.File) {
	if c != nil && len(c.Diagnostics) > 0 {
		r.Diagnostics = append(c.Diagnostics, r.Diagnostics...)
		r.Files[c.Path], r.Config = c.Src, c.Path
	}
}

// gate returns the gate to the files of projects, nil where there can be none. It is an error if the user has
// named a project all the same.
func gate(e *command.Env, sources []load.Source) (load.Gate, error) {
	store, err := Trust(e)
	switch {
	case err == nil:
		return store, nil
	case slices.ContainsFunc(sources, func(s load.Source) bool { return s.Project != "" }):
		return nil, err
	}
	return nil, nil
}

// Options returns the options with which the files of sources are read, of projects only what is trusted.
func Options(e *command.Env, sources []load.Source, schema *fact.Schema) (load.Options, error) {
	g, err := gate(e, sources)
	return load.Options{Options: compile.Options{Schema: schema}, Trusted: g}, err
}

// Refused prints which files of projects are not used, and the remedy.
func (r *Loaded) Refused(e *command.Env) { untrusted(e, r.Untrusted) }

// Sources returns the places from which rules are read, lowest precedence first: the matches of patterns, or,
// without patterns, the standard directories of the user and of a project, "" for none. Patterns that lead to
// the reminders of a project are as good as its name: only what is trusted is read there.
func Sources(e *command.Env, patterns []string, project string) ([]load.Source, error) {
	sources, err := Named(e, patterns)
	if err != nil {
		return nil, err
	}
	if len(patterns) > 0 {
		return load.Gated(e.Home, sources), nil
	}
	return load.Standard(e.Home, project), nil
}

// Named returns the matches of patterns, trusted or not, for a command that puts nothing before a model.
func Named(e *command.Env, patterns []string) ([]load.Source, error) {
	var sources []load.Source
	for _, p := range patterns {
		found, err := load.Paths(e.Home, p)
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
	return sources, nil
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
	for _, dir := range misplaced(e) {
		e.Note("rule files lie in %s, where nobody looks: move them into one of these", e.Short(dir))
	}
	e.Note("aside setup writes a few to start with, and aside add NAME one of your own")
}

// misplaced returns directories of the project and of the home that hold rule files, and look as if they were
// read.
func misplaced(e *command.Env) []string {
	var found []string
	for _, root := range []string{Here(e), e.Home} {
		for _, dir := range []string{"reminders", "rules", ".aside", ".aside/rules", ".aside/reminder",
			".claude/reminder", ".agents/reminder"} {
			at := filepath.Join(root, filepath.FromSlash(dir))
			if files, err := listing(at); root != "" && err == nil && len(files) > 0 {
				found = append(found, at)
			}
		}
	}
	return found
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
	more := "aside list names them all"
	if len(ids) == 0 {
		more = "none is loaded: aside setup writes a few to start with"
	}
	return command.No("there is no reminder %q", id).And(cmp.Or(near.Question(near.IDs(id, ids)), more))
}
