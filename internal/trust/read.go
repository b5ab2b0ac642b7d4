package trust

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// maxFile is the most bytes of a rule file, as package load has it.
const maxFile = 256 << 10

// Why a file is not used. What a Store says of files wraps one of these.
var (
	ErrNew     = errors.New("not trusted")
	ErrChanged = errors.New("changed since it was trusted")
	ErrRefused = errors.New("refused") // it cannot be trusted as it is
)

// Why a file is refused, in more than one place.
const (
	outside = "it lies outside of the project"
	moved   = "it changed while it was read"
)

func refuse(format string, args ...any) error {
	return fmt.Errorf("%w: %s", ErrRefused, fmt.Sprintf(format, args...))
}

func changed(format string, args ...any) error {
	return fmt.Errorf("%w: %s", ErrChanged, fmt.Sprintf(format, args...))
}

// content is a file that was read.
type content struct {
	src  []byte
	real string // where it lies below the project, with slashes
	sum  string // SHA-256, in hexadecimal
}

// read reads the file of that name below the project, once. With want it must be what was approved, and is not even opened if its
// place or its size already say that it is not; without want a person is about to look at it.
func (p *project) read(name string, want *approved) (*content, error) {
	real, info, err := p.resolve(name)
	if err != nil {
		return nil, plain(err)
	}
	if err := check(info); err != nil {
		return nil, err
	}
	if want != nil && real != want.place() {
		return nil, changed("it is another file now, %q", real)
	}
	if want != nil && info.Size() != want.Size {
		return nil, changed("%d bytes then, %d now", want.Size, info.Size())
	}
	src, err := p.bytes(name, real, info)
	if err != nil {
		return nil, plain(err)
	}
	c := &content{src: src, real: real, sum: sum(src)}
	if want != nil && c.sum != want.SHA256 {
		return nil, changed("its text is another")
	}
	return c, nil
}

// bytes reads what resolve found, and nothing else.
func (p *project) bytes(name, real string, found fs.FileInfo) ([]byte, error) {
	f, err := p.Open(filepath.FromSlash(real))
	if err != nil {
		return nil, err
	}
	defer f.Close()
	before, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if err := check(before); err != nil {
		return nil, err
	}
	if !same(found, before) {
		return nil, refuse(moved)
	}
	src, err := io.ReadAll(io.LimitReader(f, maxFile+1))
	if err != nil {
		return nil, err
	}
	if len(src) > maxFile {
		return nil, tooBig(int64(len(src)))
	}
	after, err := f.Stat()
	if err != nil {
		return nil, err
	}
	again, there, err := p.resolve(name)
	if err != nil || again != real || !same(before, after) || !same(after, there) || after.Size() != int64(len(src)) || check(after) != nil {
		return nil, refuse(moved)
	}
	return src, nil
}

// same reports whether two descriptions are of one file that did not change between them. The number of a file is not enough: a file
// that is made after another was removed may have the number of that.
func same(a, b fs.FileInfo) bool {
	return os.SameFile(a, b) && a.Size() == b.Size() && a.Mode() == b.Mode() && a.ModTime().Equal(b.ModTime())
}

// check refuses what is not a small regular file with one name.
func check(info fs.FileInfo) error {
	switch {
	case !info.Mode().IsRegular():
		return refuse("it is %s, not a file", kind(info.Mode()))
	case info.Size() > maxFile:
		return tooBig(info.Size())
	case names(info) > 1:
		return refuse("it has %d hard links, and may be a file of another place: put a copy in its place", names(info))
	}
	return nil
}

func tooBig(size int64) error {
	return refuse("it has %d bytes, and %d are allowed", size, maxFile)
}

func kind(m fs.FileMode) string {
	switch {
	case m.IsRegular():
		return "a file"
	case m.IsDir():
		return "a directory"
	case m&fs.ModeNamedPipe != 0:
		return "a named pipe"
	case m&fs.ModeSocket != 0:
		return "a socket"
	case m&fs.ModeDevice != 0:
		return "a device"
	}
	return "something else"
}

// plain makes a refusal of what the machine said, without the path that it repeats.
func plain(err error) error {
	var pe *fs.PathError
	switch {
	case errors.Is(err, ErrRefused):
		return err
	case errors.As(err, &pe):
		err = pe.Err
	}
	if errors.Is(err, fs.ErrNotExist) {
		return refuse("there is no such file")
	}
	return fmt.Errorf("%w: it cannot be read: %w", ErrRefused, err)
}
