package trust

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/rogpeppe/go-internal/lockedfile"

	"github.com/aside-go/aside/compile/load"
	"github.com/aside-go/aside/internal/atomicfile"
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
	// Refused is a file that cannot be trusted as it is; File.Why says for what reason.
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
	Old    []byte // of Changed, what was approved; nil if that was not kept
	Why    error  // of Refused, it wraps ErrRefused
}

// Fine reports whether every file that exists is Trusted.
func (r *Review) Fine() bool {
	return !slices.ContainsFunc(r.Files, func(f File) bool { return f.Status != Trusted && f.Status != Gone })
}

// maxProject is how many bytes of rules a person is shown of one project.
const maxProject = 16 << 20

// Review reads the rule files in the standard directories of a project, up to 16 MiB in all, for a person to look at. It is the only
// function that reads files that are not trusted.
func (s *Store) Review(dir string) (*Review, error) {
	p, err := s.enter(dir)
	if err != nil {
		return nil, err
	}
	defer p.Close()
	rec, broken := s.record(p.real)
	texts := s.texts(p.real)
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
				bad[name] = refuse("the rule files before it have %d bytes, more than a person looks at", total)
			}
			f := p.look(dir+"/"+name, bad[name], rec)
			total += len(f.Src)
			if f.Status == Changed {
				f.Old = texts[rec.find(f.Name).SHA256]
			}
			r.Files = append(r.Files, f)
		}
		for _, a := range rec.Files {
			if at, name := filepath.Split(filepath.FromSlash(a.Name)); filepath.ToSlash(at) == dir+"/" && !slices.Contains(names, name) && err == nil {
				r.Files = append(r.Files, File{Name: a.Name, Status: Gone, Was: a.Size})
			}
		}
		from := slices.IndexFunc(r.Files, func(f File) bool { return strings.HasPrefix(f.Name, dir+"/") })
		if from >= 0 {
			slices.SortFunc(r.Files[from:], func(a, b File) int { return cmp.Compare(a.Name, b.Name) })
		}
	}
	return r, nil
}

// look reads one file. bad is what its name already says against it.
func (p *project) look(name string, bad error, rec *record) File {
	f := File{Name: name, Was: -1}
	want := rec.find(name)
	if want != nil {
		f.Was = want.Size
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
	case want == nil:
		f.Status = New
	case want.SHA256 == f.Sum && want.Real == f.Real:
		f.Status = Trusted
	default:
		f.Status = Changed
	}
	return f
}

// Approve trusts the files of a review, except those that are Refused. What it trusts are the bytes in the review: it does not read
// the files again. Files that are Gone are forgotten; files that the review does not have stay as they are. at is recorded as
// the time of approval. A record that cannot be read is set aside. One of a newer version is left as it is, and the error wraps
// ErrNewer.
func (s *Store) Approve(r *Review, at time.Time) error {
	return s.change(r.Project, func(rec *record, texts map[string][]byte) {
		rec.At = at.UTC().Truncate(time.Second)
		for _, f := range r.Files {
			switch f.Status {
			case Refused:
			case Gone:
				rec.drop(f.Name)
			default:
				rec.put(approved{Name: f.Name, Real: f.Real, Size: int64(len(f.Src)), SHA256: f.Sum})
				texts[f.Sum] = f.Src
			}
		}
	})
}

// Revoke ends the trust in all files of a project, and reports whether any of them was trusted. A project whose directory no longer
// exists has to be named by its path without symbolic links.
func (s *Store) Revoke(dir string) (was bool, err error) {
	real, err := s.real(dir)
	if errors.Is(err, fs.ErrNotExist) {
		real, err = filepath.Abs(dir)
	}
	if err != nil {
		return false, err
	}
	if _, err := os.Lstat(s.path(real)); errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	err = s.change(real, func(rec *record, _ map[string][]byte) { rec.Files = nil })
	return err == nil, err
}

// change lets edit change the record of a project under the lock, and the texts by their sums. A record without files goes.
func (s *Store) change(real string, edit func(*record, map[string][]byte)) error {
	if err := s.outside(real); err != nil {
		return err
	}
	if err := s.make(); err != nil {
		return err
	}
	lock, err := lockedfile.OpenFile(filepath.Join(s.dir, lockName), os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return err
	}
	defer lock.Close()
	atomicfile.Sweep(s.dir, "", 0) // the lock is held
	path := s.path(real)
	rec, err := s.record(real)
	switch {
	case errors.Is(err, ErrCorrupt), errors.Is(err, ErrUnsafe):
		if err := setAside(path); err != nil {
			return err
		}
	case err != nil:
		return err
	}
	texts := s.texts(real)
	edit(rec, texts)
	if err := s.save(rec, texts); err != nil {
		return err
	}
	return atomicfile.SyncDir(s.dir)
}

// save writes a record and the texts of its files, or removes both.
func (s *Store) save(rec *record, texts map[string][]byte) error {
	path := s.path(rec.Project)
	if len(rec.Files) == 0 {
		for _, p := range []string{path, textsPath(path)} {
			if err := os.Remove(p); err != nil && !errors.Is(err, fs.ErrNotExist) {
				return err
			}
		}
		return nil
	}
	b, err := rec.encode()
	if err != nil {
		return err
	}
	if len(b) >= maxRecord {
		return fmt.Errorf("%d files are more than can be trusted in one project", len(rec.Files))
	}
	maps.DeleteFunc(texts, func(sum string, _ []byte) bool {
		return !slices.ContainsFunc(rec.Files, func(a approved) bool { return a.SHA256 == sum })
	})
	t, err := json.Marshal(texts)
	if err != nil {
		return err
	}
	if err := atomicfile.Write(textsPath(path), t, 0o600); err != nil {
		return err
	}
	return atomicfile.Write(path, b, 0o600)
}

func textsPath(record string) string { return strings.TrimSuffix(record, recordExt) + textsExt }

// texts are what was approved of a project, by their sums, as far as it was kept and is what it was. Nothing rests on them.
func (s *Store) texts(real string) map[string][]byte {
	texts := make(map[string][]byte)
	path := textsPath(s.path(real))
	found, err := os.Lstat(path)
	if err != nil || s.mine() != nil || own(path, found) != nil {
		return texts
	}
	b, same, err := readSame(path, found)
	if err != nil || !same || json.Unmarshal(b, &texts) != nil || texts == nil {
		return make(map[string][]byte)
	}
	maps.DeleteFunc(texts, func(s string, src []byte) bool { return s != sum(src) })
	return texts
}

// make makes the store's directory, or sees to it that nobody else can look into the one that is there.
func (s *Store) make() error {
	if err := os.MkdirAll(s.dir, 0o700); err != nil {
		return err
	}
	if err := s.mine(); err != nil {
		return err
	}
	return os.Chmod(s.dir, 0o700)
}

// setAside keeps what could not be read under a name that is free.
func setAside(path string) error {
	for n := 0; ; n++ {
		to := path + badExt
		if n > 0 {
			to = fmt.Sprintf("%s%s%d", path, badExt, n)
		}
		if _, err := os.Lstat(to); errors.Is(err, fs.ErrNotExist) {
			return os.Rename(path, to)
		} else if err != nil {
			return err
		}
	}
}
