package filestore

import (
	"bytes"
	"cmp"
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

	lru "github.com/hashicorp/golang-lru/v2"

	"github.com/aside-go/aside/compile/reminder"
	"github.com/aside-go/aside/state"
)

// Store is a state.Store in a directory.
type Store struct {
	dir         string // absolute
	durability  Durability
	keep        time.Duration // below 0 for ever
	disk        disk
	mutexes     [locks]mutex
	reads       readers
	initialized atomic.Bool
	known       *lru.Cache[string, known] // by file name
	home        atomic.Pointer[string]    // the content of the stamp file; nil: not read yet
	unsynced    unsynced
	keys        keyIndex
	savedKeys   *lru.Cache[string, savedKeys] // by run
	keysFull    atomic.Int64                  // bytes of the file of keys at which it is full
	// bytes of a file of records at which it is full, and of all full files that are kept
	full, maxFull int64
}

var _ state.Store = (*Store)(nil)

const (
	runExt     = ".run"
	corruptExt = ".corrupt-" // then 1 to asides
	tmpDir     = "tmp"
	lockDir    = "lock"
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
	mark     mark
}

func (s *Store) loadFile(ctx context.Context, name, run string) (loaded, error) {
	if err := errors.Join(ctx.Err(), s.open()); err != nil {
		return loaded{}, err
	}
	ctx, cancel := s.disk.bounded(ctx)
	defer cancel()
	at, err := read(ctx, s.reads, func() (loaded, error) {
		at, err := s.readDecoded(name, run)
		if err == nil && at.rev == 0 {
			at = s.orLost(name, at)
		}
		return at, err
	})
	switch {
	case errors.Is(err, state.ErrCorrupt), at.torn:
	case err != nil:
		return loaded{}, err
	case at.rev == 0:
		return at, nil
	case s.durability != Power || at.mark == durable:
		return at, nil
	}
	now, nowErr := withLock(ctx, s, name, &operation{}, func(l lockedRun) (loaded, error) {
		if err := s.recoverSave(l, name, run); err != nil {
			return loaded{}, err
		}
		at, err := s.readDecoded(name, run)
		if errors.Is(err, state.ErrCorrupt) {
			err = s.setAside(name, err)
			if k, ok := s.known.Get(name); ok {
				return loaded{snapshot: k.snapshot, rev: k.rev}, nil
			}
		}
		return at, err
	})
	switch {
	case nowErr == nil || errors.Is(nowErr, state.ErrCorrupt):
		return now, nowErr
	case errors.Is(nowErr, fs.ErrNotExist): // the directory does not exist either
		return s.orLost(name, loaded{}), nil
	case err == nil && readOnly(nowErr):
		return at, nil // this process cannot complete a save here, so it does not wait for one
	default:
		return loaded{}, errors.Join(err, nowErr)
	}
}

// readDecoded reads the snapshot of a run. If the disk has an older one than this process knows, it has lost
// a save, and readDecoded returns the known one.
func (s *Store) readDecoded(name, run string) (loaded, error) {
	if at, ok := s.readKnown(name); ok {
		return at, nil
	}
	at, err := s.read(name, run)
	if err != nil || at.rev == 0 {
		return loaded{}, err
	}
	k, ok := s.known.Get(name)
	switch {
	case ok && k.rev == at.rev && k.sum == sumOf(at.snapshot), ok && k.after(at.rev):
		return loaded{k.snapshot, k.rev, at.torn, at.mark}, nil
	}
	snap, err := state.Decode(at.snapshot)
	if err != nil {
		return loaded{}, err
	}
	s.remember(name, at, snap)
	return loaded{snap, at.rev, at.torn, at.mark}, nil
}

// Save implements state.Store. When ctx ends it returns at once, even if another process holds the lock of
// the run or the disk is slow. The error then is that of ctx, and ErrIndeterminate as well if the snapshot
// may still be saved. A snapshot of more than 64 MiB is an error.
func (s *Store) Save(ctx context.Context, run string, prev state.Revision,
	next *state.Snapshot) (state.Revision, error) {
	return s.SaveRecorded(ctx, run, prev, next, nil)
}

// saving is what a save has to keep.
type saving struct {
	*state.Snapshot
	records []reminder.Record
}

func (s *Store) saveFile(ctx context.Context, name, run string, prev state.Revision,
	next saving) (state.Revision, error) {
	if err := errors.Join(ctx.Err(), s.open()); err != nil {
		return 0, err
	}
	if next.Snapshot == nil {
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
		f, at := s.openKnown(name, prev)
		if f != nil {
			defer f.Close()
			return s.saveOver(l, f, at, name, content{run, prev + 1, snapshot}, next)
		}
		at, err := s.readLost(name, run, prev)
		if err == nil && at.half != 0 && !bytes.Equal(ending(at.snapshot), ending(snapshot)) {
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
		if at.half != 0 {
			if f, err = s.disk.open(s.path(name + runExt)); err != nil {
				return 0, err
			}
			defer f.Close() // its error says nothing that the sync has not said
		}
		return s.saveOver(l, f, at, name, content{run, rev, snapshot}, next)
	})
}

// Anew begins a corrupt run anew, with next as its snapshot. What could not be read stays aside. It returns
// false, and changes nothing, where the run can be read, or does not exist.
func (s *Store) Anew(ctx context.Context, run string, next *state.Snapshot) (bool, error) {
	name := fileName(run)
	begun, err := withLock(ctx, s, name, &operation{}, func(l lockedRun) (bool, error) {
		at, err := s.read(name, run)
		if err == nil && at.rev != 0 {
			_, err = state.Decode(at.snapshot)
		}
		if !errors.Is(err, state.ErrCorrupt) {
			return false, err
		}
		err = s.setAside(name, err)
		if _, there := os.Lstat(s.path(name + runExt)); there == nil {
			return false, err
		}
		rev, err := after(0)
		if err == nil {
			_, err = s.saveOver(l, nil, stored{}, name, content{run, rev, next.Encode()}, saving{next, nil})
		}
		return err == nil, err
	})
	if err != nil {
		return false, fmt.Errorf("begin run %q anew: %w", run, err)
	}
	return begun, nil
}

// saveOver saves the content of a run whose file is at, and open as f. The caller holds the lock.
func (s *Store) saveOver(l lockedRun, f *os.File, at stored, name string, c content,
	next saving) (state.Revision, error) {
	_ = s.appendRecords(next.records)
	listed, err := s.list(c.run, c.rev, next.Snapshot)
	if err != nil {
		return 0, err
	}
	half, err := s.put(l, name, f, at, encode(c))
	if err == nil {
		s.remember(name, stored{content: c, half: half}, next.Snapshot)
		listed()
	}
	return c.rev, err
}

// readLost is read for a save on revision prev. If the disk has lost that revision and this process knows it,
// the run is at prev.
func (s *Store) readLost(name, run string, prev state.Revision) (stored, error) {
	at, err := s.read(name, run)
	k, ok := s.known.Get(name)
	if !ok || prev == 0 || k.rev != prev {
		return at, err
	}
	switch {
	case errors.Is(err, state.ErrCorrupt):
		_ = s.setAside(name, err)
		return stored{content: content{rev: prev}}, nil
	case err == nil && at.rev == 0 && s.lost(k), err == nil && at.rev != 0 && k.after(at.rev):
		at.rev = prev
	}
	return at, err
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
		if err := s.beginChange(l, nil, stored{}); err != nil {
			return struct{}{}, err
		}
		if err := s.removeFiles(name); err != nil {
			return struct{}{}, err
		}
		s.known.Remove(name)
		if s.durability == Power {
			if err := s.disk.syncDir(s.dir); err != nil {
				return struct{}{}, errors.Join(state.ErrIndeterminate, err)
			}
		}
		return struct{}{}, nil
	})
	if errors.Is(err, fs.ErrNotExist) { // the directory does not exist either
		return nil
	}
	return err
}

// pageSize is how many names a page has at most. Each page reads the whole directory.
const pageSize = 4096

// Runs implements state.Store, in the order of the files. The cursor is the name of the last file of the page
// before. Runs leaves out the runs whose file was set aside as corrupt. A run with a long name is known only
// from its file, so Runs leaves it out if the file cannot be read.
func (s *Store) Runs(ctx context.Context, cursor string) (runs []string, next string, err error) {
	if err := errors.Join(ctx.Err(), s.open()); err != nil {
		return nil, "", fmt.Errorf("list runs: %w", err)
	}
	files, err := os.ReadDir(s.dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, "", fmt.Errorf("list runs: %w", err)
	}
	at, _ := slices.BinarySearchFunc(files, cursor, func(f fs.DirEntry, cursor string) int {
		return cmp.Or(strings.Compare(f.Name(), cursor), -1) // the file after it
	})
	last := ""
	for _, f := range files[at:] {
		name, ok := strings.CutSuffix(f.Name(), runExt)
		if !ok || !ours(name) {
			continue
		}
		if len(runs) == pageSize {
			return runs, last, nil
		}
		last = f.Name()
		run, err := s.runOf(name)
		switch {
		case err == nil:
			runs = append(runs, run)
		case errors.Is(err, fs.ErrNotExist), errors.Is(err, errNoRun): // deleted meanwhile, or a foreign file
		default:
			return nil, "", fmt.Errorf("list runs: %w", err)
		}
		if err := ctx.Err(); err != nil {
			return nil, "", fmt.Errorf("list runs: %w", err)
		}
	}
	return runs, "", nil
}

// open returns an error of the zero Store.
func (s *Store) open() error {
	if s.dir == "" {
		return errors.New("the store was not opened")
	}
	return nil
}

func (s *Store) path(file string) string { return filepath.Join(s.dir, file) }
