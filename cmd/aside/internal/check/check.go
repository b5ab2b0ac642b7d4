// Package check finds mistakes in rule files, mends them, and prints the files in canonical form.
package check

import (
	"cmp"
	"context"
	"maps"
	"runtime/debug"
	"slices"
	"strings"

	"github.com/aside-go/aside/cmd/aside/internal/baserate"
	"github.com/aside-go/aside/cmd/aside/internal/importer"
	"github.com/aside-go/aside/cmd/aside/internal/sarif"
	"github.com/aside-go/aside/cmd/internal/command"
	"github.com/aside-go/aside/cmd/internal/hook"
	"github.com/aside-go/aside/cmd/internal/program"
	"github.com/aside-go/aside/cmd/internal/rules"
	"github.com/aside-go/aside/cmd/internal/terminal"
	"github.com/aside-go/aside/compile"
	"github.com/aside-go/aside/compile/fact"
	"github.com/aside-go/aside/grammar"
	"github.com/aside-go/aside/internal/agent"
	"github.com/aside-go/aside/internal/code"
)

// Cmd is "aside check".
type Cmd struct {
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
func (c *Cmd) Run(e *command.Env) error {
	c.Paths = append(c.Paths, c.Rules...)
	if c.Explain != "" {
		return c.explainCode(e)
	}
	opts, err := c.lints()
	if err != nil {
		return err
	}
	if c.Fix {
		if changed, err := c.fixFiles(e, opts); err != nil || c.DryRun {
			return cmp.Or(err, command.Verdict(changed))
		}
	}
	f, err := c.findings(e, opts)
	if err != nil {
		return err
	}
	if c.Agent == "" && !c.JSON && !c.SARIF {
		if err := c.forAgents(e, f, opts); err != nil {
			return err
		}
	}
	if len(c.Paths) > 0 {
		rules.MarkUntrusted(e, f.files)
	}
	switch {
	case c.JSON:
		err = command.PrintList(e.Out, rules.JSON(f.ds))
	case c.SARIF:
		err = printSARIF(e, f.ds)
	default:
		c.print(e, f)
		if !f.ds.HasErrors() {
			c.speed(e, f.schema)
			drowned(e, f.sets)
		}
	}
	if err != nil {
		return err
	}
	return command.Verdict(f.ds.HasErrors() || c.Strict &&
		f.any(func(d grammar.Diagnostic) bool { return d.Severity == grammar.Warning }))
}

// explainCode prints the explanation of a code.
func (c *Cmd) explainCode(e *command.Env) error {
	info, ok := code.Lookup(c.Explain)
	if !ok {
		return command.No("there is no code %q", c.Explain)
	}
	e.Print(info.Text())
	return nil
}

func (c *Cmd) print(e *command.Env, f *findings) {
	shown := f.ds
	if !c.Verbose {
		shown = slices.DeleteFunc(slices.Clone(f.ds), quiet)
	}
	rules.Render(e, e.Out, shown, f.files, e.Colour)
	tally := rules.Tally(f.ds)
	if hidden := len(f.ds) - len(shown); hidden > 0 {
		tally += map[bool]string{true: " (-v shows it)", false: " (-v shows them)"}[hidden == 1]
	}
	sum := terminal.Count(f.fine, "reminder")
	if len(c.Paths) == 0 {
		sum += " in the standard directories"
	}
	if f.ds.HasErrors() {
		e.Note("%s can be used; %s", sum, tally)
	} else {
		e.Note("%s: %s", sum, tally)
	}
	if a, ok := agent.Host(c.Agent); ok && a.Limit != "" {
		e.Note("%s: %s", a.Title, a.Limit)
	}
	if f.any(f.undeclared) {
		e.Note("a fact of your own is declared with --var NAME:TYPE, or in the configuration (aside help " +
			"configuration)")
	}
	var foreign []string
	for _, name := range slices.Sorted(maps.Keys(f.files)) {
		wrong := func(d grammar.Diagnostic) bool { return d.File == name && d.Severity == grammar.Error }
		if f.any(wrong) && importer.Foreign(name, f.files[name]) {
			foreign = append(foreign, terminal.Visible(e.Below(name)))
		}
	}
	switch len(foreign) {
	case 0:
	case 1:
		e.Note("%s is written for another tool: aside add --from %[1]s makes a rule of it", foreign[0])
	default:
		e.Note("%s are written for other tools: aside add --from FILE makes a rule of each",
			strings.Join(foreign, ", "))
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
		e.Note("aside setup writes a few to start with")
	default:
		e.Note("%s", rules.NoRuleFile(c.Paths))
	}
}

// speed prints that the rules are too slow for hooks, where they are. It says nothing where they cannot be
// tried: what is wrong then is among the findings, or is no matter of the rules.
func (c *Cmd) speed(e *command.Env, schema *fact.Schema) {
	_, paths, err := rules.Split(c.Paths, c.Name)
	if err != nil || len(c.Paths) > 0 && len(paths) == 0 {
		return
	}
	sources, err := rules.Sources(e, nil, rules.Here(e))
	if len(paths) > 0 {
		sources, err = rules.Named(e, paths)
	}
	if err != nil {
		return
	}
	opts, err := rules.Options(e, sources, schema)
	if err != nil {
		return
	}
	if why := hook.Slow(sources, opts); why != "" {
		e.Note("%s", terminal.Visible(why))
	}
}

// drowned prints which reminders expect what nearly always comes true in the newest sessions. It says nothing
// where there are no sessions, or they cannot be read.
func drowned(e *command.Env, sets []*compile.Set) {
	for _, set := range sets {
		for _, r := range baserate.Recent(context.Background(), set, e.Home) {
			if r.Verdict() == baserate.Drowned {
				e.Note("%s: in your newest sessions, what it expects came true in %d of %d cases, so that a test of it "+
					"shows nothing (aside help effect)", r.ID, r.Heeded, r.Settled())
			}
		}
	}
}

// quiet reports whether only -v shows a finding. All remarks are quiet but two, which tell authors what they
// may not know: that a file is not read, and that a rule has no trigger.
func quiet(d grammar.Diagnostic) bool {
	return d.Severity == grammar.Info && d.Code != code.NotRead && d.Code != code.NoTrigger
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
		t.Rules = append(t.Rules, sarif.Rule{ID: string(c.ID), Title: c.Title, Text: cmp.Or(c.Reason, c.Title),
			Markdown: c.Markdown()})
	}
	return sarif.Write(e.Out, t, e.Dir, ds)
}
