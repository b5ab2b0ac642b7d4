package filestore

import (
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

	"github.com/aside-go/aside/state"
)

// Store is a state.Store in a directory.
type Store struct {
	dir  string
	disk disk
}

var _ state.Store = (*Store)(nil)

const (
	runExt     = ".run"
	lockExt    = ".lock"
	corruptExt = ".corrupt"
	tmpDir     = "tmp"
)

// Open returns the store in dir, which is made if it is not there, and removes what killed processes left.
func Open(dir string) (*Store, error) {
	s := &Store{dir: dir, disk: osDisk()}
	if err := os.MkdirAll(filepath.Join(dir, tmpDir), 0o700); err != nil {
		return nil, fmt.Errorf("open store: %w", err)
	}
	if err := s.sweep(); err != nil {
		return nil, fmt.Errorf("open store %s: %w", dir, err)
	}
	return s, nil
}

// Load implements state.Store.
func (s *Store) Load(ctx context.Context, run string) (*state.Snapshot, state.Revision, error) {
	snap, rev, err := s.load(ctx, fileName(run), run)
	if err != nil {
		return nil, 0, fmt.Errorf("load run %q: %w", run, err)
	}
	return snap, rev, nil
}

func (s *Store) load(ctx context.Context, name, run string) (*state.Snapshot, state.Revision, error) {
	if err := ctx.Err(); err != nil {
		return nil, 0, err
	}
	snap, rev, err := s.read(name, run)
	if !errors.Is(err, state.ErrCorrupt) {
		return snap, rev, err
	}
	l, lockErr := s.lock(name)
	if lockErr != nil {
		return nil, 0, errors.Join(err, lockErr)
	}
	defer l.Close()
	return s.readLocked(name, run)
}

// Save implements state.Store.
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
	l, err := s.lock(name)
	if err != nil {
		return 0, err
	}
	defer l.Close()
	if err := ctx.Err(); err != nil { // the lock may have taken long
		return 0, err
	}
	_, rev, err := s.readLocked(name, run)
	if err != nil {
		return 0, err
	}
	if rev != prev {
		return 0, state.ErrConflict
	}
	if rev, err = after(rev); err != nil {
		return 0, err
	}
	return rev, s.replace(name, encode(content{run: run, rev: rev, snapshot: next.Encode()}))
}

// after returns the revision behind rev. The first of a run is random, so that a run that was deleted and began anew has
// none of its old revisions.
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

// Delete implements state.Store. It removes what was set aside as corrupt, too.
func (s *Store) Delete(ctx context.Context, run string) error {
	if err := s.remove(ctx, fileName(run)); err != nil {
		return fmt.Errorf("delete run %q: %w", run, err)
	}
	return nil
}

func (s *Store) remove(ctx context.Context, name string) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	l, err := s.lock(name)
	if err != nil {
		return err
	}
	defer l.Close()
	for _, ext := range []string{runExt, corruptExt} {
		if err := os.Remove(s.path(name + ext)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	if err := s.disk.syncDir(s.dir); err != nil {
		return fmt.Errorf("%w: %w", state.ErrIndeterminate, err)
	}
	// Last, and under the lock: whoever waits for it finds that it is no longer the file of that name, and takes the new one.
	if err := os.Remove(s.path(name + lockExt)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// Runs implements state.Store. Runs that were set aside as corrupt are not among them.
func (s *Store) Runs(ctx context.Context) ([]string, error) {
	if err := ctx.Err(); err != nil {
		return nil, fmt.Errorf("list runs: %w", err)
	}
	files, err := os.ReadDir(s.dir)
	if err != nil {
		return nil, fmt.Errorf("list runs: %w", err)
	}
	runs := []string{}
	for _, f := range files {
		name, ok := strings.CutSuffix(f.Name(), runExt)
		if !ok {
			continue
		}
		run, err := s.runOf(name)
		switch {
		case errors.Is(err, fs.ErrNotExist): // deleted meanwhile
		case err != nil:
			return nil, fmt.Errorf("list runs: %w", err)
		default:
			runs = append(runs, run)
		}
	}
	slices.Sort(runs)
	return runs, nil
}

func (s *Store) path(file string) string { return filepath.Join(s.dir, file) }
