// Package ruletest runs the rule tests of `aside test`: YAML files that list, turn by turn, the reminders
// that must fire.
//
// It owns the reading of those files, which is strict: anything that is not understood is a diagnostic, and
// a test with a diagnostic never passes. It runs each test against an evaluator with a store of its own,
// measures coverage of the triggers, and writes the report as text, JSON and JUnit. Run and RunSource may
// be called concurrently; a Report must not be changed while it is written.
package ruletest

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"time"

	"github.com/aside-go/aside/cmd/internal/rules"
	"github.com/aside-go/aside/compile/fact"
	"github.com/aside-go/aside/compile/load"
	"github.com/aside-go/aside/compile/trigger"
	"github.com/aside-go/aside/grammar"
	"github.com/aside-go/aside/internal/lint"
)

// Options says how Run works. The zero Options is useful.
type Options struct {
	// Only selects the tests whose names it matches. Of other tests only the name is read. nil: all tests.
	Only *regexp.Regexp
	// Coverage asks for Report.Coverage.
	Coverage bool
	// Clock measures how long each test takes; it may be time.Now. nil: no time is measured.
	Clock func() time.Time
	// Done is called after each file, for progress. It may be nil.
	Done func(File)
	// Home is the user's home directory, which is not a project.
	Home string
	// Named are the directories that the user has named. No test in one of them names a file outside of it, of
	// its project, or of the .aside directory that it lies in. Tests elsewhere are bound to the directory that
	// holds their own one in the same way.
	Named []string
	// Facts returns the facts that configurations declare for a test file. A declaration of the file's own goes
	// over theirs. nil: none.
	Facts func(path string) []fact.Fact
}

// Run runs the tests of the files. Mistakes in a file and expectations that do not hold are in the Report.
// The error says which files could not be read; all others are in the Report nevertheless. When ctx ends, Run
// returns the Report so far and ctx's error.
func Run(ctx context.Context, files []string, opts Options) (*Report, error) {
	rep := &Report{Files: []File{}}
	if opts.Coverage {
		rep.Coverage = &Coverage{}
	}
	var errs []error
	for _, path := range files {
		if err := ctx.Err(); err != nil {
			return rep, err
		}
		src, err := read(path, opts)
		if err != nil {
			errs = append(errs, err)
			continue
		}
		f := runFile(ctx, path, src, rep.Coverage, opts)
		rep.Files = append(rep.Files, f)
		if opts.Done != nil {
			opts.Done(f)
		}
	}
	if rep.Coverage != nil {
		rep.Coverage.sort()
	}
	return rep, errors.Join(errs...)
}

// Watch runs the tests of the files that find returns and calls told, and does so again after each change
// of a rule file or rule test in the directories of the files that were read. It returns ctx.Err() when ctx
// ends. told gets the result of Run, or the error of find; Watch's own goroutine calls it. Options.Named are
// watched, too, for files that do not exist yet.
func Watch(ctx context.Context, find func() ([]string, error), opts Options,
	told func(*Report, error)) error {

	return load.Follow(ctx, nil, load.IsRuleFile, func(watch func(string)) (shown []string, done func()) {
		for _, dir := range opts.Named {
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
			for name := range f.sources {
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

// RunSource runs the tests of a file whose bytes are src, as an editor has them. path is the file's path,
// which other paths in the file are relative to.
func RunSource(ctx context.Context, path string, src []byte, opts Options) File {
	return runFile(ctx, path, src, nil, opts)
}

func runFile(ctx context.Context, path string, src []byte, cov *Coverage, opts Options) File {
	r := newReader(path, src)
	r.only, r.home, r.bounds = opts.Only, opts.Home, opts.bounds(path)
	if opts.Facts != nil {
		r.configured = opts.Facts(path)
	}
	now := opts.Clock
	if now == nil {
		now = func() time.Time { return time.Time{} }
	}
	f := File{Path: path, Tests: []Test{}, Began: now(), sources: r.sources}
	for _, t := range r.tests() {
		began := now()
		out := Test{Name: t.name, Line: t.node.Line, Column: t.node.Column, Status: Passed}
		switch {
		case t.bad:
			out.Status = Mistaken
		case t.wantError != nil:
			out.Checks = r.runErrorTest(t)
		default:
			p := newRunner(t, cov)
			p.run(ctx)
			out.Checks, out.Divergence = p.checks, p.first
		}
		if len(out.Checks) > 0 {
			out.Status = Failed
		}
		out.Took = now().Sub(began)
		f.Tests = append(f.Tests, out)
	}
	for _, d := range lint.Unique(r.Diags) {
		f.Diagnostics = append(f.Diagnostics, rules.Anchored(d))
	}
	f.Skipped, f.Took = r.skipped, now().Sub(f.Began)
	return f
}

// runErrorTest runs a test of an error of compilation.
func (r *reader) runErrorTest(t *testCase) []Check {
	var diags grammar.Diagnostics
	if t.trigger != nil {
		_, diags = trigger.Compile(*t.trigger, t.schema)
	} else {
		diags = r.compile(t.reminders, t.schema).diags
	}
	said := []string{}
	for _, d := range diags {
		if d.Severity != grammar.Error {
			continue
		}
		s := fmt.Sprintf("%d:%d: %s", d.Range.Start.Line, d.Range.Start.Column, d.Message)
		if d.Hint != "" {
			s += " (" + d.Hint + ")"
		}
		if t.wantError.MatchString(s) {
			return nil
		}
		said = append(said, s)
	}
	return []Check{{Line: t.node.Line, What: "error", Expected: t.wantError.String(), Actual: said}}
}

// read reads a test file. The text of one that is too long is as long, and blank.
func read(path string, opts Options) ([]byte, error) {
	named := opts.through(path)
	below := load.Below(opts.Home, cmp.Or(named, path))
	src, err := load.ReadFile(cmp.Or(below, named), path, maxFile)
	if errors.Is(err, load.ErrLarge) {
		return make([]byte, maxFile+1), nil
	}
	return src, err
}

// through returns the directory through which the user has named a test, "" for the directory of the test.
func (o *Options) through(path string) string {
	for _, dir := range o.Named {
		if rel, err := filepath.Rel(dir, path); err == nil && filepath.IsLocal(rel) {
			return dir
		}
	}
	return ""
}

// bounds returns the directory out of which a test names no file. A test that the user has named by itself,
// outside of any project, may name what lies beside its directory, as ../reminders/*.md.
func (o *Options) bounds(path string) string {
	named, dir := o.through(path), filepath.Dir(path)
	bounds := load.Bounds(cmp.Or(named, dir), o.Home)
	if named == "" && bounds == dir {
		return filepath.Join(dir, "..")
	}
	return bounds
}

// Report is the result of Run, in the order of the files and of the tests in them.
type Report struct {
	Files    []File
	Coverage *Coverage // nil: not asked for
}

// File is the result of one test file.
type File struct {
	Path        string
	Diagnostics grammar.Diagnostics // of the file and of the reminders it loads
	Tests       []Test
	Skipped     int // tests that Options.Only left out
	Began       time.Time
	Took        time.Duration // 0 without Options.Clock

	sources map[string][]byte // by path, the texts that Diagnostics point into
}

// Status is the result of a test.
type Status string

const (
	// Passed is a test all of whose expectations hold.
	Passed Status = "passed"
	// Failed is a test with an expectation that does not hold.
	Failed Status = "failed"
	// Mistaken is a test that was not run, because there is an error in it, which the file's diagnostics tell.
	Mistaken Status = "error"
)

// Test is the result of one test.
type Test struct {
	Name   string  `json:"name"`
	Status Status  `json:"status"`
	Line   int     `json:"line"`
	Column int     `json:"column"`
	Checks []Check `json:"checks,omitempty"` // the expectations that do not hold
	// Divergence is the first turn on which something fired or was due that should not, or did not or was not
	// that should; nil: none.
	Divergence *Divergence   `json:"divergence,omitempty"`
	Took       time.Duration `json:"-"`
}

// Check is an expectation that does not hold.
type Check struct {
	Step     int      `json:"step,omitempty"` // from 1; 0: the test as a whole
	Line     int      `json:"line"`
	What     string   `json:"what"` // fires, due, paused, outcomes, text ID, refused, error, reload, fires_at ID
	Expected any      `json:"expected"`
	Actual   any      `json:"actual"` // nil: there is none
	Why      []string `json:"why,omitempty"`
}

// Counts returns how many tests passed, how many failed, and how many mistakes there are: diagnostics of
// severity error.
func (r *Report) Counts() (passed, failed, mistakes int) {
	for _, f := range r.Files {
		for _, t := range f.Tests {
			switch t.Status {
			case Passed:
				passed++
			case Failed:
				failed++
			}
		}
		mistakes += f.mistakes()
	}
	return passed, failed, mistakes
}

func (f *File) mistakes() int {
	n := 0
	for _, d := range f.Diagnostics {
		if isError(d) {
			n++
		}
	}
	return n
}

// OK reports whether everything holds and nothing is wrong in any file.
func (r *Report) OK() bool {
	_, failed, mistakes := r.Counts()
	return failed == 0 && mistakes == 0
}
