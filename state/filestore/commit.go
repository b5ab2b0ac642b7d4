package filestore

import (
	"errors"
	"fmt"
	"io/fs"
	"os"

	"github.com/aside-go/aside/state"
)

// stored is the file of a run as it was read; the zero one is a run that does not exist.
type stored struct {
	rev      state.Revision
	snapshot []byte
}

// read reads the file of a run and checks that it is whole.
func (s *Store) read(name, run string) (stored, error) {
	b, err := s.disk.read(s.path(name + runExt))
	if errors.Is(err, fs.ErrNotExist) {
		if _, err := os.Lstat(s.path(aside(name, 1))); !errors.Is(err, fs.ErrNotExist) {
			return stored{}, errors.Join(corrupt("it was set aside as "+s.path(aside(name, 1))), err)
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

// asides is how many corrupt files of one run are kept. There is more than one only where somebody put a file back.
const asides = 3

func aside(name string, n int) string { return fmt.Sprintf("%s%s%d", name, corruptExt, n) }

// setAside gives the file of a run another name, by who holds the lock: the first that is free, for the oldest is the
// nearest to what went wrong, else the last. It returns the error that is to be told.
func (s *Store) setAside(name string, why error) error {
	if _, err := os.Lstat(s.path(name + runExt)); errors.Is(err, fs.ErrNotExist) {
		return why // it already was
	}
	n := 1
	for ; n < asides; n++ {
		if _, err := os.Lstat(s.path(aside(name, n))); errors.Is(err, fs.ErrNotExist) {
			break
		}
	}
	if err := s.disk.rename(s.path(name+runExt), s.path(aside(name, n))); err != nil {
		return errors.Join(why, err)
	}
	if s.durability == Power {
		return errors.Join(why, s.disk.syncDir(s.dir))
	}
	return why
}

// dirty reports whether the last save of a run may still be lost with the power, although it can be read: it is under way,
// or its process died in the midst of it. Whoever reads first and asks this afterwards knows that what was read is durable.
func (s *Store) dirty(name string) (bool, error) {
	info, err := os.Stat(s.path(name + lockExt))
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	return err == nil && mark(info.Size()) != durable, err
}

// settle makes durable, by who holds the lock, what a process that died left to be. Where a sync failed, another would say
// nothing about what the first one dropped: there the same is written once more.
func (s *Store) settle(h holder, name string) error {
	info, err := h.Stat()
	if err != nil || mark(info.Size()) == durable {
		return err
	}
	if mark(info.Size()) != underWay {
		b, err := s.disk.read(s.path(name + runExt))
		if err == nil {
			return s.replace(holder{h.lockFile, &pact{}}, name, b)
		}
		if !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return s.finish(h)
}

// finish makes the names in the directory durable, and says so.
func (s *Store) finish(h holder) error {
	if err := s.disk.syncDir(s.dir); err != nil {
		return errors.Join(err, s.disk.mark(h, unsynced))
	}
	_ = s.disk.mark(h, durable) // if that fails, the next to read syncs once more
	return nil
}

// begin says that what is stored is about to change. From here on readers wait, so that who is told ErrIndeterminate learns
// from loading the run what became of it.
func (s *Store) begin(h holder) error {
	if s.durability == Power {
		if err := s.disk.mark(h, underWay); err != nil {
			return err
		}
	}
	if h.commit() {
		return nil
	}
	if s.durability == Power {
		_ = s.disk.mark(h, durable)
	}
	return errGaveUp
}

// replace puts b in the place of a run's file, by who holds the lock. The error is ErrIndeterminate if b may be there, and
// where a sync failed: that cannot be tried again, since the system may have dropped what it could not write.
func (s *Store) replace(h holder, name string, b []byte) error {
	f, err := s.disk.create(s.path(tmpDir), name+".")
	if errors.Is(err, fs.ErrNotExist) { // the directory for it went
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
	if err := s.begin(h); err != nil {
		return errors.Join(err, s.disk.remove(f.Name()))
	}
	if err := s.disk.rename(f.Name(), s.path(name+runExt)); err != nil {
		if _, gone := os.Lstat(f.Name()); gone != nil {
			return errors.Join(state.ErrIndeterminate, err)
		}
		if s.durability == Power {
			_ = s.disk.mark(h, durable)
		}
		return errors.Join(err, s.disk.remove(f.Name()))
	}
	if s.durability == Power {
		if err := s.finish(h); err != nil {
			return errors.Join(state.ErrIndeterminate, err)
		}
	}
	return nil
}
