package state

import (
	"cmp"
	"context"
	"iter"
	"time"

	"github.com/aside-go/aside/compile/reminder"
	"github.com/aside-go/aside/internal/firing"
)

// Recorder is a Store that also keeps the records of outcomes. A Recorder may forget the oldest records; it
// says how many it keeps. Package storetest tests this contract.
type Recorder interface {
	Store
	// SaveRecorded is Save with records, which are kept if the snapshot is. Records of a save whose process was
	// killed, or whose error is ErrIndeterminate, may be kept although the snapshot is not: the same turn,
	// decided again, has the same firings.
	SaveRecorded(ctx context.Context, run string, prev Revision, next *Snapshot,
		records []reminder.Record) (Revision, error)
	// Records yields the records, those of one run in the order of their saves. It ends with the first error.
	// The record may change with the next one: copy what is to be kept.
	Records(ctx context.Context) iter.Seq2[*reminder.Record, error]
}

// SaveRecorded saves a snapshot, with records where the store is a Recorder.
func SaveRecorded(ctx context.Context, store Store, run string, prev Revision, next *Snapshot,
	records []reminder.Record) (Revision, error) {
	if recorder, ok := store.(Recorder); ok && len(records) > 0 {
		return recorder.SaveRecorded(ctx, run, prev, next, records)
	}
	return store.Save(ctx, run, prev, next)
}

// End ends the expectations of a run that is over: those that no turn has settled are open, and recorded so
// where the store is a Recorder. root is the run whose name decides a holdout, the run itself if it is "". A
// run that goes on all the same goes on as it was, without them. It is no error if the run does not exist.
// The errors are those of the store.
func End(ctx context.Context, store Store, run, root string, at time.Time) error {
	return Retry(func() error {
		prev, rev, err := store.Load(ctx, run)
		if err != nil {
			return err
		}
		next, records := firing.End(prev, firing.Input{Run: cmp.Or(root, run), Thread: run, At: at})
		if len(records) > 0 {
			_, err = SaveRecorded(ctx, store, run, rev, next, records)
		}
		return err
	})
}
