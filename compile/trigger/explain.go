package trigger

import (
	"bytes"
	"cmp"
	"encoding/json"
	"slices"
	"strings"

	"github.com/aside-go/aside/compile/fact"
	"github.com/aside-go/aside/grammar"
)

// Part explains the truth of a trigger, or of a part of it, on one turn.
type Part struct {
	Text  string // in canonical form
	Truth fact.Truth
	// the values that a condition read, such as "context_usage is 71%"; "" for and, or, not
	Value string
	// the operands of and, or, not; for a condition with a list, one for each member
	Parts []Part
}

// MarshalJSON implements json.Marshaler: the truth is a word. It leaves < and > as they are.
func (p Part) MarshalJSON() ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	err := enc.Encode(struct {
		Text  string `json:"text"`
		Truth string `json:"truth"`
		Value string `json:"value,omitempty"`
		Parts []Part `json:"parts,omitempty"`
	}{p.Text, p.Truth.String(), p.Value, p.Parts})
	return b.Bytes(), err
}

// Explain returns the steps by which Eval comes to its result for the facts of f. The Truth of the whole is
// that result.
func (p *Predicate) Explain(f *fact.Frame) Part { return p.part(p.Root(), f) }

func (p *Predicate) part(n *node, f *fact.Frame) Part {
	out := Part{Text: format(n.Expr), Truth: n.Eval(f)}
	for _, k := range n.Kids {
		out.Parts = append(out.Parts, p.part(k, f))
	}
	if n.Leaf == nil {
		return out
	}
	out.Value = valueOf(n.Leaf, f)
	if value, ok := p.recalled(n.Leaf, out.Truth, f); ok {
		out.Value = value
		return out
	}
	// A condition with a list is true if and only if it is so with one of its members. There is one exception:
	// it may be known that one of two tools failed, but not which.
	if members := grammar.Members(n.Expr); len(members) > 1 && !n.Leaf.Not {
		for i, x := range members {
			truth := n.Leaf.Nth(i).Evaluator()(f)
			out.Parts = append(out.Parts, Part{Text: format(x), Truth: truth, Value: out.Value})
		}
	}
	return out
}

// recalled says from where the frame has the value of a condition that it recalls: the frame does not hold
// the calls and texts themselves.
func (p *Predicate) recalled(l leaf, truth fact.Truth, f *fact.Frame) (value string, ok bool) {
	r := l.Memory
	for _, t := range l.Terms {
		r = cmp.Or(r, t.Memory)
	}
	if r == nil {
		return "", false
	}
	known := truth != fact.Unknown
	at, _ := f.Moment()
	if f.Between() { // between two turns, as if the moment had come
		at = p.moment
	}
	switch {
	case !r.Recalled(f) || at == fact.Turn:
	case at == fact.BeforeTool && known:
		return "as the turn before told", true
	case at == fact.BeforeTool:
		return "the turn before did not tell", true
	case known:
		return "over the whole user turn", true
	default:
		return "not every turn of the user turn told", true
	}
	return "its text is not kept", known && !slices.ContainsFunc(r.Reads, f.Known)
}

// Why returns the parts that make p true, as short as possible: of an "or" only the operands that are true,
// of a list only the members that are. If p is not true, it returns Text.
func (p Part) Why() string {
	if p.Truth != fact.True || len(p.Parts) == 0 {
		return p.Text
	}
	if strings.HasPrefix(p.Text, "not ") && len(p.Parts) == 1 {
		return p.Text
	}
	var why []string
	for _, q := range p.Parts {
		if q.Truth == fact.True {
			why = append(why, q.Why())
		}
	}
	if len(why) == 0 {
		return p.Text
	}
	return strings.Join(why, " and ")
}
