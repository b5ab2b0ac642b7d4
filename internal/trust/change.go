package trust

import (
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

	"github.com/aside-go/aside/internal/atomicfile"
	"github.com/aside-go/aside/internal/checkout"
)

// Approve trusts the files of a review, except those that are Refused, in all checkouts of the project's
// repository. It trusts the bytes in the review and does not read the files again. It forgets what the files
// were, and files that are Gone, unless another checkout has them so; files that the review does not have
// stay approved. It records at as the time of approval. A record that cannot be read is set aside. A record
// of a newer version stays unchanged, and the error wraps ErrNewer.
func (s *Store) Approve(r *Review, at time.Time) error {
	held := s.elsewhere(r.Project)
	return s.change(r.Project, func(rec *record, texts map[string][]byte) {
		rec.At = at.UTC().Truncate(time.Second)
		for _, f := range r.Files {
			switch f.Status {
			case Refused:
			case Gone:
				rec.drop(f.Name, held)
			default:
				rec.put(approved{Name: f.Name, Real: f.Real, Size: int64(len(f.Src)), SHA256: f.Sum}, held)
				texts[f.Sum] = f.Src
			}
		}
	})
}

// elsewhere returns a function that reports whether another checkout of the project's repository has an
// approved text.
func (s *Store) elsewhere(real string) func(approved) bool {
	others := checkout.Others(real)
	return func(a approved) bool {
		return slices.ContainsFunc(others, func(other string) bool {
			p, err := s.enter(other)
			if err != nil {
				return false
			}
			defer p.Close()
			_, err = p.read(a.Name, []approved{a})
			return err == nil
		})
	}
}

// Keep trusts the text to of a file in place of the text from, if from is what was approved. It is for a
// program that has just written to where it had read from: to need not be reviewed, since a person asked for
// the change of a text that they had approved. name is the file's name below dir, with slashes. kept reports
// whether the file was trusted before, and is now.
func (s *Store) Keep(dir, name string, from, to []byte) (kept bool, err error) {
	real, err := s.real(dir)
	if err != nil || len(to) > maxFile {
		return false, err
	}
	was := func(rec *record) (a approved, ok bool) {
		all := rec.find(name)
		i := slices.IndexFunc(all, func(a approved) bool { return a.SHA256 == sum(from) })
		if i < 0 {
			return approved{}, false
		}
		return all[i], true
	}
	rec, err := s.record(real)
	if err != nil {
		return false, err
	}
	if _, kept = was(rec); !kept {
		return false, nil
	}
	held := s.elsewhere(real)
	err = s.change(real, func(rec *record, texts map[string][]byte) {
		var a approved
		if a, kept = was(rec); !kept {
			return // another process has changed the record meanwhile
		}
		a.Size, a.SHA256 = int64(len(to)), sum(to)
		rec.put(a, held)
		texts[a.SHA256] = to
	})
	return kept && err == nil, err
}

// Revoke ends the trust in all files of a project, in all checkouts of its repository, and reports whether
// any of them was trusted. A project whose directory no longer exists has to be named by its path without
// symbolic links. A repository can be named by any checkout, a bare one by its own directory as well.
func (s *Store) Revoke(dir string) (was bool, err error) {
	real, err := s.real(dir)
	if errors.Is(err, fs.ErrNotExist) {
		real, err = filepath.Abs(dir)
	}
	if err != nil {
		return false, err
	}
	// of each checkout there may be a record of its own, by its path
	for _, dir := range append([]string{real, checkout.Bare(real)}, checkout.Others(real)...) {
		if !slices.ContainsFunc([]string{dir, checkout.Place(dir)}, func(place string) bool {
			_, err := os.Lstat(s.path(place))
			return !errors.Is(err, fs.ErrNotExist)
		}) {
			continue
		}
		if err := s.change(dir, func(rec *record, _ map[string][]byte) { rec.Files = nil }); err != nil {
			return false, err
		}
		was = true
	}
	return was, nil
}

// change lets edit change the record of a project under the lock, and the texts by their sums. A record
// without files goes, and so does one of the project's path, which is part of that of its place now.
func (s *Store) change(real string, edit func(*record, map[string][]byte)) error {
	place := checkout.Place(real)
	for _, dir := range []string{real, filepath.Clean(place)} {
		if err := s.outside(dir); err != nil {
			return err
		}
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
	path := s.path(place)
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
	if place != real {
		if err := s.save(&record{Project: real}, nil); err != nil {
			return err
		}
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

// texts returns the approved texts of a project, by their sums, as far as they were kept unchanged. No
// decision depends on them.
func (s *Store) texts(real string) map[string][]byte {
	all := make(map[string][]byte)
	for _, place := range []string{real, checkout.Place(real)} {
		var texts map[string][]byte
		path := textsPath(s.path(place))
		found, err := os.Lstat(path)
		if err != nil || s.mine() != nil || own(path, found) != nil {
			continue
		}
		if b, same, err := readSame(path, found); err != nil || !same || json.Unmarshal(b, &texts) != nil {
			continue
		}
		maps.Copy(all, texts)
	}
	maps.DeleteFunc(all, func(s string, src []byte) bool { return s != sum(src) })
	return all
}

// make creates the store's directory, or makes sure that nobody else can look into an existing one.
func (s *Store) make() error {
	if err := os.MkdirAll(s.dir, 0o700); err != nil {
		return err
	}
	if err := s.mine(); err != nil {
		return err
	}
	return os.Chmod(s.dir, 0o700)
}

// setAside keeps an unreadable file under a free name.
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
