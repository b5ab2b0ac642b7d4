package lsp

import (
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/aside-go/aside/compile/load"
)

// maxFile is the length in bytes of the longest file that is read.
const maxFile = 256 << 10

// disk caches the rule files of directories. A directory is invalidated when the editor reports a change in it, and whenever nothing was
// typed for a while. It is then listed again, and those of its files are read again that have another size or time. A disk may be used
// concurrently.
type disk struct {
	mu   sync.Mutex
	dirs map[string]*directory
	gate map[load.Source]gated
}

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

// gated is a directory of a project, as its gate lets it be read.
type gated struct {
	files []saved
	state int
	sure  bool
}

// invalidate says that a directory may have changed.
func (d *disk) invalidate(dir string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if known := d.dirs[dir]; known != nil {
		known.sure = false
	}
	for s, g := range d.gate {
		if s.Path == dir {
			g.sure = false
			d.gate[s] = g
		}
	}
}

// invalidateAll says that any directory may have changed.
func (d *disk) invalidateAll() {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, known := range d.dirs {
		known.sure = false
	}
	for s, g := range d.gate {
		g.sure = false
		d.gate[s] = g
	}
}

// list returns the rule files of a path, a directory or a file, and a number that changes when they do.
func (d *disk) list(path string) ([]saved, int) {
	d.mu.Lock()
	defer d.mu.Unlock()
	known := d.dirs[path]
	if known == nil {
		if d.dirs == nil {
			d.dirs = map[string]*directory{}
		}
		known = &directory{}
		d.dirs[path] = known
	}
	if !known.sure {
		known.sure = true
		if files, changed := look(path, known.files); changed {
			known.files = files
			known.state++
		}
	}
	return known.files, known.state
}

// through is list for a source of a project, with the files that gate lets through. A nil gate lets none through.
func (d *disk) through(gate load.Gate, src load.Source) ([]saved, int) {
	if gate == nil {
		return nil, 0
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	known := d.gate[src]
	if known.sure {
		return known.files, known.state
	}
	var files []saved
	for _, f := range gate.Read(src) {
		if f.Err == nil {
			files = append(files, saved{path: f.Path, src: f.Src})
		}
	}
	same := slices.EqualFunc(files, known.files, func(a, b saved) bool { return a.path == b.path && string(a.src) == string(b.src) })
	if !same {
		known.files = files
		known.state++
	}
	known.sure = true
	if d.gate == nil {
		d.gate = map[load.Source]gated{}
	}
	d.gate[src] = known
	return known.files, known.state
}

// look lists the rule files of a path. Files whose size and time are as in known are not read again. changed reports whether anything
// differs from known.
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
		i, ok := slices.BinarySearchFunc(known, name, func(s saved, name string) int { return strings.Compare(s.path, name) })
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
