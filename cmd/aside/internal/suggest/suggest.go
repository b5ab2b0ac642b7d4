// Package suggest proposes rules to a person from the person's own sessions: for patterns that cost turns, a
// rule file and its rule test, with the sessions that speak for it and its base rate. No model is asked: the
// candidates are files of this package, and a replay of them says where each would have fired.
//
// Nothing of a session is kept, shown or written but numbers, and those words of commands that stand in the
// lists of this package.
package suggest

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/aside-go/aside/cmd/aside/internal/baserate"
	"github.com/aside-go/aside/cmd/internal/command"
	"github.com/aside-go/aside/cmd/internal/program"
	"github.com/aside-go/aside/cmd/internal/replay"
	"github.com/aside-go/aside/cmd/internal/rules"
	"github.com/aside-go/aside/cmd/internal/starter"
	"github.com/aside-go/aside/cmd/internal/terminal"
	"github.com/aside-go/aside/cmd/internal/transcript"
	"github.com/aside-go/aside/compile"
)

// Cmd is "aside suggest".
type Cmd struct {
	Paths []string      `arg:"" optional:"" name:"transcript" help:"Session files, or directories of them. Without any: all sessions of your agents."`
	Since program.Since `placeholder:"TIME" help:"Leave out what is older: a date, a time, or a span such as 28d."`
	Only  []string      `sep:"none" placeholder:"ID" help:"Only this proposal. Repeatable."`
	Write bool          `help:"Write the rules that are proposed, and their rule tests. Nothing is overwritten."`
	Scope string        `enum:"user,project" default:"user" help:"With --write, whose rules they are: yours in all projects (user), or this project's (project)."`
	JSON  bool          `name:"json" help:"Print one JSON object."`
}

// Least is in how many sessions a pattern must be found to be proposed.
const Least = 2

// Proposal is a rule that is proposed, or not.
type Proposal struct {
	ID       string         `json:"id"`
	About    string         `json:"description"`
	Sessions int            `json:"sessions"`   // in which it would have fired
	Lost     *int           `json:"turns_lost"` // the median of these sessions; null: there is none
	Fires    int            `json:"fires"`
	Effect   *baserate.JSON `json:"effect,omitempty"`
	Rule     string         `json:"rule,omitempty"` // the file
	Test     string         `json:"test,omitempty"`
	Why      string         `json:"why,omitempty"` // it is not proposed; "": it is

	from *candidate
	rate *baserate.Rate
}

// Report are the proposals from some sessions.
type Report struct {
	Sessions  int        `json:"sessions"`
	Turns     int        `json:"turns"`
	Weeks     float64    `json:"weeks"` // between the first and the last turn, at least 1; 0: no turn has a time
	Proposals []Proposal `json:"proposals"`
	Others    []Proposal `json:"not_proposed"` // the patterns that were found all the same

	rates *baserate.View
}

// Run proposes rules, and writes them if they are to be written.
func (c *Cmd) Run(ctx context.Context, e *command.Env) error {
	own, err := rules.Load(e, rules.Request{Here: true})
	if err != nil {
		return err
	}
	if slices.Contains(c.Paths, "-") {
		return command.Usage("suggest reads each file twice, so that it takes no stdin")
	}
	if len(c.Paths) == 0 {
		if c.Paths = slices.Collect(transcript.Sessions(e.Home)); len(c.Paths) == 0 {
			return command.No("there is no session of an agent here: aside suggest FILE... takes files of sessions")
		}
	}
	o := replay.Options{Paths: c.Paths, Since: c.Since.Before(time.Now()),
		Owner: replay.OwnerOf(e.Home), Progress: e.Redraws(), Err: e.Err}
	r, err := Propose(ctx, o, own.Set)
	if code := replay.ExitCode(err); code == 130 || err != nil && r.Turns == 0 {
		return &command.Error{Code: code} // the replay has written the message
	}
	if err := r.keep(c.Only); err != nil {
		return err
	}
	if c.JSON {
		err = errors.Join(err, e.PrintJSON(r))
	} else {
		r.print(e)
	}
	if c.Write {
		return errors.Join(err, r.write(e, c.Scope))
	}
	if len(r.Proposals) > 0 && !c.JSON {
		e.Note("\nNothing was written: aside suggest --write writes %s, with tests, for you to change.",
			map[bool]string{true: "this rule", false: "these rules"}[len(r.Proposals) == 1])
	}
	if err != nil {
		return &command.Error{Code: replay.ExitCode(err)}
	}
	return nil
}

// Propose measures the patterns in the sessions of o, of which it sets the rules and the views. own are the
// rules that the person has. An error is one of replay.Run; the report is of what could be read.
func Propose(ctx context.Context, o replay.Options, own *compile.Set) (*Report, error) {
	first := o
	u := &usage{runs: make([]int, len(testCommands))}
	first.Set, first.Views, first.Err = usageSet(), []replay.View{u}, io.Discard
	if err := replay.Run(ctx, first); replay.ExitCode(err) == 130 {
		return &Report{}, err
	}
	all := candidates(mostUsed(u.runs))
	m := newMeasure(all)
	o.Set, o.Against = set(all), own
	rates := baserate.New(o.Set, func(id string) bool { return m.found[id] != nil })
	o.Views = []replay.View{m, rates}
	err := replay.Run(ctx, o)
	return m.report(rates, own), err
}

// report makes the proposals from what was measured.
func (m *measure) report(rates *baserate.View, own *compile.Set) *Report {
	r := &Report{Sessions: len(m.sessions), Turns: m.turns, Weeks: rates.Weeks(), Proposals: []Proposal{},
		Others: []Proposal{}, rates: rates}
	by := map[string]*baserate.Rate{}
	for i := range rates.Rates() {
		by[rates.Rates()[i].ID] = &rates.Rates()[i]
	}
	narrower := false // a program stands for the failing commands
	for _, c := range m.all {
		f := m.found[c.id]
		if len(f.lost) == 0 || c.program && 5*f.fires < 4*m.found[general].fires || c.id == general && narrower {
			continue
		}
		narrower = narrower || c.program
		p := Proposal{ID: c.id, About: c.source.Description, Sessions: len(f.lost), Fires: f.fires, from: c,
			rate: by[c.id]}
		effect := p.rate.Of(r.Weeks)
		p.Effect, p.Lost = &effect, median(f.lost)
		_, same := own.Index(c.id)
		other := m.covers(c.id)
		switch {
		case same:
			p.Why = "you have it"
		case other != "":
			p.Why = fmt.Sprintf("%s speaks there", other)
		case effect.Verdict == baserate.Drowned:
			p.Why = "the model does it anyway"
		case p.Sessions < Least:
			p.Why = "in one session alone"
		default:
			p.Rule, p.Test = string(c.rule), string(c.test)
			r.Proposals = append(r.Proposals, p)
			continue
		}
		r.Others = append(r.Others, p)
	}
	return r
}

// median returns the lower median of the turns lost in the sessions.
func median(lost map[string]int) *int {
	all := slices.Sorted(maps.Values(lost))
	return &all[(len(all)-1)/2]
}

// keep leaves out the proposals that were not asked for.
func (r *Report) keep(only []string) error {
	for _, id := range only {
		if !slices.ContainsFunc(r.Proposals, func(p Proposal) bool { return p.ID == id }) {
			return command.No("%q is not proposed", id)
		}
	}
	r.Proposals = slices.DeleteFunc(r.Proposals, func(p Proposal) bool {
		return len(only) > 0 && !slices.Contains(only, p.ID)
	})
	return nil
}

// write writes the rules and the tests that are proposed, and trusts them. Files that are there are kept.
func (r *Report) write(e *command.Env, scope string) error {
	dir, err := rules.Root(e, scope)
	if err != nil {
		return err
	}
	var files []starter.File
	for _, p := range r.Proposals {
		files = append(files, p.from.files()...)
	}
	placed, err := starter.Place(e, dir, files, false)
	for _, f := range placed {
		e.Note("%s %s", map[bool]string{true: "kept  ", false: "wrote "}[f.Kept], e.Short(f.Path))
	}
	return err
}

// print writes the report for people.
func (r *Report) print(e *command.Env) {
	say := func(indent, format string, args ...any) {
		for _, line := range terminal.Wrap(fmt.Sprintf(format, args...), max(cmp.Or(e.Width, 80)-len(indent), 20)) {
			fmt.Fprintln(e.Out, indent+line)
		}
	}
	say("", "%s of %s were looked at.", terminal.Many(r.Turns, "turn"), terminal.Many(r.Sessions, "session"))
	if len(r.Proposals) == 0 {
		say("", "There is nothing to propose: no pattern that costs turns is in %d sessions or more and "+
			"has no rule of yours.", Least)
	}
	for _, p := range r.Proposals {
		fmt.Fprintf(e.Out, "\n%s\n", e.Paint("1", p.ID))
		say("  ", "%s", p.About)
		say("  ", "in %s of %s, median %s lost; %s", terminal.Thousands(p.Sessions),
			terminal.Many(r.Sessions, "session"), terminal.Many(*p.Lost, "turn"), terminal.Many(p.Fires, "firing"))
		if p.Effect.Rate != nil {
			say("  ", "base rate %.0f %%: %s", 100**p.Effect.Rate, r.rates.Verdict(p.rate))
		} else {
			say("  ", "%s", r.rates.Verdict(p.rate))
		}
		fmt.Fprintln(e.Out)
		for line := range strings.Lines(p.Rule) {
			fmt.Fprint(e.Out, "    "+line)
		}
	}
	if len(r.Others) > 0 {
		fmt.Fprintln(e.Out)
		for _, p := range r.Others {
			say("", "not proposed: %s, in %s: %s", p.ID, terminal.Many(p.Sessions, "session"), p.Why)
		}
	}
}
