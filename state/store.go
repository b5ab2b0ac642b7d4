package state

import (
	"context"
	"errors"
	"slices"

	"github.com/aside-go/aside/internal/firing"
)

// Errors of every Store, of Decode and of turns. They come wrapped; find them with errors.Is.
var (
	// ErrConflict says that the run has changed since it was loaded, and that nothing was written.
	ErrConflict = errors.New("the run was changed by another")
	// ErrIndeterminate says that the snapshot may or may not have been written, and that it may still be, where
	// the store is reached over a network. To find out, save again, on what Load returns: if the first save
	// comes in between, that is a conflict.
	ErrIndeterminate = errors.New("it is not known whether the run was saved")
	// ErrCorrupt says that a stored run cannot be read. It is never taken for an empty run: that would fire
	// everything again.
	ErrCorrupt = firing.ErrCorrupt
	// ErrNewer says that a newer version of this module wrote the stored run. It stays as it is.
	ErrNewer = firing.ErrNewer
	// ErrOldKey says that an older turn of the run has this turn key, or that the key ends in a lower number
	// than the key of the last turn, so the turn is too late.
	ErrOldKey = firing.ErrOldKey
	// ErrOtherBody says that the run's last turn has this turn key and another body: the key names two
	// turns.
	ErrOtherBody = firing.ErrOtherBody
)

// Snapshot is the state of a run after a turn. With it, this process or another can continue the run. A Store
// writes the result of its Encode, one line of JSON, and reads it by Decode. A nil Snapshot is a run that has
// not begun. Snapshots are immutable and may be used concurrently.
type Snapshot = firing.Snapshot

// Decode reads the bytes that Snapshot.Encode wrote. For other bytes it returns ErrNewer if they name a later
// version, otherwise ErrCorrupt. White space around the snapshot is allowed. Decode keeps no part of b.
func Decode(b []byte) (*Snapshot, error) { return firing.Decode(b) }

// Revision names one saved state of a run. Revisions can only be compared for equality. A store never uses
// one twice for a run, not even after the run was deleted and began anew. 0 is a run that does not exist.
type Revision uint64

// Store keeps the snapshot of each run. Any string can name a run. Implementations must be safe for
// concurrent use, also by several processes if these can share the store. Package storetest tests this
// contract.
//
// A Store may also find runs by keys, which spares package transport a row for each answer of a run. The
// notes of a snapshot that is saved may have a method Keys() (keys, values []uint64). By these the run is
// found until it is saved with others or deleted; notes without the method, and nil keys, leave them as they
// are. The method Find(ctx context.Context, key uint64, limit int) (map[string][]uint64, error) of the Store
// returns runs that have a key, at most limit, each with the values of the key there. Of a store that an
// older program has made its error may be errors.ErrUnsupported. A limit of 0 finds no run, and finds that
// out.
type Store interface {
	// Load returns the snapshot of a run as it was last saved. For a run that does not exist it returns nil, 0,
	// nil. Its errors are ErrCorrupt, ErrNewer, that of ctx, and those of I/O.
	Load(ctx context.Context, run string) (*Snapshot, Revision, error)
	// Save replaces the snapshot of a run, provided that its revision still is prev, and returns the new
	// revision. When it returns, next is as safe as the store can make it. Of several calls with the same prev
	// exactly one succeeds. A nil next is an error. Its errors are ErrConflict, ErrIndeterminate, ErrCorrupt,
	// ErrNewer, that of ctx, and those of I/O. Unless the error is ErrIndeterminate, next was not written.
	Save(ctx context.Context, run string, prev Revision, next *Snapshot) (Revision, error)
	// Delete forgets a run. It is not an error if the run does not exist.
	Delete(ctx context.Context, run string) error
	// Runs returns a page of the names of the runs, in no order, and the cursor of the next page: "" begins, and
	// is the cursor after the last page; one that no page came with begins anywhere. A run that exists all the
	// while stands in one page or more. A page may be empty. AllRuns returns all.
	Runs(ctx context.Context, cursor string) (runs []string, next string, err error)
}

// AllRuns returns the names of all runs of a store, in byte order. The errors are those of Store.Runs.
func AllRuns(ctx context.Context, store Store) ([]string, error) {
	all := []string{}
	for cursor := ""; ; {
		runs, next, err := store.Runs(ctx, cursor)
		if err != nil {
			return nil, err
		}
		all = append(all, runs...)
		if cursor = next; cursor == "" {
			slices.Sort(all)
			return slices.Compact(all), nil
		}
	}
}

// maxTries bounds Retry. Each failed try means that another write succeeded, so only this many writers on one
// run at the same time can exhaust it.
const maxTries = 256

// Retry calls try again as long as it returns ErrConflict, at most 256 times, and returns the last error. It
// does not wait in between.
func Retry(try func() error) error {
	var err error
	for range maxTries {
		if err = try(); !errors.Is(err, ErrConflict) {
			return err
		}
	}
	return err
}

// Update replaces the snapshot of a run by the one that edit returns for it. The snapshot of a run that does
// not exist is nil. If another writer of the run was quicker, Update calls edit again with the snapshot as it
// is by then; edit must not modify the snapshot. If edit returns nil or an error, nothing is written. The
// errors are those of edit and of the store.
func Update(ctx context.Context, store Store, run string, edit func(*Snapshot) (*Snapshot, error)) error {
	return Retry(func() error {
		prev, rev, err := store.Load(ctx, run)
		if err != nil {
			return err
		}
		next, err := edit(prev)
		if next == nil || err != nil {
			return err
		}
		_, err = store.Save(ctx, run, rev, next)
		return err
	})
}
