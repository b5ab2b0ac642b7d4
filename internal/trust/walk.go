package trust

import (
	"errors"
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
)

const (
	maxLinks   = 40     // on the way to a file, as Linux has it
	maxEntries = 10_000 // of a directory
)

// project is a project's directory while it is looked at.
type project struct {
	root
	real string // its path without links
}

// enter opens the directory of a project: what its path leads to, links followed as the system follows them, a ".." behind a link
// included.
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

// list names the rule files in a directory of the project in name order. With each comes why it is not even looked at, or nil. A
// directory that is not there holds none.
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
			continue
		}
		names = append(names, name)
		if !utf8.ValidString(name) || strings.ContainsFunc(name, func(r rune) bool { return !unicode.IsPrint(r) }) {
			bad[name] = refuse("its name holds characters that cannot be seen")
		}
		if other, taken := folded[fold(name)]; taken {
			bad[name], bad[other] = refuse("on some machines %q is the same file", other), refuse("on some machines %q is the same file", name)
		} else {
			folded[fold(name)] = name
		}
	}
	slices.Sort(names)
	return names, bad, nil
}

// fold is what file systems that are blind to case and to the composition of letters make of a name.
func fold(name string) string { return strings.ToLower(strings.ToUpper(norm.NFC.String(name))) }

// resolve follows the links on the way to name, below the project and nowhere else. It gives the path without them, with slashes, and
// what lies there.
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

// inside is the rest of an absolute path behind dir, compared by component; ok is false if it does not begin with dir.
func inside(path, dir string) (rest string, ok bool) {
	if path == dir {
		return "", true
	}
	return strings.CutPrefix(path, strings.TrimSuffix(dir, string(filepath.Separator))+string(filepath.Separator))
}
