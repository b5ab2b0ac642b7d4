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

// settle is how long Watch waits after the latest change before it runs the tests: when an editor saves, that
// is several changes.
const settle = 100 * time.Millisecond

// Watch runs the tests of the files that find returns and calls told, and does so again after each change
// of a rule file or rule test in the directories of the files that were read. It returns ctx.Err() when ctx
// ends. told gets the result of Run, or the error of find; Watch's own goroutine calls it. dirs are
// watched, too, for files that do not exist yet.
func Watch(ctx context.Context, dirs []string, find func() ([]string, error), opts Options,
	told func(*Report, error)) error {
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
		for dir := range watched { // a directory that was replaced must be added again
			if w.Add(dir) != nil {
				delete(watched, dir)
			}
		}
	}
}

// steady runs the tests, and does so again until all files that they read lie in watched directories. So no
// change between reading and watching is missed.
func steady(ctx context.Context, find func() ([]string, error), opts Options,
	watch func(string) bool) (*Report, error) {
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

// Reads returns the files that the tests of f have read, f itself among them, sorted.
func (f *File) Reads() []string { return slices.Sorted(maps.Keys(f.sources)) }

// changed waits until a rule file or a rule test has changed, and then until none does for the time settle.
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
		case <-w.Errors: // events may be lost
			due = time.After(settle)
		case <-due:
			return nil
		}
	}
}
