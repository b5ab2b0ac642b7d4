package load_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/aside-go/aside/compile/load"
)

// deadline is how long a test waits for what must come. It is never waited out but by a failing test.
const deadline = 20 * time.Second

// A watched is a Watch that runs.
type watched struct {
	t       *testing.T
	results chan *load.Result
	clock   chan chan time.Time // each wait of Watch
}

// watch starts Watch. If held, the test ends each of its waits; otherwise they end at once.
func watch(t *testing.T, held bool, opts load.Options, sources ...load.Source) *watched {
	t.Helper()
	w := &watched{t: t, results: make(chan *load.Result, 100), clock: make(chan chan time.Time, 100)}
	opts.After = func(time.Duration) <-chan time.Time {
		c := make(chan time.Time, 1)
		if held {
			w.clock <- c
		} else {
			c <- time.Time{}
		}
		return c
	}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- load.Watch(ctx, sources, opts, func(r *load.Result) { w.results <- r }) }()
	t.Cleanup(func() {
		cancel()
		select {
		case err := <-done:
			if !errors.Is(err, context.Canceled) {
				t.Errorf("watch ended with %v", err)
			}
		case <-time.After(deadline):
			t.Error("watch does not end")
		}
	})
	return w
}

// until waits for a result with these texts and no others, and gives it.
func (w *watched) until(want map[string]string) *load.Result {
	w.t.Helper()
	late := time.After(deadline)
	var last map[string]string
	for {
		select {
		case r := <-w.results:
			if last = texts(r); cmp.Equal(want, last) {
				return r
			}
		case <-late:
			w.t.Fatalf("not seen: %s", cmp.Diff(want, last))
		}
	}
}

// wait waits until Watch waits, and gives what ends it.
func (w *watched) wait() chan<- time.Time {
	w.t.Helper()
	select {
	case c := <-w.clock:
		return c
	case <-time.After(deadline):
		w.t.Fatal("no change was seen")
		return nil
	}
}

type ids = map[string]string

func TestWatch(t *testing.T) {
	t.Parallel()
	root := tree(t, map[string]string{"r/a.md": "one"})
	dir := filepath.Join(root, "r")
	w := watch(t, false, load.Options{}, load.Source{Path: dir})
	w.until(ids{"a": "one"})
	write(t, filepath.Join(dir, "b.md"), "two")
	w.until(ids{"a": "one", "b": "two"})
	write(t, filepath.Join(dir, "a.md"), "changed")
	w.until(ids{"a": "changed", "b": "two"})
	if err := os.Remove(filepath.Join(dir, "b.md")); err != nil {
		t.Fatal(err)
	}
	w.until(ids{"a": "changed"})
}

// TestWatchElsewhere has a link further up lead to another directory, as a release or a mount does.
func TestWatchElsewhere(t *testing.T) {
	t.Parallel()
	root := tree(t, map[string]string{"1/r/a.md": "one", "2/r/a.md": "two"})
	link := filepath.Join(root, "current")
	turn := func(to string) {
		if err := errors.Join(os.Symlink(to, link+".new"), os.Rename(link+".new", link)); err != nil {
			t.Fatal(err)
		}
	}
	turn("1")
	w := watch(t, false, load.Options{}, load.Source{Path: filepath.Join(link, "r")})
	w.until(ids{"a": "one"})
	turn("2")
	w.until(ids{"a": "two"})
	write(t, filepath.Join(root, "2", "r", "a.md"), "changed")
	w.until(ids{"a": "changed"})
}

// TestWatchSettles makes many changes while Watch waits: they are one.
func TestWatchSettles(t *testing.T) {
	t.Parallel()
	root := tree(t, map[string]string{"r/a.md": "one"})
	dir := filepath.Join(root, "r")
	w := watch(t, true, load.Options{}, load.Source{Path: dir})
	w.until(ids{"a": "one"})
	write(t, filepath.Join(dir, "a.md"), "two")
	settled := w.wait()
	for _, s := range []string{"three", "", "four"} {
		write(t, filepath.Join(dir, "a.md"), s)
	}
	settled <- time.Time{}
	if r := <-w.results; texts(r)["a"] != "four" {
		t.Errorf("told of %v", texts(r))
	}
}

// TestWatchRename saves as editors do: the old file is moved away, the new one moved in.
func TestWatchRename(t *testing.T) {
	t.Parallel()
	root := tree(t, map[string]string{"r/a.md": "one"})
	dir := filepath.Join(root, "r")
	w := watch(t, false, load.Options{}, load.Source{Path: filepath.Join(dir, "a.md")})
	w.until(ids{"a": "one"})
	for _, s := range []string{"two", "three", "four"} {
		write(t, filepath.Join(dir, ".a.md.tmp"), s)
		if err := os.Rename(filepath.Join(dir, "a.md"), filepath.Join(dir, "a.md~")); err != nil {
			t.Fatal(err)
		}
		if err := os.Rename(filepath.Join(dir, ".a.md.tmp"), filepath.Join(dir, "a.md")); err != nil {
			t.Fatal(err)
		}
		w.until(ids{"a": s})
	}
}

// TestWatchDirectories lets directories appear, vanish, come back and be replaced.
func TestWatchDirectories(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	dir := filepath.Join(root, ".aside", "reminders")
	w := watch(t, false, load.Options{}, load.Source{Path: dir})
	w.until(ids{})
	write(t, filepath.Join(dir, "a.md"), "one")
	w.until(ids{"a": "one"})
	write(t, filepath.Join(dir, "a.md"), "two")
	w.until(ids{"a": "two"})
	if err := os.RemoveAll(filepath.Join(root, ".aside")); err != nil {
		t.Fatal(err)
	}
	w.until(ids{})
	write(t, filepath.Join(root, "new", "reminders", "b.md"), "three")
	if err := os.Rename(filepath.Join(root, "new"), filepath.Join(root, ".aside")); err != nil {
		t.Fatal(err)
	}
	w.until(ids{"b": "three"})
	write(t, filepath.Join(dir, "b.md"), "four")
	w.until(ids{"b": "four"})
}

// TestWatchLinks follows what a link points to, and where it points.
func TestWatchLinks(t *testing.T) {
	t.Parallel()
	root := tree(t, map[string]string{"one/x": "one", "two/x": "two", "r/b.md": "b"})
	link := filepath.Join(root, "r", "a.md")
	if err := os.Symlink("../one/x", link); err != nil {
		t.Fatal(err)
	}
	w := watch(t, false, load.Options{}, load.Source{Path: filepath.Join(root, "r"), Below: root})
	w.until(ids{"a": "one", "b": "b"})
	write(t, filepath.Join(root, "one", "x"), "changed")
	w.until(ids{"a": "changed", "b": "b"})
	if err := os.Symlink("../two/x", link+"~"); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(link+"~", link); err != nil {
		t.Fatal(err)
	}
	w.until(ids{"a": "two", "b": "b"})
	write(t, filepath.Join(root, "two", "x"), "changed, too")
	w.until(ids{"a": "changed, too", "b": "b"})
}

// TestWatchKeepsLastGood breaks a file in every way and mends it: its reminder stays as it was meanwhile.
func TestWatchKeepsLastGood(t *testing.T) {
	t.Parallel()
	root := tree(t, map[string]string{"r/a.md": "one", "r/b.md": "b"})
	dir := filepath.Join(root, "r")
	a := filepath.Join(dir, "a.md")
	w := watch(t, false, load.Options{}, load.Source{Path: dir})
	w.until(ids{"a": "one", "b": "b"})
	for i, broken := range []string{"---\nwehn: x\n---\nnew", "---\nwhen: turn_count > abc\n---\nnew",
		"{{.nothing}}", "---\nwhen: compacted\n", "\xff"} {
		write(t, a, broken)
		for {
			r := w.until(ids{"a": "one", "b": "b"})
			if !cmp.Equal(r.Stale, []string{a}) || string(r.Files[a]) != broken {
				continue // of the save before
			}
			if !r.Diagnostics.HasErrors() || r.Diagnostics[0].File != a {
				t.Errorf("%q: %v", broken, r.Diagnostics)
			}
			break
		}
		if i == 2 { // a change elsewhere leaves it so
			write(t, filepath.Join(dir, "c.md"), "c")
			if r := w.until(ids{"a": "one", "b": "b", "c": "c"}); len(r.Stale) != 1 {
				t.Error("no longer stale")
			}
			if err := os.Remove(filepath.Join(dir, "c.md")); err != nil {
				t.Fatal(err)
			}
			w.until(ids{"a": "one", "b": "b"})
		}
	}
	write(t, a, "mended")
	if r := w.until(ids{"a": "mended", "b": "b"}); len(r.Stale) > 0 || len(r.Diagnostics) > 0 {
		t.Errorf("%v %v", r.Stale, r.Diagnostics)
	}
	if err := os.Remove(a); err != nil {
		t.Fatal(err)
	}
	w.until(ids{"b": "b"})
}

// TestWatchApprovals: what becomes trusted is read, though nothing in the project has changed and nothing of
// it was watched.
func TestWatchApprovals(t *testing.T) {
	t.Parallel()
	root := tree(t, map[string]string{"p/r/a.md": "one"})
	g := &gate{record: filepath.Join(root, "approvals", "p.json"), refuse: []string{"a.md"}}
	w := watch(t, false, load.Options{Trusted: g},
		load.Source{Path: filepath.Join(root, "p", "r"), Project: filepath.Join(root, "p")})
	w.until(ids{})
	g.set()
	write(t, g.record, "{}")
	w.until(ids{"a": "one"})
}
