package main

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/aside-go/aside/cmd/internal/command"
	"github.com/aside-go/aside/cmd/internal/replay"
	"github.com/aside-go/aside/compile"
)

// htmlRun is a replay with --html, to the end that err says. It returns the messages on stderr.
func htmlRun(t *testing.T, name string, err error) (said string, failed error) {
	t.Helper()
	set, _ := compile.New(nil, compile.Options{})
	x, o := replayHTML{HTML: &name}, replay.Options{Set: set}
	var errs bytes.Buffer
	e := &command.Env{Out: bufio.NewWriter(&bytes.Buffer{}), Err: &errs}
	if err := x.check(false); err != nil {
		return errs.String(), err
	}
	x.begin(&o)
	failed = x.finish(e, err)
	return errs.String(), failed
}

// TestHTMLNotWritten holds that a replay which was cut short, or of which nothing was read, leaves the page
// that is there, and makes none where none is.
func TestHTMLNotWritten(t *testing.T) {
	t.Parallel()
	for _, cause := range []error{fmt.Errorf("wrapped: %w", replay.ErrInterrupted), errors.New("unreadable"),
		replay.ErrNotTranscript} {
		dir := t.TempDir()
		old, none := filepath.Join(dir, "old.html"), filepath.Join(dir, "none.html")
		if err := os.WriteFile(old, []byte("old"), 0o600); err != nil {
			t.Fatal(err)
		}
		for _, name := range []string{old, none} {
			if said, err := htmlRun(t, name, cause); err != nil || !strings.HasSuffix(said, ".html: not written\n") {
				t.Errorf("%v: said %q, %v", cause, said, err)
			}
		}
		if b, err := os.ReadFile(old); err != nil || string(b) != "old" {
			t.Errorf("%v: the page is %q, %v", cause, b, err)
		}
		if names, err := os.ReadDir(dir); err != nil || len(names) != 1 {
			t.Errorf("%v: %v, %v", cause, names, err)
		}
	}
}

// TestHTMLWritten holds that a page replaces the one that is there as a whole, keeps its mode, follows a link
// and leaves nothing else; nobody else may read a new one.
func TestHTMLWritten(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	old, link, fresh := filepath.Join(dir, "old.html"), filepath.Join(dir, "link.html"), filepath.Join(dir,
		"fresh.html")
	if err := os.WriteFile(old, bytes.Repeat([]byte("old"), 1<<20), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("old.html", link); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name string
		mode fs.FileMode
	}{{link, 0o644}, {fresh, 0o600}} {
		if said, err := htmlRun(t, c.name, nil); err != nil || !strings.Contains(said,
			"0 turns in 0 runs, 0 firings; ") {
			t.Fatalf("said %q, %v", said, err)
		}
		info, err := os.Stat(c.name)
		if err != nil || info.Mode().Perm() != c.mode || info.Size() > 1<<20 {
			t.Errorf("%s: %v, %v", c.name, info, err)
		}
	}
	if to, err := os.Readlink(link); err != nil || to != "old.html" {
		t.Errorf("the link leads to %q, %v", to, err)
	}
	if names, err := os.ReadDir(dir); err != nil || len(names) != 3 {
		t.Errorf("%v, %v", names, err)
	}
}

// TestHTMLRefused holds that a name that cannot become a page is refused before anything is read.
func TestHTMLRefused(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	file := filepath.Join(dir, "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{dir: "is a directory", filepath.Join(dir, "none",
		"page.html"): "no such file", filepath.Join(file, "page.html"): "not a directory", "": "needs the name"} {
		if _, err := htmlRun(t, name, nil); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", name, err, want)
		}
	}
}
