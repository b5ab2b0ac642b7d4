package filestore

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"time"
)

const (
	// day is how often old runs are looked for.
	day = 24 * time.Hour
	// mostExpired is how many runs one Open forgets, so that none takes long; the next goes on.
	mostExpired = 100
)

// sweep removes temporary files whose process was killed. A temporary file is written under the lock of its run, so one
// whose lock nobody has belongs to nobody; nothing is waited for.
func (s *Store) sweep() {
	files, err := os.ReadDir(s.path(tmpDir))
	if err != nil {
		return
	}
	for _, f := range files {
		name, _, ok := strings.Cut(f.Name(), ".")
		path := filepath.Join(s.dir, tmpDir, f.Name())
		switch {
		case ok && name == stampFile: // made without a lock, in a moment
			if info, err := f.Info(); err == nil && s.disk.now().Sub(info.ModTime()) > day {
				_ = s.disk.remove(path)
			}
		case ok && ours(name):
			if l, err := s.lock(name, nil); err == nil {
				_ = s.disk.remove(path)
				l.Close()
			}
		}
	}
}

// ours reports whether the files of a run may have that name.
func ours(name string) bool {
	return strings.HasPrefix(name, plainPrefix) || strings.HasPrefix(name, hashedPrefix)
}

// expire forgets runs that were not saved for long, once a day: the stamp says when it was last done. When more time went
// by than a run is kept, or less than none, nothing is forgotten yet: either nobody was here, and there is no hurry, or the clock jumped and
// every run seems old. Those in use are saved again within the hour that is waited then.
func (s *Store) expire() {
	if s.keep < 0 {
		return
	}
	info, err := os.Stat(s.path(stampFile))
	if err != nil {
		return
	}
	now := s.disk.now()
	gone := now.Sub(info.ModTime())
	if gone >= 0 && gone < day {
		return
	}
	// First, so that of several processes that come now only one is at it.
	next, jumped := now, gone < 0 || gone > max(s.keep, 2*day)
	if jumped {
		next = now.Add(time.Hour - day)
	}
	if err := os.Chtimes(s.path(stampFile), next, next); err != nil || jumped {
		return
	}
	if s.forget(now.Add(-s.keep)) == mostExpired {
		_ = os.Chtimes(s.path(stampFile), now.Add(-day), now.Add(-day))
	}
}

// forget removes the runs that were last saved before then, and locks that are of no run, and says how many it removed.
func (s *Store) forget(then time.Time) int {
	files, err := os.ReadDir(s.dir)
	if err != nil {
		return 0
	}
	n, last := 0, ""
	for _, f := range files {
		name, _, ok := strings.Cut(f.Name(), ".")
		if !ok || !ours(name) || name == last || n == mostExpired {
			continue
		}
		last = name
		if !s.unusedSince(name, then) {
			continue
		}
		l, err := s.lock(name, nil)
		if err != nil {
			continue
		}
		if s.unusedSince(name, then) && s.removeFiles(name) == nil {
			s.removeLock(name)
			n++
		}
		l.Close()
	}
	return n
}

// unusedSince reports whether all files of a run are older, the lock only counting where there is nothing else.
func (s *Store) unusedSince(name string, then time.Time) bool {
	some := false
	for _, ext := range append(contents(), lockExt) {
		if ext == lockExt && some {
			return true
		}
		info, err := os.Lstat(s.path(name + ext))
		switch {
		case errors.Is(err, fs.ErrNotExist):
		case err != nil || !info.ModTime().Before(then):
			return false
		default:
			some = true
		}
	}
	return some
}

// contents are the extensions of a run's files that hold something.
func contents() []string {
	exts := []string{runExt}
	for n := 1; n <= asides; n++ {
		exts = append(exts, aside("", n))
	}
	return exts
}

// removeFiles removes what is stored of a run, by who holds the lock.
func (s *Store) removeFiles(name string) error {
	for _, ext := range contents() {
		if err := s.disk.remove(s.path(name + ext)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}

// removeLock removes the lock file of a run, last and by who holds it: whoever waits for it finds that it is no longer the
// file of that name, and takes the new one. Windows cannot remove a file that is open, so there it stays.
func (s *Store) removeLock(name string) {
	if runtime.GOOS != "windows" {
		_ = s.disk.remove(s.path(name + lockExt))
	}
}
