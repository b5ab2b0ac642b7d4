package storetest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"runtime"
	"sync"

	"github.com/aside-go/aside/state"
)

const (
	writers = 8
	rounds  = 12
)

// race lets all writers save on the same revision at once. Exactly one must succeed, the others must get
// ErrConflict, and the store must hold the winner's snapshot.
func race(ctx context.Context, s state.Store, run string, rev state.Revision,
	prev *state.Snapshot) (*state.Snapshot, state.Revision, error) {
	var (
		start = make(chan struct{})
		revs  [writers]state.Revision
		errs  [writers]error
		snaps [writers]*state.Snapshot
		wg    sync.WaitGroup
	)
	for i := range writers {
		snaps[i] = step(prev, fmt.Sprintf("writer %d", i))
		wg.Go(func() {
			<-start
			revs[i], errs[i] = s.Save(ctx, run, rev, snaps[i])
		})
	}
	close(start)
	wg.Wait()
	winner := -1
	for i, err := range errs {
		switch {
		case err == nil && winner >= 0:
			return nil, 0, fmt.Errorf("both writer %d and writer %d saved run %q on revision %d", winner, i, run, rev)
		case err == nil:
			winner = i
		case !errors.Is(err, state.ErrConflict):
			return nil, 0, fmt.Errorf("writer %d: %w, want ErrConflict", i, err)
		}
	}
	if winner < 0 {
		return nil, 0, fmt.Errorf("nobody could save run %q on revision %d", run, rev)
	}
	return snaps[winner], revs[winner], load(ctx, s, run, snaps[winner], revs[winner])
}

func concurrentSave(ctx context.Context, s state.Store) error {
	snap := step(nil, "first")
	rev, err := save(ctx, s, "run", 0, snap)
	for range rounds {
		if err != nil {
			return err
		}
		snap, rev, err = race(ctx, s, "run", rev, snap)
	}
	return err
}

// concurrentCreate tests the first save of a run by itself: it is the dangerous one.
func concurrentCreate(ctx context.Context, s state.Store) error {
	for i := range rounds {
		if _, _, err := race(ctx, s, fmt.Sprintf("run %d", i), 0, nil); err != nil {
			return err
		}
	}
	return nil
}

// noLostUpdate lets all writers take turns of one run, each trying again after a conflict. No turn may be
// lost.
func noLostUpdate(ctx context.Context, s state.Store) error {
	var (
		errs [writers]error
		wg   sync.WaitGroup
	)
	for i := range writers {
		wg.Go(func() {
			for range rounds {
				if errs[i] = turn(ctx, s, fmt.Sprintf("writer %d", i)); errs[i] != nil {
					return
				}
			}
		})
	}
	wg.Wait()
	if err := errors.Join(errs[:]...); err != nil {
		return err
	}
	snap, _, err := s.Load(ctx, "run")
	if err == nil && snap.Turn() != writers*rounds {
		err = fmt.Errorf("%d turns are left of %d", snap.Turn(), writers*rounds)
	}
	return err
}

func turn(ctx context.Context, s state.Store, who string) error {
	return state.Update(ctx, s, "run", func(prev *state.Snapshot) (*state.Snapshot, error) {
		return step(prev, who), nil
	})
}

// many keeps as many runs as a user has in a month, written by several writers at once.
func many(ctx context.Context, s state.Store) error {
	const runs = 1100
	var (
		errs  [writers]error
		ids   [runs]string
		revs  [runs]state.Revision
		snaps [runs]*state.Snapshot
		wg    sync.WaitGroup
	)
	for w := range writers {
		wg.Go(func() {
			for i := w; i < runs && errs[w] == nil; i += writers {
				ids[i], snaps[i] = fmt.Sprintf("run %03d", i), step(nil, fmt.Sprint(i))
				revs[i], errs[w] = s.Save(ctx, ids[i], 0, snaps[i])
			}
		})
	}
	wg.Wait()
	if err := errors.Join(errs[:]...); err != nil {
		return err
	}
	for i, run := range ids {
		if err := load(ctx, s, run, snaps[i], revs[i]); err != nil {
			return err
		}
	}
	return wantRuns(ctx, s, ids[:]...)
}

// interrupted ends the context of a save while it is under way. An error of the context alone says that
// nothing was saved and nothing will be; ErrIndeterminate says that the snapshot may be saved, now or in a
// moment, and the next save tells.
func interrupted(ctx context.Context, s state.Store) error {
	var (
		snap *state.Snapshot
		rev  state.Revision
	)
	for i := range 60 {
		next := step(snap, fmt.Sprint(i))
		now, err := cut(ctx, s, i, rev, next)
		switch {
		case err == nil:
			snap, rev = next, now
		case errors.Is(err, state.ErrIndeterminate):
			if snap, rev, err = settled(ctx, s, snap, next); err != nil {
				return err
			}
		case !errors.Is(err, context.Canceled):
			return fmt.Errorf("saving while the context ends: %w", err)
		}
		for range 2 {
			if loadErr := load(ctx, s, "run", snap, rev); loadErr != nil {
				return fmt.Errorf("after Save had said %v: %w", err, loadErr)
			}
		}
	}
	_, err := save(ctx, s, "run", rev, step(snap, "last"))
	return err
}

// settled saves until a save is known to have succeeded, and returns what it saved. Until then the run must
// have had the one snapshot or the other.
func settled(ctx context.Context, s state.Store, before, unsure *state.Snapshot) (*state.Snapshot,
	state.Revision, error) {
	for {
		now, rev, err := s.Load(ctx, "run")
		if err != nil {
			return nil, 0, err
		}
		if !same(now, before) && !same(now, unsure) {
			return nil, 0, fmt.Errorf("turn %d is neither what was there nor what was saved", now.Turn())
		}
		next := step(now, "settled")
		if rev, err = s.Save(ctx, "run", rev, next); !errors.Is(err, state.ErrConflict) {
			return next, rev, err
		}
	}
}

func same(a, b *state.Snapshot) bool {
	return a == nil && b == nil || a != nil && b != nil && bytes.Equal(a.Encode(), b.Encode())
}

// cut saves with a context that ends at some moment. A larger i is a later moment.
func cut(ctx context.Context, s state.Store, i int, rev state.Revision,
	next *state.Snapshot) (state.Revision, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	var wg sync.WaitGroup
	defer wg.Wait()
	wg.Go(func() {
		for range i * i {
			runtime.Gosched()
		}
		cancel()
	})
	return s.Save(ctx, "run", rev, next)
}

// wholeReads reads while another goroutine writes: each value must be whole, with its own revision, and not
// older than the value before.
func wholeReads(ctx context.Context, s state.Store) error {
	const turns = 50
	var (
		errs    [writers]error
		written error
		done    = make(chan struct{})
		wg      sync.WaitGroup
	)
	for i := range writers / 2 {
		wg.Go(func() {
			last := 0
			for over := false; !over && errs[i] == nil; {
				select {
				case <-done:
					over = true
				default:
				}
				snap, rev, err := s.Load(ctx, "run")
				switch {
				case err != nil:
					errs[i] = err
				case (snap == nil) != (rev == 0):
					errs[i] = fmt.Errorf("turn %d with revision %d", snap.Turn(), rev)
				case snap.Turn() < last:
					errs[i] = fmt.Errorf("turn %d after turn %d", snap.Turn(), last)
				}
				last = snap.Turn()
			}
		})
	}
	for range turns {
		if written = turn(ctx, s, "writer"); written != nil {
			break
		}
	}
	close(done)
	wg.Wait()
	return errors.Join(append(errs[:], written)...)
}
