package ruletest

import (
	"context"
	"maps"
	"path/filepath"
	"slices"

	"github.com/aside-go/aside/compile/load"
)

// Watch runs the tests of the files that find returns and calls told, and does so again after each change
// of a rule file or rule test in the directories of the files that were read. It returns ctx.Err() when ctx
// ends. told gets the result of Run, or the error of find; Watch's own goroutine calls it. dirs are
// watched, too, for files that do not exist yet.
func Watch(ctx context.Context, dirs []string, find func() ([]string, error), opts Options,
	told func(*Report, error)) error {
	return load.Follow(ctx, nil, load.IsRuleFile, func(watch func(path string)) (shown []string, done func()) {
		for _, dir := range dirs {
			watch(dir)
		}
		files, err := find()
		if err != nil {
			return nil, func() { told(nil, err) }
		}
		for _, f := range files {
			watch(filepath.Dir(f))
		}
		rep, err := Run(ctx, files, opts)
		for _, f := range rep.Files {
			for _, name := range f.Reads() {
				shown = append(shown, filepath.Dir(name))
			}
		}
		slices.Sort(shown)
		return slices.Compact(shown), func() {
			if ctx.Err() == nil {
				told(rep, err)
			}
		}
	})
}

// Reads returns the files that the tests of f have read, f itself among them, sorted.
func (f *File) Reads() []string { return slices.Sorted(maps.Keys(f.sources)) }
