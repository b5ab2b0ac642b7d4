//go:build !(darwin || dragonfly || freebsd || illumos || linux || netbsd || openbsd)

package filestore

import (
	"errors"
	"io/fs"
	"os"
	"time"

	"github.com/rogpeppe/go-internal/lockedfile"
	"github.com/rogpeppe/go-internal/robustio"
)

const nonblock = 0

// openLock opens the file and takes its lock. Without wait the error is errHeld if another process holds the
// lock for longer than a moment: these systems have no lock without waiting.
func openLock(path string, wait bool) (lockFile, error) {
	if wait {
		return lockedfile.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	}
	type opened struct {
		f   lockFile
		err error
	}
	got, over := make(chan opened), make(chan struct{})
	go func() {
		f, err := lockedfile.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
		select {
		case got <- opened{f, err}:
		case <-over:
			if err == nil {
				f.Close()
			}
		}
	}()
	const moment = 5 * time.Millisecond
	select {
	case o := <-got:
		return o.f, o.err
	case <-time.After(moment):
		close(over)
		return nil, errHeld
	}
}

// readFile is os.ReadFile for files that are not too large.
func readFile(path string) ([]byte, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if info.Size() > maxFile {
		return nil, corrupt("it is larger than any run")
	}
	return robustio.ReadFile(path)
}

// readOnly reports whether err says that this user cannot write there.
func readOnly(err error) bool { return errors.Is(err, fs.ErrPermission) }
