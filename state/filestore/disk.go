package filestore

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"syscall"
	"time"

	"github.com/rogpeppe/go-internal/robustio"
)

// disk is each thing that is done to the file system on the way of a save, so that tests can let it fail.
type disk struct {
	now     func() time.Time
	mkdir   func(path string) error // 0700
	lock    func(path string, wait bool) (lockFile, error)
	read    func(path string) ([]byte, error)
	create  func(dir, prefix string) (*os.File, error) // 0600
	write   func(f *os.File, b []byte) error
	sync    func(f *os.File) error
	close   func(f *os.File) error
	mark    func(l lockFile, m mark) error
	rename  func(from, to string) error
	remove  func(path string) error
	syncDir func(dir string) error
}

// lockFile is an open file with a lock on it, until it is closed.
type lockFile interface {
	io.Closer
	Stat() (fs.FileInfo, error)
	Chmod(mode fs.FileMode) error
	Truncate(size int64) error
}

// mark is what the size of a lock file says of its run.
type mark int64

const (
	durable  mark = iota
	underWay      // what can be read may not be durable yet
	unsynced      // nor did it become so when that was tried
)

// errHeld is what taking a lock without waiting comes to when another has it.
var errHeld = errors.New("the lock is held by another")

// maxFile is how many bytes the file of a run may have. A larger one is not read into memory to find that out.
const maxFile = 64 << 20

func osDisk() disk {
	return disk{
		now:     time.Now,
		mkdir:   mkdir,
		lock:    openLock,
		read:    readFile,
		create:  create,
		write:   func(f *os.File, b []byte) error { _, err := f.Write(b); return err },
		sync:    (*os.File).Sync,
		close:   (*os.File).Close,
		mark:    func(l lockFile, m mark) error { return l.Truncate(int64(m)) },
		rename:  robustio.Rename,
		remove:  os.Remove,
		syncDir: syncDir,
	}
}

// mkdir makes a directory that only its owner may use, also under a umask that would take that from them.
func mkdir(path string) error {
	if err := os.Mkdir(path, 0o700); err != nil {
		return err
	}
	return os.Chmod(path, 0o700)
}

// create makes a temporary file that only its owner may read and write, whatever the umask. Its name is the prefix and a
// number.
func create(dir, prefix string) (*os.File, error) {
	var (
		f   *os.File
		err error
	)
	for range 100 { // that others came to the same number is possible once
		path := filepath.Join(dir, prefix+strconv.FormatUint(uint64(rand.Uint32()), 10))
		f, err = os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_EXCL|nonblock, 0o600)
		if !errors.Is(err, fs.ErrExist) {
			break
		}
	}
	if err != nil {
		return nil, err
	}
	if err := f.Chmod(0o600); err != nil && runtime.GOOS != "windows" {
		return nil, errors.Join(err, f.Close(), os.Remove(f.Name()))
	}
	return f, nil
}

// syncDir makes the names in a directory durable. Windows does that by itself and cannot be asked; nor can some file
// systems, which say so.
func syncDir(dir string) error {
	if runtime.GOOS == "windows" {
		return nil
	}
	d, err := os.OpenFile(dir, os.O_RDONLY|nonblock, 0)
	if err != nil {
		return err
	}
	defer d.Close()
	if err := d.Sync(); err != nil && !errors.Is(err, errors.ErrUnsupported) && !errors.Is(err, syscall.EINVAL) {
		return err
	}
	return nil
}

// establish makes what is missing of the directory, and its name durable: a run that is saved in a directory that a loss
// of power takes away is not saved. The stamp is made last and stands for all of that being done. Several processes may be
// at it at once, each of which does the whole.
func (s *Store) establish() error {
	if _, err := os.Stat(s.path(stampFile)); err == nil {
		s.established.Store(true)
		return nil
	}
	if err := s.mkdirAll(s.path(tmpDir)); err != nil {
		return err
	}
	if s.durability == Power {
		// Another process may have made any of them a moment ago. What cannot be opened was not made by this user.
		for dir := s.dir; ; dir = filepath.Dir(dir) {
			if err := s.disk.syncDir(dir); err != nil && (dir == s.dir || !errors.Is(err, fs.ErrPermission)) {
				return err
			}
			if dir == filepath.Dir(dir) {
				break
			}
		}
	}
	f, err := s.disk.create(s.path(tmpDir), stampFile+".")
	if err != nil {
		return err
	}
	if err := errors.Join(s.disk.write(f, []byte(stampText)), s.disk.close(f)); err != nil {
		return errors.Join(err, s.disk.remove(f.Name()))
	}
	if err := s.disk.rename(f.Name(), s.path(stampFile)); err != nil {
		return errors.Join(err, s.disk.remove(f.Name()))
	}
	s.established.Store(true)
	return nil
}

const (
	stampFile = "aside-store"
	stampText = "Runs that aside remembers, one file each. When this file was last changed is when old ones were last looked for.\n"
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

// narrow takes from others what they may do in the directory. It does so only where the directory is the store's own;
// narrowing one that holds something else, such as /tmp, would do harm to others.
func (s *Store) narrow(info fs.FileInfo) error {
	perm := info.Mode().Perm()
	if runtime.GOOS == "windows" || perm&0o077 == 0 && perm&0o700 != 0 { // none at all is what a umask leaves until mkdir has gone on
		return nil
	}
	if _, err := os.Stat(s.path(stampFile)); errors.Is(err, fs.ErrNotExist) && perm&0o700 != 0 {
		files, err := os.ReadDir(s.dir)
		if err != nil {
			return err
		}
		// Whoever makes a store of an empty directory narrows it first.
		if info, err = os.Stat(s.dir); err == nil && info.Mode().Perm()&0o077 == 0 {
			return nil
		}
		if err != nil {
			return err
		}
		if len(files) > 0 {
			return fmt.Errorf("others may enter %s (%v), and what is in it is not only aside's: chmod 700 it, or use another directory", s.dir, info.Mode())
		}
	}
	if err := os.Chmod(s.dir, 0o700); err != nil {
		return fmt.Errorf("others may enter %s (%v): %w", s.dir, info.Mode(), err)
	}
	return nil
}
