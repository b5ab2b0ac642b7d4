package filestore

import (
	"errors"
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

// disk holds each operation on the file system that a save needs, so that tests can make it fail.
type disk struct {
	wait     time.Duration // how long a call waits whose context has no deadline
	now      func() time.Time
	mkdir    func(path string) error // 0700
	lock     func(path string, wait bool) (lockFile, error)
	read     func(path string) ([]byte, error)
	create   func(dir, prefix string) (*os.File, error) // 0600
	write    func(f *os.File, b []byte) error
	sync     func(f *os.File) error
	close    func(f *os.File) error
	openRead func(path string) (*os.File, error)
	// open opens a file to write into it; syncData makes what was written durable.
	open     func(path string) (*os.File, error)
	writeAt  func(f *os.File, b []byte, at int64) error
	syncData func(f *os.File) error
	mark     func(f *os.File, at int64, m mark) error
	rename   func(from, to string) error
	remove   func(path string) error
	syncDir  func(dir string) error
}

// lockFile is an open file with a lock on it, until it is closed.
type lockFile interface {
	io.Closer
	Stat() (fs.FileInfo, error)
	Chmod(mode fs.FileMode) error
}

// errHeld is the error of a lock without waiting while another process holds the lock.
var errHeld = errors.New("another process holds the lock")

const (
	// maxRecord is the greatest size of a record, in bytes.
	maxRecord = 64 << 20
	// maxFile is more than two halves for that. A larger file is not read into memory.
	maxFile = 3 * maxRecord
)

func osDisk() disk {
	return disk{
		wait:     maxWait,
		now:      time.Now,
		mkdir:    mkdir,
		lock:     openLock,
		read:     readFile,
		create:   create,
		write:    func(f *os.File, b []byte) error { _, err := f.Write(b); return err },
		openRead: func(path string) (*os.File, error) { return os.OpenFile(path, os.O_RDONLY|nonblock, 0) },
		sync:     (*os.File).Sync,
		close:    (*os.File).Close,
		open:     func(path string) (*os.File, error) { return os.OpenFile(path, os.O_RDWR|nonblock, 0) },
		writeAt:  func(f *os.File, b []byte, at int64) error { _, err := f.WriteAt(b, at); return err },
		syncData: syncData,
		mark:     func(f *os.File, at int64, m mark) error { _, err := f.WriteAt([]byte{byte(m)}, at); return err },
		rename:   robustio.Rename,
		remove:   os.Remove,
		syncDir:  syncDir,
	}
}

// mkdir creates a directory with mode 0700, whatever the umask.
func mkdir(path string) error {
	if err := os.Mkdir(path, 0o700); err != nil {
		return err
	}
	return os.Chmod(path, 0o700)
}

// create creates a temporary file with mode 0600, whatever the umask. Its name is the prefix and a number.
func create(dir, prefix string) (*os.File, error) {
	var (
		f   *os.File
		err error
	)
	for range 100 { // another process may have drawn the same number
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

// syncDir makes the names in a directory durable. Windows does that by itself and has no call for it; some
// file systems have none either, and return an error that says so.
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
