//go:build darwin || dragonfly || freebsd || illumos || linux || netbsd || openbsd

package filestore

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"os"
	"syscall"
)

// nonblock opens a file without waiting, also a named pipe, and spares the runtime a look at the file's kind.
const nonblock = syscall.O_NONBLOCK

// openLock opens the file and takes its lock. Without wait the error is errHeld if another process holds the
// lock. The system releases the lock with the last descriptor, so no dead process holds one.
func openLock(path string, wait bool) (lockFile, error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|nonblock, 0o600)
	if err != nil {
		return nil, err
	}
	how := syscall.LOCK_EX
	if !wait {
		how |= syscall.LOCK_NB
	}
	for {
		err = syscall.Flock(int(f.Fd()), how)
		if err != syscall.EINTR {
			break
		}
	}
	switch err {
	case nil:
		return flocked{f}, nil
	case syscall.EWOULDBLOCK:
		f.Close()
		return nil, errHeld
	default:
		f.Close()
		return nil, &fs.PathError{Op: "lock", Path: path, Err: err}
	}
}

// flocked is a file with a lock on it.
type flocked struct{ *os.File }

// Close releases the lock explicitly: a child process that another goroutine starts shares the descriptor for
// a moment.
func (f flocked) Close() error {
	return errors.Join(syscall.Flock(int(f.Fd()), syscall.LOCK_UN), f.File.Close())
}

// readFile is os.ReadFile for regular files of at most maxFile bytes. It does not wait for a pipe of that
// name.
func readFile(path string) ([]byte, error) {
	f, err := os.OpenFile(path, os.O_RDONLY|nonblock, 0)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, &fs.PathError{Op: "read", Path: path, Err: errors.New("not a regular file")}
	}
	if info.Size() > maxFile {
		return nil, corrupt("it is larger than any run")
	}
	var b bytes.Buffer
	b.Grow(int(info.Size()) + bytes.MinRead)
	if _, err := b.ReadFrom(io.LimitReader(f, maxFile+1)); err != nil {
		return nil, err
	}
	// the mark is read once more, after all the rest: it must not be older than that
	if n := b.Len(); n > 0 {
		if _, err := f.ReadAt(b.Bytes()[n-1:], int64(n-1)); err != nil && err != io.EOF {
			return nil, err
		}
	}
	return b.Bytes(), nil
}

// readOnly reports whether err says that this user, or nobody at all, can write there.
func readOnly(err error) bool {
	return errors.Is(err, fs.ErrPermission) || errors.Is(err, syscall.EROFS)
}
