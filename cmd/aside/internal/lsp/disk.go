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

// maxFile is how many bytes of a file are looked at, as everywhere.
const maxFile = 256 << 10

// disk remembers the rule files of directories. A directory that is in doubt is looked at again, and of it what has another size or
// time is read again; it comes in doubt when the editor tells of a change in it, and whenever nothing was typed for a while.
type disk struct {
	mu   sync.Mutex
	dirs map[string]*directory
	gate map[load.Source]gated
}

type directory struct {
	files []saved // in name order
	sure  bool
	state int // grows with each change
}

// saved is a rule file as it is on the disk.
type saved struct {
	path string
	src  []byte
	size int64
	at   time.Time
}

// gated is what a gate gave of a project's directory.
type gated struct {
	files []saved
	state int
	sure  bool
}

// doubt says that a directory may have changed.
func (d *disk) doubt(dir string) {
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

// doubtAll says that anything may have changed.
func (d *disk) doubtAll() {
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

// list gives the rule files of a source, a directory or a file, and a number that grows when they change.
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

// through gives the files of a project's source as far as its gate lets them through.
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

// look lists the rule files of a path and reads those that differ from what was known.
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

// readRegular reads a regular file, and waits for nothing else that may have taken its place.
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
