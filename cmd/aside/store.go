package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/aside-go/aside/cmd/aside/internal/hook"
	"github.com/aside-go/aside/state"
	"github.com/aside-go/aside/state/filestore"
)

// stateFlag is the flag --state, which says where runs are remembered.
type stateFlag struct {
	State string `placeholder:"DIR" help:"Where runs are remembered: a directory, or memory. By default $XDG_STATE_HOME/aside, else ~/.local/state/aside. The environment variable ASIDE_KEEP says for how long: 30d by default."`
}

// open opens the store that --state names, by default the user's own, and returns its directory, or "memory".
func (e *env) open(f stateFlag) (state.Store, string, error) {
	where := f.State
	switch {
	case where == "memory":
		m, err := memory()
		return m, "memory", err
	case strings.HasPrefix(where, "redis:"), strings.HasPrefix(where, "rediss:"), strings.HasPrefix(where, "valkey:"):
		return nil, "", usage("--state %s: runs cannot be kept in Redis yet; a directory and memory can be used", where)
	case strings.Contains(where, "://"):
		return nil, "", usage("--state %s: not a directory, and not memory", where)
	case where == "":
		dir, err := e.stateDir()
		if err != nil {
			return nil, "", err
		}
		where = dir
	}
	keep, err := keepRuns()
	if err != nil {
		return nil, "", err
	}
	s, err := filestore.Options{Keep: keep}.Open(where)
	return s, where, err
}

// memory returns a store in memory. The process may run for months, so this store forgets runs, too.
func memory() (state.Store, error) {
	keep, err := keepRuns()
	m := state.NewMemory()
	m.Keep = cmp.Or(keep, 30*24*time.Hour)
	return m, err
}

// keepRuns returns how long runs are remembered, as filestore.Options.Keep takes it.
func keepRuns() (time.Duration, error) {
	d, err := hook.Keep(os.Getenv(hook.KeepVariable))
	if err != nil {
		return 0, usage("%w", err)
	}
	return d, nil
}

// stateDir returns the user's own state directory. A relative XDG_STATE_HOME is ignored, as its specification asks.
func (e *env) stateDir() (string, error) {
	if x := os.Getenv("XDG_STATE_HOME"); filepath.IsAbs(x) {
		return filepath.Join(x, "aside"), nil
	}
	if e.home == "" {
		return "", errors.New("there is no place for state: HOME is not set; give --state DIR")
	}
	return filepath.Join(e.home, ".local", "state", "aside"), nil
}

// openExisting is open for commands that only read: where the directory does not exist it is not made, and the answer is no.
func (e *env) openExisting(f stateFlag) (s state.Store, where string, err error) {
	if f.State == "memory" {
		return nil, "", usage("--state memory: nothing is remembered there between two commands")
	}
	where = f.State
	if where == "" {
		if where, err = e.stateDir(); err != nil {
			return nil, "", err
		}
	}
	if !strings.Contains(where, "://") {
		if fi, err := os.Stat(where); errors.Is(err, os.ErrNotExist) || err == nil && !fi.IsDir() {
			if err == nil {
				return nil, "", no("%s is not a directory", where)
			}
			return nil, "", noRuns(e.short(where))
		}
	}
	return e.open(stateFlag{State: where})
}

func noRuns(where string) error {
	return &exitError{
		code: exitNo, err: errors.New("no run is remembered in " + where),
		more: []string{"a run appears there once an agent has asked for reminders: aside eval --state DIR is one way"},
	}
}

// runFlag is the flag --run, which says which run is meant.
type runFlag struct {
	RunID string `name:"run" placeholder:"ID" help:"The run; by default the most recent one."`
}

// openRun opens the store and returns the run that is meant, for commands about runs that exist.
func (e *env) openRun(ctx context.Context, at stateFlag, of runFlag) (s state.Store, run string, err error) {
	s, where, err := e.openExisting(at)
	if err != nil {
		return nil, "", err
	}
	run, err = e.pickRun(ctx, s, where, of)
	return s, run, err
}

// pickRun returns the run that --run names, which must exist, or else the most recent one.
func (e *env) pickRun(ctx context.Context, s state.Store, where string, f runFlag) (string, error) {
	runs, err := s.Runs(ctx)
	if err != nil {
		return "", err
	}
	if len(runs) == 0 {
		return "", noRuns(e.short(where))
	}
	if f.RunID == "" {
		return newest(ctx, s, runs)
	}
	for _, r := range runs {
		if r == f.RunID {
			return r, nil
		}
	}
	x := &exitError{code: exitNo, err: fmt.Errorf("there is no run %q in %s", f.RunID, e.short(where))}
	if p := perhaps(f.RunID, runs); p != "" {
		x.more = []string{strings.TrimPrefix(p, "; ")}
	}
	return "", x
}

// newest returns the run whose last turn is the latest. Runs that cannot be read are passed over; where none can, that is the error.
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
