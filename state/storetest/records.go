package storetest

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/aside-go/aside/compile/reminder"
	"github.com/aside-go/aside/state"
)

// records: the records of a save are kept with it, in its order, and those of a conflict are not; a run that
// is deleted leaves its records, and they are no runs.
func records(ctx context.Context, store state.Store) error {
	s, ok := store.(state.Recorder)
	if !ok {
		return nil
	}
	wants := map[string][]reminder.Record{}
	for n, run := range []string{"a", "é/\x00b", "x{tag}y", "a"} {
		made := []reminder.Record{recordOf(run, n, reminder.Fired), recordOf(run, n, reminder.Heeded)}
		made[1].HeldOut, made[1].Turns, made[1].Agent, made[1].Model = true, 3, "an \"agent\"", "<m>"
		prev, rev, err := s.Load(ctx, run)
		if err != nil {
			return err
		}
		next := step(prev, run)
		saved, err := s.SaveRecorded(ctx, run, rev, next, made)
		if err != nil {
			return err
		}
		if err := load(ctx, s, run, next, saved); err != nil {
			return err
		}
		wants[run] = append(wants[run], made...)
		lost := []reminder.Record{recordOf(run, 100+n, reminder.Fired)}
		if _, err := s.SaveRecorded(ctx, run, rev, next, lost); !errors.Is(err, state.ErrConflict) {
			return fmt.Errorf("SaveRecorded(%q) on an old revision: %w, want ErrConflict", run, err)
		}
	}
	if err := wantRecords(ctx, s, wants); err != nil {
		return err
	}
	if err := wantRuns(ctx, s, "a", "é/\x00b", "x{tag}y"); err != nil {
		return err
	}
	if err := s.Delete(ctx, "a"); err != nil {
		return err
	}
	if err := wantRecords(ctx, s, wants); err != nil {
		return fmt.Errorf("after Delete: %w", err)
	}
	over, cancel := context.WithCancel(ctx)
	cancel()
	for _, err := range s.Records(over) {
		if errors.Is(err, context.Canceled) {
			return nil
		}
	}
	return errors.New("no error of Records with a context that is over")
}

func recordOf(run string, n int, outcome string) reminder.Record {
	return reminder.Record{Time: time.Unix(1_700_000_000, 0).UTC(), Run: run,
		Firing: fmt.Sprintf("%016x", n), ID: "r",
		Version: "0123456789abcdef", Outcome: outcome}
}

// wantRecords returns an error unless the records of each run are these.
func wantRecords(ctx context.Context, s state.Recorder, want map[string][]reminder.Record) error {
	got := map[string][]reminder.Record{}
	for r, err := range s.Records(ctx) {
		if err != nil {
			return err
		}
		got[r.Run] = append(got[r.Run], *r)
	}
	for run := range want {
		if !slices.Equal(got[run], want[run]) {
			return fmt.Errorf("records of %q: %+v, want %+v", run, got[run], want[run])
		}
	}
	if len(got) != len(want) {
		return fmt.Errorf("records of %d runs, want %d", len(got), len(want))
	}
	return nil
}
