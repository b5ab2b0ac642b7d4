// Package runs opens the store in which runs are remembered, and finds the run that a command is about.
package runs

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/aside-go/aside/cmd/aside/internal/command"
	"github.com/aside-go/aside/cmd/aside/internal/hook"
	"github.com/aside-go/aside/internal/near"
	"github.com/aside-go/aside/state"
	"github.com/aside-go/aside/state/filestore"
)

// Open opens the store that --state names, "" for the user's own, and returns its directory, or "memory".
func Open(e *command.Env, where string, d filestore.Durability) (state.Store, string, error) {
	switch {
	case where == "memory":
		m, err := Memory()
		return m, "memory", err
	case strings.HasPrefix(where, "redis:"), strings.HasPrefix(where,
		"rediss:"), strings.HasPrefix(where, "valkey:"):
		return nil, "", command.Usage("--state %s: runs cannot be kept in Redis yet; a directory and memory can "+
			"be used", where)
	case strings.Contains(where, "://"):
		return nil, "", command.Usage("--state %s: not a directory, and not memory", where)
	case where == "":
		dir, err := e.StateDir()
		if err != nil {
			return nil, "", err
		}
		where = dir
	}
	keep, err := keepRuns()
	if err != nil {
		return nil, "", err
	}
	s, err := filestore.Options{Durability: d, Keep: keep}.Open(where)
	return s, where, err
}

// Memory returns a store in memory, which forgets runs as one on disk does.
func Memory() (state.Store, error) {
	keep, err := keepRuns()
	m := state.NewMemory()
	m.Keep = keep
	return m, err
}

// keepRuns returns how long runs are remembered, as filestore.Options.Keep takes it.
func keepRuns() (time.Duration, error) {
	d, err := hook.Keep(os.Getenv(hook.KeepVariable))
	if err != nil {
		return 0, command.Usage("%w", err)
	}
	return d, nil
}

// openExisting is Open for commands that only read: where the directory does not exist it is not made, and
// the answer is no.
func openExisting(e *command.Env, at string) (s state.Store, where string, err error) {
	if at == "memory" {
		return nil, "", command.Usage("--state memory: nothing is remembered there between two commands")
	}
	where = at
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
	return &command.Error{
		Code: command.ExitNo, Err: errors.New("no run is remembered in " + where),
		More: []string{"a run appears there once an agent has asked for reminders: " +
			"aside eval --state DIR is one way"},
	}
}

// Existing opens the store at a place, as Open takes it, and returns the run with an id, "" for the most
// recent one. It is for commands about runs that exist.
func Existing(ctx context.Context, e *command.Env, at, id string) (s state.Store, run string, err error) {
	s, where, err := openExisting(e, at)
	if err != nil {
		return nil, "", err
	}
	run, err = pick(ctx, e, s, where, id)
	return s, run, err
}

// pick returns the run with an id, which must exist, or for "" the most recent one.
func pick(ctx context.Context, e *command.Env, s state.Store, where, id string) (string, error) {
	runs, err := s.Runs(ctx)
	if err != nil {
		return "", err
	}
	if len(runs) == 0 {
		return "", noRuns(e.Short(where))
	}
	if id == "" {
		return newest(ctx, s, runs)
	}
	for _, r := range runs {
		if r == id {
			return r, nil
		}
	}
	x := &command.Error{Code: command.ExitNo, Err: fmt.Errorf("there is no run %q in %s", id, e.Short(where))}
	if question := near.Hint("", id, runs); question != "" {
		x.More = []string{question}
	}
	return "", x
}

// newest returns the run whose last turn is the latest. Runs that cannot be read are passed over; where none
// can, that is the error.
func newest(ctx context.Context, s state.Store, runs []string) (string, error) {
	var best string
	var at time.Time
	var broken error
	for _, r := range runs {
		snap, _, err := s.Load(ctx, r)
		if err != nil {
			broken = fmt.Errorf("run %q: %w", r, err)
			continue
		}
		if t := snap.Run().Now().At; best == "" || t.After(at) {
			best, at = r, t
		}
	}
	if best == "" {
		return "", broken
	}
	return best, nil
}

// Broken adds the run to an error of a store that is about the run's state.
func Broken(err error, run string) error {
	if errors.Is(err, state.ErrCorrupt) || errors.Is(err, state.ErrNewer) {
		return &command.Error{Code: command.ExitMachine, Err: fmt.Errorf("run %q: %w", run, err)}
	}
	return err
}
