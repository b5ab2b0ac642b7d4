package trust

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"github.com/aside-go/aside/compile/load"
	"github.com/aside-go/aside/internal/checkout"
)

// maxFile is the most bytes of a rule file, as package load has it.
const maxFile = 256 << 10

// Reasons for which a file is not used. Each error of a Store about a file wraps one of these.
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

// read reads the file of that name below the project, once. With wanted it must have one of these texts, and
// read does not even open it if its place or size already differ. Without wanted a person is about to look
// at it.
func (p *project) read(name string, wanted []approved) (*content, error) {
	real, info, err := p.resolve(name)
	if err != nil {
		return nil, plain(err)
	}
	if err := check(info); err != nil {
		return nil, err
	}
	left := func(fits func(approved) bool) bool {
		last := wanted
		wanted = slices.DeleteFunc(slices.Clone(wanted), func(a approved) bool { return !fits(a) })
		return len(last) == 0 || len(wanted) > 0
	}
	if !left(func(a approved) bool { return real == a.place() }) {
		return nil, changed("it is another file now, %q", real)
	}
	then := wanted
	if !left(func(a approved) bool { return info.Size() == a.Size }) {
		return nil, changed("%d bytes then, %d now", then[len(then)-1].Size, info.Size())
	}
	src, err := p.bytes(name, real, info)
	if err != nil {
		return nil, plain(err)
	}
	c := &content{src: src, real: real, sum: sum(src)}
	if !left(func(a approved) bool { return c.sum == a.SHA256 }) {
		return nil, changed("its text is another")
	}
	return c, nil
}

// bytes reads the file that resolve found, and no other.
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
	if err != nil || again != real || !same(before, after) || !same(after, there) ||
		after.Size() != int64(len(src)) || check(after) != nil {
		return nil, refuse(moved)
	}
	return src, nil
}

// same reports whether two descriptions are of one file that did not change between them. The number of a
// file is not enough: a file that is made after another was removed may have the number of that.
func same(a, b fs.FileInfo) bool {
	return os.SameFile(a, b) && a.Size() == b.Size() && a.Mode() == b.Mode() && a.ModTime().Equal(b.ModTime())
}

// check refuses every file but a small regular one with one name.
func check(info fs.FileInfo) error {
	switch {
	case !info.Mode().IsRegular():
		return refuse("it is %s, not a file", kind(info.Mode()))
	case info.Size() > maxFile:
		return tooBig(info.Size())
	case checkout.Links(info) > 1:
		return refuse("it has %d hard links, and may be a file of another place: put a copy in its place",
			checkout.Links(info))
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

// plain makes a refusal of an error of the system, without the path that it repeats.
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

const (
	maxLinks   = 40     // on the way to a file, as Linux has it
	maxEntries = 10_000 // of a directory
)

// project is a project's directory while it is looked at.
type project struct {
	root
	real string // its path without links
}

// enter opens the directory of a project. It follows links as the system does, also a ".." behind a link.
func (s *Store) enter(dir string) (*project, error) {
	real, err := s.real(dir)
	if err != nil {
		return nil, err
	}
	r, err := s.disk.Root(real)
	if err != nil {
		return nil, err
	}
	// It may have been moved away meanwhile, and something else put into its place.
	opened, err := r.Lstat(".")
	if err == nil {
		var there fs.FileInfo
		if there, err = s.disk.Lstat(real); err == nil && !os.SameFile(there, opened) {
			err = refuse("the directory was replaced while it was opened")
		}
	}
	if err == nil {
		var again string
		if again, err = s.disk.Real(real); err == nil && again != real {
			err = refuse("the directory was replaced while it was opened")
		}
	}
	if err != nil {
		return nil, errors.Join(err, r.Close())
	}
	return &project{root: r, real: real}, nil
}

// real is the path of a directory without links.
func (s *Store) real(dir string) (string, error) {
	if !filepath.IsAbs(dir) {
		wd, err := os.Getwd()
		if err != nil {
			return "", err
		}
		dir = wd + string(filepath.Separator) + dir // not joined: that would take "link/.." for nothing
	}
	real, err := s.disk.Real(dir)
	if err != nil {
		return "", err
	}
	if !utf8.ValidString(real) {
		return "", refuse("the path %q is not UTF-8", real)
	}
	return real, nil
}

// below is where a source lies below its project, with slashes.
func below(s load.Source) (string, error) {
	rel, err := filepath.Rel(s.Project, s.Path)
	if err != nil || !filepath.IsLocal(rel) {
		return "", refuse("%q is not below its project", s.Path)
	}
	return filepath.ToSlash(rel), nil
}

// list names the rule files in a directory of the project in name order. With each comes why it is not even
// looked at, or nil. A directory that is not there holds none.
// For what lies there beside them and surprises somebody that is a load.Unread.
func (p *project) list(dir string) (names []string, bad map[string]error, err error) {
	real, info, err := p.resolve(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil, nil
	case err != nil:
		return nil, nil, err
	case !info.IsDir():
		return nil, nil, refuse("it is %s, not a directory", kind(info.Mode()))
	}
	all, err := p.Names(filepath.FromSlash(real), maxEntries)
	if err != nil {
		return nil, nil, err
	}
	if len(all) > maxEntries {
		return nil, nil, refuse("it holds more than %d files", maxEntries)
	}
	bad = make(map[string]error)
	folded := make(map[string]string)
	for _, name := range all {
		if !load.IsRuleFile(name) {
			_, at, err := p.resolve(path.Join(real, name))
			if why := load.UnreadEntry(name, err == nil && at.IsDir()); why != "" {
				bad[name] = why
			}
			continue
		}
		names = append(names, name)
		if !utf8.ValidString(name) || strings.ContainsFunc(name, func(r rune) bool { return !unicode.IsPrint(r) }) {
			bad[name] = refuse("its name holds characters that cannot be seen")
		}
		if other, taken := folded[fold(name)]; taken {
			bad[name], bad[other] = refuse("on some machines %q is the same file",
				other), refuse("on some machines %q is the same file", name)
		} else {
			folded[fold(name)] = name
		}
	}
	slices.Sort(names)
	return names, bad, nil
}

// fold returns the name as file systems see it that ignore case and the composition of letters.
func fold(name string) string { return strings.ToLower(strings.ToUpper(norm.NFC.String(name))) }

// resolve follows the links on the way to name, below the project and nowhere else. It returns the path
// without links, with slashes, and the description of the file there.
func (p *project) resolve(name string) (string, fs.FileInfo, error) {
	var at []string
	var info fs.FileInfo
	rest := strings.Split(name, "/")
	for links := 0; len(rest) > 0; {
		next := rest[0]
		rest = rest[1:]
		switch next {
		case "", ".":
			continue
		case "..":
			if len(at) == 0 {
				return "", nil, refuse(outside)
			}
			at, info = at[:len(at)-1], nil
			continue
		}
		here := filepath.FromSlash(path.Join(append(slices.Clone(at), next)...))
		var err error
		if info, err = p.Lstat(here); err != nil {
			return "", nil, err
		}
		if info.Mode()&fs.ModeSymlink == 0 {
			if len(rest) > 0 && !info.IsDir() {
				return "", nil, &fs.PathError{Op: "open", Path: here, Err: syscall.ENOTDIR}
			}
			at = append(at, next)
			continue
		}
		if links++; links > maxLinks {
			return "", nil, refuse("more than %d links lead to it", maxLinks)
		}
		to, err := p.Readlink(here)
		if err != nil {
			return "", nil, err
		}
		if filepath.IsAbs(to) {
			inside, ok := inside(to, p.real)
			if !ok {
				return "", nil, refuse(outside)
			}
			at, to = nil, inside
		}
		rest = append(strings.Split(filepath.ToSlash(to), "/"), rest...)
	}
	real := path.Join(at...)
	if info == nil {
		var err error
		if info, err = p.Lstat(filepath.FromSlash(path.Join(".", real))); err != nil {
			return "", nil, err
		}
	}
	return real, info, nil
}

// inside is the rest of an absolute path behind dir, compared by component; ok is false if it does not begin
// with dir.
func inside(path, dir string) (rest string, ok bool) {
	if path == dir {
		return "", true
	}
	return strings.CutPrefix(path, strings.TrimSuffix(dir,
		string(filepath.Separator))+string(filepath.Separator))
}
