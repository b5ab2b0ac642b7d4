package install

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/rogpeppe/go-internal/lockedfile"

	"github.com/aside-go/aside/internal/agent"
)

// Request is what is to be installed, or taken out again.
type Request struct {
	Agent *agent.Agent
	Scope Scope
	// Mode is one of the modes of its hooks; "" is the default, nil leaves what is installed.
	Mode *string
	// StatusLine wraps the command of Claude Code's status line. False leaves it as it is, wrapped or not.
	StatusLine bool
	// DryRun plans the changes and writes nothing.
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
	Kept      Did = "kept" // left alone, since somebody has changed what aside wrote
)

// Writes reports whether the file was written or removed, or would be.
func (d Did) Writes() bool { return d == Made || d == Changed || d == Removed }

// File is one file of an installation. CLI.md fixes its names in JSON.
type File struct {
	Path   string `json:"path"`
	Real   string `json:"target,omitempty"` // Path with links resolved; "" where Path is not a link
	Did    Did    `json:"did"`
	Why    string `json:"why,omitempty"`    // why the file was Kept
	Spare  bool   `json:"-"`                // hooks work without the file
	Backup string `json:"backup,omitempty"` // path of a copy from before the first installation; "": there is none
	Was    []byte `json:"-"`                // what the file held; nil: there was none
	Is     []byte `json:"-"`                // what the file holds now, or would without DryRun; nil: there is none
}

// Result is what Install or Uninstall did.
type Result struct {
	Files []File
	After []string // what the user has to do now
}

// Changed reports whether anything was changed.
func (r *Result) Changed() bool {
	return slices.ContainsFunc(r.Files, func(f File) bool { return f.Did.Writes() })
}

// Why an agent cannot be installed into; errors wrap it.
var (
	ErrCannot = errors.New("nothing can be installed")
	ErrNoHome = errors.New("HOME is not set")
	// ErrOutside is for a file in a project that is a link to somewhere outside.
	ErrOutside = errors.New("is not written")
)

// Install registers hooks. A *SyntaxError says that a configuration cannot be parsed, ErrForeign that a file
// is in the way. All files are planned before the first is written, so after these errors nothing has
// changed.
func (m *Machine) Install(r Request) (*Result, error) { return m.run(r, in) }

// Uninstall takes hooks out again, and all that was installed with them.
func (m *Machine) Uninstall(r Request) (*Result, error) { return m.run(r, out) }

// way is the direction of a run: in for Install, out for Uninstall.
type way int

const (
	in way = iota
	out
)

// at finds the directory that a request is about. Its error wraps ErrCannot, or is ErrNoHome.
func (m *Machine) at(r Request) (place, error) {
	at := place{Machine: m, request: r}
	c := &r.Agent.Config
	switch {
	case c.Why != "":
		return at, fmt.Errorf("%w for %s: %s", ErrCannot, r.Agent.Title, c.Why)
	case r.Scope == Project && c.Project == "":
		return at, fmt.Errorf("%w: %s reads no configuration from a project; --scope user does it for all",
			ErrCannot, r.Agent.Title)
	}
	if at.dir = m.directory(c, r.Scope); at.dir == "" {
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
		if err := m.mkdir(dir, 0o700); err != nil {
			return nil, err
		}
		unlock, err := lockedfile.MutexAt(filepath.Join(dir, "lock")).Lock()
		if err != nil {
			return nil, err
		}
		defer unlock()
		if w == in && r.Scope == Project && !slices.Contains(m.Projects(), m.Project) {
			if err := m.note(projectsList, m.Project); err != nil {
				return nil, err
			}
		}
	}
	for try := 1; ; try++ {
		res, err := at.once(w)
		if errors.Is(err, errMoved) && try < 5 { // an agent wrote its own configuration
			continue
		}
		return res, err
	}
}

// once plans all changes and then writes them. It may return errMoved.
func (at place) once(w way) (*Result, error) {
	res := &Result{}
	if w == in {
		if err := at.check(); err != nil {
			return nil, err
		}
	}
	var changes []change
	for _, p := range at.parts() {
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
			if err := at.mkdir(filepath.Dir(c.now.real), 0o755); err != nil {
				return nil, err
			}
			if err := c.write(w); err != nil {
				return nil, err
			}
			if c.Did == Removed {
				at.tidy(filepath.Dir(c.Path))
			}
		}
		res.Files = append(res.Files, c.File)
	}
	if w == in {
		res.After = at.after()
	}
	return res, nil
}

// inside returns ErrOutside for a change of a file in a project that lies outside of it because of a link. A
// project may be anybody's work, and its links must not choose which file is written.
func (at place) inside(c change) error {
	if at.request.Scope != Project || !c.Did.Writes() {
		return nil
	}
	root, err := filepath.EvalSymlinks(at.Project)
	if err != nil {
		return err
	}
	dir := filepath.Dir(c.now.real)
	real, err := filepath.EvalSymlinks(dir)
	for errors.Is(err, fs.ErrNotExist) && filepath.Dir(dir) != dir { // the directory is still to be made
		dir = filepath.Dir(dir)
		real, err = filepath.EvalSymlinks(dir)
	}
	if err != nil {
		return err
	}
	if rel, err := filepath.Rel(root, real); err != nil || !filepath.IsLocal(rel) {
		return fmt.Errorf("%s %w: it leads out of the project, to %s", c.Path, ErrOutside,
			real+strings.TrimPrefix(c.now.real, dir))
	}
	return nil
}

// change is what is to be done to a file.
type change struct {
	File
	now    snapshot
	saved  backup
	before []byte // what the backup holds, without anything of ours
	fresh  bool   // the file holds nothing of ours yet
	save   bool   // the file is somebody else's, so a backup is kept beside it
	mode   os.FileMode
}

// plan works out what is to be done to a file. Did is "" where there is nothing to do and nothing to report.
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
		c.mode, c.Spare = p.mode, p.spare
	case hooksPart:
		c.save, quiet = true, !p.common().wanted
	}
	known := false
	if c.save {
		if c.saved, err = findBackup(c.now.real); err != nil {
			return c, err
		}
		if c.saved.path != "" {
			c.before, err = p.uninstall(c.saved.bytes, nil)
			known = err == nil
		}
	}
	switch {
	case w == out && known && c.Was != nil && c.saved.follows(c.Was):
		c.Is, err = c.before, nil
	case w == out:
		c.Is, err = p.uninstall(c.Was, c.before)
	default:
		c.Is, err = p.install(c.Was, c.before)
	}
	switch {
	case errors.Is(err, errKept):
		c.Is, c.Did, c.Why = c.Was, Kept, err.Error()
		if c.Spare {
			c.Why = "is not as aside writes it, and stays as it is; hooks work without it"
		}
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
	c.Backup = c.saved.path
	return c, nil
}
