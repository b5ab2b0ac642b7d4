// Package effect is `aside effect`: what became of the firings of each reminder that says what it expects, in
// the runs that were sent its text and in those that were held out.
package effect

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/aside-go/aside/cmd/internal/command"
	"github.com/aside-go/aside/cmd/internal/effect/confidence"
	"github.com/aside-go/aside/cmd/internal/runs"
	"github.com/aside-go/aside/cmd/internal/terminal"
	"github.com/aside-go/aside/compile"
	"github.com/aside-go/aside/compile/reminder"
	"github.com/aside-go/aside/eval"
	"github.com/aside-go/aside/internal/near"
	"github.com/aside-go/aside/state"
)

// Options are the flags of effect.
type Options struct {
	IDs   []string  // reminders; none: all that are recorded
	State string    // the place of the state, as runs.Open takes it
	Since time.Time // leave out firings before
	By    By
	JSON  bool
	HTML  string // the file to write a page to; "": none
}

// Run reports.
func Run(ctx context.Context, e *command.Env, o Options) error {
	all, err := Load(ctx, e, o)
	if err != nil {
		return err
	}
	switch {
	case o.HTML != "":
		return write(e, o.HTML, all)
	case o.JSON:
		return print(e, all)
	}
	switch {
	case len(all) > 0:
	case !o.Since.IsZero():
		e.Note("no outcome is recorded of firings since %s", o.Since.Format(time.DateTime))
	default:
		e.Note("no outcome is recorded: a rule with `expect` records what becomes of its firings (aside " +
			"help effect)")
	}
	for i, v := range all {
		if i > 0 {
			fmt.Fprintln(e.Out)
		}
		show(e, v, others(all, i))
	}
	return nil
}

// Load reads the evidence for the reminders that are named.
func Load(ctx context.Context, e *command.Env, o Options) ([]*Version, error) {
	store, where, err := runs.OpenExisting(e, o.State)
	if err != nil {
		return nil, err
	}
	recorder, ok := store.(state.Recorder)
	if !ok {
		return nil, command.No("%s keeps no outcomes", where)
	}
	all, err := Collect(recorder.Records(ctx), o.Since, o.By)
	if err != nil {
		return nil, fmt.Errorf("outcomes in %s: %w", where, err)
	}
	return named(all, o)
}

// Verdicts returns what the outcomes say of the reminders of a set, with the texts that they have now, by id.
func Verdicts(ctx context.Context, e *command.Env, set *compile.Set, at string) map[string]string {
	versions := eval.Versions(set)
	if len(versions) == 0 {
		return nil
	}
	all, err := Load(ctx, e, Options{State: at})
	if err != nil {
		return nil
	}
	verdicts := map[string]string{}
	for _, v := range all {
		if versions[v.ID] == v.Version {
			verdicts[v.ID] = v.Verdict()
		}
	}
	return verdicts
}

// named returns the versions of the reminders that are named.
func named(all []*Version, o Options) ([]*Version, error) {
	ids := o.IDs
	if len(ids) == 0 {
		return all, nil
	}
	var known []string
	since := ""
	if !o.Since.IsZero() {
		since = " since " + o.Since.Format(time.DateTime)
	}
	for _, v := range all {
		known = append(known, v.ID)
	}
	for _, id := range ids {
		if !slices.Contains(known, id) {
			return nil, command.No("no outcome of %q is recorded%s", id, since).And(near.Hint("", id, known))
		}
	}
	return slices.DeleteFunc(all, func(v *Version) bool { return !slices.Contains(ids, v.ID) }), nil
}

// other is a version that another one is compared with, in other runs at another time.
type other struct {
	name string
	runs *confidence.Runs
}

// others returns what version i is compared with beside the runs that were held out: with the version before
// it that was sent, and with the trial of its text.
func others(all []*Version, i int) (list []other) {
	v := all[i]
	if v.Trial() {
		return nil
	}
	var earlier, trial *Version
	for k, o := range all {
		switch {
		case o.ID != v.ID || o.Agent != v.Agent || o.Model != v.Model:
		case o.Version == v.Version+reminder.Trial:
			trial = o
		case k < i && !o.Trial():
			earlier = o
		}
	}
	if earlier != nil {
		list = append(list, other{"than the text before", &earlier.Sent.settled})
	}
	if trial != nil {
		list = append(list, other{"than in the trial", &trial.Held.settled})
	}
	return list
}

// show prints the evidence of a version beside that of others.
func show(e *command.Env, v *Version, than []other) {
	head := fmt.Sprintf("%s  text %s, %s to %s", e.Paint("1", terminal.Visible(v.name())), v.text(),
		v.First.Local().Format(time.DateOnly), v.Last.Local().Format(time.DateOnly))
	if e.Width > 0 && terminal.Width(head) > e.Width {
		head = strings.Join(terminal.Wrap(head, max(e.Width-2, 20)), "\n  ")
	}
	fmt.Fprintln(e.Out, head)
	evidence, wide := v.rows(than), 0
	for _, x := range evidence {
		wide = max(wide, terminal.Width("  "+x[0]+"  "))
	}
	var rows [][]string
	for _, x := range evidence {
		name, lines := "  "+x[0], []string{x[1]}
		if e.Width > 0 {
			lines = terminal.Wrap(x[1], max(e.Width-wide, 16))
		}
		for _, line := range lines {
			rows = append(rows, []string{name, line})
			name = ""
		}
	}
	_ = terminal.Table(e.Out, rows, 0) // what is printed next meets the same error and returns it
}

// name returns the reminder's id, followed by the agent and the model where the report has a row for each.
func (v *Version) name() string {
	return strings.Join(slices.DeleteFunc([]string{v.ID, v.Agent, v.Model},
		func(s string) bool { return s == "" }), ", ")
}

// Trial reports whether the version was sent to nobody.
func (v *Version) Trial() bool { return strings.HasSuffix(v.Version, reminder.Trial) }

// text names the version of the text.
func (v *Version) text() string { return v.Version[:min(8, len(v.Version))] }

// rows returns the evidence in words, each row with its name.
func (v *Version) rows(than []other) (rows [][2]string) {
	row := func(name, format string, args ...any) {
		rows = append(rows, [2]string{name, fmt.Sprintf(format, args...)})
	}
	switch { // of a firing without an outcome nobody knows whether its text was read
	case v.Sent.Firings > 0:
		row("sent", "%s", v.Sent.String())
	case v.Sent.Waiting > 0:
		row("offered", "%s", v.Sent.String())
	}
	if v.Held.Firings+v.Held.Waiting > 0 {
		row("held out", "%s", v.Held.String())
	}
	if d := v.Difference(); d.Known {
		row("difference", "%s", inWords(d))
	}
	if r := v.Times(); r.Known {
		row("times", "× %.2g, 95 %% interval %.2g to %.2g", r.Estimate, r.Low, r.High)
	}
	if turns, ok := v.Sent.Turns(); ok {
		row("heeded after", "%s (median)", terminal.Many(int(turns), "turn"))
	}
	if v.Sent.Firings > 0 {
		row("cost", "%s", v.cost())
	}
	for _, o := range than {
		row(o.name, "%s", v.than(o.runs))
	}
	row("verdict", "%s", v.Verdict())
	return rows
}

// String describes a group.
func (g *Group) String() string {
	if g.Firings == 0 {
		return terminal.Many(g.Waiting, "firing") + " without an outcome yet"
	}
	s := fmt.Sprintf("%s in %s: %s heeded, %s ignored, %s open", terminal.Many(g.Firings, "firing"),
		terminal.Many(g.Runs, "run"), terminal.Thousands(g.Heeded), terminal.Thousands(
			g.Ignored), terminal.Thousands(g.Open))
	if g.settled.N > 0 {
		s += fmt.Sprintf("; %d %% heeded in the mean of the runs", percent(g.Rate()))
	}
	if g.Waiting > 0 {
		s += fmt.Sprintf("; %s more without an outcome yet", terminal.Thousands(g.Waiting))
	}
	return s
}

// cost describes what the texts have cost.
func (v *Version) cost() string {
	s := fmt.Sprintf("%d tokens a firing", v.Sent.Tokens/v.Sent.Firings)
	if tokens, dollars, ok := v.Spent(); ok {
		s += fmt.Sprintf("; %s tokens", terminal.Thousands(int(tokens+0.5)))
		if v.Sent.Unpriced == 0 {
			s += fmt.Sprintf(" and $%.2g", dollars)
		}
		s += " for each firing that is heeded because of the text"
	}
	return s
}

// than compares the rate of a version with that of runs at another time.
func (v *Version) than(runs *confidence.Runs) string {
	d := confidence.Compare(&v.Sent.settled, runs)
	if !d.Known {
		return "too early"
	}
	return inWords(d) + " (other runs at another time: no experiment)"
}

// inWords writes a difference with its interval, rounded outwards.
func inWords(d confidence.Difference) string {
	return fmt.Sprintf("%+d points, 95 %% interval %+.0f to %+.0f", percent(d.Estimate), math.Floor(100*d.Low),
		math.Ceil(100*d.High))
}
