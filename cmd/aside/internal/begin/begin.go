// Package begin is "aside setup": it leads a person, or a script by flags, from nothing to the first
// reminder. It finds agents, shows and writes the hooks and a few rules, and shows what these would have done
// in the newest session. All questions are asked before the first file is written, and each file is written
// whole or not at all, so that an interrupt leaves nothing half done; a second run goes on.
package begin

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/aside-go/aside/cmd/aside/internal/command"
	"github.com/aside-go/aside/cmd/aside/internal/install"
	"github.com/aside-go/aside/cmd/aside/internal/setup"
	"github.com/aside-go/aside/cmd/aside/internal/starter"
	"github.com/aside-go/aside/cmd/aside/internal/terminal"
	"github.com/aside-go/aside/internal/agent"
)

// Options are the flags of setup.
type Options struct {
	Agents []string // none: those that a person picks, or the usual ones of those that are here
	Rules  []string // starter rules, or only "none"; none: those that a person picks, or the usual ones
	Scope  install.Scope
	Yes    bool // ask nothing
	DryRun bool // print the changes, and write nothing
}

// Nothing reports whether nothing of aside is set up here: no agent has its hooks, and there is no rule file.
func Nothing(e *command.Env) bool {
	for _, dir := range []string{e.Home, e.Dir} {
		if dir == "" || len(ruleFiles(dir)) > 0 {
			return false
		}
	}
	return len(setup.Registered(e)) == 0
}

// ruleFiles returns the rule files that are in .aside of a directory.
func ruleFiles(dir string) (paths []string) {
	for _, pattern := range []string{"*.md", "*.yaml", "*.yml"} {
		found, _ := filepath.Glob(filepath.Join(dir, ".aside", starter.Dir, pattern))
		paths = append(paths, found...)
	}
	return paths
}

// beginning is one run of setup.
type beginning struct {
	*command.Env
	Options
	machine *install.Machine
	asks    bool // there is a person to ask
	chosen  []*agent.Agent
	ids     []string // of starter rules
	root    string   // the directory that .aside is to be in
}

// Run leads through it.
func Run(ctx context.Context, e *command.Env, o Options) error {
	b := &beginning{Env: e, Options: o, asks: !o.Yes && !o.DryRun && command.Interactive(), root: e.Home}
	var err error
	if b.machine, err = setup.Machine(ctx, e); err != nil {
		return err
	}
	if b.machine.Program, err = setup.Program(""); err != nil {
		return err
	}
	if o.Scope == install.Project {
		if b.root = e.Dir; b.root == "" {
			return errors.New("the current directory cannot be told")
		}
		if real, err := filepath.EvalSymlinks(b.root); b.root == e.Home || err == nil && real == e.RealHome() {
			return command.Usage("--scope project: this is your home, and no project; leave it out")
		}
	}
	if err := b.known(); err != nil {
		return err
	}
	here := setup.Find(e, b.machine, o.Scope)
	if !b.asks && !o.Yes && !o.DryRun {
		return b.nobody(here)
	}
	if b.asks {
		b.say("", "aside puts short texts, reminders, before the model of a coding agent at the right moment. "+
			"Nothing is written before you have seen it and said yes; Ctrl-C leaves everything as it is.")
	}
	if err := b.chooseAgents(here); err != nil {
		return err
	}
	if err := b.chooseRules(); err != nil {
		return err
	}
	if len(b.chosen)+len(b.ids) == 0 {
		return command.No("nothing was chosen, so nothing was changed")
	}
	plan, err := b.plan()
	if err != nil {
		return err
	}
	if o.DryRun {
		b.Out.Write(plan.diff(e))
		if plan.empty() {
			e.Note("nothing would change")
		}
		return plan.failed
	}
	if b.asks && !plan.empty() && !b.agreed(plan) {
		return command.ErrLeft
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	after, err := b.write(ctx)
	if err != nil {
		return err
	}
	b.tried(ctx)
	b.next(after)
	return plan.failed
}

// known returns an error for names in flags that do not exist.
func (b *beginning) known() error {
	if _, err := setup.Agents(b.Agents); err != nil {
		return err
	}
	if slices.Equal(b.Rules, []string{"none"}) {
		return nil
	}
	return starter.Known(b.Rules)
}

// nobody returns the error where there is nobody to ask and no flag says what to do.
func (b *beginning) nobody(here []setup.Present) error {
	agents := "no agent was found: --agent NAME,NAME names some"
	if usual := usual(here); len(usual) > 0 {
		agents = "--agent NAME,NAME chooses; without it " + strings.Join(usual, ",")
	}
	return &command.Error{Code: command.ExitUsage, Err: fmt.Errorf("nothing was changed: %w", command.ErrNobody),
		More: []string{
			"--yes does it without asking; --dry-run prints what it would write",
			agents,
			"--rules NAME,NAME|none chooses; without it " + strings.Join(starter.Usual(), ","),
		}}
}

// usual returns the names of the agents that are taken where nobody chooses.
func usual(here []setup.Present) (names []string) {
	for _, p := range here {
		if p.Usual() {
			names = append(names, p.Name)
		}
	}
	return names
}

// chooseAgents finds out which agents are to have hooks.
func (b *beginning) chooseAgents(here []setup.Present) (err error) {
	names := b.Agents
	switch {
	case len(names) > 0:
	case len(here) == 0:
		b.Note("")
		b.say("", "No coding agent was found, neither its program nor its configuration: aside help install lists "+
			"those that can be reminded, and --agent NAME names one.")
	case b.asks:
		b.Note("\n%s", b.Paint("1", "Agents on this machine"))
		if names, err = b.Pick(setup.Choices(b.Env, here)); err != nil {
			return err
		}
	default:
		names = usual(here)
		for _, p := range here {
			if !p.Usual() {
				b.Note("left out %s: aside install %s", p.About(b.Env), p.Name)
			}
		}
	}
	b.chosen, err = setup.Agents(names)
	return err
}

// chooseRules finds out which starter rules are to be written.
func (b *beginning) chooseRules() (err error) {
	ids := b.Rules
	switch {
	case slices.Equal(ids, []string{"none"}):
		return nil
	case len(ids) > 0:
		b.ids = ids
		return nil
	}
	have := len(ruleFiles(b.root))
	list := starter.Choices(b.chosen)
	if have > 0 { // who has rules has chosen
		for i := range list {
			list[i].Usual = false
		}
	}
	if b.asks {
		b.Note("\n%s", b.Paint("1", "Rules to begin with"))
		if have > 0 {
			b.Note("There are %s in %s already.", terminal.Count(have, "rule file"), b.Short(b.dir()))
		}
		b.ids, err = b.Pick(list)
		return err
	}
	for _, c := range list {
		if c.Usual {
			b.ids = append(b.ids, c.Name)
		}
	}
	return nil
}

// dir returns the directory of the rules.
func (b *beginning) dir() string { return filepath.Join(b.root, ".aside") }

// plan is what would be written.
type plan struct {
	files  []install.File
	failed error // an agent that is left out, whose reason was printed
}

// plan finds out what would be written. Agents for which nothing can be are said and left out.
func (b *beginning) plan() (*plan, error) {
	p := &plan{}
	b.chosen = slices.DeleteFunc(b.chosen, func(a *agent.Agent) bool {
		r := install.Request{Agent: a, Scope: b.Scope, DryRun: true}
		res, err := b.machine.Install(r)
		if err != nil {
			p.failed = &command.Error{Code: b.Report(setup.Failed(b.Env, err))}
			b.Note("%s is left out", a.Title)
			return true
		}
		p.files = append(p.files, res.Files...)
		setup.WarnTwice(b.Env, b.machine, r)
		return false
	})
	if len(b.ids) > 0 {
		for _, f := range starter.Files(b.ids...) {
			path := filepath.Join(b.dir(), filepath.FromSlash(f.Name))
			if _, err := os.Lstat(path); err != nil {
				p.files = append(p.files, install.File{Path: path, Did: install.Made, Is: f.Text})
			}
		}
	}
	if len(b.chosen)+len(b.ids) == 0 && p.failed != nil {
		return nil, p.failed
	}
	return p, nil
}

// empty reports whether nothing would be written.
func (p *plan) empty() bool {
	return !slices.ContainsFunc(p.files, func(f install.File) bool {
		return f.Did != install.Unchanged && f.Did != install.Kept
	})
}

// diff returns all of it as a unified diff.
func (p *plan) diff(e *command.Env) []byte {
	var b bytes.Buffer
	for _, f := range p.files {
		b.Write(setup.Patch(e, f))
	}
	return b.Bytes()
}

// shown is the number of lines of a file's diff that a person is shown at first.
const shown = 6

// agreed shows what would be written, and reports whether a person agrees.
func (b *beginning) agreed(p *plan) bool {
	b.Note("\n%s", b.Paint("1", "What will be written"))
	rules := 0
	for _, f := range p.files {
		path := b.Short(f.Path)
		switch {
		case f.Did == install.Unchanged:
		case f.Did == install.Kept:
			b.say("", "%s stays: it %s.", path, f.Why)
		case strings.HasPrefix(f.Path, b.dir()+string(filepath.Separator)):
			rules++
		case f.Was == nil:
			b.say("", "%s, a new file of %d lines", path, bytes.Count(f.Is, []byte("\n")))
		default:
			b.sample(f)
		}
	}
	if p := b.machine.Program; len(b.chosen) > 0 {
		b.say("", "The hooks run %s.", b.Short(cmp.Or(p.Hook, p.Aside)))
	}
	if rules > 0 {
		b.say("", "%s, %s: rules, and a rule test of each", b.Short(b.dir()), terminal.Count(rules, "new file"))
	}
	for {
		answer, err := b.Line("Write this? y, n, or d for the whole diff [y] ")
		if err != nil {
			return false
		}
		switch strings.ToLower(answer) {
		case "", "y", "yes":
			return true
		case "n", "no":
			return false
		case "d":
			for l := range strings.Lines(string(p.diff(b.Env))) {
				b.Note("%s", painted(b.Env, terminal.Visible(strings.TrimRight(l, "\n"))))
			}
		}
	}
}

// sample shows the beginning of the changes of a file.
func (b *beginning) sample(f install.File) {
	var lines []string
	for l := range strings.Lines(string(setup.Patch(b.Env, f))) {
		lines = append(lines, terminal.Visible(strings.TrimRight(l, "\n")))
	}
	lines = lines[min(len(lines), 3):] // behind the names and the first place
	count := func(sign string) (n int) {
		for _, l := range lines {
			if strings.HasPrefix(l, sign) {
				n++
			}
		}
		return n
	}
	b.say("", "%s, +%d -%d lines", b.Short(f.Path), count("+"), count("-"))
	rest := len(lines) - shown
	for _, l := range lines[:min(len(lines), shown)] {
		b.Note("  %s", painted(b.Env, terminal.Shorten(l, b.columns()-3, b.Glyph("…", "..."))))
	}
	if rest > 0 {
		b.Note("  %s %d more", b.Glyph("…", "..."), rest)
	}
}

// columns returns the width of the text.
func (b *beginning) columns() int {
	switch {
	case b.Width > 0:
		return max(b.Width, 24)
	case b.ErrTTY:
		return 80
	}
	return 1 << 20 // a line is a line, for scripts
}

// say prints a sentence, wrapped to the terminal, with further lines below the end of head.
func (b *beginning) say(head, format string, args ...any) {
	n := terminal.Width(head)
	b.Note("%s%s", head, strings.Join(terminal.Wrap(fmt.Sprintf(format, args...), b.columns()-n-1),
		"\n"+strings.Repeat(" ", n)))
}

// painted colours a line of a diff.
func painted(e *command.Env, line string) string {
	switch {
	case strings.HasPrefix(line, "+"):
		return e.Paint("32", line)
	case strings.HasPrefix(line, "-"):
		return e.Paint("31", line)
	}
	return line
}

// write writes it all, and returns what is left to the person by agent.
func (b *beginning) write(ctx context.Context) (after map[string][]string, err error) {
	after = map[string][]string{}
	if b.asks {
		b.Note("")
	}
	for _, a := range b.chosen {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		res, err := b.machine.Install(install.Request{Agent: a, Scope: b.Scope})
		if err != nil {
			return nil, setup.Failed(b.Env, err)
		}
		setup.PrintFiles(b.Env, res)
		after[a.Name] = res.After
	}
	if len(b.chosen) > 0 {
		setup.WarnProgram(b.Env, b.machine.Program)
	}
	if len(b.ids) > 0 {
		files, err := starter.Place(b.Env, b.root, b.ids, false)
		wrote := 0
		for _, f := range files {
			if !f.Kept {
				wrote++
			}
		}
		if wrote > 0 {
			fmt.Fprintf(b.Out, "wrote      %s in %s: rules and their tests\n", terminal.Count(wrote, "file"),
				b.Short(b.dir()))
		}
		if err != nil {
			return nil, err
		}
	}
	return after, nil
}
