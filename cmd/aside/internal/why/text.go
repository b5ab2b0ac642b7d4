package why

import (
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/aside-go/aside/cmd/aside/internal/command"
	"github.com/aside-go/aside/cmd/aside/internal/terminal"
	"github.com/aside-go/aside/compile"
	"github.com/aside-go/aside/compile/fact"
	"github.com/aside-go/aside/compile/reminder"
	"github.com/aside-go/aside/eval"
	"github.com/aside-go/aside/grammar"
	"github.com/aside-go/aside/state"
)

// explain prints the explanation of one reminder: the outcome in a sentence, then the trigger part by part.
func explain(e *command.Env, x eval.Explanation) {
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
	fmt.Fprintln(e.Out, head)
	part(e.Out, x.Mode.String()+" ", x.Trigger, 1)
	if x.Rearm != nil {
		part(e.Out, "rearm ", *x.Rearm, 1)
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
	fmt.Fprintln(e.Out, "  "+strings.Join(notes, ", "))
	if s := expectation(&x); s != "" {
		fmt.Fprintln(e.Out, "  "+terminal.Line(s))
	}
	if x.HeldOut {
		fmt.Fprintln(e.Out, "  its text was not sent: the run is one of those that its holdout compares with")
	}
	for _, name := range x.Unkept {
		if name == "calls" {
			fmt.Fprintln(e.Out, "  the calls of that turn are not kept; here a pattern with a class or a "+
				"subject is not "+
				"seen to match")
			continue
		}
		fmt.Fprintf(e.Out, "  %s was known on that turn; its text is not kept, so here it shows as unknown\n", name)
	}
	if n := x.Budget.Run; n != 0 {
		fmt.Fprintf(e.Out, "  budget of the run: %s left\n", terminal.Count(max(n, 0), "token"))
	}
	if x.Next != "" {
		next(e, x)
	}
}

// expectation returns in words what the model is expected to do, "" where nothing is.
func expectation(x *eval.Explanation) string {
	var parts []string
	switch {
	case x.Until > x.Turn:
		parts = append(parts, fmt.Sprintf("waits for %s, until turn %d (%s left)", x.Expect, x.Until,
			terminal.Count(x.Until-x.Turn, "turn")))
	case x.Expect != "":
		parts = append(parts, "expects "+x.Expect+" after it fires")
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
func next(e *command.Env, x eval.Explanation) {
	need := &x.Needs
	if !x.Armed && x.Rearm != nil {
		need = &x.RearmNeeds
	}
	all := need.String()
	before, after, found := strings.Cut(x.Next, all)
	if utf8.RuneCountInString(x.Next) <= wide || len(need.Parts) < 2 || !found {
		fmt.Fprintln(e.Out, "  next: "+terminal.Line(x.Next))
		return
	}
	before = strings.TrimSuffix(strings.TrimSuffix(before, "at "), "when ")
	fmt.Fprintf(e.Out, "  next: %swhen %s%s:\n", before, together(need), terminal.Line(after))
	needs(e.Out, need, 2)
}

// together returns in words whether one or all of the parts of n are needed.
func together(n *compile.Need) string {
	if n.Any {
		return "one of these holds"
	}
	return "all of these hold"
}

func needs(w io.Writer, n *compile.Need, depth int) {
	for i := range n.Parts {
		q := &n.Parts[i]
		indent := strings.Repeat("  ", depth)
		if len(q.Parts) > 0 {
			fmt.Fprintf(w, "%s%s\n", indent, together(q))
			needs(w, q, depth+1)
			continue
		}
		s := indent + terminal.Cut(terminal.Line(q.Text), wide)
		if note := q.Note(); note != "" {
			s += ", " + terminal.Line(note)
		}
		fmt.Fprintln(w, s)
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

// part prints a part of a trigger with its truth, and below it, indented, its own parts. Of a part that has a
// value only that is printed.
func part(w io.Writer, head string, p compile.Part, depth int) {
	text := terminal.Line(p.Text)
	if p.Value == "" && len(p.Parts) > 0 && utf8.RuneCountInString(text) > wide { // its parts say it again
		text = "… " + joined(p)
	}
	s := fmt.Sprintf("%s%-7s %s%s", strings.Repeat("  ", depth), p.Truth, head, terminal.Cut(text, wide))
	if p.Value != "" && p.Value != p.Truth.String() {
		fmt.Fprintln(w, s+"  ("+terminal.Line(p.Value)+")")
		return
	}
	fmt.Fprintln(w, s)
	for _, q := range p.Parts {
		part(w, "", q, depth+1)
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
