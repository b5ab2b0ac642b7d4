package main

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/aside-go/aside/compile"
	"github.com/aside-go/aside/compile/document"
	"github.com/aside-go/aside/compile/load"
	"github.com/aside-go/aside/grammar"
)

// checkCmd is "aside check".
type checkCmd struct {
	Paths  []string `arg:"" optional:"" name:"path" help:"Files, directories or globs; - is stdin. Without any: the standard directories."`
	Rules  []string `sep:"none" hidden:"" help:"The same as PATH."`
	JSON   bool     `name:"json" help:"Print the findings as a JSON array."`
	Strict bool     `help:"Warnings are errors."`
	Name   string   `default:"stdin.md" placeholder:"FILE" help:"What stdin would be called; the extension says how it is read."`
	Var    varFlags `sep:"none" placeholder:"NAME:TYPE[:KIND]" help:"Declare a fact vars.NAME that the rules may read. Repeatable."`
}

// Help shows examples.
func (*checkCmd) Help() string {
	return `Parses, type-checks and lints. Exits with 1 if there is an error.

Examples:

    aside check                      # your own rules and the project's
    aside check .aside/reminders
    aside check --json a.md | jq .
    cat a.md | aside check - --name a.md`
}

// Run checks.
func (c *checkCmd) Run(e *env) error {
	c.Paths = append(c.Paths, c.Rules...)
	ds, files, n, err := c.findings(e)
	if err != nil {
		return err
	}
	if c.JSON {
		if err := printJSON(e.out, ds); err != nil {
			return err
		}
	} else {
		e.render(e.out, ds, files, e.colour)
		where := ""
		if len(c.Paths) == 0 {
			where = " in the standard directories"
		}
		e.note("%s%s: %s", count(n, "reminder"), where, tally(ds))
		if slices.ContainsFunc(ds, func(d grammar.Diagnostic) bool {
			return strings.Contains(d.Message, `"vars.`) && d.Severity == grammar.Error
		}) {
			e.note("a fact of your own is declared with --var NAME:TYPE")
		}
		if slices.ContainsFunc(ds, func(d grammar.Diagnostic) bool { return isTest(d.File) }) {
			e.note("a rule test (_test.yaml) is run with: aside test FILE")
		}
		switch {
		case n > 0 || len(ds) > 0:
		case len(c.Paths) == 0:
			e.note("aside init writes a few to start with")
		default:
			e.note("there is no rule file (.md, .yaml, .yml) in %s", strings.Join(c.Paths, ", "))
		}
	}
	return verdict(ds.HasErrors() || c.Strict && tallies(ds, grammar.Warning))
}

func tallies(ds grammar.Diagnostics, s grammar.Severity) bool {
	return slices.ContainsFunc(ds, func(d grammar.Diagnostic) bool { return d.Severity == s })
}

// findings returns what is wrong, the files it is wrong in, and how many reminders are right.
func (c *checkCmd) findings(e *env) (grammar.Diagnostics, map[string][]byte, int, error) {
	schema, err := c.Var.schema()
	if err != nil {
		return nil, nil, 0, err
	}
	opts := compile.Options{Schema: schema}
	stdin, paths := split(c.Paths)
	var ds grammar.Diagnostics
	files, n := map[string][]byte{}, 0
	if !stdin || len(paths) > 0 {
		sources, err := e.sources(paths, withProject)
		if err != nil {
			return nil, nil, 0, bare(err)
		}
		r := load.Load(sources, load.Options{Options: opts})
		ds, files, n = r.Diagnostics, r.Files, r.Set.Len()
	}
	if stdin {
		if !isRuleFile(c.Name) {
			return nil, nil, 0, usage("--name %q: a rule file ends in .md, .yaml or .yml", c.Name)
		}
		src, err := io.ReadAll(io.LimitReader(e.in, maxFile))
		if err != nil {
			return nil, nil, 0, fmt.Errorf("stdin: %w", err)
		}
		rs, found := document.Read(c.Name, src)
		set, more := compile.New(rs, opts)
		ds = append(append(ds, found...), more...)
		ds.Sort()
		files[c.Name] = src
		n += set.Len()
	}
	return ds, files, n, nil
}

// split takes "-" out of args.
func split(args []string) (stdin bool, rest []string) {
	for _, a := range args {
		if a == "-" {
			stdin = true
		} else {
			rest = append(rest, a)
		}
	}
	return stdin, rest
}

// bare takes the name of the flag off an error about paths that were plain arguments.
func bare(err error) error {
	if rest, ok := strings.CutPrefix(err.Error(), "--rules: "); ok {
		return &exitError{code: exitMachine, err: fmt.Errorf("%s", rest)}
	}
	return err
}
