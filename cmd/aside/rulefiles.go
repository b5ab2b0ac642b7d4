package main

import (
	"cmp"
	"context"
	"io"
	"os"
	"strings"

	"github.com/aside-go/aside/cmd/aside/internal/author"
	"github.com/aside-go/aside/cmd/aside/internal/check"
	"github.com/aside-go/aside/cmd/aside/internal/lsp"
	"github.com/aside-go/aside/cmd/aside/internal/testrun"
	"github.com/aside-go/aside/cmd/internal/command"
	"github.com/aside-go/aside/cmd/internal/config"
	"github.com/aside-go/aside/cmd/internal/listing"
	"github.com/aside-go/aside/cmd/internal/program"
	"github.com/aside-go/aside/cmd/internal/review"
	"github.com/aside-go/aside/cmd/internal/rules"
	"github.com/aside-go/aside/cmd/internal/schema"
	"github.com/aside-go/aside/compile/fact"
	"github.com/aside-go/aside/compile/load"
	"github.com/aside-go/aside/grammar"
	"github.com/aside-go/aside/internal/near"
)

// checkCmd is "aside check".
type checkCmd struct {
	Paths     []string `arg:"" optional:"" name:"path" help:"Files, directories or globs; - is stdin. Without any: the standard directories."`
	Rules     []string `sep:"none" hidden:"" help:"The same as PATH."`
	JSON      bool     `name:"json" xor:"form" help:"Print the findings as a JSON array."`
	SARIF     bool     `name:"sarif" xor:"form" help:"Print the findings as SARIF 2.1.0, for code scanners."`
	Strict    bool     `help:"Warnings are errors."`
	Verbose   bool     `short:"v" help:"Print remarks, too. Without it they are counted."`
	Fix       bool     `xor:"form" help:"Follow the hints of errors and warnings, where there is one way to that leaves what a rule does, and rewrite the files."`
	DryRun    bool     `short:"d" aliases:"diff" help:"With --fix: print what would change as a diff, rewrite nothing, and exit with 1 if anything would change."`
	Explain   string   `xor:"form" placeholder:"CODE" help:"Say what a code means, and why it is told."`
	Agent     string   `placeholder:"AGENT" help:"The agent that the rules are for: what it cannot know and tools that it has not are findings, too. One of ${agents}, serve."`
	MaxTokens int      `placeholder:"N" help:"What a text may cost each time it is sent, in tokens."`
	Allow     []string `placeholder:"CODE" help:"Do not tell of findings with this code. Repeatable. One rule is spared by a comment in it: # aside: allow CODE."`
	program.StdinFlag
	Var program.VarFlags `sep:"none" placeholder:"NAME:TYPE[:KIND]" help:"Declare a fact vars.NAME that the rules may read. Repeatable."`
}

// Run checks.
func (c *checkCmd) Run(e *command.Env) error {
	return check.Run(e, check.Options{
		Paths: append(c.Paths, c.Rules...), Name: c.Name, Vars: c.Var,
		JSON: c.JSON, SARIF: c.SARIF, Strict: c.Strict, Verbose: c.Verbose, Fix: c.Fix, Diff: c.DryRun,
		Explain: c.Explain, Agent: c.Agent, MaxTokens: c.MaxTokens, Allow: c.Allow,
	})
}

// fmtCmd is "aside fmt".
type fmtCmd struct {
	DryRun bool `short:"d" aliases:"diff" xor:"how" help:"Print what would change as a diff, and exit with 1 if anything would."`
	Write  bool `short:"w" xor:"how" help:"Rewrite the files."`
	List   bool `short:"l" help:"Print only the names of the files that would change."`
	program.StdinFlag
	Paths []string `arg:"" name:"path" help:"Files, directories or globs; - is stdin."`
}

// Run formats.
func (c *fmtCmd) Run(e *command.Env) error {
	return check.Format(e, check.FormatOptions{Paths: c.Paths, Name: c.Name, Diff: c.DryRun, Write: c.Write,
		List: c.List})
}

// testCmd is "aside test".
type testCmd struct {
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

// Run runs the tests.
func (c *testCmd) Run(ctx context.Context, e *command.Env) error {
	return testrun.Run(ctx, e, testrun.Options(*c))
}

// listCmd is "aside list".
type listCmd struct {
	ID string `arg:"" optional:"" name:"id" help:"Show this rule alone, with what it can and cannot do."`
	program.ShownFlags
	program.StateFlag
	Var   program.VarFlags `sep:"none" placeholder:"NAME:TYPE[:KIND]" help:"Declare a fact vars.NAME that the rules may read. Repeatable."`
	JSON  bool             `name:"json" xor:"form" help:"Print a JSON array, or of one rule an object."`
	Packs bool             `xor:"form" help:"List the rules of the cookbook instead, by packs, and which of them are yours."`
}

// Run lists.
func (c *listCmd) Run(ctx context.Context, e *command.Env) error {
	switch {
	case c.Packs:
		return author.Packs(e, "")
	case c.ID != "":
		return listing.Show(e, c.Request(c.Var), c.ID, c.JSON)
	}
	return listing.List(ctx, e, listing.Options{Rules: c.Request(c.Var), State: c.State, JSON: c.JSON})
}

// schemaCmd is "aside schema".
type schemaCmd struct {
	Name string `arg:"" optional:"" default:"reminder" placeholder:"NAME" help:"reminder, for rule files, test, for rule tests, config, for the configuration file, eval, for the protocol of aside eval, or view, for what aside view --json prints; by default reminder."`
}

// Run prints the schema.
func (c *schemaCmd) Run(e *command.Env) error {
	text, ok := schema.Named(c.Name)
	if !ok {
		return command.Usage("there is no schema %q%s", c.Name, cmp.Or(near.Hint(": ", c.Name, schema.Names[:]),
			": the schemas are "+strings.Join(schema.Names[:], ", ")))
	}
	if c.Name == "config" {
		text = schema.Config(aside.Configurable(e).Schemas())
	}
	_, err := e.Out.Write(text)
	return err
}

// lspCmd is "aside lsp".
type lspCmd struct {
	Rules []string         `sep:"none" placeholder:"PATH" help:"Rule file, directory or glob that is served beside the directories named reminders. Repeatable."`
	Var   program.VarFlags `sep:"none" placeholder:"NAME:TYPE[:KIND]" help:"Declare a fact vars.NAME that the rules may read. Repeatable."`

	Stdio           bool `hidden:"" help:"What editors add of themselves; there is no other way."`
	ClientProcessID int  `name:"clientProcessId" hidden:"" help:"The same; initialize says it, too."`
}

// Run serves an editor until that ends the session.
func (c *lspCmd) Run(ctx context.Context, e *command.Env) error {
	vars, err := rules.Declared(c.Var)
	if err != nil {
		return err
	}
	own := config.Path(os.Getenv, e.Home)
	opts := lsp.Options{Home: e.Home, Dir: e.Dir, Rules: c.Rules, Config: own,
		Declared: func(project string) []fact.Fact {
			mine, _ := config.User(own, nil) // every other command tells its mistakes
			return config.Facts(vars, mine, rules.ProjectConfig(e, load.Project(project, e.Home), true))
		},
		Findings: func(path string, src []byte) grammar.Diagnostics {
			if path == own {
				return config.Own(path, src, aside.Configurable(e)).Diagnostics
			}
			return config.Project(path, src).Diagnostics
		},
		Version: command.Version(), Log: e.Err,
		Saved: func(path string, from, to []byte) { review.Keep(e, path, from, to) }}
	if store, err := rules.Trust(e); err == nil {
		opts.Trusted = load.Gate(store)
	}
	return command.Verdict(lsp.New(opts).Serve(ctx, io.NopCloser(e.In), os.Stdout) != 0)
}
