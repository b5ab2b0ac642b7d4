package compile

import (
	"slices"
	"strings"

	"github.com/aside-go/aside/compile/fact"
	"github.com/aside-go/aside/grammar"
	"github.com/aside-go/aside/internal/condition"
)

// Survey reads a trigger on many turns, to say why it was true on none of them.
type Survey struct {
	p     *Predicate
	parts []*readings // each behind its operands
	tool  fact.Call   // a call of which nothing is known but the tool
	open  int         // how many parts have patterns of which no tool was called yet
}

// readings sums up what a part of a trigger was on the turns of a Survey.
type readings struct {
	of       *node
	kids     []*readings
	now      fact.Truth          // on the latest turn
	truths   [fact.True + 1]bool // those that it had
	min, max float64             // of the number that a condition compares
	counted  bool                // there was such a number
	texts    []string            // of the string that it compares: the first maxTexts
	called   bool                // a call was made of a tool that its patterns name
	lacks    []string            // the facts that it reads and that were unknown each time
}

// maxTexts is how many values of a string are told; of one with more none is.
const maxTexts = 3

// Survey returns a Survey of p that has read no turn.
func (p *Predicate) Survey() *Survey {
	s := &Survey{p: p}
	if p.root != nil {
		s.part(p.root)
	}
	return s
}

func (s *Survey) part(n *node) *readings {
	r := &readings{of: n}
	if n.Leaf != nil && len(n.Leaf.Patterns) > 0 {
		s.open++
	}
	for _, k := range n.Kids {
		r.kids = append(r.kids, s.part(k))
	}
	s.parts = append(s.parts, r)
	return r
}

// Add reads the turn or moment of f. Of one at which the trigger is not read, it takes the calls alone.
func (s *Survey) Add(f *fact.Frame) {
	at, about := f.Moment()
	if s.open > 0 {
		calls, _ := f.Batch()
		for i := range calls {
			s.call(&calls[i], f)
		}
		if about != nil {
			s.call(about, f)
		}
	}
	if at != s.p.moment {
		return
	}
	for _, r := range s.parts {
		r.add(f)
	}
}

// call notes which patterns name the tool of a call, whatever the call was about.
func (s *Survey) call(c *fact.Call, f *fact.Frame) {
	s.tool.Tool, s.tool.Class = c.Tool, c.Class
	for _, r := range s.parts {
		if r.of.Leaf != nil && !r.called && matchAny(r.of.Leaf.Patterns, &s.tool, f.Place()) != fact.False {
			r.called = true
			s.open--
		}
	}
}

func (r *readings) add(f *fact.Frame) {
	l, first := r.of.Leaf, !r.some()
	r.now = r.truth(f)
	r.truths[r.now] = true
	if l == nil {
		return
	}
	if r.now == fact.Unknown && (first || len(r.lacks) > 0) {
		r.lacks = slices.DeleteFunc(unknowns(l, f), func(name string) bool {
			return !first && !slices.Contains(r.lacks, name)
		})
	}
	if len(l.Terms) > 0 && l.Terms[0].Bool {
		return // there is no more to it than its truth
	}
	if v, ok := comparedNumber(l, f); ok && v == v {
		if !r.counted {
			r.min, r.max, r.counted = v, v, true
		}
		r.min, r.max = min(r.min, v), max(r.max, v)
	}
	if l.Kind == condition.Text && !private(l.Fact) && len(r.texts) <= maxTexts {
		if text, ok := f.Text(l.Fact); ok && !slices.Contains(r.texts, text) {
			r.texts = append(r.texts, text)
		}
	}
}

// truth is that of the part on the turn of f, on which its operands were read.
func (r *readings) truth(f *fact.Frame) fact.Truth {
	if r.of.Leaf != nil {
		return r.of.Eval(f)
	}
	t := r.kids[0].now
	for _, k := range r.kids[1:] {
		if _, and := r.of.Expr.(*grammar.And); and {
			t = t.And(k.now)
		} else {
			t = t.Or(k.now)
		}
	}
	if _, not := r.of.Expr.(*grammar.Not); not {
		return t.Not()
	}
	return t
}

func (s *Survey) of(n *node) *readings {
	return s.parts[slices.IndexFunc(s.parts, func(r *readings) bool { return r.of == n })]
}

// some reports whether the part was read on any turn.
func (r *readings) some() bool { return r.truths != [fact.True + 1]bool{} }

// Need returns the conditions for want of which the trigger was never true, each with how near it came. It is
// the zero Need if the trigger was true.
func (s *Survey) Need() Need {
	if s.p.root == nil {
		return Need{Text: s.p.text, Came: "never true"}
	}
	n := need(s.p.root, fact.True, s.read)
	if n.IsZero() && !s.of(s.p.root).truths[fact.True] {
		return Need{Text: s.p.text, Came: "never true"}
	}
	return n
}

// read returns the Need of a condition, and of operands that had the truths which they need, but not at once.
func (s *Survey) read(n *node, want fact.Truth) Need {
	r, l, out := s.of(n), n.Leaf, Need{Text: format(n.Expr)}
	switch {
	case r.truths[want]:
		return Need{}
	case l == nil && want == fact.False:
		out.Text = format(&grammar.Not{X: n.Expr})
	case want == fact.False:
		out.Text = opposite(n.Expr, l, s.p.schema)
	}
	switch known := r.truths[fact.True] || r.truths[fact.False]; {
	case l == nil && r.some():
		out.Came = "never at once"
	case l == nil, !r.some() && l.Kind != condition.Before: // the moment has not come
		return Need{}
	case l.Kind == condition.Constant:
		out.Came = "fires by name only"
	case !known && len(r.lacks) > 0:
		out.Unknown = r.lacks
	case len(l.Patterns) > 0 && !r.called:
		out.Came = "never used"
	case r.counted:
		out.Came = r.extent(l, want, s.p.schema)
	case len(r.texts) > 0 && len(r.texts) <= maxTexts:
		out.Came = "only " + strings.Join(slices.Sorted(slices.Values(r.texts)), ", ")
	case l.Kind == condition.Failed, l.Kind == condition.FailedCall:
		out.Came = "never failed"
	case len(l.Patterns) > 0:
		out.Came = "no call matched"
	default:
		out.Came = "never true"
	}
	return out
}

// extent returns in words how near the number of a condition came to giving it the truth want.
func (r *readings) extent(l leaf, want fact.Truth, s *fact.Schema) string {
	op, least, most := l.Op, numberText(l, s, r.min), numberText(l, s, r.max)
	if want == fact.False {
		op = op.Opposite()
	}
	switch {
	case op == grammar.Greater, op == grammar.GreaterEqual:
		return "never above " + most
	case op == grammar.Less, op == grammar.LessEqual:
		return "never below " + least
	case r.min == r.max:
		return "always " + least
	case op == grammar.Equal && (l.Numbers[0] < r.min || l.Numbers[0] > r.max):
		return "always between " + least + " and " + most
	}
	return "never true"
}
