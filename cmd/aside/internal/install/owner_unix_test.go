//go:build unix

package install_test

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/aside-go/aside/cmd/aside/internal/install"
)

// TestPipe: what is not a file is not waited for.
func TestPipe(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	path := filepath.Join(w.root, settings)
	if err := os.Mkdir(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mkfifo(path, 0o644); err != nil {
		t.Fatal(err)
	}
	r := request(t, "claude-code", install.User)
	if _, err := w.Install(r); err == nil || !strings.Contains(err.Error(), "is not a regular file") {
		t.Errorf("got %v", err)
	}
	if f := w.Inspect(r.Agent, r.Scope); len(f) != 1 || f[0].Err == nil {
		t.Errorf("got %+v", f)
	}
}

// TestOwnerStays: a file that root writes stays its user's.
func TestOwnerStays(t *testing.T) {
	t.Parallel()
	uid, gid := 12345, 23456
	if os.Geteuid() != 0 { // who cannot give files away
		uid, gid = os.Getuid(), os.Getgid()
	}
	w := newWorld(t)
	w.write(t, settings, "{}")
	path := filepath.Join(w.root, settings)
	if err := os.Chown(path, uid, gid); err != nil {
		t.Fatal(err)
	}
	res := w.install(t, request(t, "claude-code", install.User))
	for _, p := range []string{path, res.Files[0].Backup} {
		fi, err := os.Stat(p)
		if err != nil {
			t.Fatal(err)
		}
		if s := fi.Sys().(*syscall.Stat_t); int(s.Uid) != uid || int(s.Gid) != gid {
			t.Errorf("%s is now of %d:%d", p, s.Uid, s.Gid)
		}
	}
}
