package filestore

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"
)

// day is the time between two searches for old runs, where stores are opened and closed.
const day = 24 * time.Hour

// clearTemp removes the temporary files of killed processes. A process writes a temporary file while it holds
// the lock of the run, so a file whose lock is free belongs to no process. clearTemp does not wait for locks.
func (s *Store) clearTemp() {
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
		case ok && (ours(name) || name == keysFile):
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

// openSweep is how long Open looks for old runs, so that no hook takes long. The next Open looks for more.
const openSweep = 20 * time.Millisecond

// expire forgets old runs if nobody has looked for any for a day. The time of the stamp file says when
// somebody did last.
func (s *Store) expire() {
	if info, err := os.Stat(s.path(stampFile)); err != nil || s.keep < 0 {
		return
	} else if since := s.disk.now().Sub(info.ModTime()); since >= -time.Hour && since < day {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), openSweep)
	defer cancel()
	if n, err := s.Sweep(ctx); n > 0 && errors.Is(err, context.DeadlineExceeded) { // some are left
		yesterday := s.disk.now().Add(-day)
		_ = os.Chtimes(s.path(stampFile), yesterday, yesterday)
	}
}

// Sweep forgets the runs that were last saved longer ago than the store keeps them, until none is left or ctx
// ends, and returns how many it has forgotten. It holds a lock for a few files at a time. A process that
// has a store open for long calls it from time to time, such as once an hour: Open looks for old runs once a
// day, for a moment. It leaves out runs whose lock somebody holds. Its error is that of ctx, or of reading
// the directory; a directory that is not there holds no old runs.
//
// If the last search was longer ago than a run is kept, or lies in the future, Sweep forgets nothing within
// the next hour: the clock may have jumped, so that every run seems old, and the runs in use are saved again
// within that hour.
func (s *Store) Sweep(ctx context.Context) (forgotten int, err error) {
	if err := s.open(); err != nil || s.keep < 0 {
		return 0, err
	}
	s.clearTemp()
	info, err := os.Stat(s.path(stampFile))
	if errors.Is(err, fs.ErrNotExist) { // the next Save creates the directory again
		return 0, nil
	}
	if err != nil {
		return 0, err
	}
	now := s.disk.now()
	switch since := now.Sub(info.ModTime()); {
	case since < -time.Hour, since > max(s.keep, 2*day):
		return 0, os.Chtimes(s.path(stampFile), now.Add(time.Hour), now.Add(time.Hour))
	case since < 0:
		return 0, nil
	}
	if err := os.Chtimes(s.path(stampFile), now, now); err != nil {
		return 0, err
	}
	for then := now.Add(-s.keep); ; { // again, since a directory that shrinks may not show all that it holds
		n, err := s.forget(ctx, then)
		if forgotten += n; n == 0 || err != nil {
			return forgotten, err
		}
	}
}

// batch is how many files forget looks at before it takes their locks, each once. It does at least one batch.
const batch = 1000

// forget removes the runs that were last saved before then, of those that the directory shows. It returns how
// many it removed.
func (s *Store) forget(ctx context.Context, then time.Time) (n int, err error) {
	d, err := os.Open(s.dir)
	if err != nil {
		return 0, err
	}
	defer d.Close()
	for {
		files, err := d.ReadDir(batch)
		var old [locks][]string // files, by lock
		for _, f := range files {
			if name, _, ok := strings.Cut(f.Name(), "."); ok && ours(name) && s.older(f.Name(), then) {
				old[lockOf(name)] = append(old[lockOf(name)], f.Name())
			}
		}
		for _, files := range old {
			if len(files) > 0 {
				n += s.forgetFiles(files, then)
			}
		}
		switch {
		case errors.Is(err, io.EOF), err == nil && len(files) < batch: // these were all, however late it is
			return n, nil
		case err != nil:
			return n, err
		case ctx.Err() != nil:
			return n, ctx.Err()
		}
	}
}

// forgetFiles removes those of some files of runs with one lock that are older than then. It returns how many
// runs that were. A corrupt file stays as long as another file of its run is younger.
func (s *Store) forgetFiles(files []string, then time.Time) (n int) {
	name, _, _ := strings.Cut(files[0], ".")
	l, err := s.lock(name, nil)
	if err != nil {
		return 0
	}
	defer l.Close()
	for _, file := range files {
		name, ext, _ := strings.Cut(file, ".")
		switch {
		case "."+ext == runExt:
			if s.older(file, then) && s.disk.remove(s.path(file)) == nil {
				n++
			}
		case s.unusedSince(name, then) && s.removeFiles(name) == nil:
			n++
		}
	}
	return n
}

// older reports whether a file is there and was written to before then for the last time.
func (s *Store) older(file string, then time.Time) bool {
	info, err := os.Lstat(s.path(file))
	return err == nil && info.ModTime().Before(then)
}

// unusedSince reports whether all files of a run are older than then.
func (s *Store) unusedSince(name string, then time.Time) bool {
	some := false
	for _, ext := range contentExts() {
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

// contentExts are the extensions of a run's files.
var contentExts = sync.OnceValue(func() []string {
	exts := []string{runExt}
	for n := 1; n <= maxCorrupt; n++ {
		exts = append(exts, corruptName("", n))
	}
	return exts
})

// removeFiles removes the files of a run. The caller holds the lock.
func (s *Store) removeFiles(name string) error {
	for _, ext := range contentExts() {
		if err := s.disk.remove(s.path(name + ext)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}
