package trigger

import (
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/aside-go/aside/compile/fact"
	"github.com/aside-go/aside/grammar"
	"github.com/aside-go/aside/internal/condition"
	"github.com/aside-go/aside/internal/duration"
	"github.com/aside-go/aside/internal/excerpt"
)

// Need names the changes by which a trigger becomes true, or false. It is one condition (Text), or several
// (Parts) of which all or any one have to hold. The zero Need asks for no change: the trigger has that
// truth, and keeps it unless some fact changes.
type Need struct {
	Text string `json:"text,omitempty"` // the condition, in canonical form; "" if there are Parts
	// the value that it reads on this turn, such as "71%"; "" if that says nothing about the next one
	Now string `json:"now,omitempty"`
	// how near it came on the turns of a Survey, such as "never above 61%"
	Came string `json:"-"`
	// how long until it holds, where that is certain, such as "3 turns"
	Left    string   `json:"left,omitempty"`
	Unknown []string `json:"unknown,omitempty"` // the unknown facts that it reads, or a few words
	// it holds on this turn, but is about a single turn, so it has to hold again
	Again bool `json:"again,omitempty"`
	// it is about a single turn or moment, so that each occurrence counts
	Event bool `json:"event,omitempty"`
	// it cannot hold any more in this run, since its value only grows
	Never  bool   `json:"never,omitempty"`
	Any    bool   `json:"any,omitempty"` // any one of Parts is enough; otherwise all of them are needed
	Number bool   `json:"-"`             // it compares numbers
	Parts  []Need `json:"parts,omitempty"`
}

// IsZero reports whether nothing is needed.
func (n *Need) IsZero() bool { return n.Text == "" && len(n.Parts) == 0 }

// String returns n on one line: "context_usage > 75% (now 71%) and user_message". Of more than four
// alternatives it names three, and of a long condition the beginning.
func (n Need) String() string {
	if len(n.Parts) == 0 {
		text := excerpt.Of(n.Text, mostText)
		if note := n.Note(); note != "" {
			return text + " (" + note + ")"
		}
		return text
	}
	word := " and "
	if n.Any {
		word = " or "
	}
	parts := make([]string, len(n.Parts))
	for i, p := range n.Parts {
		if parts[i] = p.String(); len(p.Parts) > 0 && p.Any != n.Any {
			parts[i] = "(" + parts[i] + ")"
		}
	}
	if n.Any && len(parts) > mostNeeds+1 {
		parts = append(parts[:mostNeeds], strconv.Itoa(len(parts)-mostNeeds)+" others")
	}
	return strings.Join(parts, word)
}

// mostNeeds is how many of many alternatives a line names, mostText how many bytes it shows of a condition.
const (
	mostNeeds = 3
	mostText  = 100
)

// Note returns the remarks on the condition Text, such as "now 71%" or "now 12, in 3 turns"; "" if there
// are none.
func (n Need) Note() string {
	var notes []string
	switch {
	case n.Came != "":
		notes = append(notes, n.Came)
	case strings.HasPrefix(n.Now, "never "):
		notes = append(notes, n.Now)
	case n.Now != "":
		notes = append(notes, "now "+n.Now)
	}
	if n.Left != "" {
		notes = append(notes, "in "+n.Left)
	}
	switch {
	case len(n.Unknown) == 1 && n.Unknown[0] == strings.TrimPrefix(n.Text, "not "):
		notes = append(notes, "which this host has not told")
	case len(n.Unknown) > 0:
		notes = append(notes, "needs "+strings.Join(n.Unknown, " and ")+", which this host has not told")
	}
	return strings.Join(notes, ", ")
}

// Needs returns the changes after the turn of f by which p becomes want, which is True or False. It leaves
// out the parts of p that already hold, unless they are about a single turn. For
// Unknown it returns the zero Need. On a frame that stands between two turns, events that are over
// are no obstacle to False.
func (p *Predicate) Needs(f *fact.Frame, want fact.Truth) Need {
	if want == fact.Unknown {
		return Need{}
	}
	return need(p.Root(), want, func(n *node, want fact.Truth) Need { return needLeaf(n, f, want) })
}

// need returns what n needs to become want. read returns that of a condition.
func need(n *node, want fact.Truth, read func(*node, fact.Truth) Need) Need {
	if n.Leaf != nil {
		return read(n, want)
	}
	any := want == fact.True
	switch n.Expr.(type) {
	case *grammar.Not:
		return need(n.Kids[0], want.Not(), read)
	case *grammar.And:
		any = !any
	}
	out := Need{Any: any}
	var never []Need
	for _, k := range n.Kids {
		part := need(k, want, read)
		switch {
		case part.IsZero() && any:
			return Need{} // that is enough, and lasts
		case part.IsZero():
		case part.Never:
			never = append(never, part)
		case part.Any == any && len(part.Parts) > 0:
			out.Parts = append(out.Parts, part.Parts...)
		default:
			out.Parts = append(out.Parts, part)
		}
	}
	if len(never) > 0 && (!any || len(out.Parts) == 0) {
		return never[0]
	}
	if len(out.Parts) == 1 {
		return out.Parts[0]
	}
	return out
}

// needLeaf returns the Need of an operand.
func needLeaf(n *node, f *fact.Frame, want fact.Truth) Need {
	t, l := n.Eval(f), n.Leaf
	passing := momentary(l, f.Schema())
	if t == want && (!passing || f.Between()) {
		return Need{}
	}
	out := Need{Text: format(n.Expr), Again: t == want, Event: passing && want == fact.True}
	if want == fact.False {
		out.Text = opposite(n.Expr, l)
	}
	switch {
	case l.Kind == condition.Constant: // it is the other one, for good
		out.Never = true
		return out
	case t != fact.Unknown && !passing:
		out.Now = nowOf(l, f)
	case t == fact.Unknown:
		if len(l.Terms) == 1 && l.Run == nil {
			out.Now = first(l.Terms[0], f)
		}
		switch out.Unknown = unknowns(l, f); {
		case len(out.Unknown) == 1 && out.Unknown[0] == f.Schema().Fact(fact.Idle).Name:
			out.Now, out.Unknown = "unknown on the first turn", nil // the run counts it itself
		case len(out.Unknown)+len(out.Now) == 0:
			out.Now = valueOf(l, f) // a division by zero, and the like
		}
	}
	if l.Kind == condition.Cadence {
		if out.Now = ""; want == fact.True {
			out.Left = cadenceLeft(l, f)
		}
	}
	v, counts := comparedNumber(l, f)
	if !counts {
		return out
	}
	out.Number = !l.Terms[0].Bool
	grows, ticks := moves(l, v, f)
	if grows {
		out.Never = passed(v, l.Op, l.Numbers[0], want) || !out.Number && want == fact.False
	}
	if ticks {
		out.Left = turnsLeft(v, l.Op, l.Numbers[0], want)
	}
	return out
}

// comparedNumber returns the number that a leaf compares with a constant by an operator; ok is false for a
// leaf of another kind, and for a bool fact.
func comparedNumber(l leaf, f *fact.Frame) (v float64, ok bool) {
	if l.Kind != condition.Comparison || len(l.Terms) > 1 || l.Terms[0].Bool && l.Terms[0].Function == "" {
		return 0, false
	}
	return l.Terms[0].Num(f), true
}

// moves reports whether the number v that a leaf compares never falls during a run, and whether it grows by
// one on each turn, be it until its event comes again.
func moves(l leaf, v float64, f *fact.Frame) (grows, ticks bool) {
	if l.Function != "" {
		return l.Function == "tool_count" || l.Function == "used",
			l.Function == "turns_since_tool" || l.Function == "turns_since"
	}
	h := f.History()
	return f.Schema().Fact(l.Fact).Kind == fact.Counter && l.Fact != fact.Elapsed,
		l.Fact == fact.TurnCount && h != nil && v == float64(h.Now().Turn)
}

// momentary reports whether a leaf reads a fact about a single turn, or is about a moment.
func momentary(l leaf, s *fact.Schema) bool {
	return l.Kind == condition.Before || l.Kind == condition.Stopping ||
		slices.ContainsFunc(l.Reads, func(id fact.ID) bool { return s.Fact(id).Kind == fact.Event })
}

// passed reports whether v, which only grows, has gone past all values with which v op c is want.
func passed(v float64, op grammar.Op, c float64, want fact.Truth) bool {
	if want == fact.False {
		op = op.Opposite()
	}
	switch op {
	case grammar.Less:
		return v >= c
	case grammar.LessEqual, grammar.Equal:
		return v > c
	default:
		return false
	}
}

// turnsLeft returns the number of turns after which v, which grows by one on each, gives v op c the truth
// want; "" if it never does.
func turnsLeft(v float64, op grammar.Op, c float64, want fact.Truth) string {
	if want == fact.False {
		op = op.Opposite()
	}
	left := 0.0
	switch op {
	case grammar.Greater:
		left = math.Floor(c) + 1 - v
	case grammar.GreaterEqual:
		left = math.Ceil(c) - v
	case grammar.Equal:
		left = c - v
	}
	if left >= 1 && left <= fact.MaxInt {
		return plural(int(left), "turn")
	}
	return ""
}

// opposite returns the condition under which x is false.
func opposite(x grammar.Expr, l leaf) string {
	c, compared := x.(*grammar.Binary)
	number := len(l.Numbers) == 1 && len(l.Terms) == 1 && !l.Terms[0].Bool
	switch {
	case compared && (number && l.Function == "" || c.Op.Membership() ||
		l.Value != nil && c.Op.Opposite() != "" && (l.Run != nil || len(l.Terms) == 0)):
		turned := *c
		turned.Op = c.Op.Opposite()
		return format(&turned)
	case number: // it may be a shorthand, which has no opposite of its own
		return l.Terms[0].Text + " " + l.Op.Opposite().String() + " " + wholeText(l.Numbers[0])
	case l.Kind == condition.Cadence:
		return "not " + format(x)
	}
	return format(&grammar.Not{X: x})
}

// unknowns names the facts that an unknown leaf lacks.
func unknowns(l leaf, f *fact.Frame) []string {
	var out []string
	for _, id := range l.Reads {
		if name := f.Schema().Fact(id).Name; !f.Known(id) && !slices.Contains(out, name) {
			out = append(out, name)
		}
	}
	switch {
	case l.Kind == condition.Cadence:
		return []string{"user_message"}
	case len(out) > 0:
	case l.Kind == condition.Failed:
		return []string{fact.FailedTools}
	case l.Kind == condition.Called, l.Kind == condition.Before:
		return []string{"what the call was about"}
	case l.Run == nil && len(l.Terms) == 1 && len(l.Terms[0].Patterns) > 0 && first(l.Terms[0], f) == "":
		return []string{"the run's calls"}
	}
	return out
}

// first names the event without which t is not a number, as one that has not happened.
func first(t *term, f *fact.Frame) string {
	h := f.History()
	if h == nil {
		return ""
	}
	switch t.Function {
	case "turns_since_tool":
		if n, ok := h.CallCount(t.Patterns[0].Pattern); ok && n == 0 {
			return "never used"
		}
	case "turns_since":
		return "never fired"
	case "output_tokens_since":
		if _, fired := h.LastFire(t.Argument); !fired {
			return "never fired"
		}
	}
	return ""
}

// nowOf returns the value that a leaf reads; "" for one that is private, and for true and false.
func nowOf(l leaf, f *fact.Frame) string {
	switch v, counts := comparedNumber(l, f); {
	case len(l.Terms) == 1 && l.Terms[0].Bool && l.Run == nil:
		return ""
	case counts:
		return numberText(l.Terms[0], v)
	case slices.ContainsFunc(l.Reads, fact.ID.Private):
		return ""
	case l.Kind == condition.NumberIn, l.Kind == condition.Text:
		return shownValue(f, l.Fact)
	}
	return valueOf(l, f)
}

// numberText returns a number that is compared, in its unit.
func numberText(t *term, v float64) string {
	if t.Fact.Type == fact.Duration {
		return duration.Format(rough(time.Duration(v)))
	}
	return measure(t.Fact, v)
}

// rough drops digits that nobody waits for. It never rounds up, to a limit that was not reached.
func rough(d time.Duration) time.Duration {
	if d < time.Second && d > -time.Second {
		return d.Truncate(time.Millisecond)
	}
	return d.Truncate(time.Second)
}
