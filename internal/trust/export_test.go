package trust

import (
	"io/fs"
	"strconv"
)

// Seen lets see know of everything that s asks of the machine about projects, before it does so: "real",
// "lstat", "root" with the path, "Lstat", "Readlink", "Names", "Open" with the name below the project,
// "Stat", "Read" with the name of the open file; after a "Read", "got" with the number of bytes.
func (s *Store) Seen(see func(op, name string)) *Store {
	return &Store{dir: s.dir, disk: seenDisk{s.disk, see}}
}

// Path is where the record of a project is.
func (s *Store) Path(real string) string { return s.path(real) }

type seenDisk struct {
	disk
	see func(op, name string)
}

func (d seenDisk) Real(path string) (string, error) {
	d.see("real", path)
	return d.disk.Real(path)
}

func (d seenDisk) Lstat(path string) (fs.FileInfo, error) {
	d.see("lstat", path)
	return d.disk.Lstat(path)
}

func (d seenDisk) Root(path string) (root, error) {
	d.see("root", path)
	r, err := d.disk.Root(path)
	if err != nil {
		return nil, err
	}
	return seenRoot{r, d.see}, nil
}

type seenRoot struct {
	root
	see func(op, name string)
}

func (r seenRoot) Lstat(name string) (fs.FileInfo, error) {
	r.see("Lstat", name)
	return r.root.Lstat(name)
}

func (r seenRoot) Readlink(name string) (string, error) {
	r.see("Readlink", name)
	return r.root.Readlink(name)
}

func (r seenRoot) Names(name string, most int) ([]string, error) {
	r.see("Names", name)
	return r.root.Names(name, most)
}

func (r seenRoot) Open(name string) (file, error) {
	r.see("Open", name)
	f, err := r.root.Open(name)
	if err != nil {
		return nil, err
	}
	return seenFile{f, name, r.see}, nil
}

type seenFile struct {
	file
	name string
	see  func(op, name string)
}

func (f seenFile) Stat() (fs.FileInfo, error) {
	f.see("Stat", f.name)
	return f.file.Stat()
}

func (f seenFile) Read(b []byte) (int, error) {
	f.see("Read", f.name)
	n, err := f.file.Read(b)
	f.see("got", strconv.Itoa(n))
	return n, err
}
