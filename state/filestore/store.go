package filestore

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/aside-go/aside/state"
)

// Store is a state.Store in a directory.
type Store struct {
	dir         string // absolute
	durability  Durability
	keep        time.Duration // below 0 for ever
	disk        disk
	queue       queue
	established atomic.Bool
	recent      recent
}

var _ state.Store = (*Store)(nil)

const (
	runExt     = ".run"
	lockExt    = ".lock"
	corruptExt = ".corrupt-" // then 1 to asides
	tmpDir     = "tmp"
)

// Load implements state.Store. It takes no lock, with one exception: if what it reads may not be durable yet, it waits for the save
// that is under way. Otherwise a decision could be acted on and then be lost with the power.
func (s *Store) Load(ctx context.Context, run string) (*state.Snapshot, state.Revision, error) {
	at, err := s.load(ctx, fileName(run), run)
	if err != nil {
		return nil, 0, fmt.Errorf("load run %q: %w", run, err)
	}
	return at.snapshot, at.rev, nil
}

// loaded is what Load returns; the zero value for a run that does not exist.
type loaded struct {
	snapshot *state.Snapshot
	rev      state.Revision
}

func (s *Store) load(ctx context.Context, name, run string) (loaded, error) {
	if err := ctx.Err(); err != nil {
		return loaded{}, err
	}
	at, err := s.decoded(name, run)
	switch {
	case errors.Is(err, state.ErrCorrupt):
	case err != nil:
		return loaded{}, err
	case at.rev == 0 || s.durability != Power:
		return at, nil
	default:
		if dirty, err := s.dirty(name); err != nil || !dirty {
			return at, err
		}
	}
	now, nowErr := underLock(ctx, s, name, &pact{}, func(h holder) (loaded, error) {
		if err := s.settle(h, name); err != nil {
			return loaded{}, err
		}
		at, err := s.decoded(name, run)
		if errors.Is(err, state.ErrCorrupt) {
			err = s.setAside(name, err)
		}
		return at, err
	})
	switch {
	case nowErr == nil || errors.Is(nowErr, state.ErrCorrupt):
		return now, nowErr
	case errors.Is(nowErr, fs.ErrNotExist): // so is the directory
		return loaded{}, nil
	case err == nil && readOnly(nowErr):
		return at, nil // what cannot be changed here is not waited for
	default:
		return loaded{}, errors.Join(err, nowErr)
	}
}

// decoded reads the snapshot of a run.
func (s *Store) decoded(name, run string) (loaded, error) {
	at, err := s.read(name, run)
	if err != nil || at.rev == 0 {
		return loaded{}, err
	}
	snap, err := s.recent.decode(name, at.snapshot)
	if err != nil {
		return loaded{}, err
	}
	return loaded{snap, at.rev}, nil
}

// Save implements state.Store. When ctx ends it returns at once, even if another process holds the lock of the run or the disk is
// slow. Its error then is that of ctx, and ErrIndeterminate as well if the snapshot may still be saved. A snapshot of more than
// 64 MiB is an error.
func (s *Store) Save(ctx context.Context, run string, prev state.Revision, next *state.Snapshot) (state.Revision, error) {
	rev, err := s.save(ctx, fileName(run), run, prev, next)
	if err != nil {
		return 0, fmt.Errorf("save run %q: %w", run, err)
	}
	return rev, nil
}

func (s *Store) save(ctx context.Context, name, run string, prev state.Revision, next *state.Snapshot) (state.Revision, error) {
	if err := ctx.Err(); err != nil {
		return 0, err
	}
	if next == nil {
		return 0, errors.New("there is no snapshot to save")
	}
	if !s.established.Load() {
		if err := s.establish(); err != nil {
			return 0, err
		}
	}
	snapshot := next.Encode()
	if len(snapshot)+4*len(run)+len(magic)+64 > maxFile { // a byte of the run's name takes up to four
		return 0, fmt.Errorf("a snapshot of %d bytes is too large", len(snapshot))
	}
	return underLock(ctx, s, name, &pact{makes: true}, func(h holder) (state.Revision, error) {
		at, err := s.read(name, run)
		if err == nil && at.rev != 0 && !bytes.Equal(ending(at.snapshot), ending(snapshot)) {
			_, err = state.Decode(at.snapshot)
		}
		switch {
		case errors.Is(err, state.ErrCorrupt):
			return 0, s.setAside(name, err)
		case err != nil:
			return 0, err
		case at.rev != prev:
			return 0, state.ErrConflict
		}
		rev, err := after(at.rev)
		if err != nil {
			return 0, err
		}
		err = s.replace(h, name, encode(content{run: run, rev: rev, snapshot: snapshot}))
		if err == nil {
			s.recent.keep(name, snapshot, next)
		}
		return rev, err
	})
}

// ending returns the end of a snapshot, which has its format version. If two snapshots end alike, they are of the same version, so
// Save need not decode the one that it replaces to find out that it is not of a newer one.
func ending(snapshot []byte) []byte { return snapshot[bytes.LastIndexByte(snapshot, ',')+1:] }

// after returns the revision that follows rev. The first of a run is random, so that a run that was deleted and began anew does
// not have the revisions of the old one again.
func after(rev state.Revision) (state.Revision, error) {
	if rev != 0 {
		return rev + 1, nil
	}
	var b [8]byte
	if _, err := rand.Read(b[:]); err != nil {
		return 0, err
	}
	return state.Revision(binary.BigEndian.Uint64(b[:])>>2 + 1), nil
}

// Delete implements state.Store. It also removes what was set aside as corrupt.
func (s *Store) Delete(ctx context.Context, run string) error {
	if err := s.delete(ctx, fileName(run)); err != nil {
		return fmt.Errorf("delete run %q: %w", run, err)
	}
	return nil
}

func (s *Store) delete(ctx context.Context, name string) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	_, err := underLock(ctx, s, name, &pact{}, func(h holder) (struct{}, error) {
		if err := s.begin(h); err != nil {
			return struct{}{}, err
		}
		if err := s.removeFiles(name); err != nil {
			return struct{}{}, err
		}
		if s.durability == Power {
			if err := s.disk.syncDir(s.dir); err != nil {
				return struct{}{}, errors.Join(state.ErrIndeterminate, err)
			}
		}
		s.removeLock(name)
		return struct{}{}, nil
	})
	if errors.Is(err, fs.ErrNotExist) { // so is the directory
		return nil
	}
	return err
}

// Runs implements state.Store. It leaves out runs that were set aside as corrupt, and those whose name is too long to be part of
// the name of the file if the file cannot be read.
func (s *Store) Runs(ctx context.Context) ([]string, error) {
	if err := ctx.Err(); err != nil {
		return nil, fmt.Errorf("list runs: %w", err)
	}
	files, err := os.ReadDir(s.dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("list runs: %w", err)
	}
	runs := []string{}
	for _, f := range files {
		name, ok := strings.CutSuffix(f.Name(), runExt)
		if !ok || !ours(name) {
			continue
		}
		run, err := s.runOf(name)
		switch {
		case err == nil:
			runs = append(runs, run)
		case errors.Is(err, fs.ErrNotExist), errors.Is(err, errNoRun): // deleted meanwhile, or somebody else's file
		default:
			return nil, fmt.Errorf("list runs: %w", err)
		}
		if err := ctx.Err(); err != nil {
			return nil, fmt.Errorf("list runs: %w", err)
		}
	}
	slices.Sort(runs)
	return runs, nil
}

func (s *Store) path(file string) string { return filepath.Join(s.dir, file) }
