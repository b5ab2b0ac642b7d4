package state

import (
	"context"
	"errors"
)

// Errors of Step, Decode and of every Store, wrapped with what they are about.
var (
	// ErrConflict: the run changed since it was loaded. Surely nothing was written.
	ErrConflict = errors.New("the run was changed by another")
	// ErrIndeterminate: the snapshot may have been written or not. Loading the run again tells.
	ErrIndeterminate = errors.New("it is not known whether the run was saved")
	// ErrCorrupt: what is stored cannot be read. It is never read as an empty run, which would fire everything again.
	ErrCorrupt = errors.New("corrupt snapshot")
	// ErrNewer: what is stored was written by a newer version. It is left as it is.
	ErrNewer = errors.New("snapshot of a newer version")
	// ErrOldKey: a turn key that an older turn of the run already had.
	ErrOldKey = errors.New("the turn is over")
)

// Revision names one saved state of a run. Revisions of a run are compared for equality only; one never comes again, also
// not after the run was deleted and began anew. 0 is a run that does not exist.
type Revision uint64

// Store keeps snapshots by run. Implementations must be safe for concurrent use, and those that several processes share
// across them too; storetest.Run holds them to what is said here. A run is named by any string.
type Store interface {
	// Load returns the last saved snapshot; nil, 0, nil for a run that does not exist.
	// Errors: ErrCorrupt, ErrNewer, those of I/O and of ctx.
	Load(ctx context.Context, run string) (*Snapshot, Revision, error)
	// Save stores next, durably as far as the store is durable, if the run still is at prev, and returns its new revision.
	// Of several that save on the same prev exactly one succeeds. A nil next is an error.
	// Errors: ErrConflict, ErrIndeterminate, ErrCorrupt, ErrNewer; after any other, surely nothing was written.
	Save(ctx context.Context, run string, prev Revision, next *Snapshot) (Revision, error)
	// Delete forgets the run; one that does not exist is no error.
	Delete(ctx context.Context, run string) error
	// Runs returns the runs that exist, in byte order.
	Runs(ctx context.Context) ([]string, error)
}
