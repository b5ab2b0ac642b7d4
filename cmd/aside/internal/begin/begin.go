// Package begin is "aside setup": it leads a person, or a script by flags, from nothing to the first
// reminder. It finds agents, shows and writes the hooks and a few rules, and shows what these would have done
// in the newest session. All questions are asked before the first file is written, and each file is written
// whole or not at all, so that an interrupt leaves nothing half done; a second run goes on.
package begin

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/aside-go/aside/cmd/aside/internal/doctor"
	"github.com/aside-go/aside/cmd/aside/internal/install"
	"github.com/aside-go/aside/cmd/aside/internal/setup"
	"github.com/aside-go/aside/cmd/internal/command"
	"github.com/aside-go/aside/cmd/internal/starter"
	"github.com/aside-go/aside/cmd/internal/terminal"
	"github.com/aside-go/aside/internal/agent"
	"github.com/aside-go/aside/internal/atomicfile"
)

// Cmd is "aside setup". Agents and Rules may be only "none".
type Cmd struct {
	Agents []string      `arg:"" optional:"" name:"agent" help:"These agents, or none; by default those that you pick of what is here. aside help setup lists them."`
	Agent  []string      `hidden:"" placeholder:"AGENT" help:"The same."`
	Rules  []string      `placeholder:"RULE" help:"These starter rules, or none; by default those that you pick. aside list --packs names them."`
	Scope  install.Scope `enum:"user,project" default:"user" help:"For all your projects (user), or for the project in the current directory (project)."`
	Yes    bool          `short:"y" help:"Ask nothing: what is not named is taken as an empty answer would."`
	DryRun bool          `help:"Ask nothing, print what would be written as a diff, and write nothing."`
	Check  bool          `xor:"form" help:"Change nothing, and say what is wrong between a rule and the model, each with what to do."`
	JSON   bool          `name:"json" help:"Print what was written, or with --dry-run would be, as JSON; ask nothing."`
	setup.HookFlags
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

// none reports whether a list is the word none.
func none(list []string) bool { return slices.Equal(list, []string{"none"}) }

// beginning is one run of setup.
type beginning struct {
	*command.Env
	*Cmd
	machine *install.Machine
	asks    bool // there is a person to ask
	chosen  []*agent.Agent
	ids     []string // of starter rules
	root    string   // the directory that .aside is to be in
	made    report
}

// Run leads through it.
func (c *Cmd) Run(ctx context.Context, e *command.Env) error {
	c.Agents = append(c.Agents, c.Agent...)
	if c.Check {
		if len(c.Agents) > 1 {
			return command.Usage("--check looks at one agent, or at all of them")
		}
		look := doctor.Cmd{Agent: strings.Join(c.Agents, ""), JSON: c.JSON}
		return look.Run(ctx, e)
	}
	if c.JSON && !c.Yes && !c.DryRun {
		return command.Usage("--json goes with --yes or --dry-run: it asks nothing")
	}
	b := &beginning{Env: e, Cmd: c, asks: !c.Yes && !c.DryRun && command.Interactive(), root: e.Home,
		made: report{Agents: []setup.Installed{}, Rules: []install.File{}}}
	var err error
	if b.machine, err = setup.Machine(e); err != nil {
		return err
	}
	if b.machine.Program, err = setup.Program(c.Program); err != nil {
		return err
	}
	if err := setup.Into(e, b.Scope); err != nil {
		return err
	}
	if b.Scope == install.Project {
		b.root = e.Dir
	}
	if err := b.known(); err != nil {
		return err
	}
	here := setup.Find(e, b.machine, b.Scope)
	if !b.asks && !c.Yes && !c.DryRun {
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
	if c.DryRun && c.JSON {
		return cmp.Or(b.printJSON(ctx), plan.failed)
	}
	if c.DryRun {
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
	if c.JSON {
		return cmp.Or(b.printJSON(ctx), plan.failed)
	}
	b.tried(ctx)
	if len(b.chosen) > 0 {
		if err := doctor.Complain(ctx, e); err != nil {
			return err
		}
	}
	b.next(after)
	return plan.failed
}

// known returns an error for names in flags that do not exist.
func (b *beginning) known() error {
	if !none(b.Agents) {
		agents, err := setup.Agents(b.Agents)
		if err != nil {
			return err
		}
		for _, a := range agents {
			if err := b.Fits(a); err != nil {
				return err
			}
		}
	}
	if none(b.Rules) {
		return nil
	}
	return starter.Known(b.Rules)
}

// nobody returns the error where there is nobody to ask and no flag says what to do.
func (b *beginning) nobody(here []setup.Present) error {
	agents := "no agent was found: aside setup NAME NAME names some"
	if usual := usual(here); len(usual) > 0 {
		agents = "aside setup NAME NAME chooses; without names " + strings.Join(usual, " ")
	}
	return command.Usage("nothing was changed: %w", command.ErrNobody).And(
		"--yes does it without asking; --dry-run prints what it would write",
		agents,
		"--rules NAME,NAME|none chooses; without it "+strings.Join(starter.Usual(), ","),
	)
}

// usual returns the names of the agents that are taken where nobody chooses.
func usual(here []setup.Present) []string {
	return setup.Names(slices.DeleteFunc(slices.Clone(here), func(p setup.Present) bool { return !p.Usual() }))
}

// chooseAgents finds out which agents are to have hooks.
func (b *beginning) chooseAgents(here []setup.Present) (err error) {
	names := b.Agents
	switch {
	case none(names):
		return nil
	case len(names) > 0:
	case len(here) == 0:
		b.Note("")
		b.say("", "No coding agent was found, neither its program nor its configuration: aside help setup lists "+
			"those that can be reminded, and aside setup NAME takes one.")
	case b.asks:
		b.Note("\n%s", b.Paint("1", "Agents on this machine"))
		if names, err = b.Pick(setup.Choices(b.Env, here)); err != nil {
			return err
		}
	default:
		names = usual(here)
		for _, p := range here {
			if !p.Usual() {
				b.Note("left out %s: aside setup %s", p.About(b.Env), p.Name)
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
	case none(ids):
		return nil
	case len(ids) > 0:
		b.ids = ids
		return nil
	}
	have := len(ruleFiles(b.root))
	list := starter.Choices(b.chosen)
	var left []string
	if have > 0 { // who has rules has chosen
		left = b.unfinished()
		for i := range list {
			list[i].Usual = slices.Contains(left, list[i].Name)
		}
	}
	if b.asks {
		b.Note("\n%s", b.Paint("1", "Rules to begin with"))
		if have > 0 {
			b.Note("There are %s in %s already.", terminal.Count(have, "rule file"), b.Short(b.dir()))
		}
		if len(left) > 0 {
			b.Note("Those with * are of a setup that did not come to its end.")
		}
		b.ids, err = b.Pick(list)
		return err
	}
	if have > 0 {
		b.ids = left
		return nil
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
		r := b.Request(a, b.Scope, true)
		res, err := b.machine.Install(r)
		if err != nil {
			p.failed = &command.Error{Code: b.Report(setup.Failed(b.Env, err))}
			b.Note("%s is left out", a.Title)
			return true
		}
		p.files = append(p.files, res.Files...)
		b.made.Agents = append(b.made.Agents, setup.InstalledOf(b.machine, r, res))
		setup.Warn(b.Env, b.machine, r)
		return false
	})
	if len(b.ids) > 0 {
		for _, f := range starter.Files(b.ids...) {
			path := filepath.Join(b.dir(), filepath.FromSlash(f.Name))
			file := install.File{Path: path, Did: install.Unchanged}
			if _, err := os.Lstat(path); err != nil {
				file.Did, file.Is = install.Made, f.Text
				p.files = append(p.files, file)
			}
			b.made.Rules = append(b.made.Rules, file)
		}
	}
	if len(b.chosen)+len(b.ids) == 0 && p.failed != nil {
		return nil, p.failed
	}
	return p, nil
}

// empty reports whether nothing would be written.
func (p *plan) empty() bool {
	return !slices.ContainsFunc(p.files, func(f install.File) bool { return f.Did.Writes() })
}

// write writes it all, and returns what is left to the person by agent.
func (b *beginning) write(ctx context.Context) (after map[string][]string, err error) {
	after = map[string][]string{}
	if b.asks {
		b.Note("")
	}
	for i, a := range b.chosen {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		r := b.Request(a, b.Scope, false)
		res, err := b.machine.Install(r)
		if err != nil {
			return nil, setup.Failed(b.Env, err)
		}
		after[a.Name] = res.After
		if b.JSON {
			b.made.Agents[i] = setup.InstalledOf(b.machine, r, res)
			continue
		}
		setup.PrintFiles(b.Env, res)
	}
	if len(b.chosen) > 0 && !b.asks { // a person has read it
		setup.WarnProgram(b.Env, b.machine.Program)
	}
	if len(b.ids) > 0 {
		b.intend(b.ids)
		files, err := starter.Place(b.Env, b.root, starter.Files(b.ids...), false)
		wrote := 0
		for _, f := range files {
			if !f.Kept {
				wrote++
			}
		}
		if wrote > 0 && !b.JSON {
			fmt.Fprintf(b.Out, "wrote      %s in %s: rules and their tests\n", terminal.Count(wrote, "file"),
				b.Short(b.dir()))
		}
		if err != nil {
			return nil, err
		}
		os.Remove(b.intent())
	}
	return after, nil
}

// intent is the path of the file that stands as long as rules are written. It names the directory and the
// rules, one a line. A second setup sees by it that the first one was interrupted, or found a full disk;
// without it, the person wanted only some of the rules.
func (b *beginning) intent() string { return filepath.Join(b.machine.State, "install", "rules") }

// intend notes which rules are about to be written. Where it cannot, a second run asks for less.
func (b *beginning) intend(ids []string) {
	if os.MkdirAll(filepath.Dir(b.intent()), 0o700) == nil {
		_ = atomicfile.Write(b.intent(), []byte(b.root+"\n"+strings.Join(ids, "\n")+"\n"), 0o600)
	}
}

// unfinished returns the rules that a setup meant to write here and did not come to the end of.
func (b *beginning) unfinished() []string {
	text, _ := os.ReadFile(b.intent())
	if rest, ok := strings.CutPrefix(string(text), b.root+"\n"); ok {
		return slices.DeleteFunc(strings.Fields(rest), func(id string) bool {
			return starter.Known([]string{id}) != nil // of another version
		})
	}
	return nil
}
