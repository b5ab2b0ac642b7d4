package main

import (
	"cmp"
	"errors"
	"io"
	"maps"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"

	"github.com/aside-go/aside/cmd/aside/internal/command"
	"github.com/aside-go/aside/cmd/aside/internal/rules"
	"github.com/aside-go/aside/cmd/aside/internal/sarif"
	"github.com/aside-go/aside/cmd/aside/internal/terminal"
	"github.com/aside-go/aside/compile"
	"github.com/aside-go/aside/grammar"
	"github.com/aside-go/aside/internal/code"
	"github.com/aside-go/aside/internal/document"
	"github.com/aside-go/aside/internal/lint"
	"github.com/aside-go/aside/internal/trust"
)

// checkCmd is "aside check".
type checkCmd struct {
	Paths     []string `arg:"" optional:"" name:"path" help:"Files, directories or globs; - is stdin. Without any: the standard directories."`
	Rules     []string `sep:"none" hidden:"" help:"The same as PATH."`
	JSON      bool     `name:"json" xor:"form" help:"Print the findings as a JSON array."`
	SARIF     bool     `name:"sarif" xor:"form" help:"Print the findings as SARIF 2.1.0, for code scanners."`
	Strict    bool     `help:"Warnings are errors."`
	Fix       bool     `xor:"form" help:"Follow the hints of errors and warnings, wherever there is one way to, and rewrite the files."`
	Diff      bool     `short:"d" help:"With --fix: print what would change as a diff, rewrite nothing, and exit with 1 if anything would change."`
	Explain   string   `xor:"form" placeholder:"CODE" help:"Say what a code means, and why it is told."`
	Agent     string   `placeholder:"AGENT" help:"The agent that the rules are for: what it cannot know and tools that it has not are findings, too. One of ${agents}, serve."`
	MaxTokens int      `placeholder:"N" help:"What a text may cost each time it is sent, in tokens."`
	Allow     []string `placeholder:"CODE" help:"Do not tell of findings with this code. Repeatable. One rule is spared by a comment in it: # aside: allow CODE."`
	stdinFlag
	Var varFlags `sep:"none" placeholder:"NAME:TYPE[:KIND]" help:"Declare a fact vars.NAME that the rules may read. Repeatable."`
}

// Help shows examples.
func (*checkCmd) Help() string {
	return `Parses, type-checks and lints. Exits with 1 if there is an error, and with --strict if there is a warning. A remark never
fails. A finding that is meant so is silenced by a comment in the rule, which may say why:

    # aside: allow R1001 because one reminder for a series of edits is enough

Examples:

    aside check                      # your own rules and the project's
    aside check .aside/reminders
    aside check --agent codex        # also what that agent can never know
    aside check --explain R1001
    aside check --fix .aside/reminders
    aside check --json .aside/reminders | jq .
    aside check --sarif .aside/reminders > aside.sarif
    cat a.md | aside check - --name a.md`
}

// Run checks.
func (c *checkCmd) Run(e *command.Env) error {
	c.Paths = append(c.Paths, c.Rules...)
	if c.Explain != "" {
		return c.explain(e)
	}
	opts, err := c.options()
	if err != nil {
		return err
	}
	if c.Fix {
		if changed, err := c.fix(e, opts); err != nil || c.Diff {
			return cmp.Or(err, command.Verdict(changed))
		}
	}
	f, err := c.findings(e, opts)
	if err != nil {
		return err
	}
	if len(c.Paths) > 0 {
		rules.MarkUntrusted(e, f.files)
	}
	switch {
	case c.JSON:
		err = printJSON(e.Out, f.ds)
	case c.SARIF:
		err = printSARIF(e, f.ds)
	default:
		c.print(e, f)
	}
	if err != nil {
		return err
	}
	return command.Verdict(f.ds.HasErrors() || c.Strict && f.any(func(d grammar.Diagnostic) bool { return d.Severity == grammar.Warning }))
}

// explain prints what the code of a diagnostic means.
func (c *checkCmd) explain(e *command.Env) error {
	info, ok := code.Lookup(c.Explain)
	if !ok {
		return command.No("there is no code %q", c.Explain)
	}
	_, err := io.WriteString(e.Out, info.Text())
	return err
}

// printSARIF prints the findings for code scanners.
func printSARIF(e *command.Env, ds grammar.Diagnostics) error {
	t := sarif.Tool{Name: "aside", URI: "https://github.com/aside-go/aside"}
	if info, ok := debug.ReadBuildInfo(); ok {
		t.Version = strings.TrimPrefix(info.Main.Version, "v")
		if !strings.HasPrefix(info.Main.Version, "v") { // "(devel)": the program was built from a working copy
			t.Version = ""
		}
	}
	for _, c := range code.All() {
		t.Rules = append(t.Rules, sarif.Rule{ID: string(c.ID), Title: c.Title, Text: cmp.Or(c.Reason, c.Title), Markdown: c.Markdown()})
	}
	return sarif.Write(e.Out, t, e.Dir, ds)
}

// print prints the findings for people.
func (c *checkCmd) print(e *command.Env, f *findings) {
	rules.Render(e, e.Out, f.ds, f.files, e.Colour)
	sum := terminal.Count(f.fine, "reminder")
	if len(c.Paths) == 0 {
		sum += " in the standard directories"
	}
	if f.ds.HasErrors() {
		e.Note("%s can be used; %s", sum, rules.Tally(f.ds))
	} else {
		e.Note("%s: %s", sum, rules.Tally(f.ds))
	}
	if f.any(func(d grammar.Diagnostic) bool {
		return strings.Contains(d.Message, `"vars.`) && d.Severity == grammar.Error
	}) {
		e.Note("a fact of your own is declared with --var NAME:TYPE")
	}
	for _, name := range f.tests {
		e.Note("%s is a rule test, which was not run: aside test %[1]s", e.Below(name))
	}
	if len(f.tests) == 0 && f.any(func(d grammar.Diagnostic) bool { return rules.IsTest(d.File) }) {
		e.Note("a rule test (_test.yaml) is run with: aside test FILE")
	}
	switch {
	case f.aside != "":
		e.Note("aside check %s looks into what is not trusted, too", terminal.Visible(e.Below(f.aside)))
	case f.fine > 0 || len(f.ds) > 0 || len(f.tests) > 0 || len(f.files) > 0:
	case len(c.Paths) == 0:
		e.Note("aside init writes a few to start with")
	default:
		e.Note("%s", rules.NoRuleFile(c.Paths))
	}
}

// findings is the result of a check.
type findings struct {
	ds    grammar.Diagnostics
	files map[string][]byte // the files that were read, by name
	fine  int               // how many reminders have no error
	tests []string          // the rule tests among the files
	aside string            // a directory of the project whose rules were not read, since they are not trusted; "": none
}

func (f *findings) any(is func(grammar.Diagnostic) bool) bool { return slices.ContainsFunc(f.ds, is) }

// findings checks the files that the flags name.
func (c *checkCmd) findings(e *command.Env, opts lint.Options) (*findings, error) {
	stdin, paths, err := rules.Split(c.Paths, c.Name)
	if err != nil {
		return nil, err
	}
	var name string
	var src []byte
	if stdin {
		if name, src, err = rules.ReadStdin(e, c.Name); err != nil {
			return nil, err
		}
	}
	f := &findings{files: map[string][]byte{}}
	if !stdin || len(paths) > 0 {
		r, err := rules.Load(e, rulesFlag{paths}.request(e, c.Var))
		if err != nil {
			return nil, err
		}
		rules := maps.Clone(r.Files)
		maps.DeleteFunc(rules, func(name string, _ []byte) bool { return slices.Contains(r.Tests, name) })
		f.ds, f.files, f.fine, f.tests = lint.Run(r.Set, r.Diagnostics, rules, opts), r.Files, r.Set.Len(), r.Tests
		for _, u := range r.Untrusted {
			if errors.Is(u.Why, trust.ErrNew) || errors.Is(u.Why, trust.ErrChanged) {
				f.aside = filepath.Dir(u.Path)
			}
		}
	}
	if stdin {
		schema, err := rules.Schema(c.Var)
		if err != nil {
			return nil, err
		}
		rs, found := document.Read(name, src)
		set, more := compile.FromFiles(rs, compile.Options{Schema: schema})
		ds := lint.Run(set, slices.Concat(found, more), map[string][]byte{name: src}, opts)
		f.ds = append(f.ds, ds...)
		f.ds.Sort()
		f.files[name] = src
		f.fine += set.Len()
	}
	return f, nil
}

// options returns the options of the lints, from the flags.
func (c *checkCmd) options() (lint.Options, error) {
	opts := lint.Options{MaxTokens: c.MaxTokens, Agent: c.Agent}
	if c.Diff && !c.Fix {
		return opts, command.Usage("-d goes with --fix")
	}
	if err := knownAgent(c.Agent); err != nil {
		return opts, err
	}
	if c.MaxTokens < 0 {
		return opts, command.Usage("--max-tokens %d: a number of tokens is above 0", c.MaxTokens)
	}
	for _, a := range c.Allow {
		for id := range strings.SplitSeq(a, ",") {
			known, ok := code.Lookup(id)
			if !ok {
				return opts, command.Usage("--allow %q: there is no such code", id)
			}
			opts.Allow = append(opts.Allow, known.ID)
		}
	}
	return opts, nil
}

// knownAgent returns a usage error for an agent that the lints know nothing about. "" is no agent in particular, and no error.
func knownAgent(name string) error {
	if name == "" || slices.Contains(lint.Agents(), name) {
		return nil
	}
	return command.Usage("--agent %q: one of %s%s", name, strings.Join(lint.Agents(), ", "), command.Perhaps(name, lint.Agents()))
}

// diagnosticJSON is a diagnostic as "aside check --json" prints it. CLI.md fixes the names and their meaning.
type diagnosticJSON struct {
	File      string `json:"file"`
	Line      int    `json:"line"`   // from 1
	Column    int    `json:"column"` // characters from 1
	EndLine   int    `json:"endLine"`
	EndColumn int    `json:"endColumn"` // just after the end
	Severity  string `json:"severity"`  // error, warning or info
	Code      string `json:"code"`
	Message   string `json:"message"`
	Hint      string `json:"hint"`
}

// printJSON prints ds as an array, one diagnostic a line.
func printJSON(w io.Writer, ds grammar.Diagnostics) error {
	list := make([]any, len(ds))
	for i, d := range ds {
		d = rules.Anchored(d)
		list[i] = diagnosticJSON{
			File: d.File, Line: d.Range.Start.Line, Column: d.Range.Start.Column,
			EndLine: d.Range.End.Line, EndColumn: d.Range.End.Column,
			Severity: d.Severity.String(), Code: string(d.Code), Message: d.Message, Hint: d.Hint,
		}
	}
	return command.PrintList(w, list)
}
