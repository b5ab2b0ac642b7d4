//go:build darwin || dragonfly || freebsd || illumos || linux || netbsd || openbsd

package filestore

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"syscall"
	"testing"

	"github.com/aside-go/aside/internal/firing"
	"github.com/aside-go/aside/internal/test/testkit"
	"github.com/aside-go/aside/state"
)

func init() {
	processes["create"] = createUnderUmask
	processes["limited"] = saveLimited
}

// nobody is the user as whom a test runs that must not be root: permissions do not stop root.
const nobody = 65534

// createUnderUmask opens the store and saves under a umask, which belongs to a process, after it got a line
// of input.
func createUnderUmask(args []string, in io.Reader, out io.Writer) error {
	mask, err := strconv.ParseInt(args[1], 8, 0)
	if err != nil {
		return err
	}
	syscall.Umask(int(mask))
	fmt.Fprintln(out, "ready")
	if _, err := io.ReadAll(in); err != nil {
		return err
	}
	s, err := Open(args[0], Options{})
	if err != nil {
		return err
	}
	key := args[2]
	if _, err := takeTurn(s, key); err != nil && !errors.Is(err, state.ErrOldKey) {
		return err
	}
	_, err = fmt.Fprintln(out, "saved")
	return err
}

// private returns a directory in which no user but its owner can create another.
func private(t *testing.T) (dir string, as *syscall.Credential) {
	t.Helper()
	dir = t.TempDir()
	if os.Getuid() != 0 {
		return dir, nil
	}
	for up := dir; up != os.TempDir() && up != filepath.Dir(up); up = filepath.Dir(up) {
		if err := os.Chmod(up, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Chown(dir, nobody, nobody); err != nil {
		t.Fatal(err)
	}
	return dir, &syscall.Credential{Uid: nobody, Gid: nobody}
}

// TestCreateAtOnce lets processes create the store and the run at the same time, under umasks that leave
// everything and nothing: all come through, and everything is the user's alone.
func TestCreateAtOnce(t *testing.T) {
	t.Parallel()
	for _, mask := range []string{"000", "077", "777"} {
		t.Run(mask, func(t *testing.T) {
			t.Parallel()
			up, as := private(t)
			dir := filepath.Join(up, "aside")
			exe := executable(t, as)
			var all []*testkit.Process
			for i := range 4 {
				c := prepare(t, "create", dir, mask, strconv.Itoa(i+1))
				c.Path, c.SysProcAttr = exe, &syscall.SysProcAttr{Credential: as}
				if err := c.Start(); err != nil {
					t.Fatal(err)
				}
				all = append(all, c)
			}
			for _, c := range all {
				if _, err := c.Line(); err != nil {
					t.Fatal(err)
				}
			}
			for _, c := range all {
				c.In.Close()
			}
			for _, c := range all {
				if said, err := c.Line(); err != nil {
					t.Errorf("%q, %v", said, err)
				}
				_ = c.Wait()
			}
			modes(t, dir)
		})
	}
}

// executable returns the test binary where others may run it, too.
func executable(t *testing.T, as *syscall.Credential) string {
	t.Helper()
	if as == nil {
		return os.Args[0]
	}
	for _, dir := range []string{os.Args[0], filepath.Dir(os.Args[0]), filepath.Dir(filepath.Dir(os.Args[0]))} {
		if info, err := os.Stat(dir); err != nil || info.Mode()&0o001 == 0 {
			dir, err := os.MkdirTemp("", "aside")
			if err == nil {
				t.Cleanup(func() { os.RemoveAll(dir) })
				err = errors.Join(os.Chmod(dir, 0o755), exec.Command("cp", os.Args[0], dir).Run())
			}
			if err != nil {
				t.Fatal(err)
			}
			return filepath.Join(dir, filepath.Base(os.Args[0]))
		}
	}
	return os.Args[0]
}

// modes wants all files and directories to be the user's alone.
func modes(t *testing.T, dir string) {
	t.Helper()
	n := 0
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		want := fs.FileMode(0o600)
		if d.IsDir() {
			want = 0o700
		}
		if n++; info.Mode().Perm() != want {
			t.Errorf("%s is %v, want %v", path, info.Mode().Perm(), want)
		}
		return nil
	})
	if err != nil || n < 5 {
		t.Errorf("%d files, %v", n, err)
	}
}

// TestRestrictDir opens directories that others may enter. An empty one, or a store, becomes the user's own;
// a directory that holds something else is refused and stays as it is.
func TestRestrictDir(t *testing.T) {
	t.Parallel()
	for _, mode := range []fs.FileMode{0o755, 0o770, 0o701, 0o777 | fs.ModeSticky, 0o720} {
		t.Run(mode.String(), func(t *testing.T) {
			t.Parallel()
			dir := filepath.Join(t.TempDir(), "s")
			wide := func() {
				t.Helper()
				if err := os.MkdirAll(dir, 0o700); err != nil {
					t.Fatal(err)
				}
				if err := os.Chmod(dir, mode); err != nil {
					t.Fatal(err)
				}
			}
			wide()
			save(t, open(t, dir), "run", 0, firing.Remind(nil, "x"))
			modes(t, dir)
			wide()
			open(t, dir)
			modes(t, dir)

			dir += "/../other"
			wide()
			if err := os.WriteFile(filepath.Join(dir, "photo.jpg"), nil, 0o644); err != nil {
				t.Fatal(err)
			}
			if _, err := Open(dir, Options{}); err == nil {
				t.Error("a directory that holds something else is opened")
			}
			if info, err := os.Stat(dir); err != nil || info.Mode().Perm() != mode.Perm() {
				t.Errorf("it is %v now, %v, was %v", info.Mode(), err, mode)
			}
		})
	}
}

// TestRestrictDirAtOnce lets another process restrict an empty directory and begin a store in it after this
// one has looked.
func TestRestrictDirAtOnce(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := os.Chmod(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	before, err := os.Stat(dir)
	if err != nil {
		t.Fatal(err)
	}
	s := open(t, dir)
	if err := os.Remove(s.path(stampFile)); err != nil { // it has not come so far
		t.Fatal(err)
	}
	if err := s.restrictDir(before); err != nil {
		t.Error(err)
	}
}

// TestModesOfOthers finds a lock and a file that were opened to others: the next save takes that back.
func TestModesOfOthers(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "s")
	s := open(t, dir)
	rev := save(t, s, "run", 0, firing.Remind(nil, "x"))
	for _, file := range []string{s.path(fileName("run") + runExt), s.lockPath(fileName("run"))} {
		if err := os.Chmod(file, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	save(t, s, "run", rev, firing.Remind(nil, "y"))
	modes(t, dir)
}

// TestNotADirectory opens a file.
func TestNotADirectory(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, dir := range []string{file, filepath.Join(file, "below"), filepath.Join(file, "a", "b")} {
		if _, err := Open(dir, Options{}); !errors.Is(err, syscall.ENOTDIR) {
			t.Errorf("Open(%q, Options{}): %v", dir, err)
		}
	}
}

// TestVanished removes the directory under an open store: the runs that it knows go on in a new
// directory. The store does not create the parents again: they may be a disk that is not mounted.
func TestVanished(t *testing.T) {
	t.Parallel()
	up := filepath.Join(t.TempDir(), "mounted")
	dir := filepath.Join(up, "aside")
	s := open(t, dir)
	rev := save(t, s, "run", 0, firing.Remind(nil, "x"))
	for _, gone := range []string{dir, filepath.Join(dir, tmpDir)} {
		if err := os.RemoveAll(gone); err != nil {
			t.Fatal(err)
		}
		if gone == dir {
			if runs, err := state.AllRuns(t.Context(), s); err != nil || len(runs) > 0 {
				t.Errorf("Runs() = %q, %v", runs, err)
			}
			if snap, now, err := s.Load(t.Context(), "run"); snap == nil || now != rev || err != nil {
				t.Errorf("Load of what is known = %v, %d, %v", snap, now, err)
			}
			if _, err := s.Save(t.Context(), "other", 7, firing.Remind(nil, "y")); !errors.Is(err, state.ErrConflict) {
				t.Errorf("Save of what is not known: %v", err)
			}
		}
		rev = save(t, s, "run", rev, firing.Remind(nil, "z"))
		save(t, s, "first save after "+filepath.Base(gone), 0, firing.Remind(nil, "z"))
		modes(t, dir)
	}
	if err := os.RemoveAll(dir); err != nil {
		t.Fatal(err)
	}
	if err := s.Delete(t.Context(), "run"); err != nil {
		t.Errorf("Delete: %v", err)
	}
	// A cancelled operation creates nothing, however late it comes to the lock.
	late := &operation{create: true}
	late.cancel()
	if _, err := s.lock(fileName("run"), late); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("lock: %v", err)
	}
	if _, err := os.Stat(dir); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("%s was made anew for nothing", dir)
	}
	if err := os.RemoveAll(up); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Save(t.Context(), "run", 0, firing.Remind(nil, "y")); err == nil ||
		errors.Is(err, state.ErrIndeterminate) {
		t.Errorf("Save: %v", err)
	}
	if _, err := os.Stat(up); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("%s was made anew", up)
	}
}

// TestS9Unsynced uses a file system that cannot sync directories, and one on which it fails.
func TestS9Unsynced(t *testing.T) {
	t.Parallel()
	if err := syncDir(filepath.Join(t.TempDir(), "none")); err == nil {
		t.Error("a directory that is not there was synced")
	}
	if runtime.GOOS == "linux" { // which has a file system that cannot sync directories
		if err := syncDir("/proc/self/fd"); err != nil {
			t.Errorf("a file system without it: %v", err)
		}
	}
}

// TestMendedLock finds a lock that its umask left without permissions, by a process that died before it could
// mend that.
func TestMendedLock(t *testing.T) {
	t.Parallel()
	up, as := private(t)
	dir, exe := filepath.Join(up, "aside"), executable(t, as)
	for _, key := range []string{"1", "2"} {
		c := prepare(t, "create", dir, "777", key)
		c.Path, c.SysProcAttr = exe, &syscall.SysProcAttr{Credential: as}
		if err := c.Start(); err != nil {
			t.Fatal(err)
		}
		c.In.Close()
		for range 2 {
			if said, err := c.Line(); err != nil {
				t.Fatalf("%q, %v", said, err)
			}
		}
		_ = c.Wait()
		modes(t, dir)
		if err := os.Chmod((&Store{dir: dir}).lockPath(fileName("run")), 0); err != nil {
			t.Fatal(err)
		}
	}
}

// TestS9Fifo finds a pipe where a run should be, which would make a reader wait for a writer.
func TestS9Fifo(t *testing.T) {
	t.Parallel()
	s := open(t, t.TempDir())
	if err := syscall.Mkfifo(s.path(fileName("run")+runExt), 0o600); err != nil {
		t.Fatal(err)
	}
	if snap, _, err := s.Load(t.Context(), "run"); err == nil || errors.Is(err, state.ErrCorrupt) {
		t.Errorf("Load = %v, %v", snap, err)
	}
}
