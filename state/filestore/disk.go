package filestore

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"github.com/rogpeppe/go-internal/lockedfile"

	"github.com/aside-go/aside/state"
)

// disk is each step of a save that can fail, so that tests can let it.
type disk struct {
	lock    func(path string) (locked, error)
	create  func(dir, pattern string) (*os.File, error)
	write   func(f *os.File, b []byte) error
	sync    func(f *os.File) error
	rename  func(from, to string) error
	syncDir func(dir string) error
}

// locked is an open file with a lock on it, until it is closed.
type locked interface {
	io.Closer
	Stat() (fs.FileInfo, error)
}

func osDisk() disk {
	return disk{
		lock:    func(path string) (locked, error) { return lockedfile.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600) },
		create:  os.CreateTemp, // 0600
		write:   func(f *os.File, b []byte) error { _, err := f.Write(b); return err },
		sync:    (*os.File).Sync,
		rename:  os.Rename,
		syncDir: syncDir,
	}
}

// syncDir makes the names in a directory durable; Windows does that by itself and cannot be asked.
func syncDir(dir string) error {
	if runtime.GOOS == "windows" {
		return nil
	}
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	defer d.Close()
	return d.Sync()
}

// lock takes the lock of a run. The file may have been removed by Delete while this process waited for it: then the lock
// is on nothing, and the file that now has the name is taken.
func (s *Store) lock(name string) (io.Closer, error) {
	path := s.path(name + lockExt)
	for {
		f, err := s.disk.lock(path)
		if err != nil {
			return nil, err
		}
		mine, err := f.Stat()
		if err != nil {
			return nil, errors.Join(err, f.Close())
		}
		there, err := os.Stat(path)
		if err == nil && os.SameFile(mine, there) {
			return f, nil
		}
		f.Close()
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
	}
}

// read reads the file of a run; nil, 0, nil if there is none.
func (s *Store) read(name, run string) (*state.Snapshot, state.Revision, error) {
	b, err := os.ReadFile(s.path(name + runExt))
	if errors.Is(err, fs.ErrNotExist) {
		if _, err := os.Lstat(s.path(name + corruptExt)); !errors.Is(err, fs.ErrNotExist) {
			return nil, 0, errors.Join(corrupt("it was set aside as "+s.path(name+corruptExt)), err)
		}
		return nil, 0, nil
	}
	if err != nil {
		return nil, 0, err
	}
	c, err := decode(b)
	if err != nil {
		return nil, 0, err
	}
	if c.run != run {
		return nil, 0, corrupt(fmt.Sprintf("it is run %q", c.run))
	}
	snap, err := state.Decode(c.snapshot)
	if err != nil {
		return nil, 0, err
	}
	return snap, c.rev, nil
}

// readLocked is read for who holds the lock: a corrupt file is set aside.
func (s *Store) readLocked(name, run string) (*state.Snapshot, state.Revision, error) {
	snap, rev, err := s.read(name, run)
	if !errors.Is(err, state.ErrCorrupt) {
		return snap, rev, err
	}
	renamed := os.Rename(s.path(name+runExt), s.path(name+corruptExt))
	if errors.Is(renamed, fs.ErrNotExist) { // it already was
		return nil, 0, err
	}
	return nil, 0, errors.Join(err, renamed, s.disk.syncDir(s.dir))
}

// replace puts b in the place of a run's file, by who holds the lock. The error is ErrIndeterminate from the first sync
// on: one that failed cannot be tried again, since the system may have dropped what it could not write.
func (s *Store) replace(name string, b []byte) error {
	f, err := s.disk.create(s.path(tmpDir), name+".*")
	if err != nil {
		return err
	}
	if err := s.disk.write(f, b); err != nil {
		return errors.Join(err, f.Close(), os.Remove(f.Name()))
	}
	if err := s.disk.sync(f); err != nil {
		return errors.Join(state.ErrIndeterminate, err, f.Close(), os.Remove(f.Name()))
	}
	if err := f.Close(); err != nil {
		return errors.Join(state.ErrIndeterminate, err, os.Remove(f.Name()))
	}
	if err := s.disk.rename(f.Name(), s.path(name+runExt)); err != nil {
		return errors.Join(state.ErrIndeterminate, err, os.Remove(f.Name()))
	}
	if err := s.disk.syncDir(s.dir); err != nil {
		return errors.Join(state.ErrIndeterminate, err)
	}
	return nil
}

// orphanAge is how old a temporary file must be to be taken for one that a killed process left. It only saves Open from
// waiting for the saves of others: the lock is what makes removing it safe.
const orphanAge = time.Minute

// sweep removes temporary files whose process was killed.
func (s *Store) sweep() error {
	files, err := os.ReadDir(s.path(tmpDir))
	if err != nil {
		return err
	}
	for _, f := range files {
		name, _, ok := strings.Cut(f.Name(), ".")
		info, err := f.Info()
		if !ok || err != nil || time.Since(info.ModTime()) < orphanAge {
			continue
		}
		l, err := s.lock(name)
		if err != nil {
			return err
		}
		err = os.Remove(filepath.Join(s.dir, tmpDir, f.Name()))
		l.Close()
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}
