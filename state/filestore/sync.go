package filestore

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"sync"
)

// unsynced are the files that were saved and not synced since, of a store whose Durability is OnSync.
type unsynced struct {
	on bool

	mu    sync.Mutex
	names map[string]struct{} // guarded by mu
	dir   dirChange           // guarded by mu
}

// dirChange is what may be lost of the names in a directory.
type dirChange uint8

const (
	noNames  dirChange = iota
	ownNames           // those in the directory
	allNames           // and its own
)

// add notes what may be lost of the names in the directory, and the files that were saved.
func (u *unsynced) add(dir dirChange, files ...string) {
	if !u.on {
		return
	}
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.names == nil {
		u.names = map[string]struct{}{}
	}
	for _, name := range files {
		u.names[name] = struct{}{}
	}
	u.dir = max(u.dir, dir)
}

// take returns what was noted, and forgets it.
func (u *unsynced) take() (names map[string]struct{}, dir dirChange) {
	u.mu.Lock()
	defer u.mu.Unlock()
	names, dir = u.names, u.dir
	u.names, u.dir = nil, noNames
	return names, dir
}

// Sync makes durable what this Store has saved since the last Sync, if its Durability is OnSync; with any
// other it does nothing. No save waits for it. What could not be synced is tried again by the next Sync. Sync
// returns the first error, or that of ctx.
func (s *Store) Sync(ctx context.Context) (first error) {
	names, dir := s.unsynced.take()
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
	if first == nil {
		switch dir {
		case ownNames:
			first = s.disk.syncDir(s.dir)
		case allNames:
			first = s.syncDirs()
		}
	}
	if errors.Is(first, fs.ErrNotExist) { // there is nothing to lose, until a save creates the directory again
		return nil
	}
	if first != nil {
		s.unsynced.add(dir, slices.Collect(maps.Keys(names))...)
		return fmt.Errorf("sync %s: %w", s.dir, first)
	}
	return nil
}

// syncFile makes a file durable. It is not an error if it is gone.
func (s *Store) syncFile(name string) error {
	f, err := s.disk.open(s.path(name))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer f.Close()
	return s.disk.syncData(f)
}
