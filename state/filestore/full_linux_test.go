package filestore

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/aside-go/aside/state"
)

func init() {
	processes["full"] = saveFull
	processes["read only"] = readOnlyDisk
}

// mountTmpfs mounts a tmpfs that no other process sees. The answer "no mount" says that the machine forbids
// it.
func mountTmpfs(dir, options string, out io.Writer) error {
	err := syscall.Mount("none", dir, "tmpfs", 0, options)
	if errors.Is(err, fs.ErrPermission) {
		fmt.Fprintln(out, "no mount")
	}
	return err
}

// saveFull fills up real disks: one without room, and one without inodes, on which nothing can be created,
// not even the store.
func saveFull(args []string, _ io.Reader, out io.Writer) error {
	if err := mountTmpfs(args[0], "size=64k", out); err != nil {
		return err
	}
	why, wrong := fillUp(filepath.Join(args[0], "s"), 4000)
	if wrong == nil && !errors.Is(why, syscall.ENOSPC) {
		wrong = why
	}
	if wrong != nil {
		return fmt.Errorf("no room: %w", wrong)
	}
	// the tmpfs, the store, tmp, lock, the stamp, a lock and a file, then it goes well
	for inodes := 1; inodes <= 10; inodes++ {
		if err := mountTmpfs(args[0], fmt.Sprintf("size=64k,nr_inodes=%d", inodes), out); err != nil {
			return err
		}
		if err := fewInodes(filepath.Join(args[0], "s")); err != nil {
			return fmt.Errorf("%d inodes: %w", inodes, err)
		}
	}
	fmt.Fprintln(out, "well")
	return nil
}

// fewInodes wants a save to be done, or surely not done.
func fewInodes(dir string) error {
	s, err := Open(dir, Options{})
	if err != nil {
		if !errors.Is(err, syscall.ENOSPC) {
			return err
		}
		return nil
	}
	rev, err := s.Save(context.Background(), "run", 0, ofSize(10))
	_, now, loadErr := s.Load(context.Background(), "run")
	if loadErr != nil || now != rev || err != nil && (!errors.Is(err, syscall.ENOSPC) ||
		errors.Is(err, state.ErrIndeterminate)) {
		return fmt.Errorf("Save = %d, %w; Load = %d, %w", rev, err, now, loadErr)
	}
	return nil
}

// readOnlyDisk reads on a disk that cannot be written, also a run whose last save was never settled.
func readOnlyDisk(args []string, _ io.Reader, out io.Writer) error {
	if err := mountTmpfs(args[0], "size=64k", out); err != nil {
		return err
	}
	dir := filepath.Join(args[0], "s")
	s, err := Open(dir, Options{})
	if err != nil {
		return err
	}
	rev, err := s.Save(context.Background(), "run", 0, ofSize(10))
	if err == nil {
		err = markFile(s, "run", underWay)
	}
	if err == nil {
		err = syscall.Mount("none", args[0], "tmpfs", syscall.MS_REMOUNT|syscall.MS_RDONLY, "size=64k")
	}
	if err != nil {
		return err
	}
	s, err = Open(dir, Options{})
	if err != nil {
		return err
	}
	if _, now, err := s.Load(context.Background(), "run"); now != rev || err != nil {
		return fmt.Errorf("Load = %d, %w, want %d", now, err, rev)
	}
	if runs, err := state.AllRuns(context.Background(), s); len(runs) != 1 || err != nil {
		return fmt.Errorf("Runs() = %q, %w", runs, err)
	}
	if _, err := s.Save(context.Background(), "run", rev, ofSize(10)); !errors.Is(err, syscall.EROFS) ||
		errors.Is(err, state.ErrIndeterminate) {
		return fmt.Errorf("Save: %w", err)
	}
	if _, err := Open(filepath.Join(args[0], "other"), Options{}); !errors.Is(err, syscall.EROFS) {
		return fmt.Errorf("a store that is not there: %w", err)
	}
	fmt.Fprintln(out, "well")
	return nil
}

// markFile marks the file of a run.
func markFile(s *Store, run string, m mark) error {
	f, err := os.OpenFile(s.path(fileName(run)+runExt), os.O_RDWR, 0)
	if err != nil {
		return err
	}
	info, err := f.Stat()
	if err == nil {
		err = s.disk.mark(f, info.Size()-1, m)
	}
	return errors.Join(err, f.Close())
}

// TestS9Disks uses real disks, each in a process with mounts of its own.
func TestS9Disks(t *testing.T) {
	t.Parallel()
	for _, role := range []string{"full", "read only"} {
		t.Run(role, func(t *testing.T) {
			t.Parallel()
			c := prepare(t, role, t.TempDir())
			c.SysProcAttr = &syscall.SysProcAttr{Unshareflags: syscall.CLONE_NEWNS}
			if uid := os.Getuid(); uid != 0 {
				c.SysProcAttr.Cloneflags = syscall.CLONE_NEWUSER
				c.SysProcAttr.UidMappings = []syscall.SysProcIDMap{{ContainerID: 0, HostID: uid, Size: 1}}
				c.SysProcAttr.GidMappings = []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getgid(), Size: 1}}
			}
			err, said := c.Start(), "no mount"
			if err == nil {
				said, err = c.Line()
				_ = c.Wait()
			} else if !errors.Is(err, fs.ErrPermission) {
				t.Fatal(err)
			}
			if said == "no mount" { // an integration that a container may lack, whoever runs it
				t.Skipf("the machine forbids mounts, so TestS9FileTooLarge has to do: %v, %s", err, c.Err)
			}
			if said != "well" {
				t.Errorf("%q, %v, %s", said, err, strings.TrimSpace(c.Err.String()))
			}
		})
	}
}
