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
	// day is the time between two searches for old runs.
	day = 24 * time.Hour
	// mostExpired is how many runs one Open forgets, so that no Open takes long. The next Open forgets more.
	mostExpired = 100
)

// sweep removes the temporary files of killed processes. A process writes a temporary file while it holds the
// lock of the run, so a file whose lock is free belongs to no process. sweep does not wait for locks.
func (s *Store) sweep() {
	files, err := os.ReadDir(s.path(tmpDir))
	if err != nil {
		return
	}
	for _, f := range files {
		name, _, ok := strings.Cut(f.Name(), ".")
		path := filepath.Join(s.dir, tmpDir, f.Name())
		switch {
		case ok && name == stampFile: // written without a lock, in a moment
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

// ours reports whether a name can be that of a run's files.
func ours(name string) bool {
	return strings.HasPrefix(name, plainPrefix) || strings.HasPrefix(name, hashedPrefix)
}

// expire forgets the runs that were last saved longer ago than the store keeps them. It does so once a day;
// the time of the stamp file says when it did last. If that was longer ago than a run is kept, or lies in the
// future, expire waits an hour: the clock may have jumped, so that every run seems old, and the runs in use
// are saved again within that hour.
func (s *Store) expire() {
	if s.keep < 0 {
		return
	}
	info, err := os.Stat(s.path(stampFile))
	if err != nil {
		return
	}
	now := s.disk.now()
	since := now.Sub(info.ModTime())
	if since >= 0 && since < day {
		return
	}
	// The stamp comes first, so that of several processes only one forgets runs.
	next, jumped := now, since < 0 || since > max(s.keep, 2*day)
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

// forget removes the runs that were last saved before then, and the lock files without a run. It returns how
// many it removed.
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

// unusedSince reports whether all files of a run are older than then. The lock file counts only if it is the
// only one.
func (s *Store) unusedSince(name string, then time.Time) bool {
	some := false
	for _, ext := range append(contentExts(), lockExt) {
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

// contentExts returns the extensions of a run's files that hold data.
func contentExts() []string {
	exts := []string{runExt}
	for n := 1; n <= maxCorrupt; n++ {
		exts = append(exts, corruptName("", n))
	}
	return exts
}

// removeFiles removes the files of a run but its lock file. The caller holds the lock.
func (s *Store) removeFiles(name string) error {
	for _, ext := range contentExts() {
		if err := s.disk.remove(s.path(name + ext)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}

// removeLock removes the lock file of a run, after its other files. The caller holds the lock. A process that
// waits for the lock finds that its file no longer has that name, and takes the new one. Windows cannot
// remove an open file; there the lock file stays.
func (s *Store) removeLock(name string) {
	if runtime.GOOS != "windows" {
		_ = s.disk.remove(s.path(name + lockExt))
	}
}
