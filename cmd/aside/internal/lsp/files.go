package lsp

import (
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/aside-go/aside/cmd/aside/internal/lsp/cursor"
	"github.com/aside-go/aside/compile/load"
)

// kind is the kind of a file.
type kind uint8

const (
	foreign  kind = iota // not served
	rules                // a rule file
	ruleTest             // a file of `aside test`
)

// scope is the sources that a file is loaded with, lowest precedence first.
type scope struct {
	key     string // equal for equal scopes
	sources []load.Source
}

// remindersDir is the name of the directories that hold rules.
const remindersDir = "reminders"

// kindOf returns the kind of a file, by its path and text.
func (s *Server) kindOf(v *view, path, src string) kind {
	if path == "" || !load.IsRuleFile(path) {
		return foreign
	}
	md := strings.HasSuffix(path, ".md")
	src = src[:min(len(src), maxFile)]
	if !md && isTest(path, src) {
		return ruleTest
	}
	if _, named := s.named(v, path); named || standard(path) != "" {
		return rules
	}
	if filepath.Base(filepath.Dir(path)) != remindersDir || md && !cursor.HasFront(src) {
		return foreign
	}
	return rules
}

// served returns an open text and its kind; nil where the text is not served, or is longer than maxFile.
func (s *Server) served(v *view, uri string) (*doc, kind) {
	d := v.docs[uri]
	if d == nil || len(d.text.s) > maxFile {
		return nil, foreign
	}
	k := s.kindOf(v, d.path, d.text.s)
	if k == foreign {
		return nil, foreign
	}
	return d, k
}

// standard returns, for a file in a standard directory such as DIR/.aside/reminders, DIR; for any other file
// "".
func standard(path string) string {
	dir := filepath.Dir(path)
	if filepath.Base(dir) != remindersDir {
		return ""
	}
	switch dir = filepath.Dir(dir); filepath.Base(dir) {
	case ".agents", ".claude", ".aside":
		return filepath.Dir(dir)
	}
	return ""
}

// named returns the scope of the rules that the editor's settings name, and whether path is among them.
func (s *Server) named(v *view, path string) (scope, bool) {
	var sc scope
	found := false
	for _, p := range v.rules {
		if !filepath.IsAbs(p) {
			p = filepath.Join(s.project(v), p)
		}
		sources, _ := load.Paths(p) // a path that does not exist has no files
		for _, src := range sources {
			found = found || src.Path == path || src.Path == filepath.Dir(path)
			if !slices.Contains(sc.sources, src) {
				sc.sources = append(sc.sources, src)
				sc.key += src.Path + "\x00"
			}
		}
	}
	return sc, found
}

// project returns the editor's project: its first folder, or else Options.Dir.
func (s *Server) project(v *view) string {
	if len(v.folders) > 0 {
		return v.folders[0]
	}
	return s.opts.Dir
}

// scopeOf returns the scope of a rule file.
func (s *Server) scopeOf(v *view, path string) scope {
	if sc, ok := s.named(v, path); ok {
		return sc
	}
	dir := filepath.Dir(path)
	root := standard(path)
	if root == "" {
		return scope{key: dir, sources: []load.Source{{Path: dir}}}
	}
	if root == s.opts.Home {
		if root = s.project(v); root == s.opts.Home {
			root = ""
		}
	}
	return scope{key: "standard\x00" + root, sources: load.Standard(s.opts.Home, root)}
}

// isTest reports whether a file is a rule test: by its name, and by its text, since other tests may have such
// names.
func isTest(path, src string) bool {
	name := strings.TrimSuffix(filepath.Base(path), filepath.Ext(path))
	return strings.HasSuffix(name, "_test") && testsKey.MatchString(src) && testWords.MatchString(src)
}

var (
	testsKey  = regexp.MustCompile(`(?m)^tests:`)
	testWords = regexp.MustCompile(`(?m)(^|[\s{,-])(reminders|steps|series|trigger):`)
)

// maxFile is the length in bytes of the longest file that is read.
const maxFile = 256 << 10

// disk caches the rule files of directories. A directory is invalidated when the editor reports a change in
// it, and whenever nothing was typed for a while. It is then listed again, and those of its files are read
// again that have another size or time. A disk may be used concurrently.
type disk struct {
	mu   sync.Mutex
	dirs map[load.Source]*directory // a path without a project is read as it is, else as far as it is trusted
}

// directory holds the rule files of a path, a directory or a file.
type directory struct {
	files []saved // by name
	sure  bool    // not invalidated since it was listed
	state int     // is incremented with each change
}

// saved is a rule file as it is on the disk.
type saved struct {
	path string
	src  []byte
	size int64
	at   time.Time
}

// invalidate says that a directory may have changed; "" is any directory.
func (d *disk) invalidate(dir string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for src, known := range d.dirs {
		if dir == "" || src.Path == dir {
			known.sure = false
		}
	}
}

// list returns the rule files of a path, a directory or a file, and a number that changes when they do.
func (d *disk) list(path string) ([]saved, int) {
	return d.get(load.Source{Path: path}, func(known []saved) ([]saved, bool) { return look(path, known) })
}

// trusted is list for a source of a project, with the files that gate lets through. A nil gate lets none
// through.
func (d *disk) trusted(gate load.Gate, src load.Source) ([]saved, int) {
	if gate == nil {
		return nil, 0
	}
	return d.get(src, func(known []saved) (files []saved, changed bool) {
		for _, f := range gate.Read(src) {
			if f.Err == nil {
				files = append(files, saved{path: f.Path, src: f.Src})
			}
		}
		same := func(a, b saved) bool { return a.path == b.path && string(a.src) == string(b.src) }
		return files, !slices.EqualFunc(files, known, same)
	})
}

// get returns the files of a source, which read reads again if need be, given those that are known.
func (d *disk) get(src load.Source, read func(known []saved) (files []saved, changed bool)) ([]saved, int) {
	d.mu.Lock()
	defer d.mu.Unlock()
	known := d.dirs[src]
	if known == nil {
		if d.dirs == nil {
			d.dirs = map[load.Source]*directory{}
		}
		known = &directory{}
		d.dirs[src] = known
	}
	if !known.sure {
		known.sure = true
		if files, changed := read(known.files); changed {
			known.files = files
			known.state++
		}
	}
	return known.files, known.state
}

// look lists the rule files of a path. Files whose size and time are as in known are not read again. changed
// reports whether anything differs from known.
func look(path string, known []saved) (files []saved, changed bool) {
	var names []string
	if info, err := os.Stat(path); err == nil && !info.IsDir() {
		names = []string{path}
	} else if entries, err := os.ReadDir(path); err == nil {
		for _, e := range entries {
			if name := filepath.Join(path, e.Name()); load.IsRuleFile(name) && !e.IsDir() {
				names = append(names, name)
			}
		}
	}
	for _, name := range names {
		info, err := os.Stat(name)
		if err != nil || !info.Mode().IsRegular() || info.Size() > maxFile {
			continue
		}
		i, ok := slices.BinarySearchFunc(known, name, func(s saved, name string) int {
			return strings.Compare(s.path, name)
		})
		if ok && known[i].size == info.Size() && known[i].at.Equal(info.ModTime()) {
			files = append(files, known[i])
			continue
		}
		changed = true
		if src, err := readRegular(name); err == nil {
			files = append(files, saved{path: name, src: src, size: info.Size(), at: info.ModTime()})
		}
	}
	return files, changed || len(files) != len(known)
}

// readRegular reads a regular file. It does not block where that was replaced by a pipe, for example.
func readRegular(name string) ([]byte, error) {
	f, err := os.OpenFile(name, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if info, err := f.Stat(); err != nil || !info.Mode().IsRegular() {
		return nil, fs.ErrInvalid
	}
	return io.ReadAll(io.LimitReader(f, maxFile+1))
}
