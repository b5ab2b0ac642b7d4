package runs

import (
	"context"
	"hash/maphash"

	"github.com/aside-go/aside/compile/reminder"
	"github.com/aside-go/aside/internal/firing"
	"github.com/aside-go/aside/internal/response"
	"github.com/aside-go/aside/state"
)

// carrier begins the name of a run that is there only while records are copied: a store takes records with
// the snapshot of a run, and those of runs that are forgotten are copied, too. No list of runs has it.
const carrier = response.KeptPrefix + "outcomes-"

// batch is about how many records are held until they are written.
const batch = 10_000

// copyRecords copies the records of outcomes that the target has not, those of a run in their order, and
// returns how many they were.
func copyRecords(ctx context.Context, source, target state.Store) (copied int, err error) {
	from, records := source.(state.Recorder)
	to, both := target.(state.Recorder)
	if !records || !both {
		return 0, nil
	}
	seed, there := maphash.MakeSeed(), map[uint64]bool{}
	sum := func(r *reminder.Record) uint64 {
		r.Time = r.Time.UTC()
		return maphash.Comparable(seed, *r)
	}
	for r, err := range to.Records(ctx) {
		if err != nil {
			return 0, err
		}
		there[sum(r)] = true
	}
	runs, held := map[string][]reminder.Record{}, 0
	write := func() error {
		for run, records := range runs {
			if err := carry(ctx, to, carrier+run, records); err != nil {
				return err
			}
			copied += len(records)
		}
		clear(runs)
		held = 0
		return nil
	}
	for r, err := range from.Records(ctx) {
		if err != nil {
			return copied, err
		}
		if there[sum(r)] {
			continue
		}
		runs[r.Run] = append(runs[r.Run], *r)
		if held++; held >= batch {
			if err := write(); err != nil {
				return copied, err
			}
		}
	}
	return copied, write()
}

// carry adds records to a store by a run that is gone again behind it.
func carry(ctx context.Context, to state.Recorder, run string, records []reminder.Record) error {
	_, rev, err := to.Load(ctx, run) // a copy that was killed may have left it
	if err != nil {
		return err
	}
	_, err = to.SaveRecorded(ctx, run, rev, firing.Remind(nil, carrier), records)
	if gone := to.Delete(context.WithoutCancel(ctx), run); err == nil {
		err = gone
	}
	return err
}
