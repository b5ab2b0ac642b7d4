package load

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/fsnotify/fsnotify"
)

// settle is how long Watch waits after a change before it reads: an editor's save is several changes.
const settle = 100 * time.Millisecond

// compareEvery is how often Follow compares the paths with what it watches: no event says that something was
// mounted there, or that a link further up leads elsewhere.
const compareEvery = 2 * time.Second

// Watch loads sources, calls changed with the Result, and calls it again whenever a change of the files
// changes the Result. It returns ctx.Err() when ctx ends; any other error means that watching is not
// possible. It calls changed from the goroutine that called Watch.
//
// Directories may appear, disappear and be replaced meanwhile. A file that had no errors and has some now
// counts as it last was without, and stands in Result.Stale. Watch does not watch sources of projects that
// are not trusted, but whether they are: it asks at each load, and watches the records of the approvals.
func Watch(ctx context.Context, sources []Source, opts Options, changed func(*Result)) error {
	var good lastGood // the files as they last were without errors
	var res *Result
	return Follow(ctx, opts.After, nil, func(watch func(path string)) (links []string, done func()) {
		for _, s := range sources {
			if s.Path == "" || s.Project != "" && opts.Trusted == nil {
				continue
			}
			if s.Project != "" {
				if record := opts.Trusted.Approvals(s); record != "" {
					watch(record)
				}
				if !opts.Trusted.Covers(s) {
					continue
				}
			}
			watch(s.Path)
		}
		next, files := good.load(sources, opts)
		for _, f := range files { // what links among the rule files lead to
			if real, err := filepath.EvalSymlinks(f.path); err == nil && f.refused == nil && real != f.path {
				links = append(links, real)
			}
		}
		return links, func() {
			if res == nil || !same(res, next) {
				res = next
				changed(res)
			}
		}
	})
}

// Follow calls look, and calls it again after each change of the paths that it reads, until ctx ends. It
// returns ctx.Err(); any other error means that watching is not possible. look says by watch what it is about
// to read: files, and directories with all in them, whether they exist or not. It returns further paths that
// only reading has shown. Where these are others than before, Follow looks again at once, so that no change
// goes unnoticed; else it calls done. after is the timer, nil being time.After. Changes of files for whose
// names only does not hold do not count; nil leaves none out.
func Follow(ctx context.Context, after func(time.Duration) <-chan time.Time, only func(name string) bool,
	look func(watch func(path string)) (shown []string, done func())) error {
	w, err := fsnotify.NewWatcher()
	if err != nil {
		return fmt.Errorf("watch files: %w", err)
	}
	defer w.Close()
	if after == nil {
		after = time.After
	}
	fw := follower{w: w}
	compare := time.NewTicker(compareEvery)
	defer compare.Stop()
	for {
		fw.watchAnew()
		shown, done := look(fw.watch)
		if slices.Sort(shown); !slices.Equal(shown, fw.shown) && ctx.Err() == nil {
			fw.shown = shown
			continue
		}
		done()
		var due <-chan time.Time
		for still := false; !still; {
			select {
			case <-ctx.Done():
				return ctx.Err()
			case e := <-w.Events:
				if due == nil && fw.concerns(e.Name) && (only == nil || only(e.Name)) {
					due = after(settle)
				}
			case <-w.Errors: // events may have been lost, so look again
				if due == nil {
					due = after(settle)
				}
			case <-compare.C:
				if due == nil && fw.replaced() {
					due = after(settle)
				}
			case <-due:
				still = true
			}
		}
	}
}

// follower is the state of Follow.
type follower struct {
	w     *fsnotify.Watcher
	paths []string      // that are watched, cleaned
	found []os.FileInfo // there; nil for nothing
	shown []string      // those of the paths that only reading has shown
}

// watchAnew watches what reading has shown, and nothing else: the same name may be another directory by now.
func (fw *follower) watchAnew() {
	for _, p := range fw.w.WatchList() {
		_ = fw.w.Remove(p)
	}
	fw.paths, fw.found = fw.paths[:0], fw.found[:0]
	for _, p := range fw.shown {
		fw.watch(p)
	}
}

// watch watches a path, and the nearest directory above it that exists.
func (fw *follower) watch(path string) {
	path = filepath.Clean(path)
	if slices.Contains(fw.paths, path) { // several sources of a project have one record
		return
	}
	found, _ := os.Stat(path)
	fw.paths, fw.found = append(fw.paths, path), append(fw.found, found)
	for {
		at := nearest(filepath.Dir(path))
		_ = fw.w.Add(at)
		if at == nearest(filepath.Dir(path)) {
			break
		}
	}
	if isDirectory(path) {
		_ = fw.w.Add(path)
	}
}

// replaced reports whether one of the paths leads to another file than when it was watched.
func (fw *follower) replaced() bool {
	for i, path := range fw.paths {
		now, _ := os.Stat(path)
		if was := fw.found[i]; (now == nil) != (was == nil) || now != nil && !os.SameFile(now, was) {
			return true
		}
	}
	return false
}

// nearest returns path if it exists, else the nearest directory above it that does.
func nearest(path string) string {
	for path = range upward(path) {
		if _, err := os.Stat(path); !errors.Is(err, fs.ErrNotExist) {
			break
		}
	}
	return path
}

// concerns reports whether a change at name can change what is read.
func (fw *follower) concerns(name string) bool {
	name = filepath.Clean(name)
	in := filepath.Dir(name)
	return slices.ContainsFunc(fw.paths, func(path string) bool { return within(path, name) || path == in })
}

// within reports whether path is dir or below it.
func within(path, dir string) bool {
	return path == dir || strings.HasPrefix(path, strings.TrimSuffix(dir,
		string(filepath.Separator))+string(filepath.Separator))
}

func same(a, b *Result) bool {
	return maps.EqualFunc(a.Files, b.Files, bytes.Equal) && slices.Equal(a.Stale, b.Stale) &&
		slices.EqualFunc(a.Diagnostics, b.Diagnostics, equal) &&
		maps.EqualFunc(a.Overrides, b.Overrides, slices.Equal[[]string]) && len(a.Reminders) == len(b.Reminders) &&
		slices.EqualFunc(a.Untrusted, b.Untrusted, func(x, y Untrusted) bool {
			return x.Path == y.Path && x.Project == y.Project && x.Why.Error() == y.Why.Error()
		})
}
