package install

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/rogpeppe/go-internal/lockedfile"
)

// Request is what is to be installed, or taken out again.
type Request struct {
	Agent *Agent
	Scope Scope
	// Mode is the agent's optional way of working; "" is the usual one, nil leaves it as it is.
	Mode *string
	// StatusLine wraps Claude Code's status line. One that is wrapped stays so without it.
	StatusLine bool
	// DryRun plans and writes nothing.
	DryRun bool
}

// Did is what became of a file.
type Did string

// What becomes of files.
const (
	Made      Did = "made"
	Changed   Did = "changed"
	Unchanged Did = "unchanged"
	Removed   Did = "removed"
	Kept      Did = "kept" // it is not as aside wrote it
)

// File is one file of an installation.
type File struct {
	Path   string
	Real   string // where links lead, if they do
	Did    Did
	Why    string // of Kept
	Backup string // what it was before the first installation; "" where there is none
	Was    []byte // nil: no file
	Is     []byte
}

// Result is what became of an installation.
type Result struct {
	Files []File
	After []string // what the user has to do now
}

// Changed reports whether anything was changed.
func (r *Result) Changed() bool {
	for _, f := range r.Files {
		if f.Did == Made || f.Did == Changed || f.Did == Removed {
			return true
		}
	}
	return false
}

// Why an agent cannot be installed into; errors wrap it.
var (
	ErrCannot = errors.New("nothing can be installed")
	ErrNoHome = errors.New("HOME is not set")
	// ErrOutside says that a link in a project leads out of it.
	ErrOutside = errors.New("is not written")
)

// Install registers hooks. A *SyntaxError says that a configuration cannot be read, ErrForeign that a file is in the way; then, as after
// any error that is met before the first file is written, nothing has changed.
func (m *Machine) Install(r Request) (*Result, error) { return m.run(r, in) }

// Uninstall takes hooks out again, and all that came with them.
func (m *Machine) Uninstall(r Request) (*Result, error) { return m.run(r, out) }

// way is one of the two.
type way int

const (
	in way = iota
	out
)

// at resolves a request.
func (m *Machine) at(r Request) (place, error) {
	at := place{Machine: m, request: r}
	if r.Agent.Why != "" {
		return at, fmt.Errorf("%w for %s: %s", ErrCannot, r.Agent.Title, r.Agent.Why)
	}
	dir := r.Agent.user
	if r.Scope == Project {
		if dir = r.Agent.project; dir == nil {
			return at, fmt.Errorf("%w: %s reads no configuration from a project; --scope user does it for all", ErrCannot, r.Agent.Title)
		}
	}
	if at.dir = dir(m); at.dir == "" {
		return at, ErrNoHome
	}
	return at, nil
}

func (m *Machine) run(r Request, w way) (*Result, error) {
	at, err := m.at(r)
	if err != nil {
		return nil, err
	}
	if !r.DryRun {
		dir := filepath.Join(m.State, "install")
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return nil, err
		}
		unlock, err := lockedfile.MutexAt(filepath.Join(dir, "lock")).Lock()
		if err != nil {
			return nil, err
		}
		defer unlock()
	}
	for try := 1; ; try++ {
		res, err := at.once(w)
		if errors.Is(err, errMoved) && try < 5 { // an agent wrote its own configuration
			continue
		}
		return res, err
	}
}

// once plans all files and then writes them.
func (at place) once(w way) (*Result, error) {
	res := &Result{}
	if check := at.request.Agent.check; check != nil && w == in {
		if err := check(at); err != nil {
			return nil, err
		}
	}
	var changes []change
	for _, p := range at.request.Agent.parts(at) {
		c, err := plan(p, w)
		if err == nil {
			err = at.inside(c)
		}
		if err != nil {
			return nil, err
		}
		if c.Did != "" {
			changes = append(changes, c)
		}
	}
	for i := range changes {
		c := &changes[i]
		if !at.request.DryRun {
			if err := c.write(w); err != nil {
				return nil, err
			}
			if c.Did == Removed {
				at.tidy(filepath.Dir(c.Path))
			}
		}
		res.Files = append(res.Files, c.File)
	}
	if w == in && at.request.Agent.after != nil {
		res.After = at.request.Agent.after(at)
	}
	return res, nil
}

// inside refuses to write what links in a project lead to outside of it: whose links those are is not known.
func (at place) inside(c change) error {
	if at.request.Scope != Project || c.Did == "" || c.Did == Unchanged || c.Did == Kept {
		return nil
	}
	root, err := filepath.EvalSymlinks(at.Project)
	if err != nil {
		return err
	}
	dir := filepath.Dir(c.now.real)
	real, err := filepath.EvalSymlinks(dir)
	for errors.Is(err, fs.ErrNotExist) && filepath.Dir(dir) != dir { // it is to be made
		dir = filepath.Dir(dir)
		real, err = filepath.EvalSymlinks(dir)
	}
	if err != nil {
		return err
	}
	if rel, err := filepath.Rel(root, real); err != nil || !filepath.IsLocal(rel) {
		return fmt.Errorf("%s %w: it leads out of the project, to %s", c.Path, ErrOutside, real+strings.TrimPrefix(c.now.real, dir))
	}
	return nil
}

// tidy removes directories that hold nothing any longer, up to that of the agent.
func (at place) tidy(dir string) {
	for rel := "."; ; dir = filepath.Dir(dir) {
		var err error
		if rel, err = filepath.Rel(at.dir, dir); err != nil || !filepath.IsLocal(rel) || dir == at.Home || dir == at.Project || os.Remove(dir) != nil {
			return
		}
	}
}

// change is a file that is to be written.
type change struct {
	File
	now    snapshot
	backup backup
	before []byte // what the backup holds that is not ours
	fresh  bool   // nothing of ours is in the file yet
	save   bool   // what was there is somebody's, and kept beside
	mode   os.FileMode
}

// plan works out what becomes of a file. Without a Did there is nothing to say of it.
func plan(p part, w way) (c change, err error) {
	c.Path, c.mode = p.file(), 0o644
	if c.now, err = look(c.Path); err != nil {
		return c, err
	}
	if c.Was = c.now.bytes; c.now.real != c.Path {
		c.Real = c.now.real
	}
	quiet := false
	switch p := p.(type) {
	case *owned:
		c.mode = os.FileMode(p.mode)
	case *jsonHooks:
		c.save, quiet = true, !p.wanted
	case *tomlHooks:
		c.save, quiet = true, !p.wanted
	}
	known := false
	if c.save {
		if c.backup, err = findBackup(c.now.real); err != nil {
			return c, err
		}
		if c.backup.path != "" {
			c.before, err = p.uninstall(c.backup.bytes, nil)
			known = err == nil
		}
	}
	switch {
	case w == out && known && c.Was != nil && c.backup.follows(c.Was):
		c.Is, err = c.before, nil
	case w == out:
		c.Is, err = p.uninstall(c.Was, c.before)
	default:
		c.Is, err = p.install(c.Was, c.before)
	}
	switch {
	case errors.Is(err, errKept):
		c.Is, c.Did, c.Why = c.Was, Kept, err.Error()
		return c, nil
	case errors.Is(err, ErrForeign):
		return c, fmt.Errorf("%s %w, and the agent looks for no other name", c.Path, err)
	case err != nil:
		return c, err
	}
	if rest, err := p.uninstall(c.Was, nil); err == nil {
		c.fresh = bytes.Equal(rest, c.Was)
	}
	switch {
	case c.Was == nil && c.Is == nil, quiet && bytes.Equal(c.Was, c.Is):
	case c.Was == nil:
		c.Did = Made
	case c.Is == nil:
		c.Did = Removed
	case bytes.Equal(c.Was, c.Is):
		c.Did = Unchanged
	default:
		c.Did = Changed
	}
	c.Backup = c.backup.path
	return c, nil
}
