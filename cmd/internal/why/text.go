package why

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/aside-go/aside/cmd/internal/reasons"
	"github.com/aside-go/aside/cmd/internal/terminal"
	"github.com/aside-go/aside/compile"
	"github.com/aside-go/aside/compile/fact"
	"github.com/aside-go/aside/compile/reminder"
	"github.com/aside-go/aside/compile/trigger"
	"github.com/aside-go/aside/eval"
)

// printer prints explanations for a person.
type printer struct {
	reasons.Printer
	paint func(style, s string) string
	set   *compile.Set
	never map[string]string // by id, why a reminder of another moment than a turn did not fire in the session
}

// explain prints the explanation of one reminder: the outcome in a sentence, then the trigger part by part.
func (p *printer) explain(x eval.Explanation) {
	verb, style := "did not fire", "33"
	if x.Fired {
		verb, style = "fired", "32"
	}
	if p.never[x.ID] != "" {
		verb += " in this session"
	} else if x.Moment != fact.Turn && !reasons.Manual(&x) {
		verb += map[bool]string{true: " at its moment since that turn", false: " since that turn"}[x.Fired]
	}
	if x.Offered && x.Fired {
		verb, style = "offered, and read by nobody yet", "33"
	}
	if x.HeldOut {
		verb, style = verb+", held out in this run", "36"
	}
	head := p.paint("1", x.ID) + " " + p.paint(style, verb)
	if why := cmp.Or(p.never[x.ID], reasons.Of(&x, p.set)); why != "" {
		head += ": " + why
	}
	p.Line(0, head)
	p.Part(x.Mode.String()+" ", x.Trigger, 1)
	if x.Rearm != nil {
		p.Part("rearm ", *x.Rearm, 1)
	}
	var notes []string
	if x.Mode == reminder.When {
		notes = append(notes, map[bool]string{true: "armed", false: "not armed"}[x.Armed])
	}
	switch {
	case x.Fires == 0:
		notes = append(notes, "has not fired in this run")
	case x.LastFire == 0:
		notes = append(notes, fmt.Sprintf("fired %s, before the first turn", terminal.Times(x.Fires)))
	default:
		notes = append(notes, fmt.Sprintf("fired %s, last on turn %d", terminal.Times(x.Fires), x.LastFire))
	}
	p.Line(1, strings.Join(notes, ", "))
	if s := p.expectation(&x); s != "" {
		p.Line(1, terminal.Line(s))
	}
	if x.Offered && !x.Fired {
		p.Line(1, "its text is offered: no request with it is known to have been accepted")
	}
	if x.HeldOut {
		p.Line(1, "its text was not sent: the run is one of those that its holdout compares with")
	}
	for _, name := range x.Unkept {
		p.Line(1, name+" was known on that turn; its text is not kept, so here it shows as unknown")
	}
	if n := x.Budget.Run; n != 0 {
		p.Line(1, fmt.Sprintf("budget of the run: %s left", terminal.Count(max(n, 0), "token")))
	}
	if x.Next != "" {
		p.next(x)
	}
}

// expectation returns in words what the model is expected to do, "" where nothing is.
func (p *printer) expectation(x *eval.Explanation) string {
	var parts []string
	expect := x.Expect
	if !p.All {
		expect = terminal.Cut(terminal.Line(expect), reasons.Wide)
	}
	switch {
	case x.Until > x.Turn:
		parts = append(parts, fmt.Sprintf("waits for %s, until turn %d (%s left)", expect, x.Until,
			terminal.Count(x.Until-x.Turn, "turn")))
	case x.Expect != "":
		parts = append(parts, "expects "+expect+" after it fires")
	}
	for _, o := range x.Ended {
		parts = append(parts, fmt.Sprintf("%s on this turn, %s after the firing", o.Outcome,
			terminal.Count(o.After, "turn")))
	}
	if x.Ignored > 0 {
		parts = append(parts, terminal.Count(x.Ignored, "firing")+" in a row ignored")
	}
	return strings.Join(parts, "; ")
}

// next prints the next firing: on one line, or, where that would be too long, each condition on a line of its
// own.
func (p *printer) next(x eval.Explanation) {
	need := &x.Needs
	if !x.Armed && x.Rearm != nil {
		need = &x.RearmNeeds
	}
	all := need.String()
	before, after, found := strings.Cut(x.Next, all)
	if utf8.RuneCountInString(x.Next) <= reasons.Wide || len(need.Parts) < 2 || !found {
		p.Line(1, "next: "+terminal.Line(x.Next))
		return
	}
	before = strings.TrimSuffix(strings.TrimSuffix(before, "at "), "when ")
	if need == &x.Needs && repeats(need, &x.Trigger) {
		p.Line(1, fmt.Sprintf("next: %swhen %s%s", before,
			map[bool]string{true: "one of the conditions above holds", false: "all conditions above hold"}[need.Any],
			terminal.Line(after)))
		return
	}
	p.Line(1, fmt.Sprintf("next: %swhen %s%s:", before, together(need), terminal.Line(after)))
	p.needs(need, 2)
}

// repeats reports whether the parts of n would say no more than those of the trigger, which stand above them.
func repeats(n *trigger.Need, whole *trigger.Part) bool {
	return len(n.Parts) == len(whole.Parts) && !slices.ContainsFunc(n.Parts, func(q trigger.Need) bool {
		return len(q.Parts) > 0 || q.Note() != ""
	})
}

// together returns in words whether one or all of the parts of n are needed.
func together(n *trigger.Need) string {
	if n.Any {
		return "one of these holds"
	}
	return "all of these hold"
}

func (p *printer) needs(n *trigger.Need, depth int) {
	for i := range n.Parts {
		if i == reasons.Few && len(n.Parts) > reasons.Most && !p.All {
			p.Line(depth, fmt.Sprintf("… and %d more (-v)", len(n.Parts)-reasons.Few))
			return
		}
		q := &n.Parts[i]
		if len(q.Parts) > 0 {
			p.Line(depth, together(q))
			p.needs(q, depth+1)
			continue
		}
		s := terminal.Cut(terminal.Line(q.Text), p.Room(2*depth))
		if note := q.Note(); note != "" {
			s += ", " + terminal.Line(note)
		}
		p.Line(depth, s)
	}
}
