// Package atomicfile replaces a file whole or not at all: a reader sees the old bytes or the new ones.
package atomicfile

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
)

// Write replaces the file name by b, whole or not at all, with a mode. A link stays a link: the file it leads to is
// replaced.
func Write(name string, b []byte, mode fs.FileMode) (err error) {
	defer func() { err = ofFile(name, err) }()
	to := name
	if real, err := filepath.EvalSymlinks(name); err == nil {
		to = real
	}
	f, err := os.CreateTemp(filepath.Dir(to), "."+filepath.Base(to)+".tmp*")
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			os.Remove(f.Name())
		}
	}()
	_, err = f.Write(b)
	if err == nil {
		err = f.Chmod(mode.Perm())
	}
	if err == nil {
		err = f.Sync()
	}
	if cerr := f.Close(); err == nil {
		err = cerr
	}
	if err != nil {
		return err
	}
	return os.Rename(f.Name(), to)
}

// Check returns why Write could not create a file beside name, nil where it can.
func Check(name string) error {
	to := name
	if real, err := filepath.EvalSymlinks(name); err == nil {
		to = real
	}
	f, err := os.CreateTemp(filepath.Dir(to), "."+filepath.Base(to)+".tmp*")
	if err != nil {
		return ofFile(name, err)
	}
	return errors.Join(f.Close(), os.Remove(f.Name()))
}

// ofFile returns err with the path name in place of that of a temporary file.
func ofFile(name string, err error) error {
	var p *fs.PathError
	var l *os.LinkError
	switch {
	case errors.As(err, &p):
		return &fs.PathError{Op: p.Op, Path: name, Err: p.Err}
	case errors.As(err, &l):
		return &fs.PathError{Op: l.Op, Path: name, Err: l.Err}
	}
	return err
}
