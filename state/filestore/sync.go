package filestore

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"sync"
)

// unsynced are the files that were saved and not synced since, of a store whose Durability is OnSync.
type unsynced struct {
	on bool

	mu    sync.Mutex
	names map[string]struct{} // guarded by mu; of runs
	dir   bool                // guarded by mu; names in the directory have changed
}

// add notes a save. replaced is whether it has put a new file in place.
func (u *unsynced) add(name string, replaced bool) {
	if !u.on {
		return
	}
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.names == nil {
		u.names = map[string]struct{}{}
	}
	u.names[name] = struct{}{}
	u.dir = u.dir || replaced
}

// take returns what was noted, and forgets it.
func (u *unsynced) take() (names map[string]struct{}, dir bool) {
	u.mu.Lock()
	defer u.mu.Unlock()
	names, dir = u.names, u.dir
	u.names, u.dir = nil, false
	return names, dir
}

// putBack notes again what could not be synced.
func (u *unsynced) putBack(names map[string]struct{}, dir bool) {
	u.mu.Lock()
	defer u.mu.Unlock()
	maps.Copy(names, u.names)
	u.names, u.dir = names, u.dir || dir
}

// Sync makes durable what this Store has saved since the last Sync, if its Durability is OnSync; with any
// other it does nothing. No save waits for it. What could not be synced is tried again by the next Sync. Sync
// returns the first error, or that of ctx.
func (s *Store) Sync(ctx context.Context) (first error) {
	names, dir := s.unsynced.take()
	if names == nil {
		return nil
	}
	for name := range names {
		err := ctx.Err()
		if err == nil {
			err = s.syncFile(name)
		}
		switch {
		case err == nil:
			delete(names, name)
		case first == nil:
			first = err
		}
	}
	if dir && first == nil {
		first = s.disk.syncDir(s.dir)
	}
	if first != nil {
		s.unsynced.putBack(names, dir)
		return fmt.Errorf("sync %s: %w", s.dir, first)
	}
	return nil
}

// syncFile makes the file of a run durable. It is no error if the run was deleted.
func (s *Store) syncFile(name string) error {
	f, err := s.disk.open(s.path(name + runExt))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer f.Close()
	return s.disk.syncData(f)
}
