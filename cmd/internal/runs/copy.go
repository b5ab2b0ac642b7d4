package runs

import (
	"context"
	"errors"
	"fmt"

	"github.com/aside-go/aside/cmd/internal/command"
	"github.com/aside-go/aside/cmd/internal/terminal"
	"github.com/aside-go/aside/state"
	"github.com/aside-go/aside/state/filestore"
)

// Copy copies the runs of one store into another, and the records of outcomes; both are named as Open takes
// it. Where a run is in both, the one with more turns stays. A copy that was cut short goes on when it is
// made again: what is there already is only compared.
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
	copied, kept, broken := 0, 0, error(nil)
	for name, err := range each(ctx, source) {
		did := false
		if err == nil {
			did, err = copyRun(ctx, source, target, name)
		}
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case errors.Is(err, state.ErrCorrupt), errors.Is(err, state.ErrNewer):
			e.Note("%s", command.Plain(err))
			broken = err
		case err != nil:
			return err
		case did:
			copied++
		default:
			kept++
		}
	}
	if s, ok := target.(*filestore.Store); ok {
		if err := s.Sync(ctx); err != nil {
			return err
		}
	}
	e.Note("%s copied from %s to %s; %d were there", terminal.Count(copied, "run"), e.Short(where),
		e.Short(there), kept)
	if records > 0 {
		e.Note("%s copied, for aside effect", terminal.Count(records, "outcome record"))
	}
	if broken != nil {
		return &command.Error{Code: command.ExitMachine, Err: fmt.Errorf("not every run could be read: %w", broken)}
	}
	return nil
}

// copyRun copies one run, unless the target has it with as many turns or more.
func copyRun(ctx context.Context, source, target state.Store, name string) (did bool, err error) {
	snap, _, err := source.Load(ctx, name)
	if err != nil || snap == nil {
		return false, err
	}
	err = state.Update(ctx, target, name, func(there *state.Snapshot) (*state.Snapshot, error) {
		if did = there == nil || there.Turn() < snap.Turn(); !did {
			return nil, nil
		}
		return snap, nil
	})
	return did, err
}
