package bundle

import (
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/aside-go/aside/compile/load"
	"github.com/aside-go/aside/eval"
	"github.com/aside-go/aside/grammar"
)

// Rules are the compiled rules of an archive.
type Rules struct {
	*Archive
	Next *load.Result // the rules of the archive
	Base *load.Result // those of the runs that are not rolled out to; nil where all are
}

// ErrRules is the error for an archive whose rules have errors.
var ErrRules = errors.New("the rules have errors")

// Compile compiles the rules of an archive. Where one has an error the Rules are returned beside ErrRules.
func (a *Archive) Compile(opts load.Options) (*Rules, error) {
	r := &Rules{Archive: a, Next: a.load(nextDir, a.Digest(), opts)}
	if a.Manifest.Rollout < 1 {
		r.Base = a.load(baseDir, a.Base(), opts)
	}
	for _, d := range r.Diagnostics() {
		if d.Severity == grammar.Error {
			return r, fmt.Errorf("%w: %s", ErrRules, d.String())
		}
	}
	return r, nil
}

func (a *Archive) load(dir, digest string, opts load.Options) *load.Result {
	opts.Digest = digest
	files := a.in(dir)
	docs := make([]load.Document, 0, len(files))
	for _, name := range slices.Sorted(maps.Keys(files)) {
		docs = append(docs, load.Document{Path: a.Manifest.Name + "/" + dir + name,
			Dir: a.Manifest.Name + "/" + dir,
			Src: files[name]})
	}
	return load.Given(docs, opts)
}

// Diagnostics returns those of all rules.
func (r *Rules) Diagnostics() grammar.Diagnostics {
	if r.Base == nil {
		return r.Next.Diagnostics
	}
	return slices.Concat(r.Next.Diagnostics, r.Base.Diagnostics)
}

// Sources returns the bytes of all rule files by their paths in diagnostics.
func (r *Rules) Sources() map[string][]byte {
	files := maps.Clone(r.Next.Files)
	if r.Base != nil {
		maps.Copy(files, r.Base.Files)
	}
	return files
}

// Put puts the rules into use by calling to, which is eval.Evaluator.RollOut or like it.
func (r *Rules) Put(to func(*load.Result, eval.Rollout)) {
	if r.Base == nil {
		to(r.Next, eval.Rollout{})
		return
	}
	to(r.Base, eval.Rollout{Name: r.Manifest.Name, Share: r.Manifest.Rollout, Set: r.Next.Set})
}
