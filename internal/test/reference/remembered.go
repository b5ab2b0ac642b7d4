package reference

import (
	"maps"
	"slices"
	"strings"

	"github.com/aside-go/aside/compile/fact"
)

// remembered is a condition, or a part of one, on what happens. In a run it is read on each part of a turn,
// with what that part tells, and its values make one: that of the turn, and that of the user turn
// (LANGUAGE.md §1). An occasion without a story is read as it is.
type remembered struct {
	text  string             // as written, without blanks and quotes
	reads []string           // what happens, by which a part tells it; for texts, these
	after bool               // it asks for the calls that were made, not for the one at hand
	texts bool               // it reads prompt and response alone, which stand until there are others
	alone bool               // it is a fact itself, which is kept for its turn, whoever asks
	parts func(a, b any) any // the value of two parts
	turns func(a, b any) any // the value of two turns
	none  any                // the value of no calls
	read  func(o *Occasion) any
}

// story is what a run was told.
type story struct {
	turns []*turn   // of this user turn
	host  *Occasion // what is told at the moment itself; nil on a turn
}

// turn is a turn as its parts told it.
type turn struct {
	parts []*Occasion
	stood int      // how many of parts are of earlier turns, whose prompt stands
	ended []string // the conditions that were read at the end of the work when it began
}

// either is true if one of two truths is, and unknown if one of them is and none is true.
func either(a, b any) any {
	switch {
	case a == true || b == true:
		return true
	case a == nil || b == nil:
		return nil
	}
	return false
}

// latest is the later one of two values that is known.
func latest(a, b any) any {
	if b == nil {
		return a
	}
	return b
}

func sum(a, b any) any {
	if a == nil || b == nil {
		return nil
	}
	return a.(float64) + b.(float64)
}

// upToTwo is sum, where two are too many, however many there are beside them.
func upToTwo(a, b any) any {
	for _, n := range []any{a, b} {
		if n, known := n.(float64); known && n >= 2 {
			return n
		}
	}
	return sum(a, b)
}

// remember returns the condition of a text that reads some facts. What reads nothing that happens, or also
// what is counted after the facts of the turn, is not remembered: its reads are empty.
func (e *expression) remember(text string, n node, of ...string) *remembered {
	r := &remembered{text: strings.ReplaceAll(plainly(text), `"`, ""), parts: either, turns: either, none: false}
	state, single, texts := false, true, true
	visit(n, func(n node) bool {
		switch n := n.(type) {
		case factName:
			of = append(of, string(n))
		case quantifier:
			of = append(of, n.set)
		case membership:
			of = append(of, n.set)
		case called:
			state = state || !slices.Contains(ofValues, n.function)
		}
		return true
	})
	for _, name := range of {
		ft, known := e.schema.Lookup(name)
		texts = texts && slices.Contains(unkept, name)
		switch {
		case slices.Contains(counts, name):
			state = true
		case known && ft.Kind == fact.Event:
			r.reads = append(r.reads, name)
			single = single && ft.Type != fact.Bool && ft.Type != fact.Set && ft.Type != fact.Calls
		}
	}
	switch {
	case state:
		r.reads = nil
	case len(of) > 0 && texts:
		r.texts, r.reads = true, of
	case single:
		r.parts, r.turns = latest, latest
	}
	_, fixed := n.(membership)
	if x, is := n.(comparison); is {
		name, _ := x.a.(factName)
		fixed = name != "" && !slices.Contains([]string{"<", "<=", ">", ">="}, x.op)
	}
	if fixed && !r.texts { // != and not in are kept as what they deny
		r.text = strings.NewReplacer("not=", "==", "notin", "in").Replace(r.text)
	}
	if len(r.reads) > 0 {
		e.conditions = append(e.conditions, r.text)
	}
	return r
}

// ofValues are the functions that ask nothing of the past.
var ofValues = []string{"len", "lower", "upper"}

// counts are the facts that a run counts itself.
var counts = []string{"output_tokens", "turn_count", "user_turn_count", "started", "tool_calls",
	"identical_calls", "failures_in_row", "elapsed", "idle", "context_usage"}

// withCalls are the facts that are told with calls, even where only their names are.
var withCalls = []string{"tool_used", "command", "path", "written", "output", "calls",
	"last_tool_call_failed"}

func anyOf(list, of []string) bool {
	return slices.ContainsFunc(list, func(s string) bool { return slices.Contains(of, s) })
}

// value is the value on an occasion.
func (r *remembered) value(o *Occasion) any {
	switch {
	case r.texts && !anyOf(r.reads, o.Absent):
		return r.read(o.where(r))
	case len(r.reads) == 0, r.texts, o.Between:
		return r.read(o)
	case o.story == nil && r.after && o.Moment == fact.BeforeTool:
		return nil
	case o.story == nil, o.Moment == fact.BeforeTool && r.ofCalls():
		return r.read(o)
	}
	v, told := any(nil), false
	switch turns := o.story.turns; {
	case o.Moment == fact.Stopping:
		v, told = r.ofUserTurn(turns), true
	case len(turns) > 0:
		v, told = r.ofTurn(turns[len(turns)-1])
	}
	switch host := o.story.host; {
	case host == nil || !r.told(host):
	case told:
		v = r.parts(v, r.read(host))
	default:
		v = r.read(host)
	}
	return v
}

// ofCalls reports whether the condition is on calls and nothing else that happens, not even on their results.
func (r *remembered) ofCalls() bool {
	return !r.after && !slices.ContainsFunc(r.reads, func(name string) bool {
		return name == "output" || name == "last_tool_call_failed" || !slices.Contains(withCalls, name)
	})
}

// told reports whether a part tells it.
func (r *remembered) told(o *Occasion) bool {
	return o.Tools && anyOf(r.reads, withCalls) ||
		slices.ContainsFunc(r.reads, func(name string) bool { return o.Facts[name] != nil })
}

// ofTurn is the value of a turn, and whether a part of it tells it.
func (r *remembered) ofTurn(t *turn) (v any, told bool) {
	for _, p := range t.parts {
		if !r.told(p) {
			continue
		}
		var now any
		if r.alone || slices.Contains(p.asked, r.text) {
			now = r.read(p)
		}
		if told {
			now = r.parts(v, now)
		}
		v, told = now, true
	}
	return v, told
}

// ofUserTurn is the value of a user turn, which begins without calls if it does not tell any.
func (r *remembered) ofUserTurn(turns []*turn) (v any) {
	if anyOf(r.reads, withCalls) && len(turns) > 0 {
		v = r.none
	}
	for i, t := range turns {
		now, told := r.ofTurn(t)
		switch {
		case i == 0 && told:
			v = now
		case i == 0:
		case !slices.Contains(t.ended, r.text): // nobody was to read it
			v = r.turns(nil, now)
		default:
			v = r.turns(v, now)
		}
	}
	return v
}

// where returns the latest part of the turn that told one of the texts, if the condition was read there; o
// itself if none was.
func (o *Occasion) where(r *remembered) *Occasion {
	tells := func(o *Occasion) bool {
		return slices.ContainsFunc(r.reads, func(name string) bool { return o.Facts[name] != nil })
	}
	if tells(o) || o.story == nil || len(o.story.turns) == 0 {
		return o
	}
	for _, p := range slices.Backward(o.story.turns[len(o.story.turns)-1].parts) {
		if tells(p) {
			if slices.Contains(p.asked, r.text) {
				return &Occasion{Facts: p.Facts}
			}
			break
		}
	}
	return o
}

// atHand returns the occasion with the call about to be executed, of which there is no result, in place of
// the calls that were made.
func (o *Occasion) atHand() *Occasion {
	if o.Moment != fact.BeforeTool || o.Before == nil {
		return o
	}
	p, c := *o, *o.Before
	c.Failed, c.Output, c.OutputTold, c.DurationTold = fact.Unknown, "", false, false
	p.Facts = maps.Clone(o.Facts)
	if failed := o.value("last_tool_call_failed"); failed != nil {
		p.Facts["last_tool_call_failed"] = failed
	}
	p.Calls, p.Tools, p.Told = []fact.Call{c}, true, true
	return &p
}

// recalled is a condition in an expression.
type recalled struct {
	*remembered
	of node
}

func (r recalled) eval(s *scope) any { return r.value(s.o) }

// visit visits a node, and what is in each for which see returns true.
func visit(n node, see func(node) bool) {
	if !see(n) {
		return
	}
	switch n := n.(type) {
	case list:
		for _, n := range n {
			visit(n, see)
		}
	case called:
		visit(n.args, see)
	case negated:
		visit(n.n, see)
	case lowered:
		visit(n.n, see)
	case binary:
		visit(n.a, see)
		visit(n.b, see)
	case comparison:
		visit(n.a, see)
		visit(n.b, see)
	case membership:
		visit(n.of, see)
	case quantifier:
		visit(n.condition, see)
	case recalled:
		visit(n.of, see)
	}
}
