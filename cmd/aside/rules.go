package main

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"github.com/aside-go/aside/compile"
	"github.com/aside-go/aside/compile/load"
	"github.com/aside-go/aside/grammar"
)

// rulesFlag is the flag --rules, which says which rules a command reads.
type rulesFlag struct {
	Rules []string `sep:"none" placeholder:"PATH" help:"Rule file, directory or glob, in place of the standard directories. Repeatable."`
}

// scope says which of the standard directories a command reads by default. Rules of a project are somebody else's words: a command that
// shows something to a person reads those that are trusted, and a command that puts texts before a model reads them only with --project.
type scope uint8

const (
	withProject scope = iota // the user's and the project's
	userOnly
)

// rules are the rules that a command works with, and where they were looked for.
type rules struct {
	*load.Result
	From  []string // the paths of the files and directories, which need not exist
	Tests []string // the rule tests among the files
}

// load loads the rules that --rules names, or those of the standard directories. vars are further facts that they may read.
func (e *env) load(f rulesFlag, s scope, vars varFlags) (*rules, error) {
	return e.loadIn(f, e.project(s), vars)
}

// loadIn is load with the rules of a project, "" for none. It reads only files that are trusted, and prints which are not.
func (e *env) loadIn(f rulesFlag, project string, vars varFlags) (*rules, error) {
	schema, err := vars.schema()
	if err != nil {
		return nil, err
	}
	sources, err := e.sourcesIn(f.Rules, project)
	if err != nil {
		return nil, err
	}
	opts := load.Options{Options: compile.Options{Schema: schema}}
	if store, err := e.trust(); err == nil {
		opts.Trusted = store
	}
	r := &rules{Result: load.Load(sources, opts)}
	r.Diagnostics, r.Tests = withoutTests(r.Diagnostics)
	for _, src := range sources {
		r.From = append(r.From, src.Path)
	}
	e.untrusted(r, project)
	return r, nil
}

// trusted returns the gate for the rules of a project in a long-lived host: nil, since such a host reads no project's rules.
func trusted(scope) load.Gate { return nil }

// project returns the project whose rules a scope reads besides the user's own, "" for none.
func (e *env) project(s scope) string {
	if s == userOnly || e.dir == e.home {
		return ""
	}
	return e.dir
}

// projectFlag is the flag --project, which adds the rules of a project for a command that puts texts before a model.
type projectFlag struct {
	Project string `placeholder:"DIR" help:"Read the rules of this project too, as far as they are trusted (aside trust)."`
}

// loadProject is load for a command that reads the rules of no project but that of --project.
func (e *env) loadProject(f rulesFlag, p projectFlag, vars varFlags) (*rules, error) {
	if p.Project == "" {
		return e.load(f, userOnly, vars)
	}
	if len(f.Rules) > 0 {
		return nil, usage("--project adds to the standard directories, and --rules replaces them: give one of the two")
	}
	dir, err := directory(p.Project)
	if err != nil {
		return nil, err
	}
	if dir == e.realHome() {
		dir = ""
	}
	return e.loadIn(f, dir, vars)
}

// sources returns where rules are read from, lowest precedence first: what patterns match, or, without patterns, the standard
// directories.
func (e *env) sources(patterns []string, s scope) ([]load.Source, error) {
	return e.sourcesIn(patterns, e.project(s))
}

// sourcesIn is sources with the rules of a project, "" for none.

func (e *env) sourcesIn(patterns []string, project string) ([]load.Source, error) {
	var sources []load.Source
	for _, p := range patterns {
		found, err := load.Paths(p)
		switch {
		case errors.Is(err, filepath.ErrBadPattern):
			return nil, usage("%q is not a pattern", p)
		case errors.Is(err, fs.ErrNotExist):
			return nil, &fs.PathError{Op: "open", Path: p, Err: errNoMatch}
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
	return load.Standard(e.home, project), nil
}

// withoutTests returns ds without the diagnostics of rule tests, which may lie among the rule files, and the names of those tests. A file
// is a rule test if its name says so and it has the key tests, which no reminder has.
func withoutTests(ds grammar.Diagnostics) (rest grammar.Diagnostics, tests []string) {
	for _, d := range ds {
		if isTest(d.File) && strings.Contains(d.Message, `unknown key "tests"`) && !slices.Contains(tests, d.File) {
			tests = append(tests, d.File)
		}
	}
	for _, d := range ds {
		if !slices.Contains(tests, d.File) {
			rest = append(rest, d)
		}
	}
	return rest, tests
}

// complain prints the diagnostics of r to stderr, and reports whether one of them is an error.
func (e *env) complain(r *rules) bool {
	e.render(e.err, r.Diagnostics, r.Files, false)
	return r.Diagnostics.HasErrors()
}

// verdict returns errNo where failed is true, else nil.
func verdict(failed bool) error {
	if failed {
		return errNo
	}
	return nil
}

// nothing prints that no reminder is loaded, where reminders were looked for, and what to do.
func (e *env) nothing(r *rules) {
	if r.Diagnostics.HasErrors() {
		e.note("no reminder could be loaded")
		return
	}
	if len(r.Untrusted) > 0 {
		e.note("no reminder is loaded")
		return
	}
	if len(r.From) == 0 {
		e.note("no reminders: HOME is not set, so there is nowhere to look; --rules PATH says where")
		return
	}
	e.note("no reminders found in:")
	for _, p := range r.From {
		e.note("  %s", e.short(p))
	}
	e.note("aside init writes a few to start with")
}

// find returns the reminder of an id, be it disabled or with errors. The error names reminders with similar ids.
func find(r *rules, id string) (*compile.Source, error) {
	if i, ok := r.Set.Index(id); ok {
		return r.Set.Reminder(i), nil
	}
	for i := range r.Reminders {
		if r.Reminders[i].ID == id {
			return &r.Reminders[i], nil // disabled, or with errors
		}
	}
	return nil, unknown(id, r.Set.IDs())
}

func unknown(id string, ids []string) error {
	x := &exitError{code: exitNo, err: fmt.Errorf("there is no reminder %q", id)}
	near := grammar.Suggest(id, ids)
	if len(near) == 0 && len(id) > 2 { // the user may type a part of the id
		for _, name := range ids {
			if strings.Contains(name, id) && len(near) < 3 {
				near = append(near, name)
			}
		}
	}
	switch {
	case len(near) > 0:
		x.more = []string{"did you mean " + strings.Join(near, " or ") + "?"}
	case len(ids) == 0:
		x.more = []string{"none is loaded: aside init writes a few to start with"}
	default:
		x.more = []string{"aside list names them all"}
	}
	return x
}

// ruleFiles returns the files that arguments stand for: a directory stands for the rule files directly in it, a pattern for what it
// matches.
func ruleFiles(args []string) ([]string, error) {
	var files []string
	for _, a := range args {
		found, err := expand(a)
		if err != nil {
			return nil, err
		}
		files = append(files, found...)
	}
	if len(files) == 0 {
		return nil, no("%s", noRuleFile(args))
	}
	return files, nil
}

// noRuleFile says that there is no rule file in these directories, and where one below them perhaps is: they are not searched.
func noRuleFile(dirs []string) string {
	said := "there is no rule file (.md, .yaml, .yml) in " + strings.Join(dirs, ", ")
	for _, dir := range dirs {
		for _, below := range []string{"reminders", ".aside/reminders"} {
			at := filepath.Join(dir, below)
			if files, err := listing(at); err == nil && len(files) > 0 {
				return said + ": did you mean " + at + "?"
			}
		}
	}
	return said
}

var errNoMatch = errors.New("no such file or directory")

func isRuleFile(name string) bool {
	switch strings.ToLower(filepath.Ext(name)) {
	case ".md", ".yaml", ".yml":
		return !strings.HasPrefix(filepath.Base(name), ".")
	}
	return false
}
