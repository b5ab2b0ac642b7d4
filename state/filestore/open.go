package filestore

import (
	"cmp"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"syscall"
	"time"

	lru "github.com/hashicorp/golang-lru/v2"
)

// Durability says what a saved run survives.
type Durability uint8

const (
	// Power means that a saved run survives a loss of power. Each save waits for the disk.
	Power Durability = iota
	// Process means that a saved run survives the end of the process, however it ends. After a loss of power
	// some runs may be as they were about half a minute earlier, so that reminders fire again, and a run may be
	// corrupt.
	Process
	// OnSync is Process, but what was saved before a call of Sync survives a loss of power, too.
	OnSync
)

// Options say how a store works. All processes that share a directory should use the same.
type Options struct {
	Durability Durability
	// Keep is how long a run is remembered after it was last saved: 0 is 30 days, and a negative Keep is for
	// ever. Older runs are forgotten by Sweep, and for a moment when a store is opened, at most once a day.
	Keep time.Duration
}

// keepDefault is the Keep of zero Options.
const keepDefault = 30 * day

// Open opens the store in dir, and creates the directory if it does not exist. It removes what killed
// processes have left. It waits for no lock. If the directory cannot be written to, only Save and Delete
// fail.
//
// If other users may enter the directory, Open sets its mode to 0700, provided that it holds nothing but a
// store. Otherwise it returns an error.
func Open(dir string, o Options) (*Store, error) { return o.openOn(osDisk(), dir) }

// openOn is Open on a disk, which a test can replace.
func (o Options) openOn(d disk, dir string) (*Store, error) {
	if dir == "" {
		return nil, errors.New("open store: no directory is named")
	}
	abs, err := filepath.Abs(dir) // the store stays in place if the process changes its working directory
	if err != nil {
		return nil, fmt.Errorf("open store %q: %w", dir, err)
	}
	s := &Store{dir: abs, durability: o.Durability, keep: cmp.Or(o.Keep, keepDefault), disk: d,
		reads: make(readers, maxReaders), full: fullAt, maxFull: maxFull}
	s.known, _ = lru.New[string, known](maxKnown) // fails for a size below 1 only
	s.savedKeys = newSavedKeys()
	s.keysFull.Store(keysFullAt)
	s.unsynced.on = o.Durability == OnSync
	info, err := os.Stat(abs)
	if errors.Is(err, fs.ErrNotExist) {
		if err = s.mkdirAll(abs); err == nil {
			info, err = os.Stat(abs)
		}
	}
	if err == nil && !info.IsDir() {
		err = &fs.PathError{Op: "open", Path: abs, Err: syscall.ENOTDIR}
	}
	if err == nil {
		err = s.restrictDir(info)
	}
	if err != nil {
		return nil, fmt.Errorf("open store: %w", err)
	}
	if err := s.initDir(); err != nil {
		return s, nil // reading may still be possible; Save tries again and returns the error
	}
	s.clearTemp()
	s.expire()
	return s, nil
}

// Writable returns an error if no run can be saved in the store's directory.
func (s *Store) Writable() error {
	if err := s.open(); err != nil {
		return err
	}
	if !s.initialized.Load() {
		if err := s.initDir(); err != nil {
			return err
		}
	}
	path, err := s.writeTemp(stampFile, nil)
	if err == nil {
		err = s.disk.remove(path)
	}
	return err
}

// initDir creates the missing parts of the directory and makes their names durable: a run is not saved if a
// loss of power can undo its directory. The stamp file comes last and says that all this is done. Several
// processes may do this at once; each of them does all of it.
func (s *Store) initDir() error {
	if _, err := os.Stat(s.path(stampFile)); err == nil {
		s.initialized.Store(true)
		return nil
	}
	for _, dir := range []string{s.path(tmpDir), s.path(lockDir)} {
		if err := s.mkdirAll(dir); err != nil {
			return err
		}
		// another process may have made it under a umask, and not have set its mode yet
		if info, err := os.Stat(dir); err == nil && info.Mode().Perm()&0o700 != 0o700 {
			_ = os.Chmod(dir, 0o700) // what follows fails where this does
		}
	}
	if s.durability == Power {
		if err := s.syncDirs(); err != nil {
			return err
		}
	}
	s.unsynced.add(allNames)
	f, err := s.disk.create(s.path(tmpDir), stampFile+".")
	if err != nil {
		return err
	}
	if err := errors.Join(s.disk.write(f, []byte(stampText+"This directory is "+rand.Text()+".\n")),
		s.disk.close(f)); err != nil {
		return errors.Join(err, s.disk.remove(f.Name()))
	}
	if err := s.disk.rename(f.Name(), s.path(stampFile)); err != nil {
		return errors.Join(err, s.disk.remove(f.Name()))
	}
	s.home.Store(nil)
	s.initialized.Store(true)
	return nil
}

// syncDirs makes the directory and all directories above it durable: another process may have created any of
// them a moment ago. A directory above that cannot be opened was not created by this user.
func (s *Store) syncDirs() error {
	for dir := s.dir; ; dir = filepath.Dir(dir) {
		if err := s.disk.syncDir(dir); err != nil && (dir == s.dir || !errors.Is(err, fs.ErrPermission)) {
			return err
		}
		if dir == filepath.Dir(dir) {
			return nil
		}
	}
}

const (
	stampFile = "aside-store"
	stampText = "Runs that aside remembers, one file each. When this file was last changed is when old ones " +
		"were last looked for.\n"
)

func (s *Store) mkdirAll(dir string) error {
	if info, err := os.Stat(dir); err == nil {
		if !info.IsDir() {
			return &fs.PathError{Op: "mkdir", Path: dir, Err: syscall.ENOTDIR}
		}
		return nil
	} else if !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if up := filepath.Dir(dir); up != dir {
		if err := s.mkdirAll(up); err != nil {
			return err
		}
	}
	if err := s.disk.mkdir(dir); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	return nil
}

// restrictDir sets the mode of the directory so that only its owner may enter it. It does so only if the
// directory is the store's own: in a directory that holds something else, such as /tmp, that would harm
// others.
func (s *Store) restrictDir(info fs.FileInfo) error {
	perm := info.Mode().Perm()
	// A mode of 0 is the work of a umask, in the moment before mkdir sets the mode.
	if runtime.GOOS == "windows" || perm&0o077 == 0 && perm&0o700 != 0 {
		return nil
	}
	if _, err := os.Stat(s.path(stampFile)); errors.Is(err, fs.ErrNotExist) && perm&0o700 != 0 {
		files, err := os.ReadDir(s.dir)
		if err != nil {
			return err
		}
		// A process that turns an empty directory into a store restricts it first.
		if info, err = os.Stat(s.dir); err == nil && info.Mode().Perm()&0o077 == 0 {
			return nil
		}
		if err != nil {
			return err
		}
		if len(files) > 0 {
			return fmt.Errorf("others may enter %s (%v), and what is in it is not only aside's: "+
				"chmod 700 it, or use another directory", s.dir, info.Mode())
		}
	}
	if err := os.Chmod(s.dir, 0o700); err != nil {
		return fmt.Errorf("others may enter %s (%v), and this cannot be changed: %w", s.dir, info.Mode(), err)
	}
	return nil
}
