package filestore

import (
	"errors"
	"fmt"
	"io/fs"
	"os"

	"github.com/aside-go/aside/state"
)

// stored is the file of a run as it was read; the zero value for a run that does not exist.
type stored struct {
	rev      state.Revision
	snapshot []byte
}

// read reads the file of a run and checks that it is whole.
func (s *Store) read(name, run string) (stored, error) {
	b, err := s.disk.read(s.path(name + runExt))
	if errors.Is(err, fs.ErrNotExist) {
		aside := s.path(corruptName(name, 1))
		if _, err := os.Lstat(aside); !errors.Is(err, fs.ErrNotExist) {
			return stored{}, errors.Join(corrupt("it was set aside as "+aside), err)
		}
		return stored{}, nil
	}
	if err != nil {
		return stored{}, err
	}
	c, err := decode(b)
	if err != nil {
		return stored{}, err
	}
	if c.run != run {
		return stored{}, corrupt(fmt.Sprintf("it is run %q", c.run))
	}
	return stored{c.rev, c.snapshot}, nil
}

// maxCorrupt is how many corrupt files of one run are kept. More than one exists only if somebody put a file
// back.
const maxCorrupt = 3

func corruptName(name string, n int) string { return fmt.Sprintf("%s%s%d", name, corruptExt, n) }

// setAside renames the file of a run, whose lock the caller holds, to a corrupt file. It takes the first free
// number, since the oldest file says most about the cause, and the last number if none is free. It returns
// the error for the caller.
func (s *Store) setAside(name string, why error) error {
	if _, err := os.Lstat(s.path(name + runExt)); errors.Is(err, fs.ErrNotExist) {
		return why // another process has set it aside
	}
	n := 1
	for ; n < maxCorrupt; n++ {
		if _, err := os.Lstat(s.path(corruptName(name, n))); errors.Is(err, fs.ErrNotExist) {
			break
		}
	}
	if err := s.disk.rename(s.path(name+runExt), s.path(corruptName(name, n))); err != nil {
		return errors.Join(why, err)
	}
	if s.durability == Power {
		return errors.Join(why, s.disk.syncDir(s.dir))
	}
	return why
}

// dirty reports whether a loss of power may still undo the last save of a run, although the save can be read:
// the save is under way, or its process was killed. A reader that reads first and asks afterwards knows
// whether what it read is durable.
func (s *Store) dirty(name string) (bool, error) {
	info, err := os.Stat(s.path(name + lockExt))
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	return err == nil && mark(info.Size()) != durable, err
}

// recoverSave makes the save of a killed process durable. The caller holds the lock. After a sync that
// failed, another sync proves nothing about the data that the first one dropped, so recoverSave writes the
// same file once more.
func (s *Store) recoverSave(l lockedRun, name string) error {
	info, err := l.Stat()
	if err != nil || mark(info.Size()) == durable {
		return err
	}
	if mark(info.Size()) != underWay {
		b, err := s.disk.read(s.path(name + runExt))
		if err == nil {
			return s.replace(lockedRun{l.lockFile, &operation{}}, name, b)
		}
		if !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return s.syncNames(l)
}

// syncNames makes the names in the directory durable, and marks the lock file so.
func (s *Store) syncNames(l lockedRun) error {
	if err := s.disk.syncDir(s.dir); err != nil {
		return errors.Join(err, s.disk.mark(l, syncFailed))
	}
	_ = s.disk.mark(l, durable) // if that fails, the next reader syncs once more
	return nil
}

// beginChange marks the lock file before the stored run changes. From here on readers wait, so a caller that
// got ErrIndeterminate learns the outcome when it loads the run.
func (s *Store) beginChange(l lockedRun) error {
	if s.durability == Power {
		if err := s.disk.mark(l, underWay); err != nil {
			return err
		}
	}
	if l.commit() {
		return nil
	}
	if s.durability == Power {
		_ = s.disk.mark(l, durable)
	}
	return errCancelled
}

// replace replaces the file of a run by b. The caller holds the lock. The error is ErrIndeterminate if b may
// be in place, and after a sync that failed: a second sync cannot be trusted, since the system may have
// dropped the data.
func (s *Store) replace(l lockedRun, name string, b []byte) error {
	f, err := s.disk.create(s.path(tmpDir), name+".")
	if errors.Is(err, fs.ErrNotExist) { // the directory of temporary files was removed
		if err = s.disk.mkdir(s.path(tmpDir)); err == nil || errors.Is(err, fs.ErrExist) {
			f, err = s.disk.create(s.path(tmpDir), name+".")
		}
	}
	if err != nil {
		return err
	}
	if err := s.disk.write(f, b); err != nil {
		return errors.Join(err, f.Close(), s.disk.remove(f.Name()))
	}
	if s.durability == Power {
		if err := s.disk.sync(f); err != nil {
			return errors.Join(state.ErrIndeterminate, err, f.Close(), s.disk.remove(f.Name()))
		}
	}
	if err := s.disk.close(f); err != nil {
		return errors.Join(err, s.disk.remove(f.Name()))
	}
	if err := s.beginChange(l); err != nil {
		return errors.Join(err, s.disk.remove(f.Name()))
	}
	if err := s.disk.rename(f.Name(), s.path(name+runExt)); err != nil {
		if _, gone := os.Lstat(f.Name()); gone != nil {
			return errors.Join(state.ErrIndeterminate, err)
		}
		if s.durability == Power {
			_ = s.disk.mark(l, durable)
		}
		return errors.Join(err, s.disk.remove(f.Name()))
	}
	if s.durability == Power {
		if err := s.syncNames(l); err != nil {
			return errors.Join(state.ErrIndeterminate, err)
		}
	}
	return nil
}
