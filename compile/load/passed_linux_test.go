package load_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"syscall"
	"testing"

	"github.com/aside-go/aside/compile/load"
)

// TestPassedDirectory: a directory on the way to the rules may be one that its user can pass and not read, as
// /home often is; so may one on the way that a link of theirs leads.
func TestPassedDirectory(t *testing.T) {
	root := tree(t, map[string]string{"a/rules/r.md": "text", "b/dot/l.md": "linked"})
	if err := os.Symlink("../../b/dot/l.md", filepath.Join(root, "a/rules/l.md")); err != nil {
		t.Fatal(err)
	}
	chmod := func(path string, mode fs.FileMode) {
		if err := os.Chmod(path, mode); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"a/rules", "a/rules/r.md", "b/dot", "b/dot/l.md"} {
		chmod(filepath.Join(root, name), 0o755)
	}
	for _, dir := range []string{filepath.Dir(root), root, filepath.Join(root, "a"), filepath.Join(root, "b")} {
		chmod(dir, 0o311)
		t.Cleanup(func() { chmod(dir, 0o755) })
	}
	if os.Geteuid() == 0 { // who reads everything
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		if err := syscall.Setfsuid(65534); err != nil {
			t.Fatal(err)
		}
		defer func() { _ = syscall.Setfsuid(0) }()
	}
	for _, name := range []string{"r.md", "l.md"} {
		if _, err := load.ReadFile("/", filepath.Join(root, "a/rules", name), 0); err != nil {
			t.Error(err)
		}
	}
}
