// Package atomicfile replaces a file whole or not at all: a reader sees the old bytes or the new ones, also
// after a crash or a loss of power. The new bytes go to a temporary file in the same directory, which is
// synced and renamed; then the directory is synced. Two writers of one file do not mix their bytes; the last
// one wins. All functions may be called concurrently.
package atomicfile

import (
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"time"
)

// Options say how a file is replaced. The zero value keeps the mode and the owner of a file that exists.
type Options struct {
	Mode  fs.FileMode  // of a file that does not exist yet; the umask counts
	Like  fs.FileInfo  // the file whose mode and owner the new one gets; nil: the file that is replaced
	Ready func() error // called just before the file is replaced, which an error of it prevents; nil: nothing
}

// Write replaces the file at path by b. A file that exists keeps its mode and its owner; mode is that of a
// new one. A link stays a link: the file it leads to is replaced.
func Write(path string, b []byte, mode fs.FileMode) error { return Options{Mode: mode}.Write(path, b) }

// Write replaces the file at path by b. A link stays a link: the file it leads to is replaced. Errors name
// path.
func (o Options) Write(path string, b []byte) (err error) {
	defer func() { err = ofFile(path, err) }()
	to := target(path)
	Sweep(filepath.Dir(to), filepath.Base(to), orphan)
	if o.Like == nil {
		o.Like, _ = os.Stat(to) // nil for a new file; any other error comes again below
	}
	f, err := create(to, o.Mode.Perm()|0o600)
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			os.Remove(f.Name())
		}
	}()
	err = o.fill(f, b)
	if cerr := f.Close(); err == nil {
		err = cerr
	}
	if err == nil && o.Ready != nil {
		err = o.Ready()
	}
	if err != nil {
		return err
	}
	if err = os.Rename(f.Name(), to); err != nil {
		return err
	}
	return SyncDir(filepath.Dir(to))
}

// fill gives a temporary file its mode, owner and bytes.
func (o Options) fill(f *os.File, b []byte) error {
	if o.Like != nil {
		if err := f.Chmod(o.Like.Mode().Perm()); err != nil {
			return err
		}
		if err := copyOwner(f, o.Like); err != nil {
			return err
		}
	}
	if _, err := f.Write(b); err != nil {
		return err
	}
	return f.Sync()
}

// Check returns why Write could not create a file beside path, nil where it can.
func Check(path string) error {
	f, err := create(target(path), 0o600)
	if err != nil {
		return ofFile(path, err)
	}
	return errors.Join(f.Close(), os.Remove(f.Name()))
}

// target returns the path to which path leads if it is a link.
func target(path string) string {
	if real, err := filepath.EvalSymlinks(path); err == nil {
		return real
	}
	return path
}

// temporary stands in the name of each temporary file, between a dot with the name of the file and a number.
const temporary = ".aside-tmp-"

// create creates a temporary file for the file at path.
func create(path string, mode fs.FileMode) (*os.File, error) {
	prefix := filepath.Join(filepath.Dir(path), "."+filepath.Base(path)+temporary)
	for try := 0; ; try++ {
		f, err := os.OpenFile(fmt.Sprintf("%s%d", prefix, rand.Uint64()), os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
		if err == nil || !errors.Is(err, fs.ErrExist) || try == 100 {
			return f, err
		}
	}
}

// orphan is the age from which on a temporary file counts as the rest of a killed process: a write
// takes seconds.
const orphan = time.Hour

// Sweep removes the temporary files that killed processes have left in dir: those for the file with the name
// base, "" for any file, that are older than age. With age 0 the caller makes sure that no other process is
// writing. Files that cannot be removed stay.
func Sweep(dir, base string, age time.Duration) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return
	}
	for _, en := range entries {
		of, _, found := strings.Cut(en.Name(), temporary)
		if !found || !strings.HasPrefix(of, ".") || base != "" && of != "."+base {
			continue
		}
		if fi, err := en.Info(); err == nil && fi.Mode().IsRegular() && time.Since(fi.ModTime()) >= age {
			os.Remove(filepath.Join(dir, en.Name()))
		}
	}
}

// SyncDir syncs a directory, so that new names in it, and names that are gone, survive a loss of power. Where
// the system or the file system cannot, that is not an error; Windows does it by itself and cannot be asked.
func SyncDir(dir string) error {
	if runtime.GOOS == "windows" {
		return nil
	}
	d, err := os.Open(dir)
	if errors.Is(err, fs.ErrPermission) {
		return nil // a directory that may be written to and not read
	}
	if err != nil {
		return err
	}
	err = d.Sync()
	if errors.Is(err, errors.ErrUnsupported) || errors.Is(err, syscall.EINVAL) {
		err = nil
	}
	return errors.Join(err, d.Close())
}

// ofFile returns err with path in place of the path of a temporary file.
func ofFile(path string, err error) error {
	var p *fs.PathError
	var l *os.LinkError
	switch {
	case errors.As(err, &p):
		return &fs.PathError{Op: p.Op, Path: path, Err: p.Err}
	case errors.As(err, &l):
		return &fs.PathError{Op: l.Op, Path: path, Err: l.Err}
	}
	return err
}
