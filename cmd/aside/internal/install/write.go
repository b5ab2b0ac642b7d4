package install

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/aside-go/aside/internal/atomicfile"
)

// snapshot is what look has read of a file.
type snapshot struct {
	real  string // the path with links resolved; where there is no file, the path at which it would be made
	bytes []byte // nil: there is no file
	info  fs.FileInfo
}

// look reads a file, following links. A file that does not exist is no error; a directory, or a file that is
// not regular or longer than maxFile, is.
func look(path string) (s snapshot, err error) {
	if s.real, err = follow(path); err != nil {
		return s, err
	}
	s.info, err = os.Stat(s.real)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return s, nil
	case err != nil:
		return s, err
	case s.info.IsDir():
		return s, &fs.PathError{Op: "read", Path: path, Err: errors.New("is a directory")}
	case !s.info.Mode().IsRegular():
		return s, &fs.PathError{Op: "read", Path: path, Err: errors.New("is not a regular file")}
	case s.info.Size() > maxFile:
		return s, &fs.PathError{Op: "read", Path: path, Err: errors.New("is too large for a configuration")}
	}
	s.bytes, err = os.ReadFile(s.real)
	return s, err
}

// follow returns the path that path leads to if it is a link, and path itself if not. Nothing need exist
// there.
func follow(path string) (string, error) {
	for range 40 {
		fi, err := os.Lstat(path)
		if errors.Is(err, fs.ErrNotExist) || err == nil && fi.Mode()&fs.ModeSymlink == 0 {
			return path, nil
		}
		if err != nil {
			return "", err
		}
		to, err := os.Readlink(path)
		if err != nil {
			return "", err
		}
		if !filepath.IsAbs(to) {
			dir, err := filepath.EvalSymlinks(filepath.Dir(path))
			if err != nil {
				return "", err
			}
			to = filepath.Join(dir, to)
		}
		path = to
	}
	return "", &fs.PathError{Op: "open", Path: path, Err: errors.New("too many links")}
}

// errMoved is returned for a file that has changed since the change to it was planned.
var errMoved = errors.New("the configuration changes while it is being written; close the agent " +
	"and try again")

// write carries out the change, and sets Backup to where the backup is then. It may return errMoved.
func (c *change) write(w way) error {
	if !c.Did.Writes() {
		return nil
	}
	if err := c.unmoved(); err != nil {
		return err
	}
	if c.now.info != nil && c.now.info.Mode().Perm()&0o222 == 0 {
		return &fs.PathError{Op: "write", Path: c.Path, Err: errors.New("is read-only")}
	}
	atomicfile.Sweep(filepath.Dir(c.now.real), filepath.Base(c.now.real), 0) // the lock is held
	if w == in && c.save && c.Was != nil {
		if err := c.keep(); err != nil {
			return err
		}
	}
	if c.Did == Removed {
		if err := os.Remove(c.now.real); err != nil {
			return err
		}
		if err := atomicfile.SyncDir(filepath.Dir(c.now.real)); err != nil {
			return err
		}
	} else if err := (atomicfile.Options{Mode: c.mode, Ready: c.unmoved}).Write(c.now.real, c.Is); err != nil {
		return err
	}
	if c.saved.path == "" {
		return nil
	}
	if w == out && (bytes.Equal(c.Is, c.before) || bytes.Equal(c.Is, c.saved.bytes)) {
		c.Backup = ""
		return os.Remove(c.saved.path)
	}
	if w == in && !c.fresh && c.saved.follows(c.Was) {
		to := backupName(c.now.real, c.Is)
		if err := os.Rename(c.saved.path, to); err != nil {
			return err
		}
		c.Backup = to
	}
	return nil
}

// unmoved returns errMoved if the file has changed since the change to it was planned.
func (c *change) unmoved() error {
	again, err := look(c.Path)
	if err == nil && (again.real != c.now.real || (again.bytes == nil) != (c.now.bytes == nil) ||
		!bytes.Equal(again.bytes, c.now.bytes)) {
		err = errMoved
	}
	return err
}

// keep writes what the file holds to a backup beside it. Where there is a backup and the file still holds
// what is ours, that backup is of the time before the first installation, and stays.
func (c *change) keep() error {
	old := c.saved.path
	if old != "" && !c.fresh {
		return nil
	}
	name := backupName(c.now.real, c.Is)
	if name != old {
		if err := (atomicfile.Options{Like: c.now.info}).Write(name, c.Was); err != nil {
			return err
		}
		if old != "" { // of an earlier installation, which somebody has taken out by hand
			if err := os.Remove(old); err != nil {
				return err
			}
		}
	}
	c.Backup = name
	c.saved = backup{name, c.Was}
	return nil
}

// backup is what a file was before an installation. The backup's name holds a digest of what the file was
// after the installation: as long as the file has that digest, what the backup holds can be put back as a
// whole.
type backup struct {
	path  string // "": there is none
	bytes []byte
}

const backupMark = ".aside-backup-"

func backupName(real string, after []byte) string { return real + backupMark + sum(after) }

// follows reports whether now, what the file holds, is what the installation has written.
func (b backup) follows(now []byte) bool {
	return strings.HasSuffix(b.path, backupMark+sum(now))
}

// findBackup finds the backup of a file, the zero backup where there is none.
func findBackup(real string) (b backup, err error) {
	paths, err := backups(real)
	if err != nil || len(paths) == 0 {
		return b, err
	}
	b.path = paths[0]
	b.bytes, err = os.ReadFile(b.path)
	return b, err
}

// backups returns the paths of all backups of a file, sorted.
func backups(real string) (paths []string, err error) {
	entries, err := os.ReadDir(filepath.Dir(real)) // sorted
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), filepath.Base(real)+backupMark) && e.Type().IsRegular() {
			paths = append(paths, filepath.Join(filepath.Dir(real), e.Name()))
		}
	}
	return paths, err
}
