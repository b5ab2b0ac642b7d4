package compile

import (
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/aside-go/aside/compile/fact"
	"github.com/aside-go/aside/grammar"
)

// needLeaf is what an operand needs.
func (n *node) needLeaf(f *fact.Frame, want fact.Truth) Need {
	t := n.eval(f)
	passing := momentary(n.leaf, f.Schema())
	if t == want && !passing {
		return Need{}
	}
	out := Need{Text: format(n.expr), Again: t == want}
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

// momentary reports whether a leaf reads what is about one turn alone.
func momentary(l leaf, s *fact.Schema) bool {
	return slices.ContainsFunc(l.reads(), func(id fact.ID) bool { return s.Fact(id).Kind == fact.Event })
}

// passed reports whether v, which only grows, has gone past all values with which v op c is want.
func passed(v float64, op grammar.Op, c float64, want fact.Truth) bool {
	if want == fact.False {
		op = inverse(op)
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

// turnsLeft is in how many turns v, which grows by one on each, makes v op c what is wanted; "" if it never does.
func turnsLeft(v float64, op grammar.Op, c float64, want fact.Truth) string {
	if want == fact.False {
		op = inverse(op)
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

func inverse(op grammar.Op) grammar.Op {
	return map[grammar.Op]grammar.Op{
		grammar.Equal: grammar.NotEqual, grammar.NotEqual: grammar.Equal, grammar.Less: grammar.GreaterEqual,
		grammar.GreaterEqual: grammar.Less, grammar.Greater: grammar.LessEqual, grammar.LessEqual: grammar.Greater,
	}[op]
}

// opposite is the text of what must hold for x to be false.
func opposite(x grammar.Expr, l leaf, s *fact.Schema) string {
	switch l := l.(type) {
	case number:
		if c, ok := x.(*grammar.Comparison); ok {
			turned := *c
			turned.Op = inverse(c.Op)
			return format(&turned)
		}
		return s.Fact(l.id).Name + " " + inverse(l.op).String() + " " + wholeText(l.c) // a shorthand, which has no opposite of its own
	case reading:
		if !l.t.bool {
			return l.t.text + " " + inverse(l.op).String() + " " + wholeText(l.c)
		}
	case cadence:
		return "not " + format(x)
	}
	if _, general := x.(*grammar.General); general {
		return "not (" + format(x) + ")"
	}
	return format(&grammar.Not{X: x})
}

// unknowns names what a leaf that is unknown would need to know.
func unknowns(l leaf, f *fact.Frame) []string {
	var out []string
	for _, id := range l.reads() {
		if name := f.Schema().Fact(id).Name; !f.Known(id) && !slices.Contains(out, name) {
			out = append(out, name)
		}
	}
	switch l.(type) {
	case cadence:
		out = append(out, "user_message")
	case failed:
		if len(out) == 0 {
			out = append(out, fact.FailedTools)
		}
	}
	return out
}

// first is what has to happen before t is a number at all, in the words of what has not happened.
func (t *term) first(f *fact.Frame) string {
	name, rest, _ := strings.Cut(t.text, "(")
	h := f.History()
	switch {
	case name == "turns_since_tool":
		return "never used"
	case name == "turns_since":
		return "never fired"
	case name == "output_tokens_since" && h != nil:
		if id, err := strconv.Unquote(strings.TrimSuffix(rest, ")")); err == nil {
			if _, fired := h.LastFire(id); !fired {
				return "never fired"
			}
		}
	}
	return ""
}

// nowOf is what a leaf reads.
func nowOf(l leaf, f *fact.Frame) string {
	switch l := l.(type) {
	case number:
		if f.Schema().Fact(l.id).Type == fact.Duration {
			return grammar.FormatDuration(rough(time.Duration(f.Num(l.id))))
		}
		_, v, _ := strings.Cut(describe(f, l.id), " is ")
		return v
	case numberIn:
		_, v, _ := strings.Cut(describe(f, l.id), " is ")
		return v
	case reading:
		if l.t.bool {
			return ""
		}
		return wholeText(l.t.num(f))
	case boolean:
		return ""
	case text:
		if l.id == fact.Prompt || l.id == fact.Response {
			return ""
		}
		_, v, _ := strings.Cut(describe(f, l.id), " is ")
		return v
	case *general:
		for _, in := range l.inputs {
			if in.term == nil && (in.fact.ID == fact.Prompt || in.fact.ID == fact.Response) {
				return ""
			}
		}
	}
	return l.value(f)
}

// rough cuts off what nobody waits for; it never rounds up, to a limit that was not reached.
func rough(d time.Duration) time.Duration {
	if d < time.Second && d > -time.Second {
		return d.Truncate(time.Millisecond)
	}
	return d.Truncate(time.Second)
}

// grows reports whether the number never falls during a run.
func (t *term) grows() bool {
	return strings.HasPrefix(t.text, "tool_count(") || strings.HasPrefix(t.text, "used(")
}

// ticks reports whether the number grows by one on each turn until what it counts from comes again.
func (t *term) ticks() bool {
	return strings.HasPrefix(t.text, "turns_since_tool(") || strings.HasPrefix(t.text, "turns_since(")
}

// left is how long it takes until the cadence is true again; "" where that cannot be said.
func (l cadence) left(f *fact.Frame) string {
	h := f.History()
	if h == nil {
		return ""
	}
	last, fired := h.LastFire(f.Self())
	now := h.Now()
	switch {
	case !fired:
		return ""
	case l.unit == grammar.Turns:
		return plural(max(l.n-(now.Turn-last.Turn), 1), "turn")
	case l.unit == grammar.Elapsed:
		return grammar.FormatDuration(max((l.d - now.At.Sub(last.At) + time.Second - 1).Truncate(time.Second), 0))
	case now.UserTurnOK && last.UserTurnOK:
		return plural(max(l.n-(now.UserTurn-last.UserTurn), 1), "user turn")
	default:
		return ""
	}
}
