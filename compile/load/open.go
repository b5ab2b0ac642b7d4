package load

import (
	"bytes"
	"cmp"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
)

// ErrOutside is the error for a file that is not read because a link on the way to it leads out of the
// directory that was named.
var ErrOutside = errors.New("a link leads out of the directory")

// errSpecial is the error for a file of a file system that holds no files of people.
var errSpecial = errors.New("it belongs to the system")

// ErrLarge is the error for a file that is longer than allowed.
var ErrLarge = errors.New("the file is too large")

// folder is an open directory. Its files are opened below a root, so that no link leads out of that, whoever
// replaces what meanwhile. It may be used concurrently.
type folder struct {
	path string   // as it was named
	dir  *os.Root // the directory itself
	top  *os.Root // out of which no link is followed: dir or above it; nil where links may lead anywhere
	real string   // the path of top without links
}

// openFolder opens a directory. below is the directory out of which no link is followed; "" is the directory
// itself.
func openFolder(path, below string) (*folder, error) {
	real, err := resolved(path)
	if err != nil {
		return nil, err
	}
	top := real
	if below != "" {
		if top, err = resolved(below); err != nil {
			return nil, err
		}
	}
	if !within(real, top) {
		return nil, &fs.PathError{Op: "open", Path: path, Err: ErrOutside}
	}
	if err := noDirectory(real); err != nil {
		return nil, err
	}
	f := &folder{path: path, real: top}
	if top == everywhere(top) { // below a root, each directory on the way would have to be readable
		if f.dir, err = os.OpenRoot(real); err != nil {
			return nil, err
		}
		return f, nil
	}
	if f.top, err = os.OpenRoot(top); err != nil {
		return nil, err
	}
	if f.dir = f.top; real != top {
		rel, _ := filepath.Rel(top, real) // both are absolute, and one is within the other
		if f.dir, err = f.top.OpenRoot(rel); err != nil {
			return nil, errors.Join(err, f.top.Close())
		}
	}
	return f, nil
}

// noDirectory returns an error for what is not a directory. Opening a pipe would wait for a writer.
func noDirectory(path string) error {
	info, err := os.Stat(path)
	if err == nil && !info.IsDir() {
		err = &fs.PathError{Op: "open", Path: path, Err: syscall.ENOTDIR}
	}
	return err
}

// resolved returns the absolute path without links of a directory of people's files.
func resolved(path string) (string, error) {
	real, err := filepath.EvalSymlinks(path)
	if err == nil {
		real, err = filepath.Abs(real)
	}
	if err == nil && ofSystem(real) {
		err = &fs.PathError{Op: "open", Path: path, Err: errSpecial}
	}
	return real, err
}

// ofSystem reports whether a path without links leads to what the kernel makes up: the environment of a
// process, say, which looks like a regular file.
func ofSystem(real string) bool { return within(real, "/proc") || within(real, "/sys") }

func (f *folder) close() {
	_ = f.dir.Close()
	if f.top != nil && f.top != f.dir {
		_ = f.top.Close()
	}
}

// entries returns what lies in the directory, by name.
func (f *folder) entries() ([]fs.DirEntry, error) {
	d, err := f.dir.Open(".")
	if err != nil {
		return nil, err
	}
	defer d.Close()
	all, err := d.ReadDir(-1)
	slices.SortFunc(all, func(a, b fs.DirEntry) int { return strings.Compare(a.Name(), b.Name()) })
	return all, err
}

// at looks up a file of the directory, and calls do with the root and the name below it by which the file is
// opened, and what it is. Links are followed as far as top. A name that becomes a link after at has looked at
// it is followed by no root out of itself.
func (f *folder) at(name string, do func(root *os.Root, rel string, info fs.FileInfo) error) error {
	info, err := f.dir.Lstat(name)
	if err != nil {
		return err
	}
	if info.Mode()&fs.ModeSymlink == 0 {
		return do(f.dir, name, info)
	}
	path := filepath.Join(f.path, name)
	real, err := resolved(path)
	if err != nil {
		return err
	}
	if !within(real, f.real) {
		return &fs.PathError{Op: "open", Path: path, Err: ErrOutside}
	}
	root, rel := f.top, ""
	if root == nil {
		dir, base := filepath.Split(real)
		if root, err = os.OpenRoot(dir); err != nil {
			return err
		}
		defer root.Close()
		rel = cmp.Or(base, ".")
	} else {
		rel, _ = filepath.Rel(f.real, real)
	}
	if info, err = root.Stat(rel); err != nil {
		return err
	}
	return do(root, rel, info)
}

// isDirectory reports whether name leads to a directory that may be looked at.
func (f *folder) isDirectory(name string) (is bool) {
	_ = f.at(name, func(_ *os.Root, _ string, info fs.FileInfo) error {
		is = info.IsDir()
		return nil
	})
	return is
}

// read reads a regular file of the directory once. Anything else is refused before it is opened, and again
// after, since names move.
func (f *folder) read(name string, limit int64) (src []byte, err error) {
	err = f.at(name, func(root *os.Root, rel string, info fs.FileInfo) error {
		if err := unfit(info, limit); err != nil {
			return err
		}
		src, err = readOnce(root, rel, limit)
		return err
	})
	return src, err
}

// readOnce reads a file that was a regular one a moment ago.
func readOnce(root *os.Root, rel string, limit int64) ([]byte, error) {
	file, err := root.OpenFile(rel, os.O_RDONLY|nonblock, 0)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return nil, err
	}
	if err := unfit(info, limit); err != nil {
		return nil, err
	}
	var src bytes.Buffer
	src.Grow(int(info.Size()) + bytes.MinRead) // so that it is read at once, and no nil where it is empty
	n, err := src.ReadFrom(io.LimitReader(file, limit+1))
	switch {
	case err != nil:
		return nil, err
	case n > limit:
		return nil, &sizeError{n}
	}
	return src.Bytes(), nil
}

// kindError is the error for a file that is not regular.
type kindError struct{ mode fs.FileMode }

func (e *kindError) Error() string { return "not a regular file but " + kind(e.mode) }

// sizeError is the error for a file with too many bytes.
type sizeError struct{ size int64 }

func (e *sizeError) Error() string { return ErrLarge.Error() }

func (e *sizeError) Unwrap() error { return ErrLarge }

func unfit(info fs.FileInfo, limit int64) error {
	switch {
	case !info.Mode().IsRegular():
		return &kindError{info.Mode()}
	case info.Size() > limit:
		return &sizeError{info.Size()}
	}
	return nil
}

// ReadFile reads a rule file or a rule test, a regular file of at most limit bytes; 0 is the limit of rule
// files, 256 KiB. No link is followed out of the directory below; "" is the directory of the file. Its errors
// are those of the machine, or wrap ErrOutside or ErrLarge.
func ReadFile(below, path string, limit int64) ([]byte, error) {
	if limit == 0 {
		limit = maxFile
	}
	f, err := openFolder(filepath.Dir(path), below)
	if err == nil {
		defer f.close()
		var src []byte
		if src, err = f.read(filepath.Base(path), limit); err == nil {
			return src, nil
		}
	}
	var pe *fs.PathError
	if errors.As(err, &pe) {
		err = pe.Err
	}
	return nil, &fs.PathError{Op: "read", Path: path, Err: err}
}
