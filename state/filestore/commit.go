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

// recoverSave makes the save of a killed process durable. The caller holds the lock. After a sync that
// failed, another sync proves nothing about the data that the first one dropped, so recoverSave writes a new
// file with the same content.
func (s *Store) recoverSave(l lockedRun, name, run string) error {
	at, err := s.read(name, run)
	switch {
	case errors.Is(err, state.ErrCorrupt), errors.Is(err, state.ErrNewer):
		return nil // there is nothing to save; the caller reads it as well
	case err != nil:
		return err
	case at.rev == 0 || at.mark == durable:
		return nil
	}
	f, err := s.disk.open(s.path(name + runExt))
	if err != nil {
		return err
	}
	defer f.Close()
	if at.mark == syncFailed {
		return s.replace(lockedRun{l.lockFile, &operation{}}, name, f, at, encode(at.content))
	}
	if err := s.disk.syncData(f); err != nil {
		return errors.Join(err, s.disk.mark(f, at.markAt(), syncFailed))
	}
	if err := s.disk.syncDir(s.dir); err != nil {
		return errors.Join(err, s.disk.mark(f, at.markAt(), syncFailed))
	}
	_ = s.disk.mark(f, at.markAt(), durable) // if that fails, the next reader syncs once more
	return nil
}

// markAt returns the offset of the mark in the file.
func (at stored) markAt() int64 { return 2*int64(at.half) - 1 }

// beginChange marks the file of a run, if there is one, before the stored run changes. From here on readers
// of a durable store wait, so a caller that got ErrIndeterminate learns the outcome when it loads the run.
func (s *Store) beginChange(l lockedRun, f *os.File, at stored) error {
	marked := f != nil && at.mark == durable
	if marked {
		if err := s.disk.mark(f, at.markAt(), underWay); err != nil {
			return err
		}
	}
	if l.commit() {
		return nil
	}
	if marked {
		_ = s.disk.mark(f, at.markAt(), durable)
	}
	return errCancelled
}

// put saves a record of a run whose file is at, and open as f; nil: there is none. The caller holds the lock.
// It returns the size of the halves of the file that holds the record.
func (s *Store) put(l lockedRun, name string, f *os.File, at stored, record []byte) (half int, err error) {
	if f != nil && fits(record, at.half) {
		info, err := f.Stat()
		if err == nil && (info.Mode().Perm() == 0o600 || runtime.GOOS == "windows") {
			return at.half, s.overwrite(l, name, f, at, record)
		} // else replace gives it the right mode
	}
	return len(newFile(record, durable)) / 2, s.replace(l, name, f, at, record)
}

// overwrite writes a record over the one that does not count. The error is ErrIndeterminate as soon as the
// file may have changed: a reader may see the record, or a sync may have failed.
func (s *Store) overwrite(l lockedRun, name string, f *os.File, at stored, record []byte) error {
	if err := s.beginChange(l, f, at); err != nil {
		return err
	}
	if err := s.disk.writeAt(f, record, at.spare); err != nil {
		return errors.Join(state.ErrIndeterminate, err)
	}
	if s.durability != Power {
		s.unsynced.add(noNames, name+runExt)
		return nil
	}
	if err := s.disk.syncData(f); err != nil {
		return errors.Join(state.ErrIndeterminate, err, s.disk.mark(f, at.markAt(), syncFailed))
	}
	_ = s.disk.mark(f, at.markAt(), durable) // if that fails, the next reader syncs once more
	return nil
}

// replace replaces the file of a run, which f is (nil: there is none), by a new one with that record. The
// caller holds the lock. The error is ErrIndeterminate if the new file may be in place, and after a sync that
// failed: a second sync cannot be trusted, since the system may have dropped the data.
func (s *Store) replace(l lockedRun, name string, f *os.File, at stored, record []byte) error {
	temp, err := s.writeTemp(name, newFile(record, underWay))
	if err != nil {
		return err
	}
	if err := s.beginChange(l, f, at); err != nil {
		return errors.Join(err, s.disk.remove(temp))
	}
	if err := s.disk.rename(temp, s.path(name+runExt)); err != nil {
		if _, gone := os.Lstat(temp); gone != nil {
			return errors.Join(state.ErrIndeterminate, err)
		}
		if f != nil && at.mark == durable {
			_ = s.disk.mark(f, at.markAt(), durable)
		}
		return errors.Join(err, s.disk.remove(temp))
	}
	if s.durability != Power {
		s.unsynced.add(ownNames, name+runExt)
		return nil
	}
	put, err := s.disk.open(s.path(name + runExt))
	if err != nil {
		return errors.Join(state.ErrIndeterminate, err)
	}
	defer put.Close()
	markAt := int64(len(newFile(record, durable))) - 1
	if err := s.disk.syncDir(s.dir); err != nil {
		return errors.Join(state.ErrIndeterminate, err, s.disk.mark(put, markAt, syncFailed))
	}
	_ = s.disk.mark(put, markAt, durable) // if that fails, the next reader syncs once more
	return nil
}

// writeTemp writes a temporary file, and makes it durable where the store is. The error is ErrIndeterminate
// after a sync that failed.
func (s *Store) writeTemp(name string, content []byte) (path string, err error) {
	f, err := s.disk.create(s.path(tmpDir), name+".")
	if errors.Is(err, fs.ErrNotExist) { // the directory of temporary files was removed
		if err = s.disk.mkdir(s.path(tmpDir)); err == nil || errors.Is(err, fs.ErrExist) {
			f, err = s.disk.create(s.path(tmpDir), name+".")
		}
	}
	if err != nil {
		return "", err
	}
	if err := s.disk.write(f, content); err != nil {
		return "", errors.Join(err, f.Close(), s.disk.remove(f.Name()))
	}
	if s.durability == Power {
		if err := s.disk.sync(f); err != nil {
			return "", errors.Join(state.ErrIndeterminate, err, f.Close(), s.disk.remove(f.Name()))
		}
	}
	if err := s.disk.close(f); err != nil {
		return "", errors.Join(err, s.disk.remove(f.Name()))
	}
	return f.Name(), nil
}
