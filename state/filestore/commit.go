package filestore

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"runtime"

	"github.com/aside-go/aside/state"
)

// read reads the file of a run.
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
	at, err := decode(b)
	if err != nil {
		return stored{}, err
	}
	if at.run != run {
		return stored{}, corrupt(fmt.Sprintf("it is run %q", at.run))
	}
	return at, nil
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
// failed, another sync proves nothing about the data that the first one dropped, so recoverSave writes a new
// file with the same content.
func (s *Store) recoverSave(l lockedRun, name, run string) error {
	info, err := l.Stat()
	if err != nil || mark(info.Size()) == durable {
		return err
	}
	at, err := s.read(name, run)
	switch {
	case errors.Is(err, state.ErrCorrupt), errors.Is(err, state.ErrNewer):
		return nil // there is nothing to save; the caller reads it as well
	case err != nil:
		return err
	case at.rev == 0:
		return s.syncNames(l)
	case mark(info.Size()) != underWay:
		return s.replace(lockedRun{l.lockFile, &operation{}}, name, encode(at.content))
	}
	f, err := s.disk.open(s.path(name + runExt))
	if err != nil {
		return err
	}
	if err := s.disk.syncData(f); err != nil {
		return errors.Join(err, f.Close(), s.disk.mark(l, syncFailed))
	}
	return errors.Join(f.Close(), s.syncNames(l))
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

// put saves a record of a run whose file is at. The caller holds the lock.
func (s *Store) put(l lockedRun, name string, at stored, record []byte) error {
	if fits(record, at.half) {
		f, err := s.disk.open(s.path(name + runExt))
		if err != nil {
			return err
		}
		info, err := f.Stat()
		if err == nil && (info.Mode().Perm() == 0o600 || runtime.GOOS == "windows") {
			return s.overwrite(l, f, at.spare, record)
		}
		_ = f.Close() // replace gives it the right mode
	}
	return s.replace(l, name, record)
}

// overwrite writes a record over the one that does not count, and closes the file. The error is
// ErrIndeterminate as soon as the file may have changed: a reader may see the record, or a sync may have
// failed.
func (s *Store) overwrite(l lockedRun, f *os.File, spare int64, record []byte) error {
	defer f.Close() // its error says nothing that the sync has not said
	if err := s.beginChange(l); err != nil {
		return err
	}
	if err := s.disk.writeAt(f, record, spare); err != nil {
		return errors.Join(state.ErrIndeterminate, err)
	}
	if s.durability != Power {
		return nil
	}
	if err := s.disk.syncData(f); err != nil {
		return errors.Join(state.ErrIndeterminate, err, s.disk.mark(l, syncFailed))
	}
	_ = s.disk.mark(l, durable) // if that fails, the next reader syncs once more
	return nil
}

// replace replaces the file of a run by a new one with that record. The caller holds the lock. The error is
// ErrIndeterminate if the new file may be in place, and after a sync that failed: a second sync cannot be
// trusted, since the system may have dropped the data.
func (s *Store) replace(l lockedRun, name string, record []byte) error {
	f, err := s.disk.create(s.path(tmpDir), name+".")
	if errors.Is(err, fs.ErrNotExist) { // the directory of temporary files was removed
		if err = s.disk.mkdir(s.path(tmpDir)); err == nil || errors.Is(err, fs.ErrExist) {
			f, err = s.disk.create(s.path(tmpDir), name+".")
		}
	}
	if err != nil {
		return err
	}
	if err := s.disk.write(f, newFile(record)); err != nil {
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
