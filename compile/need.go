package compile

import (
	"math"
	"slices"
	"strings"
	"time"

	"github.com/aside-go/aside/compile/fact"
	"github.com/aside-go/aside/grammar"
	"github.com/aside-go/aside/internal/duration"
)

// Need names the changes by which a trigger becomes true, or false. It is one condition (Text), or several
// (Parts) of which all or any one have to hold. The zero Need asks for no change: the trigger has that
// truth, and keeps it unless some fact changes.
type Need struct {
	Text string `json:"text,omitempty"` // the condition, in canonical form; "" if there are Parts
	// the value that it reads on this turn, such as "71%"; "" if that says nothing about the next one
	Now string `json:"now,omitempty"`
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

// String returns n on one line: "context_usage > 75% (now 71%) and user_message".
func (n Need) String() string {
	if len(n.Parts) == 0 {
		if note := n.Note(); note != "" {
			return n.Text + " (" + note + ")"
		}
		return n.Text
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
	return strings.Join(parts, word)
}

// Note returns the remarks on the condition Text, such as "now 71%" or "now 12, in 3 turns"; "" if there
// are none.
func (n Need) Note() string {
	var notes []string
	switch {
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
// out the parts of p that already hold, unless they are about a single turn. Of a Func it knows only the
// name. For Unknown it returns the zero Need. On a frame that stands between two turns, events that are over
// are no obstacle to False.
func (p *Predicate) Needs(f *fact.Frame, want fact.Truth) Need {
	switch {
	case want == fact.Unknown || p.root == nil && p.eval(f) == want:
		return Need{}
	case p.root == nil && want == fact.False:
		return Need{Text: "not " + p.text}
	case p.root == nil:
		return Need{Text: p.text}
	}
	return p.root.need(f, want)
}

func (n *node) need(f *fact.Frame, want fact.Truth) Need {
	if n.leaf != nil {
		return n.needLeaf(f, want)
	}
	switch n.expr.(type) {
	case *grammar.Not:
		return n.kids[0].need(f, want.Not())
	case *grammar.And:
		return n.needKids(f, want, want == fact.False)
	default:
		return n.needKids(f, want, want == fact.True)
	}
}

// needKids returns the Need of an "and" or an "or": any one operand is enough, or all are needed.
func (n *node) needKids(f *fact.Frame, want fact.Truth, any bool) Need {
	out := Need{Any: any}
	var never []Need
	for _, k := range n.kids {
		part := k.need(f, want)
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
func (n *node) needLeaf(f *fact.Frame, want fact.Truth) Need {
	t := n.eval(f)
	passing := momentary(n.leaf, f.Schema())
	if t == want && (!passing || f.Between()) {
		return Need{}
	}
	out := Need{Text: format(n.expr), Again: t == want, Event: passing && want == fact.True}
	if want == fact.False {
		out.Text = opposite(n.expr, n.leaf, f.Schema())
	}
	if _, is := n.leaf.(constant); is { // it is the other one, for good
		out.Never = true
		return out
	}
	if t == fact.Unknown {
		if l, is := n.leaf.(reading); is {
			out.Now = l.t.first(f)
		}
		switch out.Unknown = unknowns(n.leaf, f); {
		case len(out.Unknown) == 1 && out.Unknown[0] == f.Schema().Fact(fact.Idle).Name:
			out.Now, out.Unknown = "unknown on the first turn", nil // the run counts it itself
		case len(out.Unknown)+len(out.Now) == 0:
			out.Now = n.leaf.value(f) // a division by zero, and the like
		}
	} else if !passing {
		out.Now = nowOf(n.leaf, f)
	}
	switch l := n.leaf.(type) {
	case number:
		out.Number = true
		if ft := f.Schema().Fact(l.id); ft.Kind == fact.Counter && ft.ID != fact.Elapsed {
			out.Never = passed(f.Num(l.id), l.op, l.c, want)
		}
		if h := f.History(); l.id == fact.TurnCount && h != nil && f.Num(l.id) == float64(h.Now().Turn) {
			out.Left = turnsLeft(f.Num(l.id), l.op, l.c, want)
		}
	case reading:
		out.Number = !l.t.bool
		v := l.t.num(f)
		switch {
		case l.t.grows():
			out.Never = passed(v, l.op, l.c, want) || l.t.bool && want == fact.False
		case l.t.ticks():
			out.Left = turnsLeft(v, l.op, l.c, want)
		}
	case cadence:
		if out.Now = ""; want == fact.True {
			out.Left = l.left(f)
		}
	}
	return out
}

// momentary reports whether a leaf reads a fact about a single turn, or is about a moment.
func momentary(l leaf, s *fact.Schema) bool {
	switch l.(type) {
	case before, stopping:
		return true
	}
	return slices.ContainsFunc(l.reads(), func(id fact.ID) bool { return s.Fact(id).Kind == fact.Event })
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
func opposite(x grammar.Expr, l leaf, s *fact.Schema) string {
	switch l := l.(type) {
	case number:
		if c, ok := x.(*grammar.Comparison); ok {
			turned := *c
			turned.Op = c.Op.Opposite()
			return format(&turned)
		}
		// a shorthand, which has no opposite of its own
		return s.Fact(l.id).Name + " " + l.op.Opposite().String() + " " + wholeText(l.c)
	case reading:
		if !l.t.bool {
			return l.t.text + " " + l.op.Opposite().String() + " " + wholeText(l.c)
		}
	case cadence:
		return "not " + format(x)
	}
	if c, ok := x.(*grammar.Comparison); ok && c.Op.Membership() {
		turned := *c
		turned.Op = c.Op.Opposite()
		return format(&turned)
	}
	if _, general := x.(*grammar.General); general {
		return "not (" + format(x) + ")"
	}
	return format(&grammar.Not{X: x})
}

// unknowns names the facts that an unknown leaf lacks.
func unknowns(l leaf, f *fact.Frame) []string {
	var out []string
	for _, id := range l.reads() {
		if name := f.Schema().Fact(id).Name; !f.Known(id) && !slices.Contains(out, name) {
			out = append(out, name)
		}
	}
	switch l := l.(type) {
	case cadence:
		out = append(out, "user_message")
	case failed:
		if len(out) == 0 {
			out = append(out, fact.FailedTools)
		}
	case called, before:
		if len(out) == 0 {
			out = append(out, "what the call was about")
		}
	case reading:
		if len(out) == 0 && len(l.t.patterns) > 0 && l.t.first(f) == "" {
			out = append(out, "the run's calls")
		}
	}
	return out
}

// first names the event without which t is no number, as one that has not happened.
func (t *term) first(f *fact.Frame) string {
	h := f.History()
	if h == nil {
		return ""
	}
	switch t.name {
	case "turns_since_tool":
		if n, ok := h.CallCount(t.patterns[0].Pattern); ok && n == 0 {
			return "never used"
		}
	case "turns_since":
		return "never fired"
	case "output_tokens_since":
		if _, fired := h.LastFire(t.arg); !fired {
			return "never fired"
		}
	}
	return ""
}

// nowOf returns the value that a leaf reads.
func nowOf(l leaf, f *fact.Frame) string {
	switch l := l.(type) {
	case number:
		if f.Schema().Fact(l.id).Type == fact.Duration {
			return duration.Format(rough(time.Duration(f.Num(l.id))))
		}
		return shownValue(f, l.id)
	case numberIn:
		return shownValue(f, l.id)
	case reading:
		if l.t.bool {
			return ""
		}
		return wholeText(l.t.num(f))
	case boolean:
		return ""
	case text:
		if private(l.id) {
			return ""
		}
		return shownValue(f, l.id)
	default:
		if slices.ContainsFunc(l.reads(), private) {
			return ""
		}
	}
	return l.value(f)
}

// rough drops digits that nobody waits for. It never rounds up, to a limit that was not reached.
func rough(d time.Duration) time.Duration {
	if d < time.Second && d > -time.Second {
		return d.Truncate(time.Millisecond)
	}
	return d.Truncate(time.Second)
}

// grows reports whether the number never falls during a run.
func (t *term) grows() bool { return t.name == "tool_count" || t.name == "used" }

// ticks reports whether the number grows by one on each turn until its event comes again.
func (t *term) ticks() bool { return t.name == "turns_since_tool" || t.name == "turns_since" }
