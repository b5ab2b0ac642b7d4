package main

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/aside-go/aside/compile"
	"github.com/aside-go/aside/compile/document"
	"github.com/aside-go/aside/compile/lint"
	"github.com/aside-go/aside/grammar"
)

// checkCmd is "aside check".
type checkCmd struct {
	Paths     []string `arg:"" optional:"" name:"path" help:"Files, directories or globs; - is stdin. Without any: the standard directories."`
	Rules     []string `sep:"none" hidden:"" help:"The same as PATH."`
	JSON      bool     `name:"json" help:"Print the findings as a JSON array."`
	Strict    bool     `help:"Warnings are errors."`
	Agent     string   `placeholder:"AGENT" help:"The agent that the rules are for: what it cannot know and tools that it has not are findings, too. One of ${agents}, serve."`
	MaxTokens int      `placeholder:"N" help:"What a text may cost each time it is sent, in tokens."`
	Allow     []string `placeholder:"CODE" help:"Do not tell of findings with this code. Repeatable. One rule is spared by a comment in it: # aside: allow CODE."`
	Name      string   `default:"stdin.md" placeholder:"FILE" help:"What stdin would be called; the extension says how it is read."`
	Var       varFlags `sep:"none" placeholder:"NAME:TYPE[:KIND]" help:"Declare a fact vars.NAME that the rules may read. Repeatable."`
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
	opts, err := c.options()
	if err != nil {
		return err
	}
	f, err := c.findings(e, opts)
	if err != nil {
		return err
	}
	if len(c.Paths) > 0 {
		e.markUntrusted(f.files)
	}
	if c.JSON {
		err = printJSON(e.out, f.ds)
	} else {
		c.print(e, f)
	}
	if err != nil {
		return err
	}
	return verdict(f.ds.HasErrors() || c.Strict && f.any(func(d grammar.Diagnostic) bool { return d.Severity == grammar.Warning }))
}

// print prints the findings for people.
func (c *checkCmd) print(e *env, f *findings) {
	e.render(e.out, f.ds, f.files, e.colour)
	sum := count(f.fine, "reminder")
	if len(c.Paths) == 0 {
		sum += " in the standard directories"
	}
	if f.ds.HasErrors() {
		e.note("%s can be used; %s", sum, tally(f.ds))
	} else {
		e.note("%s: %s", sum, tally(f.ds))
	}
	if f.any(func(d grammar.Diagnostic) bool {
		return strings.Contains(d.Message, `"vars.`) && d.Severity == grammar.Error
	}) {
		e.note("a fact of your own is declared with --var NAME:TYPE")
	}
	for _, name := range f.tests {
		e.note("%s is a rule test, which was not run: aside test %[1]s", e.below(name))
	}
	if len(f.tests) == 0 && f.any(func(d grammar.Diagnostic) bool { return isTest(d.File) }) {
		e.note("a rule test (_test.yaml) is run with: aside test FILE")
	}
	switch {
	case f.fine > 0 || len(f.ds) > 0 || len(f.tests) > 0:
	case len(c.Paths) == 0:
		e.note("aside init writes a few to start with")
	default:
		e.note("there is no rule file (.md, .yaml, .yml) in %s", strings.Join(c.Paths, ", "))
	}
}

// findings are what a check came to.
type findings struct {
	ds    grammar.Diagnostics
	files map[string][]byte // what was read
	fine  int               // reminders without an error
	tests []string          // rule tests among the files
}

func (f *findings) any(is func(grammar.Diagnostic) bool) bool { return slices.ContainsFunc(f.ds, is) }

// findings checks.
func (c *checkCmd) findings(e *env, opts lint.Options) (*findings, error) {
	stdin, paths := split(c.Paths)
	f := &findings{files: map[string][]byte{}}
	if !stdin || len(paths) > 0 {
		r, err := e.load(rulesFlag{paths}, withProject, c.Var)
		if err != nil {
			return nil, err
		}
		f.ds, f.files, f.fine, f.tests = lint.Run(r.Set, r.Diagnostics, r.Files, opts), r.Files, r.Set.Len(), r.Tests
	}
	if stdin {
		if !isRuleFile(c.Name) {
			return nil, usage("--name %q: a rule file ends in .md, .yaml or .yml", c.Name)
		}
		src, err := io.ReadAll(io.LimitReader(e.in, maxFile))
		if err != nil {
			return nil, fmt.Errorf("stdin: %w", err)
		}
		schema, err := c.Var.schema()
		if err != nil {
			return nil, err
		}
		rs, found := document.Read(c.Name, src)
		set, more := compile.New(rs, compile.Options{Schema: schema})
		ds := lint.Run(set, slices.Concat(found, more), map[string][]byte{c.Name: src}, opts)
		f.ds = append(f.ds, ds...)
		f.ds.Sort()
		f.files[c.Name] = src
		f.fine += set.Len()
	}
	return f, nil
}

// options are what the flags ask of the lints.
func (c *checkCmd) options() (lint.Options, error) {
	opts := lint.Options{MaxTokens: c.MaxTokens, Agent: c.Agent}
	if c.Agent != "" && !slices.Contains(lint.Agents(), c.Agent) {
		return opts, usage("--agent %q: one of %s%s", c.Agent, strings.Join(lint.Agents(), ", "), perhaps(c.Agent, lint.Agents()))
	}
	if c.MaxTokens < 0 {
		return opts, usage("--max-tokens %d: a number of tokens is above 0", c.MaxTokens)
	}
	for _, a := range c.Allow {
		for code := range strings.SplitSeq(a, ",") {
			opts.Allow = append(opts.Allow, strings.ToUpper(strings.TrimSpace(code)))
		}
	}
	return opts, nil
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
