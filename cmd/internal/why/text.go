package why

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/aside-go/aside/cmd/internal/command"
	"github.com/aside-go/aside/cmd/internal/terminal"
	"github.com/aside-go/aside/compile"
	"github.com/aside-go/aside/compile/fact"
	"github.com/aside-go/aside/compile/reminder"
	"github.com/aside-go/aside/eval"
	"github.com/aside-go/aside/grammar"
	"github.com/aside-go/aside/state"
)

// printer prints explanations for a person.
type printer struct {
	e       *command.Env
	verbose bool // all parts of each condition
}

// explain prints the explanation of one reminder: the outcome in a sentence, then the trigger part by part.
func (p *printer) explain(x eval.Explanation) {
	e := p.e
	verb, style := "did not fire", "33"
	if x.Fired {
		verb, style = "fired", "32"
	}
	if x.Moment != fact.Turn && !manual(x) {
		verb += map[bool]string{true: " at its moment since that turn", false: " since that turn"}[x.Fired]
	}
	if x.HeldOut {
		verb, style = verb+", held out in this run", "36"
	}
	head := e.Paint("1", x.ID) + " " + e.Paint(style, verb)
	if why := reason(x); why != "" {
		head += ": " + why
	}
	p.line(0, head)
	p.part(x.Mode.String()+" ", x.Trigger, 1)
	if x.Rearm != nil {
		p.part("rearm ", *x.Rearm, 1)
	}
	var notes []string
	if x.Mode == reminder.When {
		notes = append(notes, map[bool]string{true: "armed", false: "not armed"}[x.Armed])
	}
	if x.Fires == 0 {
		notes = append(notes, "has not fired in this run")
	} else {
		notes = append(notes, fmt.Sprintf("fired %s, last on turn %d", times(x.Fires), x.LastFire))
	}
	p.line(1, strings.Join(notes, ", "))
	if s := p.expectation(&x); s != "" {
		p.line(1, terminal.Line(s))
	}
	if x.HeldOut {
		p.line(1, "its text was not sent: the run is one of those that its holdout compares with")
	}
	for _, name := range x.Unkept {
		if name == "calls" {
			p.line(1, "the calls of that turn are not kept; here a pattern with a class or a subject is not "+
				"seen to match")
			continue
		}
		p.line(1, name+" was known on that turn; its text is not kept, so here it shows as unknown")
	}
	if n := x.Budget.Run; n != 0 {
		p.line(1, fmt.Sprintf("budget of the run: %s left", terminal.Count(max(n, 0), "token")))
	}
	if x.Next != "" {
		p.next(x)
	}
}

// expectation returns in words what the model is expected to do, "" where nothing is.
func (p *printer) expectation(x *eval.Explanation) string {
	var parts []string
	expect := x.Expect
	if !p.verbose {
		expect = terminal.Cut(terminal.Line(expect), wide)
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

// wide is how many characters a line has at most that is still easy to read.
const wide = 100

// next prints the next firing: on one line, or, where that would be too long, each condition on a line of its
// own.
func (p *printer) next(x eval.Explanation) {
	need := &x.Needs
	if !x.Armed && x.Rearm != nil {
		need = &x.RearmNeeds
	}
	all := need.String()
	before, after, found := strings.Cut(x.Next, all)
	if utf8.RuneCountInString(x.Next) <= wide || len(need.Parts) < 2 || !found {
		p.line(1, "next: "+terminal.Line(x.Next))
		return
	}
	before = strings.TrimSuffix(strings.TrimSuffix(before, "at "), "when ")
	if need == &x.Needs && repeats(need, &x.Trigger) {
		p.line(1, fmt.Sprintf("next: %swhen %s%s", before,
			map[bool]string{true: "one of the conditions above holds", false: "all conditions above hold"}[need.Any],
			terminal.Line(after)))
		return
	}
	p.line(1, fmt.Sprintf("next: %swhen %s%s:", before, together(need), terminal.Line(after)))
	p.needs(need, 2)
}

// repeats reports whether the parts of n would say no more than those of the trigger, which stand above them.
func repeats(n *compile.Need, trigger *compile.Part) bool {
	return len(n.Parts) == len(trigger.Parts) && !slices.ContainsFunc(n.Parts, func(q compile.Need) bool {
		return len(q.Parts) > 0 || q.Note() != ""
	})
}

// together returns in words whether one or all of the parts of n are needed.
func together(n *compile.Need) string {
	if n.Any {
		return "one of these holds"
	}
	return "all of these hold"
}

func (p *printer) needs(n *compile.Need, depth int) {
	for i := range n.Parts {
		if i == few && len(n.Parts) > most && !p.verbose {
			p.line(depth, fmt.Sprintf("… and %d more (-v)", len(n.Parts)-few))
			return
		}
		q := &n.Parts[i]
		if len(q.Parts) > 0 {
			p.line(depth, together(q))
			p.needs(q, depth+1)
			continue
		}
		s := terminal.Cut(terminal.Line(q.Text), p.room(2*depth))
		if note := q.Note(); note != "" {
			s += ", " + terminal.Line(note)
		}
		p.line(depth, s)
	}
}

// manual reports whether x was fired by name on the last turn: a firing by its trigger would have set
// LastFire to that turn.
func manual(x eval.Explanation) bool { return x.Fired && x.LastFire != x.Turn }

func times(n int) string {
	if n == 1 {
		return "once"
	}
	return fmt.Sprintf("%d times", n)
}

// reason returns in a few words why x fired or did not, "" where that is not known.
func reason(x eval.Explanation) string {
	switch {
	case manual(x):
		return "it was asked for by name"
	case x.Moment != fact.Turn && x.Fired:
		return ""
	case x.Moment != fact.Turn && len(x.Held) == 0:
		return "its trigger is read " + map[fact.Moment]string{fact.BeforeTool: "before a call",
			fact.Stopping: "when the agent is about to end its work"}[x.Moment] + ", and not on turns"
	case x.Fired && x.Trigger.Truth != fact.True: // facts that the trigger has read are not stored
		return ""
	case x.Fired:
		return terminal.Line(x.Trigger.Why())
	}
	var held []string
	for _, h := range x.Held {
		held = append(held, heldText(h, x.Rearm != nil))
	}
	switch {
	case len(held) > 0: // the trigger was true on that turn, even if the stored facts no longer show it
		return strings.Join(held, "; ")
	case x.Trigger.Truth == fact.False:
		return "the trigger is false"
	case x.Trigger.Truth == fact.Unknown:
		return "the trigger is unknown"
	default:
		return ""
	}
}

// heldText returns in words why a reminder was held. rearms says whether it has a rearm condition.
func heldText(h state.Held, rearms bool) string {
	left := ""
	if !h.Left.IsZero() {
		left = ", " + h.Left.String() + " left"
	}
	switch h.Why {
	case "not armed":
		if rearms {
			return "not armed: it has fired and its rearm condition has not been true since"
		}
		return "not armed: it has fired and its trigger has not been false since, on a turn or between two"
	case "for":
		return "the trigger has not been true for long enough" + left
	case "cooldown":
		return "it cools down" + left
	case "max_fires":
		return "it has fired as often as it may"
	case "budget":
		return "there was no room left in the budget"
	case "text":
		return "its text could not be rendered, or is blank"
	case state.HeldAnswered:
		return "it has spoken about this in this user turn already: the same call was held back before, or the " +
			"agent kept from ending"
	case state.HeldIgnored:
		return "it is silent for the rest of the run: as many firings in a row were ignored as max_ignored allows"
	default:
		return h.Why + left
	}
}

// most is how many parts of one condition are shown without Options.Verbose, and few how many of more than
// that.
const most, few = 6, 5

// part prints a part of a trigger with its truth, and below it, indented, its own parts. Of a part that has a
// value only that is printed; of many parts those that decide, and the number of the others.
func (p *printer) part(head string, c compile.Part, depth int) {
	text := terminal.Line(c.Text)
	if c.Value == "" && len(c.Parts) > 0 && utf8.RuneCountInString(text) > wide { // its parts say it again
		text = "… " + joined(c)
	}
	beside := 2*depth + 8 + len(head)
	if value := terminal.Width(c.Value) + 4; c.Value != "" && !says(c) && p.e.Width-beside-value >= 30 {
		beside += value
	}
	s := fmt.Sprintf("%-7s %s%s", c.Truth, head, terminal.Cut(text, p.room(beside)))
	if c.Value != "" && !says(c) {
		p.line(depth, s+"  ("+terminal.Line(c.Value)+")")
		return
	}
	p.line(depth, s)
	if len(c.Parts) == 1 && len(c.Parts[0].Parts) == 0 && says(c.Parts[0]) && !strings.HasPrefix(text, "… ") {
		return // "not" of it says as much
	}
	parts := c.Parts
	if len(parts) > most && !p.verbose {
		parts = slices.Clone(parts)
		slices.SortStableFunc(parts, func(a, b compile.Part) int {
			return decides(b, c) - decides(a, c)
		})
		n := slices.IndexFunc(parts, func(q compile.Part) bool { return q.Truth != c.Truth })
		if n <= 0 || n > few {
			n = few
		}
		parts = parts[:n]
	}
	for i, q := range parts {
		if i > 0 && q.Value == parts[i-1].Value && terminal.Width(q.Text) > wide { // the line above has said it
			q.Value, q.Parts = "", nil
		}
		p.part("", q, depth+1)
	}
	if rest := len(c.Parts) - len(parts); rest > 0 {
		p.line(depth+1, fmt.Sprintf("… and %d more (-v)", rest))
	}
}

// says reports whether the value of a part says no more than its truth.
func says(c compile.Part) bool {
	truth := c.Truth.String()
	return c.Value == "" || c.Value == truth || c.Value == c.Text+" is "+truth
}

// decides returns 1 for a part whose truth is that of the whole, else 0.
func decides(part, whole compile.Part) int {
	if part.Truth == whole.Truth {
		return 1
	}
	return 0
}

// room returns how many characters of a condition stand on one line beside so many others.
func (p *printer) room(beside int) int {
	if p.e.Width <= 0 {
		return wide
	}
	return min(wide, max(p.e.Width-beside, 20))
}

// line prints a line, wrapped to the terminal.
func (p *printer) line(depth int, s string) {
	indent := strings.Repeat("  ", depth)
	if p.e.Width <= 0 || terminal.Width(indent+s) <= p.e.Width {
		fmt.Fprintln(p.e.Out, indent+s)
		return
	}
	for i, l := range terminal.Wrap(s, max(p.e.Width-len(indent)-4, 20)) {
		if i == 1 {
			indent += "    "
		}
		fmt.Fprintln(p.e.Out, indent+l)
	}
}

// joined returns in words how the parts of p are joined.
func joined(p compile.Part) string {
	tree, _ := grammar.Parse(p.Text)
	switch tree.Root.(type) {
	case *grammar.And:
		return "all of"
	case *grammar.Or:
		return "any of"
	default:
		return "not"
	}
}
