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
)

// Approve trusts the files of a review, except those that are Refused. It trusts the bytes in the review
// and does not read the files again. It forgets files that are Gone; files that the review does not have
// stay approved. It records at as the time of approval. A record that cannot be read is set aside. A record
// of a newer version stays unchanged, and the error wraps ErrNewer.
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

// Keep trusts the text to of a file in place of the text from, if from is what was approved. It is for a
// program that has just written to where it had read from: to need not be reviewed, since a person asked for
// the change of a text that they had approved. name is the file's name below dir, with slashes. kept reports
// whether the file was trusted before, and is now.
func (s *Store) Keep(dir, name string, from, to []byte) (kept bool, err error) {
	real, err := s.real(dir)
	if err != nil || len(to) > maxFile {
		return false, err
	}
	was := func(rec *record) bool {
		a := rec.find(name)
		return a != nil && a.SHA256 == sum(from)
	}
	if rec, err := s.record(real); err != nil || !was(rec) {
		return false, err
	}
	err = s.change(real, func(rec *record, texts map[string][]byte) {
		if kept = was(rec); !kept {
			return // another process has changed the record meanwhile
		}
		now := sum(to)
		rec.put(approved{Name: name, Real: rec.find(name).Real, Size: int64(len(to)), SHA256: now})
		texts[now] = to
	})
	return kept && err == nil, err
}

// Revoke ends the trust in all files of a project, and reports whether any of them was trusted. A project
// whose directory no longer exists has to be named by its path without symbolic links.
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

// change lets edit change the record of a project under the lock, and the texts by their sums. A record
// without files goes.
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

// texts returns the approved texts of a project, by their sums, as far as they were kept unchanged. No
// decision depends on them.
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
