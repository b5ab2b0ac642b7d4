// Package runs opens the store in which runs are remembered, and finds the run that a command is about.
package runs

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/aside-go/aside/cmd/internal/command"
	"github.com/aside-go/aside/cmd/internal/hook"
	"github.com/aside-go/aside/cmd/internal/terminal"
	"github.com/aside-go/aside/internal/near"
	"github.com/aside-go/aside/state"
	"github.com/aside-go/aside/state/filestore"
)

// Open opens the store that --state names, "" for the user's own and @FILE for what a file names, and returns
// where it is as people are told: its directory, "memory", or the URL of a database without its password.
func Open(e *command.Env, where string, d filestore.Durability) (state.Store, string, error) {
	where, err := named(where)
	switch {
	case err != nil:
		return nil, "", err
	case where == "memory":
		m, err := Memory(e)
		return m, "memory", err
	case strings.Contains(where, "://"):
		if e.Databases == nil {
			scheme, _, _ := strings.Cut(where, "://")
			return nil, "", command.Usage("--state %s://…: this program keeps runs in files; asided keeps them in a "+
				"database: asided serve --state URL", scheme)
		}
		keep, err := keepRuns(e)
		if err != nil {
			return nil, "", err
		}
		return e.Databases(where, keep)
	case where == "":
		dir, err := e.StateDir()
		if err != nil {
			return nil, "", err
		}
		where = dir
	}
	keep, err := keepRuns(e)
	if err != nil {
		return nil, "", err
	}
	s, err := filestore.Open(where, filestore.Options{Durability: d, Keep: keep})
	return s, where, err
}

// named returns the place that --state names. A URL with a password has no place among the arguments of a
// process, which others on its machine can read, so @FILE is the place that stands in a file.
func named(where string) (string, error) {
	file, is := strings.CutPrefix(where, "@")
	if !is {
		if strings.Contains(where, "://") {
			where = strings.TrimSpace(where) // a secret that was made from a file ends with its line
		}
		return where, nil
	}
	b, err := os.ReadFile(file)
	if err != nil {
		return "", command.Usage("--state: %w", err)
	}
	if where = strings.TrimSpace(string(b)); where == "" {
		return "", command.Usage("--state: %s is empty; it has a directory or the URL of a database", file)
	}
	return where, nil
}

// Memory returns a store in memory, which forgets runs as one on disk does.
func Memory(e *command.Env) (state.Store, error) {
	keep, err := keepRuns(e)
	m := state.NewMemory()
	m.Keep = keep
	return m, err
}

// keepRuns returns how long runs are remembered, as filestore.Options.Keep takes it.
func keepRuns(e *command.Env) (time.Duration, error) {
	d, err := hook.Keep(cmp.Or(os.Getenv(hook.KeepVariable), e.Config.Keep()))
	if err != nil {
		return 0, command.Usage("%w", err)
	}
	return d, nil
}

// OpenExisting is Open for commands that only read: where the directory does not exist it is not made, and
// the answer is no.
func OpenExisting(e *command.Env, at string) (s state.Store, where string, err error) {
	if where, err = named(at); err != nil {
		return nil, "", err
	}
	if where == "memory" {
		return nil, "", command.Usage("--state memory: nothing is remembered there between two commands")
	}
	if where == "" {
		if where, err = e.StateDir(); err != nil {
			return nil, "", err
		}
	}
	if !strings.Contains(where, "://") {
		if fi, err := os.Stat(where); errors.Is(err, os.ErrNotExist) || err == nil && !fi.IsDir() {
			if err == nil {
				return nil, "", command.No("%s is not a directory", where)
			}
			return nil, "", noRuns(e.Short(where))
		}
	}
	return Open(e, where, filestore.Power)
}

func noRuns(where string) error {
	return command.No("no run is remembered in %s", where).
		And("a run begins with the first prompt to an agent that aside setup has written hooks for")
}

// Existing opens the store at a place, as Open takes it, and returns the run with an id, as find takes it. It
// is for commands about runs that exist.
func Existing(ctx context.Context, e *command.Env, at, id string) (s state.Store, run *Run, err error) {
	s, where, err := OpenExisting(e, at)
	if err != nil {
		return nil, nil, err
	}
	if id != "" { // the whole name spares a large database the list
		if snap, _, err := s.Load(ctx, id); err == nil && snap != nil && snap.Turn() > 0 {
			return s, described(e, id, snap), nil
		}
	}
	var names []string
	all, more, broken := list(ctx, e, s, look{most: many, want: func(name string) bool {
		_, session := ownerOf(name)
		names = append(names, name)
		return strings.HasPrefix(name, id) || strings.HasPrefix(session, id) ||
			strings.HasPrefix(id, name+"/") || strings.HasPrefix(id, session+"/") // the root of a subagent
	}})
	switch {
	case len(all) == 0 && broken != nil:
		return nil, nil, broken
	case len(names) == 0:
		return nil, nil, noRuns(e.Short(where))
	case more && id == "":
		return nil, nil, command.No("%s has more than %d runs: --run names one of them", e.Short(where), many)
	case id == "":
		return s, pick(all), nil
	}
	if run, err = find(all, id); run == nil && err == nil {
		err = command.No("there is no run %q in %s", id, e.Short(where)).
			And(cmp.Or(near.Hint("", id, names), "aside runs lists them"))
	}
	return s, run, err
}

// pick returns the run that a person means who names none: the newest one of this project, one that has not
// ended before one that has; else that of another checkout of its repository; else the newest one anywhere.
// Subagents are not meant, unless there is nothing else.
func pick(all []*Run) *Run {
	return slices.MinFunc(all, func(a, b *Run) int {
		return cmp.Or(first(a.Root == "", b.Root == ""), first(a.Same, b.Same), first(a.Here, b.Here),
			first(a.State != Ended, b.State != Ended), b.At.Compare(a.At), strings.Compare(a.Name, b.Name))
	})
}

// first compares two truths: the true one is less.
func first(a, b bool) int {
	switch {
	case a == b:
		return 0
	case a:
		return -1
	}
	return 1
}

// find returns the run of an id: its name, that without the agent, or a beginning of one of them that is that
// of no other run. A beginning is that of a subagent only where it is no other run's. It returns nil if there
// is none, and an error if there are several.
func find(all []*Run, id string) (*Run, error) {
	var found []*Run
	for _, r := range all {
		if r.Name == id {
			return r, nil
		}
		if strings.HasPrefix(r.Name, id) || strings.HasPrefix(r.Session, id) {
			found = append(found, r)
		}
	}
	if roots := slices.DeleteFunc(slices.Clone(found),
		func(r *Run) bool { return r.Root != "" }); len(roots) > 0 {
		found = roots
	}
	switch len(found) {
	case 0:
		return nil, nil
	case 1:
		return found[0], nil
	}
	x := command.No("%d runs begin with %q", len(found), id)
	for _, r := range found[:min(len(found), 5)] {
		x.More = append(x.More, "  "+terminal.Visible(r.Name))
	}
	if len(found) > 5 {
		x.More = append(x.More, "  and others: aside runs lists them")
	}
	return nil, x
}

// Broken adds the run to an error of a store that is about the run's state.
func Broken(err error, run string) error {
	if errors.Is(err, state.ErrCorrupt) || errors.Is(err, state.ErrNewer) {
		return fmt.Errorf("run %q: %w", run, err)
	}
	return err
}
