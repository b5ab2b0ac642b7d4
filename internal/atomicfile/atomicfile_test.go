package atomicfile_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"testing"
	"time"

	"github.com/aside-go/aside/internal/atomicfile"
)

// holds reports an error unless the file at path holds want, with a mode, and dir holds n names.
func holds(t *testing.T, path, want string, mode fs.FileMode, n int) {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil || string(b) != want {
		t.Errorf("%s holds %q, %v; want %q", path, b, err, want)
	}
	if fi, err := os.Stat(path); err != nil || runtime.GOOS != "windows" && fi.Mode().Perm() != mode {
		t.Errorf("%s: %v, %v; want the mode %v", path, fi.Mode(), err, mode)
	}
	if names, err := os.ReadDir(filepath.Dir(path)); err != nil || len(names) != n {
		t.Errorf("%v, %v; want %d names", names, err, n)
	}
}

func write(t *testing.T, path, text string, mode fs.FileMode) {
	t.Helper()
	if err := errors.Join(os.WriteFile(path, []byte(text), 0o600), os.Chmod(path, mode)); err != nil {
		t.Fatal(err)
	}
}

// TestWrite holds that a file is replaced, keeps its mode, and leaves nothing beside it; a new one has the
// mode that is asked for.
func TestWrite(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "a")
	for _, text := range []string{"one", "", "two"} {
		if err := atomicfile.Write(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		holds(t, path, text, 0o600, 1)
	}
	if err := os.Chmod(path, 0o640); err != nil {
		t.Fatal(err)
	}
	if err := atomicfile.Write(path, []byte("three"), 0o600); err != nil {
		t.Fatal(err)
	}
	holds(t, path, "three", 0o640, 1)
}

// TestLinks holds that a link stays a link, and the file it leads to is replaced.
func TestLinks(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	real, link := filepath.Join(root, "real", "a"), filepath.Join(root, "link")
	if err := errors.Join(os.Mkdir(filepath.Dir(real), 0o700), os.Symlink(real, link)); err != nil {
		t.Fatal(err)
	}
	write(t, real, "old", 0o644)
	if err := atomicfile.Write(link, []byte("new"), 0o600); err != nil {
		t.Fatal(err)
	}
	holds(t, real, "new", 0o644, 1)
	if fi, err := os.Lstat(link); err != nil || fi.Mode()&fs.ModeSymlink == 0 {
		t.Errorf("the link is gone: %v", err)
	}
}

// TestNotReady holds that an error of Ready, and any other, leaves the file as it was and nothing beside it.
func TestNotReady(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "a")
	write(t, path, "old", 0o600)
	moved := errors.New("moved")
	o := atomicfile.Options{Ready: func() error { return moved }}
	if err := o.Write(path, []byte("new")); !errors.Is(err, moved) {
		t.Errorf("got %v", err)
	}
	holds(t, path, "old", 0o600, 1)
	if err := atomicfile.Write(filepath.Dir(path), []byte("new"), 0o600); err == nil {
		t.Error("a directory was replaced")
	}
	holds(t, path, "old", 0o600, 1)
	none := filepath.Join(filepath.Dir(path), "none", "a")
	var p *fs.PathError
	if err := atomicfile.Write(none, nil, 0o600); !errors.As(err, &p) || p.Path != none {
		t.Errorf("got %v, want an error about %s", err, none)
	}
	if atomicfile.Check(none) == nil || atomicfile.Check(path) != nil {
		t.Errorf("got %v and %v", atomicfile.Check(none), atomicfile.Check(path))
	}
	holds(t, path, "old", 0o600, 1)
}

// TestLike holds that a new file gets the mode of the file it is to be like.
func TestLike(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	like, path := filepath.Join(dir, "like"), filepath.Join(dir, "a")
	write(t, like, "", 0o751)
	fi, err := os.Stat(like)
	if err != nil {
		t.Fatal(err)
	}
	if err := (atomicfile.Options{Mode: 0o600, Like: fi}).Write(path, []byte("new")); err != nil {
		t.Fatal(err)
	}
	holds(t, path, "new", 0o751, 2)
}

// TestSweep holds that orphans of the file go with the next write, and those of others, young ones and other
// files stay.
func TestSweep(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path := filepath.Join(dir, "a")
	old := time.Now().Add(-2 * time.Hour)
	for name, at := range map[string]time.Time{
		".a.aside-tmp-1": old, ".a.aside-tmp-2": time.Now(), ".b.aside-tmp-1": old, "a.aside-tmp-1": old,
	} {
		write(t, filepath.Join(dir, name), "torn", 0o600)
		if err := os.Chtimes(filepath.Join(dir, name), at, at); err != nil {
			t.Fatal(err)
		}
	}
	if err := atomicfile.Write(path, []byte("new"), 0o600); err != nil {
		t.Fatal(err)
	}
	holds(t, path, "new", 0o600, 4) // .a.aside-tmp-1 is gone
	atomicfile.Sweep(dir, "a", 0)
	holds(t, path, "new", 0o600, 3)
	atomicfile.Sweep(dir, "", 0)
	holds(t, path, "new", 0o600, 2)
}
