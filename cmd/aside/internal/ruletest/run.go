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
	// Only selects the tests whose names it matches. Of other tests only the name is read. nil: all tests.
	Only *regexp.Regexp
	// Coverage asks for Report.Coverage.
	Coverage bool
	// Clock measures how long each test takes; it may be time.Now. nil: no time is measured.
	Clock func() time.Time
	// Done is called after each file, for progress. It may be nil.
	Done func(File)
}

// Run runs the tests of the files. Mistakes in a file and expectations that do not hold are in the Report. The error says which files
// could not be read; all others are in the Report nevertheless. When ctx ends, Run returns the Report so far and ctx's error.
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

// RunSource runs the tests of a file whose bytes are src, as an editor has them. path is the file's path, which other paths in the file
// are relative to.
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
		case t.wantError != nil:
			out.Checks = r.runErrorTest(t)
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
	f.Diagnostics, f.Skipped, f.Took = placed(sortUnique(r.diags)), r.skipped, now().Sub(f.Began)
	return f
}

// runErrorTest runs a test of what must not compile.
func (r *reader) runErrorTest(t *test) []Check {
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
		if t.wantError.MatchString(s) {
			return nil
		}
		said = append(said, s)
	}
	return []Check{{Line: t.node.Line, What: "error", Expected: t.wantError.String(), Actual: said}}
}

// read reads a test file, but no more of it than maxFile bytes and one, which shows that the file is too long.
func read(path string) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(io.LimitReader(f, maxFile+1))
}
