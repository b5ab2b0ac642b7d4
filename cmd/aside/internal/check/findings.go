package check

import (
	"bytes"
	"errors"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/aside-go/aside/cmd/aside/internal/setup"
	"github.com/aside-go/aside/cmd/internal/command"
	"github.com/aside-go/aside/cmd/internal/rules"
	"github.com/aside-go/aside/compile"
	"github.com/aside-go/aside/compile/fact"
	"github.com/aside-go/aside/grammar"
	"github.com/aside-go/aside/internal/code"
	"github.com/aside-go/aside/internal/document"
	"github.com/aside-go/aside/internal/lint"
	"github.com/aside-go/aside/internal/trust"
)

type findings struct {
	ds    grammar.Diagnostics
	files map[string][]byte // the files that were read, by name
	fine  int               // how many reminders have no error
	sets  []*compile.Set    // the reminders without an error
	tests []string          // the rule tests among the files
	// the path of the project's configuration, where that has mistakes
	config string
	schema *fact.Schema
	// a directory of the project whose rules were not read, since they are not trusted; "": none
	aside string
}

// undeclared reports whether d is about the name of a fact under "vars." that was not declared.
func (f *findings) undeclared(d grammar.Diagnostic) bool {
	src, from, to := f.files[d.File], d.Range.Start.Offset, d.Range.End.Offset
	switch d.Code {
	case code.UnknownName, code.UnknownNameInExpression, code.UnknownFactInText:
		return from >= 0 && from < to && to <= len(src) && bytes.Contains(src[from:to], []byte("vars."))
	}
	return false
}

func (f *findings) any(is func(grammar.Diagnostic) bool) bool { return slices.ContainsFunc(f.ds, is) }

// findings checks the files that the flags name.
func (c *Cmd) findings(e *command.Env, opts lint.Options) (*findings, error) {
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
		r, err := rules.Load(e, rules.Request{Paths: paths, Here: true, Vars: c.Var,
			Author: len(paths) > 0})
		if err != nil {
			return nil, err
		}
		linted := maps.Clone(r.Files)
		maps.DeleteFunc(linted, func(name string, _ []byte) bool {
			return slices.Contains(r.Tests, name) || name == r.Config
		})
		f.config, f.schema = r.Config, r.Set.Schema()
		f.ds, f.files, f.fine, f.tests = lint.Run(r.Set, r.Diagnostics, linted, opts), r.Files, r.Set.Len(), r.Tests
		f.sets = append(f.sets, r.Set)
		for _, u := range r.Untrusted {
			if errors.Is(u.Why, trust.ErrNew) || errors.Is(u.Why, trust.ErrChanged) {
				f.aside = filepath.Dir(u.Path)
			}
		}
	}
	if stdin {
		if f.schema, err = rules.Schema(e, c.Var, rules.ProjectConfig(e, rules.Here(e), false)); err != nil {
			return nil, err
		}
		rs, found := document.Read(name, src)
		set, more := compile.FromFiles(rs, compile.Options{Schema: f.schema})
		ds := lint.Run(set, slices.Concat(found, more), map[string][]byte{name: src}, opts)
		f.ds = append(f.ds, ds...)
		f.ds.Sort()
		f.files[name] = src
		f.fine += set.Len()
		f.sets = append(f.sets, set)
	}
	return f, nil
}

// forAgents adds what is found besides for an agent that runs our hooks on this machine: tools that it calls
// otherwise, facts that it never reports.
func (c *Cmd) forAgents(e *command.Env, f *findings, opts lint.Options) error {
	for _, name := range setup.Registered(e) {
		opts.Agent = name
		of, err := c.findings(e, opts)
		if err != nil {
			return err
		}
		f.ds = lint.Unique(append(f.ds, of.ds...))
	}
	return nil
}

// lints returns the options of the lints, from the flags.
func (c *Cmd) lints() (lint.Options, error) {
	opts := lint.Options{MaxTokens: c.MaxTokens, Agent: c.Agent}
	if c.DryRun && !c.Fix {
		return opts, command.Usage("-d goes with --fix")
	}
	if err := rules.KnownAgent(c.Agent); err != nil {
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
