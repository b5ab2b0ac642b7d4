package main

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// maxFile is more than any file that the language takes; it keeps the memory of a mistake small.
const maxFile = 1 << 20

// expand returns the files that one argument names.
func expand(arg string) ([]string, error) {
	fi, err := os.Stat(arg)
	switch {
	case err == nil && fi.IsDir():
		return listing(arg)
	case err == nil:
		return []string{arg}, nil
	case !strings.ContainsAny(arg, "*?["):
		return nil, err
	}
	found, gerr := filepath.Glob(arg)
	if gerr != nil {
		return nil, usage("%q is not a pattern: %v", arg, gerr)
	}
	if len(found) == 0 {
		return nil, &fs.PathError{Op: "glob", Path: arg, Err: errNoMatch}
	}
	var files []string
	for _, f := range found {
		if fi, err := os.Stat(f); err == nil && fi.IsDir() {
			continue
		}
		files = append(files, f)
	}
	return files, nil
}

// listing returns the rule files directly in dir, in name order.
func listing(dir string) ([]string, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	var files []string
	for _, en := range entries {
		if !en.IsDir() && isRuleFile(en.Name()) {
			files = append(files, filepath.Join(dir, en.Name()))
		}
	}
	return files, nil
}

// readFile reads a rule file. Of one that is far too long only so much is read as shows that it is, and what is no file is not
// opened: a pipe would keep us waiting for whoever writes to it.
func readFile(name string) ([]byte, fs.FileMode, error) {
	fi, err := os.Stat(name)
	switch {
	case err != nil:
		return nil, 0, err
	case fi.IsDir():
		return nil, 0, &fs.PathError{Op: "read", Path: name, Err: errors.New("is a directory")}
	case !fi.Mode().IsRegular():
		return nil, 0, &fs.PathError{Op: "read", Path: name, Err: errors.New("not a regular file")}
	}
	f, err := os.Open(name)
	if err != nil {
		return nil, 0, err
	}
	defer f.Close()
	b, err := io.ReadAll(io.LimitReader(f, maxFile))
	return b, fi.Mode(), err
}

// writeFile puts b in place of the file name, whole or not at all, and keeps its mode. A link stays a link: what it points
// to is replaced.
func writeFile(name string, b []byte, mode fs.FileMode) (err error) {
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

// ofFile makes err one of the file name, and not of what was to become it.
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
