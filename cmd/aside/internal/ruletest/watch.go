package ruletest

import (
	"context"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"time"

	"github.com/fsnotify/fsnotify"

	"github.com/aside-go/aside/compile/load"
)

// settle is how long Watch waits after a change before it runs: an editor's save is several changes.
const settle = 100 * time.Millisecond

// Watch runs the tests of the files that find finds, tells what came of it, and does both again after every change of a rule file or
// rule test in the directories of what was read, until ctx ends; it then returns ctx.Err(). told gets what Run returned, or the error
// of find; it is called by this goroutine, one call at a time. dirs are watched besides, for files that are yet to come.
func Watch(ctx context.Context, dirs []string, find func() ([]string, error), opts Options, told func(*Report, error)) error {
	w, err := fsnotify.NewWatcher()
	if err != nil {
		return fmt.Errorf("watch rule tests: %w", err)
	}
	defer w.Close()
	watched := map[string]bool{}
	watch := func(dir string) (added bool) {
		if dir = filepath.Clean(dir); !watched[dir] && w.Add(dir) == nil {
			watched[dir] = true
			added = true
		}
		return added
	}
	for _, dir := range dirs {
		watch(dir)
	}
	for {
		rep, err := steady(ctx, find, opts, watch)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		told(rep, err)
		if err := changed(ctx, w); err != nil {
			return err
		}
		for dir := range watched { // one that was replaced is another by now
			if w.Add(dir) != nil {
				delete(watched, dir)
			}
		}
	}
}

// steady runs the tests once all that they read is watched, so that no change between reading and watching is lost.
func steady(ctx context.Context, find func() ([]string, error), opts Options, watch func(string) bool) (*Report, error) {
	for {
		files, err := find()
		if err != nil {
			return nil, err
		}
		more := false
		for _, f := range files {
			more = watch(filepath.Dir(f)) || more
		}
		rep, err := Run(ctx, files, opts)
		for _, f := range rep.Files {
			for _, name := range f.Reads() {
				more = watch(filepath.Dir(name)) || more
			}
		}
		if !more || ctx.Err() != nil {
			return rep, err
		}
	}
}

// Reads returns the files that were read for the tests of f, f itself among them, in the order of their names.
func (f *File) Reads() []string { return slices.Sorted(maps.Keys(f.sources)) }

// changed waits until a rule file or a rule test has changed, and then until nothing does for a while.
func changed(ctx context.Context, w *fsnotify.Watcher) error {
	var due <-chan time.Time
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case e := <-w.Events:
			if load.IsRuleFile(e.Name) {
				due = time.After(settle)
			}
		case <-w.Errors: // events were lost, perhaps
			due = time.After(settle)
		case <-due:
			return nil
		}
	}
}
