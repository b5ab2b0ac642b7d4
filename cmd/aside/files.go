package main

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// maxFile is how many bytes are read of a rule file. Longer files are refused by the language anyway, so this only bounds the memory for
// a file that was named by mistake.
const maxFile = 1 << 20

// expand returns the files that an argument stands for: a file, the rule files directly in a directory, or the files that a pattern
// matches. A pattern that matches nothing is an error.
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

// listing returns the rule files directly in dir, by name.
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

// readFile reads a rule file, at most maxFile bytes of it, and returns its mode. What is not a regular file is an error and is not
// opened: to open a pipe would block until another process writes to it.
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

// writeFile replaces the file name by b, whole or not at all, with a mode. A link stays a link: the file it leads to is replaced.
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
