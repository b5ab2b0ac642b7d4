//go:build unix

package load_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/aside-go/aside/compile/load"
)

// TestReplacedWhileReading replaces a file by a link to another one outside, and back, as fast as it can,
// while the directory is loaded. What stands outside is never read.
func TestReplacedWhileReading(t *testing.T) {
	t.Parallel()
	root := tree(t, map[string]string{"d/a.md": "inside", "secret/a.md": "outside", "d/sub/b.md": "inside"})
	if err := os.Mkdir(filepath.Join(root, "spare"), 0o755); err != nil {
		t.Fatal(err)
	}
	stop, done := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(done)
		a, other := filepath.Join(root, "d", "a.md"), filepath.Join(root, "spare", "a")
		sub, away := filepath.Join(root, "d", "sub"), filepath.Join(root, "spare", "sub")
		for {
			select {
			case <-stop:
				return
			default:
			}
			_ = os.Symlink("../secret/a.md", other)
			_ = os.Rename(other, a)
			_ = os.Rename(sub, away)
			_ = os.Symlink("../secret", sub)
			_ = os.WriteFile(other, []byte("inside"), 0o644)
			_ = os.Rename(other, a)
			_ = os.Remove(sub)
			_ = os.Rename(away, sub)
		}
	}()
	read := 0
	for range 3000 {
		for _, r := range load.Load([]load.Source{{Path: filepath.Join(root, "d")}}, load.Options{}).Reminders {
			if r.Text == "outside" {
				t.Error("a file outside was read")
			}
			read++
		}
		for _, path := range []string{"d/a.md", "d/sub/a.md", "d/sub/b.md"} {
			src, err := load.ReadFile(filepath.Join(root, "d"), filepath.Join(root, path), 0)
			if strings.Contains(string(src), "outside") {
				t.Errorf("%s was read outside", path)
			}
			if err == nil {
				read++
			}
		}
	}
	close(stop)
	<-done
	if read == 0 {
		t.Error("nothing was read at all")
	}
}

// TestReadFile: a link is followed as far as the directory reaches, and a longer file than asked for is not
// read.
func TestReadFile(t *testing.T) {
	t.Parallel()
	root := tree(t, map[string]string{"d/sub/a.md": "12345", "d/b.md": "b", "secret.md": "s"})
	for name, to := range map[string]string{"up.md": "../b.md", "absolute.md": filepath.Join(root, "d/b.md"),
		"out.md": "../../secret.md"} {
		if err := os.Symlink(to, filepath.Join(root, "d/sub", name)); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct {
		below, name string
		limit       int64
		want        error
	}{
		{"", "a.md", 5, nil}, {"", "a.md", 4, load.ErrLarge}, {"", "a.md", 0, nil},
		{"", "up.md", 0, load.ErrOutside}, {"d", "up.md", 0, nil}, {"d", "absolute.md", 0, nil},
		{"d", "out.md", 0, load.ErrOutside}, {"", "out.md", 0, load.ErrOutside},
		{"secret.md", "a.md", 0, load.ErrOutside}, {"", "none.md", 0, os.ErrNotExist},
	} {
		below := ""
		if c.below != "" {
			below = filepath.Join(root, c.below)
		}
		src, err := load.ReadFile(below, filepath.Join(root, "d/sub", c.name), c.limit)
		if !errors.Is(err, c.want) || (err == nil) != (len(src) > 0) {
			t.Errorf("%+v: %q, %v", c, src, err)
		}
	}
}
