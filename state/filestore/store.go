package filestore

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/maphash"
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
	mutexes     mutexes
	initialized atomic.Bool
	decoded     *decodedCache
}

var _ state.Store = (*Store)(nil)

const (
	runExt     = ".run"
	lockExt    = ".lock"
	corruptExt = ".corrupt-" // then 1 to asides
	tmpDir     = "tmp"
)

// Load implements state.Store. It takes no lock, with one exception: if a save is under way, it waits for
// that. Otherwise a host could act on a decision that a loss of power undoes. A record that is not whole is a
// sign of a save, too: while the reader was at one half, several saves may have changed the other.
func (s *Store) Load(ctx context.Context, run string) (*state.Snapshot, state.Revision, error) {
	at, err := s.loadFile(ctx, fileName(run), run)
	if err != nil {
		return nil, 0, fmt.Errorf("load run %q: %w", run, err)
	}
	return at.snapshot, at.rev, nil
}

// loaded is the result of Load; the zero value for a run that does not exist.
type loaded struct {
	snapshot *state.Snapshot
	rev      state.Revision
	torn     bool // as in stored
}

func (s *Store) loadFile(ctx context.Context, name, run string) (loaded, error) {
	if err := ctx.Err(); err != nil {
		return loaded{}, err
	}
	at, err := s.readDecoded(name, run)
	switch {
	case errors.Is(err, state.ErrCorrupt), at.torn:
	case err != nil:
		return loaded{}, err
	case at.rev == 0 || s.durability != Power:
		return at, nil
	default:
		if dirty, err := s.dirty(name); err != nil || !dirty {
			return at, err
		}
	}
	now, nowErr := withLock(ctx, s, name, &operation{}, func(l lockedRun) (loaded, error) {
		if err := s.recoverSave(l, name, run); err != nil {
			return loaded{}, err
		}
		at, err := s.readDecoded(name, run)
		if errors.Is(err, state.ErrCorrupt) {
			err = s.setAside(name, err)
		}
		return at, err
	})
	switch {
	case nowErr == nil || errors.Is(nowErr, state.ErrCorrupt):
		return now, nowErr
	case errors.Is(nowErr, fs.ErrNotExist): // the directory does not exist either
		return loaded{}, nil
	case err == nil && readOnly(nowErr):
		return at, nil // this process cannot complete a save here, so it does not wait for one
	default:
		return loaded{}, errors.Join(err, nowErr)
	}
}

// readDecoded reads the snapshot of a run.
func (s *Store) readDecoded(name, run string) (loaded, error) {
	at, err := s.read(name, run)
	if err != nil || at.rev == 0 {
		return loaded{}, err
	}
	snap, err := s.decoded.get(name, at.snapshot)
	if err != nil {
		return loaded{}, err
	}
	return loaded{snap, at.rev, at.torn}, nil
}

// Save implements state.Store. When ctx ends it returns at once, even if another process holds the lock of
// the run or the disk is slow. The error then is that of ctx, and ErrIndeterminate as well if the snapshot
// may still be saved. A snapshot of more than 64 MiB is an error.
func (s *Store) Save(ctx context.Context, run string, prev state.Revision,
	next *state.Snapshot) (state.Revision, error) {
	rev, err := s.saveFile(ctx, fileName(run), run, prev, next)
	if err != nil {
		return 0, fmt.Errorf("save run %q: %w", run, err)
	}
	return rev, nil
}

func (s *Store) saveFile(ctx context.Context, name, run string, prev state.Revision,
	next *state.Snapshot) (state.Revision, error) {
	if err := ctx.Err(); err != nil {
		return 0, err
	}
	if next == nil {
		return 0, errors.New("there is no snapshot to save")
	}
	if !s.initialized.Load() {
		if err := s.initDir(); err != nil {
			return 0, err
		}
	}
	snapshot := next.Encode()
	if len(snapshot)+4*len(run)+len(magic)+64 > maxRecord { // a byte of the run's name takes up to four
		return 0, fmt.Errorf("a snapshot of %d bytes is too large", len(snapshot))
	}
	return withLock(ctx, s, name, &operation{create: true}, func(l lockedRun) (state.Revision, error) {
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
		err = s.put(l, name, at, encode(content{run, rev, snapshot}))
		if err == nil {
			s.decoded.add(name, snapshot, next)
		}
		return rev, err
	})
}

// ending returns the end of an encoded snapshot, which holds its format version. If two snapshots end alike,
// they have the same version, so Save need not decode the old snapshot to find out whether a newer program
// wrote it.
func ending(snapshot []byte) []byte { return snapshot[bytes.LastIndexByte(snapshot, ',')+1:] }

// after returns the revision that follows rev. The first revision of a run is random, so a run that was
// deleted and began anew does not use the revisions of the old run again.
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

// Delete implements state.Store. It also removes the corrupt files of the run.
func (s *Store) Delete(ctx context.Context, run string) error {
	if err := s.deleteFiles(ctx, fileName(run)); err != nil {
		return fmt.Errorf("delete run %q: %w", run, err)
	}
	return nil
}

func (s *Store) deleteFiles(ctx context.Context, name string) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	_, err := withLock(ctx, s, name, &operation{}, func(l lockedRun) (struct{}, error) {
		if err := s.beginChange(l); err != nil {
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
	if errors.Is(err, fs.ErrNotExist) { // the directory does not exist either
		return nil
	}
	return err
}

// Runs implements state.Store. It leaves out the runs whose file was set aside as corrupt. A run with a long
// name is known only from its file, so Runs leaves it out if the file cannot be read.
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
		case errors.Is(err, fs.ErrNotExist), errors.Is(err, errNoRun): // deleted meanwhile, or a foreign file
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

// decodedCache holds the snapshots that were read or saved last, beside their bytes. A file with the same
// bytes need not be decoded again. Decoding takes most of the time of a Load if one process serves a run over
// many turns.
type decodedCache struct {
	seed  maphash.Seed
	slots [256]atomic.Pointer[decodedBytes] // by the hash of the file name; a slot holds the last one
}

// decodedBytes are immutable.
type decodedBytes struct {
	bytes    []byte
	snapshot *state.Snapshot
}

// maxCached is the size in bytes from which on a snapshot is not cached.
const maxCached = 64 << 10

func newDecodedCache() *decodedCache { return &decodedCache{seed: maphash.MakeSeed()} }

func (c *decodedCache) slot(name string) *atomic.Pointer[decodedBytes] {
	return &c.slots[maphash.String(c.seed, name)%uint64(len(c.slots))]
}

// add caches a snapshot with its bytes, which nobody may modify from here on.
func (c *decodedCache) add(name string, b []byte, s *state.Snapshot) {
	if len(b) < maxCached {
		c.slot(name).Store(&decodedBytes{b, s})
	}
}

// get returns state.Decode of the bytes of a run.
func (c *decodedCache) get(name string, b []byte) (*state.Snapshot, error) {
	if d := c.slot(name).Load(); d != nil && bytes.Equal(d.bytes, b) {
		return d.snapshot, nil
	}
	s, err := state.Decode(b)
	if err == nil {
		c.add(name, b, s)
	}
	return s, err
}
