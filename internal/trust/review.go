package trust

import (
	"cmp"
	"errors"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/aside-go/aside/compile/load"
)

// Status says whether a file is trusted, and if not, why.
type Status uint8

const (
	// New is a file that was never approved.
	New Status = iota
	// Trusted is a file that is as it was when it was approved.
	Trusted
	// Changed is a file that was approved with other bytes, or in another place.
	Changed
	// Gone is a file that was approved and no longer exists.
	Gone
	// Refused is a file that cannot be trusted; File.Why gives the reason.
	Refused
)

// String returns "new", "trusted", "changed", "gone" or "refused".
func (s Status) String() string {
	return [...]string{"new", "trusted", "changed", "gone", "refused"}[s]
}

// Review holds the rule files of a project for a person to approve. It is immutable.
type Review struct {
	Project string    // the path of the project, without symbolic links
	Since   time.Time // when files were last approved; zero if none were
	Files   []File    // by precedence of their directories, the lowest first, and then by name
	Broken  error     // why the record of earlier approvals does not count; nil if it does
}

// File is a rule file of a project, with the bytes that are approved if it is.
type File struct {
	Name   string // below the project, with slashes
	Real   string // where it lies below the project, if links lead there; else ""
	Src    []byte // nil of a file that is Gone or Refused
	Sum    string // SHA-256 of Src, in hexadecimal
	Status Status
	Was    int64  // bytes when it was approved; -1 if it was not
	Old    []byte // of Changed, the approved bytes; nil if they were not kept
	Why    error  // of Refused, it wraps ErrRefused
}

// Fine reports whether every file that exists is Trusted.
func (r *Review) Fine() bool {
	return !slices.ContainsFunc(r.Files, func(f File) bool { return f.Status != Trusted && f.Status != Gone })
}

// maxProject is how many bytes of rules a person is shown of one project.
const maxProject = 16 << 20

// Review reads the rule files in the standard directories of a project, up to 16 MiB in all, and its
// configuration file, for a person to look at. It is the only function that reads files that are not trusted.
func (s *Store) Review(dir string) (*Review, error) {
	p, err := s.enter(dir)
	if err != nil {
		return nil, err
	}
	defer p.Close()
	rec, broken := s.record(p.real)
	texts, held := s.texts(p.real), s.elsewhere(p.real)
	gone := func(name string) bool { return !slices.ContainsFunc(rec.find(name), held) }
	r := &Review{Project: p.real, Since: rec.At, Broken: broken}
	total := 0
	for _, src := range load.Standard("", p.real) {
		dir, err := below(src)
		if err != nil {
			return nil, err
		}
		names, bad, err := p.list(dir)
		if err != nil {
			r.Files = append(r.Files, File{Name: dir, Status: Refused, Was: -1, Why: plain(err)})
		}
		for _, name := range names {
			if total > maxProject && bad[name] == nil {
				bad[name] = refuse("the rule files before it have %d bytes, more than a person looks at",
					total)
			}
			f := p.look(dir+"/"+name, bad[name], rec)
			total += len(f.Src)
			if was := rec.find(f.Name); f.Status == Changed {
				f.Old = texts[was[len(was)-1].SHA256]
			}
			r.Files = append(r.Files, f)
		}
		for i, a := range rec.Files {
			again := i > 0 && rec.Files[i-1].Name == a.Name // another text of it
			if at, name := filepath.Split(filepath.FromSlash(a.Name)); filepath.ToSlash(at) == dir+"/" && !again &&
				!slices.Contains(names, name) && err == nil && gone(a.Name) {
				r.Files = append(r.Files, File{Name: a.Name, Status: Gone, Was: a.Size})
			}
		}
		from := slices.IndexFunc(r.Files, func(f File) bool { return strings.HasPrefix(f.Name, dir+"/") })
		if from >= 0 {
			slices.SortFunc(r.Files[from:], func(a, b File) int { return cmp.Compare(a.Name, b.Name) })
		}
	}
	if _, _, err := p.resolve(Config); !errors.Is(err, fs.ErrNotExist) {
		r.Files = append(r.Files, p.look(Config, nil, rec))
	} else if was := rec.find(Config); was != nil && gone(Config) {
		r.Files = append(r.Files, File{Name: Config, Status: Gone, Was: was[0].Size})
	}
	return r, nil
}

// look reads one file. bad is the reason for which its name already rules it out.
func (p *project) look(name string, bad error, rec *record) File {
	f := File{Name: name, Was: -1}
	wanted := rec.find(name)
	if len(wanted) > 0 {
		f.Was = wanted[len(wanted)-1].Size
	}
	var c *content
	if bad == nil {
		c, bad = p.read(name, nil)
	}
	if bad != nil {
		f.Status, f.Why = Refused, bad
		return f
	}
	f.Src, f.Sum = c.src, c.sum
	if c.real != name {
		f.Real = c.real
	}
	switch {
	case wanted == nil:
		f.Status = New
	case slices.ContainsFunc(wanted, func(a approved) bool { return a.SHA256 == f.Sum && a.Real == f.Real }):
		f.Status, f.Was = Trusted, int64(len(f.Src))
	default:
		f.Status = Changed
	}
	return f
}
