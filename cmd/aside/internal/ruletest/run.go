package ruletest

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"regexp"
	"time"

	"github.com/aside-go/aside/compile"
	"github.com/aside-go/aside/grammar"
)

// Options says how Run works. The zero Options is useful.
type Options struct {
	// Only, when it is not nil, picks the tests whose name it matches. No other is run, nor read beyond its name.
	Only *regexp.Regexp
	// Coverage asks which parts of which triggers were true, false and unknown: Report.Coverage.
	Coverage bool
	// Clock, when it is not nil, is asked how long each test takes; it may be time.Now.
	Clock func() time.Time
	// Done, when it is not nil, is called after each file, for progress.
	Done func(File)
}

// Run runs the tests of the files. What is wrong in a file, and what does not hold, is in the Report; the error, with which the
// Report is complete but for those files, says which files could not be read. When ctx ends, Run returns its error.
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
		src, err := read(path)
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

// RunSource runs the tests of one file whose bytes an editor holds; path says what its paths are relative to.
func RunSource(ctx context.Context, path string, src []byte) File {
	return runFile(ctx, path, src, nil, Options{})
}

func runFile(ctx context.Context, path string, src []byte, cov *Coverage, opts Options) File {
	r := newReader(path, src)
	r.only = opts.Only
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
		case t.wrong != nil:
			out.Checks = r.refuses(t)
		default:
			p := newPlayer(t, cov)
			p.run(ctx)
			out.Checks, out.Divergence = p.checks, p.first
		}
		if len(out.Checks) > 0 {
			out.Status = Failed
		}
		out.Took = now().Sub(began)
		f.Tests = append(f.Tests, out)
	}
	f.Diagnostics, f.Skipped, f.Took = placed(once(r.diags)), r.skipped, now().Sub(f.Began)
	return f
}

// refuses runs a test of what must not load.
func (r *reader) refuses(t *test) []Check {
	var diags grammar.Diagnostics
	if t.trigger != nil {
		_, diags = compile.Compile(*t.trigger, t.schema)
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
		if t.wrong.MatchString(s) {
			return nil
		}
		said = append(said, s)
	}
	return []Check{{Line: t.node.Line, What: "error", Expected: t.wrong.String(), Actual: said}}
}

// read reads a test file. Of one that is too long only so much is read as shows that it is.
func read(path string) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(io.LimitReader(f, maxFile+1))
}
