// Package testrun runs rule tests for the user of the command line, once or whenever a file changes, and
// prints the report. The package ruletest reads and runs the tests.
package testrun

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/aside-go/aside/cmd/internal/command"
	"github.com/aside-go/aside/cmd/internal/config"
	"github.com/aside-go/aside/cmd/internal/rules"
	"github.com/aside-go/aside/cmd/internal/ruletest"
	"github.com/aside-go/aside/cmd/internal/terminal"
	"github.com/aside-go/aside/compile/fact"
	"github.com/aside-go/aside/compile/load"
	"github.com/aside-go/aside/internal/atomicfile"
)

// Cmd is "aside test".
type Cmd struct {
	Files   []string `arg:"" optional:"" name:"file" help:"Rule tests, or directories or globs of them (a rule test's name ends in _test.yaml); without one, ~/.aside."`
	Only    string   `aliases:"run" placeholder:"REGEXP" help:"Run only the tests whose name matches."`
	Verbose bool     `short:"v" help:"Name the tests that hold, too."`
	Cover   bool     `name:"coverage" help:"Say which parts of which triggers were never true, never false or never decided."`
	Least   float64  `name:"min-coverage" placeholder:"PERCENT" help:"Exit with 1 if less than that of the triggers was covered. Implies --coverage."`
	Watch   bool     `short:"w" help:"Run them again whenever a rule or a test changes, until Ctrl-C."`
	Until   bool     `name:"until-stdin-ends" help:"End --watch with stdin: a program that starts this one as its child leaves nothing behind."`
	JSON    bool     `name:"json" xor:"form" help:"Print the report as JSON."`
	JUnit   string   `name:"junit" placeholder:"FILE" help:"Also write the report as JUnit XML."`
}

// Run runs the tests. Exits with 1 if one does not hold.
func (c *Cmd) Run(ctx context.Context, e *command.Env) error {
	only, err := regexp.Compile(c.Only)
	if err != nil {
		return command.Usage("--only: %w", err)
	}
	if c.Least < 0 || c.Least > 100 {
		return command.Usage("--min-coverage is a percentage, from 0 to 100")
	}
	if len(c.Files) == 0 { // those of a project are read where they are named alone (law T1)
		own := filepath.Join(e.Home, ".aside")
		if _, err := os.Stat(own); err != nil {
			return command.No("there is no %s: aside test FILE runs other rule tests", e.Short(own))
		}
		c.Files = []string{own}
		if _, err := os.Stat(".aside"); err == nil && e.Dir != e.Home {
			e.Note("these are the tests in %s; aside test .aside runs those here", e.Short(own))
		}
	}
	opts := ruletest.Options{Coverage: c.Cover || c.Least > 0, Clock: time.Now, Home: e.Home,
		Facts: func(path string) []fact.Fact {
			return config.Facts(nil, e.Config, rules.ProjectConfig(e, load.Project(filepath.Dir(path), e.Home), true))
		}}
	for _, a := range c.Files {
		if fi, err := os.Stat(a); err == nil && fi.IsDir() {
			opts.Named = append(opts.Named, a)
		}
	}
	if c.Only != "" {
		opts.Only = only
	}
	if c.Watch {
		return c.keepRunning(ctx, e, opts)
	}
	files, err := testFiles(c.Files)
	if err != nil {
		return err
	}
	rep, failed := ruletest.Run(ctx, files, opts)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return c.report(e, rep, failed)
}

// keepRunning runs the tests again and again, until an interrupt.
func (c *Cmd) keepRunning(ctx context.Context, e *command.Env, opts ruletest.Options) error {
	watching, stop := context.WithCancel(ctx)
	defer stop()
	if c.Until {
		go command.Until(e.In, stop)
	}
	find := func() ([]string, error) { return testFiles(c.Files) }
	err := ruletest.Watch(watching, find, opts, func(rep *ruletest.Report, err error) {
		if rep == nil {
			rep = &ruletest.Report{}
		}
		if err := c.report(e, rep, err); err != nil && !errors.Is(err, command.ErrNo) {
			e.Report(err)
		}
		e.Note("-- waiting for a change, at %s; Ctrl-C ends", time.Now().Format("15:04:05"))
	})
	if watching.Err() != nil && ctx.Err() == nil {
		return nil // the end of stdin is not an interrupt
	}
	return err
}

// report prints the report of the tests. failed is the error for files that could not be read, which report
// returns, too; else it returns command.ErrNo where a test did not pass or the coverage is too low.
func (c *Cmd) report(e *command.Env, rep *ruletest.Report, failed error) error {
	if err := c.print(e, rep); err != nil {
		return err
	}
	if failed != nil {
		return failed
	}
	if c.Only != "" && !slices.ContainsFunc(rep.Files, func(f ruletest.File) bool { return len(f.Tests) > 0 }) {
		e.Note("no test matches %q", c.Only)
	}
	below := rep.Coverage != nil && rep.Coverage.Percent() < c.Least
	if below {
		e.Note("coverage is below %v%%", c.Least)
	}
	return command.Verdict(!rep.OK() || below)
}

func (c *Cmd) print(e *command.Env, rep *ruletest.Report) error {
	if c.JUnit != "" {
		if err := junit(c.JUnit, rep); err != nil {
			return err
		}
	}
	if c.JSON {
		return rep.WriteJSON(e.Out)
	}
	if c.Verbose {
		for _, f := range rep.Files {
			for _, t := range f.Tests {
				if t.Status == ruletest.Passed {
					fmt.Fprintf(e.Out, "pass %s (%s:%d)\n", terminal.Line(t.Name), f.Path, t.Line)
				}
			}
		}
	}
	if !e.Colour {
		return rep.WriteText(e.Out)
	}
	var b strings.Builder
	if err := rep.WriteText(&b); err != nil {
		return err
	}
	_, err := e.Out.WriteString(verdicts.ReplaceAllStringFunc(b.String(), func(word string) string {
		return e.Paint(map[string]string{"FAIL": "1;31", "NOT RUN": "1;33", "ok": "1;32"}[word], word)
	}))
	return err
}

// verdicts matches the word that a line about a test or a file begins with.
var verdicts = regexp.MustCompile(`(?m)^(?:FAIL|NOT RUN|ok)\b`)

// junit writes the report to a file, whole or not at all, since another program may watch the file.
func junit(name string, rep *ruletest.Report) error {
	var b bytes.Buffer
	if err := rep.WriteJUnit(&b); err != nil {
		return err
	}
	if fi, err := os.Lstat(name); err == nil && !fi.Mode().IsRegular() {
		return os.WriteFile(name, b.Bytes(), 0o644) // a pipe, a device, a link
	}
	return atomicfile.Write(name, b.Bytes(), 0o644)
}

// testFiles returns the files that arguments stand for: a directory stands for all rule tests below it, a
// pattern for the files that it matches.
func testFiles(args []string) ([]string, error) {
	var files []string
	for _, a := range args {
		fi, err := os.Stat(a)
		if err != nil || !fi.IsDir() {
			found, err := rules.Expand(a)
			if err != nil {
				return nil, err
			}
			for _, name := range found {
				if strings.EqualFold(filepath.Ext(name), ".md") {
					return nil, command.No("%s is a rule file, and no rule test (_test.yaml): aside check %[1]s", name)
				}
			}
			files = append(files, found...)
			continue
		}
		err = filepath.WalkDir(a, func(p string, d fs.DirEntry, err error) error {
			if err == nil && !d.IsDir() && rules.IsTest(d.Name()) {
				files = append(files, p)
			}
			return err
		})
		if err != nil {
			return nil, err
		}
	}
	if len(files) == 0 {
		return nil, command.No("there is no rule test (_test.yaml) in %s", strings.Join(args, ", "))
	}
	return files, nil
}
