package runs

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/aside-go/aside/cmd/internal/command"
	"github.com/aside-go/aside/cmd/internal/terminal"
	"github.com/aside-go/aside/inject/transport"
	"github.com/aside-go/aside/state"
	"github.com/aside-go/aside/state/filestore"
)

// So many lists of so many runs are copied at once: a database is far away, and waits for its disk.
const (
	workers  = 16
	together = 32
)

// Copy copies the runs of one store into another, and the records of outcomes; both are named as Open takes
// it. Where a run is in both, the one with more turns stays, and that of the first where both have as many. A
// copy that was cut short goes on when it is made again: what is there already is only compared.
func Copy(ctx context.Context, e *command.Env, from, to string) error {
	if from == to {
		return command.Usage("both are the same store")
	}
	source, where, err := OpenExisting(e, from)
	if err != nil {
		return err
	}
	target, there, err := Open(e, to, filestore.OnSync)
	if err != nil {
		return err
	}
	records, err := copyRecords(ctx, source, target) // before the runs that go on there
	if err != nil {
		return err
	}
	c := copying{source: source, target: target, note: e.Note}
	if err := c.all(ctx); err != nil {
		return err
	}
	if s, ok := target.(*filestore.Store); ok {
		if err := s.Sync(ctx); err != nil {
			return err
		}
	}
	e.Note("%s copied from %s to %s; %d were there", terminal.Count(c.copied, "run"), e.Short(where),
		e.Short(there), c.kept)
	if records > 0 {
		e.Note("%s copied, for aside effect", terminal.Count(records, "outcome record"))
	}
	if c.broken != nil {
		return &command.Error{Code: command.ExitMachine,
			Err: fmt.Errorf("not every run could be read: %w", c.broken)}
	}
	return nil
}

// copying counts the runs of a copy.
type copying struct {
	source, target state.Store
	note           func(format string, args ...any)
	stop           context.CancelCauseFunc

	mu           sync.Mutex // guards the fields below, and note
	copied, kept int
	broken       error // of a run that cannot be read
}

// all copies the runs, many at once. Its error is that of one which cannot be copied.
func (c *copying) all(ctx context.Context) error {
	ctx, c.stop = context.WithCancelCause(ctx)
	defer c.stop(nil)
	lists := make(chan []string)
	var wg sync.WaitGroup
	for range workers {
		wg.Go(func() {
			for names := range lists {
				c.list(ctx, names)
			}
		})
	}
	var names []string
	for name, err := range each(ctx, c.source) {
		if err != nil {
			c.stop(err)
			break
		}
		if names = append(names, name); len(names) == together {
			lists <- names
			names = nil
		}
	}
	lists <- names
	close(lists)
	wg.Wait()
	return context.Cause(ctx)
}

// list copies some runs: those that the target has not in one write, where it can do that, and the others
// each by itself.
func (c *copying) list(ctx context.Context, names []string) {
	snaps := make(map[string]*state.Snapshot, len(names))
	for _, name := range names {
		snap, _, err := c.source.Load(ctx, name)
		if err != nil {
			c.count(false, err)
		} else if snap != nil {
			snaps[name] = transport.Findable(snap)
		}
	}
	if target, ok := c.target.(adder); ok && len(snaps) > 0 {
		added, _ := target.Add(ctx, snaps) // where that fails, the run of which it comes is named below
		for _, name := range added {
			delete(snaps, name)
			c.count(true, nil)
		}
	}
	for name, snap := range snaps {
		c.count(copyRun(ctx, c.target, name, snap))
	}
}

// adder is a Store that saves many runs which do not exist at once, and returns those that it has saved.
type adder interface {
	Add(ctx context.Context, runs map[string]*state.Snapshot) (added []string, err error)
}

// count counts a run.
func (c *copying) count(did bool, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case errors.Is(err, state.ErrCorrupt), errors.Is(err, state.ErrNewer):
		c.note("%s", terminal.Plain(err))
		c.broken = err
	case err != nil:
		c.stop(err)
	case did:
		c.copied++
	default:
		c.kept++
	}
}

// copyRun writes a run into a store, unless it has the run with more turns, or to the byte.
func copyRun(ctx context.Context, target state.Store, name string, snap *state.Snapshot) (did bool,
	err error) {
	err = state.Update(ctx, target, name, func(there *state.Snapshot) (*state.Snapshot, error) {
		did = there == nil || there.Turn() < snap.Turn() ||
			there.Turn() == snap.Turn() && !bytes.Equal(there.Encode(), snap.Encode())
		if !did {
			return nil, nil
		}
		return snap, nil
	})
	return did, err
}
