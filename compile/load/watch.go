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

// Watch loads sources, calls changed with the Result, and calls it again whenever a change of the files
// changes the Result. It returns ctx.Err() when ctx ends; any other error means that watching is not
// possible. It calls changed from the goroutine that called Watch.
//
// Directories may appear, disappear and be replaced meanwhile. A file that had no errors and has some now
// counts as it last was without, and stands in Result.Stale. Watch does not watch sources of projects that
// are not trusted, but whether they are: it asks at each load, and watches the records of the approvals.
func Watch(ctx context.Context, sources []Source, opts Options, changed func(*Result)) error {
	w, err := fsnotify.NewWatcher()
	if err != nil {
		return fmt.Errorf("watch rules: %w", err)
	}
	defer w.Close()
	after := opts.After
	if after == nil {
		after = time.After
	}
	ws := watcher{w: w, sources: sources, opts: opts}
	res := ws.read()
	changed(res)
	var due <-chan time.Time
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case e := <-w.Events:
			if due == nil && ws.concerns(e.Name) {
				due = after(settle)
			}
		case <-w.Errors: // events may have been lost, so load again
			if due == nil {
				due = after(settle)
			}
		case <-due:
			due = nil
			if next := ws.read(); !same(res, next) {
				res = next
				changed(res)
			}
		}
	}
}

// watcher is the state of Watch.
type watcher struct {
	w       *fsnotify.Watcher
	sources []Source
	opts    Options
	paths   []string // the paths of the sources, cleaned
	links   []string // the files to which links among the rule files lead
	good    lastGood // the files as they last were without errors
}

// read loads the sources. It begins to watch before it reads, so that no change goes unnoticed in between.
func (ws *watcher) read() *Result {
	ws.watch()
	res, files := ws.good.load(ws.sources, ws.opts)
	before := slices.Clone(ws.links)
	ws.links = ws.links[:0]
	for _, f := range files {
		if f.refused != nil {
			continue
		}
		if real, err := filepath.EvalSymlinks(f.path); err == nil && real != f.path {
			ws.links = append(ws.links, real)
			_ = ws.w.Add(filepath.Dir(real))
		}
	}
	if !slices.Equal(before, ws.links) { // the target of a new link may have changed unwatched
		res, _ = ws.good.load(ws.sources, ws.opts)
	}
	return res
}

// watch watches each source, the nearest directory above it that exists, and the directories to which known
// links lead. It does so from scratch each time, since the same name may be another directory by now.
func (ws *watcher) watch() {
	for _, p := range ws.w.WatchList() {
		_ = ws.w.Remove(p)
	}
	for _, l := range ws.links {
		_ = ws.w.Add(filepath.Dir(l))
	}
	ws.paths = ws.paths[:0]
	for _, s := range ws.sources {
		if s.Path == "" {
			continue
		}
		if gate := ws.opts.Trusted; s.Project != "" {
			if gate == nil {
				continue
			}
			if record := gate.Approvals(s); record != "" {
				ws.watchPath(filepath.Clean(record))
			}
			if !gate.Covers(s) {
				continue
			}
		}
		path := filepath.Clean(s.Path)
		ws.watchPath(path)
		if isDirectory(path) {
			_ = ws.w.Add(path)
		}
	}
}

// watchPath watches the nearest directory above a path that exists.
func (ws *watcher) watchPath(path string) {
	if slices.Contains(ws.paths, path) { // several sources of a project have one record
		return
	}
	ws.paths = append(ws.paths, path)
	for {
		at := nearest(filepath.Dir(path))
		_ = ws.w.Add(at)
		if at == nearest(filepath.Dir(path)) {
			break
		}
	}
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

// concerns reports whether a change at name can change the Result.
func (ws *watcher) concerns(name string) bool {
	if name == "" {
		return false
	}
	name = filepath.Clean(name)
	for _, p := range ws.paths {
		if within(p, name) || filepath.Dir(name) == p {
			return true
		}
	}
	return slices.ContainsFunc(ws.links, func(l string) bool { return within(l, name) })
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
