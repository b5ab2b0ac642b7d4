package trust

import (
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
)

// disk is all that this package asks of the machine about a project: TestOneDoor holds that nothing else
// opens a file of one.
type disk interface {
	// Real is an absolute path without links.
	Real(path string) (string, error)
	// Lstat describes the file at path itself, even if it is a link.
	Lstat(path string) (fs.FileInfo, error)
	// Root opens the directory at path. All names below it are in the machine's form.
	Root(path string) (root, error)
}

// root is an open directory. A name that leads out of it is an error.
type root interface {
	Lstat(name string) (fs.FileInfo, error)
	Readlink(name string) (string, error)
	// Names gives up to most+1 names in a directory.
	Names(name string, most int) ([]string, error)
	// Open opens a file to be read, and never waits for one.
	Open(name string) (file, error)
	io.Closer
}

type file interface {
	Stat() (fs.FileInfo, error)
	io.ReadCloser
}

// osDisk is the machine's.
type osDisk struct{}

func (osDisk) Real(path string) (string, error)       { return filepath.EvalSymlinks(path) }
func (osDisk) Lstat(path string) (fs.FileInfo, error) { return os.Lstat(path) }

func (osDisk) Root(path string) (root, error) {
	r, err := os.OpenRoot(path)
	if err != nil {
		return nil, err
	}
	return osRoot{r}, nil
}

// open opens a file to be read, and never waits for one.
func (osDisk) open(path string) (*os.File, error) {
	return os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
}

type osRoot struct{ *os.Root }

func (r osRoot) Open(name string) (file, error) {
	return r.OpenFile(name, os.O_RDONLY|syscall.O_NONBLOCK, 0)
}

func (r osRoot) Names(name string, most int) ([]string, error) {
	dir, err := r.OpenRoot(name)
	if err != nil {
		return nil, err
	}
	defer dir.Close()
	f, err := dir.Open(".")
	if err != nil {
		return nil, err
	}
	defer f.Close()
	names, err := f.Readdirnames(most + 1)
	if err == io.EOF {
		err = nil
	}
	return names, err
}
