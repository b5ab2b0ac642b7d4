package trigger

import (
	"slices"
	"strconv"
	"strings"

	"github.com/aside-go/aside/compile/fact"
	"github.com/aside-go/aside/grammar"
	"github.com/aside-go/aside/internal/condition"
)

// Survey reads a trigger on many turns, to say why it was true on none of them.
type Survey struct {
	p          *Predicate
	read, met  bool // on some turn the trigger was read, or true
	conditions []readings
	tool       fact.Call // a call of which nothing is known but the tool
	open       int       // how many conditions have patterns of which no tool was called yet
	moments    int       // how often its moment came, with a call that its before_tool matches
}

// readings sums up what a condition was on the turns of a Survey.
type readings struct {
	of       *node
	truths   [fact.True + 1]bool // those that it had
	min, max float64             // of the number that it compares
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
	p.Root().Walk(func(n *node) {
		if n.Leaf == nil {
			return
		}
		if s.conditions = append(s.conditions, readings{of: n}); len(n.Leaf.Patterns) > 0 {
			s.open++
		}
	})
	return s
}

// Add reads the turn or moment of f. Of one at which the trigger is not read, it takes the calls alone.
func (s *Survey) Add(f *fact.Frame) {
	if s.p == nil {
		return
	}
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
	s.met = s.met || s.p.Eval(f) == fact.True
	if at == fact.Stopping || slices.ContainsFunc(s.conditions, func(r readings) bool {
		return r.of.Leaf.Kind == condition.Before && r.of.Eval(f) == fact.True
	}) {
		s.moments++
	}
	for i := range s.conditions {
		if r := &s.conditions[i]; !r.truths[fact.True] || !r.truths[fact.False] {
			r.add(f, !s.read)
		}
	}
	s.read = true
}

// call notes which patterns name the tool of a call, whatever the call was about.
func (s *Survey) call(c *fact.Call, f *fact.Frame) {
	s.tool.Tool, s.tool.Class = c.Tool, c.Class
	for i := range s.conditions {
		if r := &s.conditions[i]; !r.called && r.of.Leaf.Match(&s.tool, f.Place()) != fact.False {
			r.called = true
			s.open--
		}
	}
}

func (r *readings) add(f *fact.Frame, first bool) {
	l, truth := r.of.Leaf, r.of.Eval(f)
	r.truths[truth] = true
	if truth == fact.Unknown && (first || len(r.lacks) > 0) {
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
	if l.Kind == condition.Text && !l.Fact.Private() && len(r.texts) <= maxTexts {
		if text, ok := f.Text(l.Fact); ok && !slices.Contains(r.texts, text) {
			r.texts = append(r.texts, text)
		}
	}
}

// String says why the trigger was never true: how often its moment came, and the conditions that kept it from
// being true then, each with how near it came. It is "" if the trigger was true.
func (s *Survey) String() string {
	need, came := s.Need(), ""
	switch {
	case need.IsZero() || s.p.moment == fact.Turn:
	case s.moments > 0:
		came = map[fact.Moment]string{fact.Stopping: "the end came ",
			fact.BeforeTool: "such a call was about to run "}[s.p.moment] + times(s.moments) + "; "
	case s.p.moment == fact.Stopping:
		return "the end never came"
	}
	return came + need.String()
}

// times says how often something was.
func times(n int) string {
	if n == 1 {
		return "once"
	}
	return strconv.Itoa(n) + " times"
}

// Need returns the conditions for want of which the trigger was never true, each with how near it came. It is
// the zero Need if the trigger was true.
func (s *Survey) Need() Need {
	if s.met || s.p == nil {
		return Need{}
	}
	whole := Need{Text: s.p.text, Came: "never true"}
	if n := need(s.p.Root(), fact.True, s.condition); !n.IsZero() {
		return n
	}
	if s.read { // each of them was what the others need, on another turn
		whole.Came = "never at once"
	}
	return whole
}

// condition returns the Need of a condition.
func (s *Survey) condition(n *node, want fact.Truth) Need {
	r := &s.conditions[slices.IndexFunc(s.conditions, func(r readings) bool { return r.of == n })]
	l, out := n.Leaf, Need{Text: format(n.Expr)}
	if want == fact.False {
		out.Text = opposite(n.Expr, l)
	}
	switch known := r.truths[fact.True] || r.truths[fact.False]; {
	case r.truths[want], !s.read && l.Kind != condition.Before: // the moment has not come
		return Need{}
	case l.Kind == condition.Constant:
		out.Came = "fires by name only"
	case !known && len(r.lacks) > 0:
		out.Unknown = r.lacks
	case want == fact.False && !r.counted && len(r.texts) == 0:
		out.Text, out.Came = format(n.Expr), "true each time"
	case len(l.Patterns) > 0 && !r.called:
		out.Came = "never used"
	case r.counted:
		out.Came = r.extent(l, want)
	case len(r.texts) > 0 && len(r.texts) <= maxTexts:
		out.Came = "only " + strings.Join(slices.Sorted(slices.Values(r.texts)), ", ")
	case l.Kind == condition.Failed:
		out.Came = "never failed"
	case len(l.Patterns) > 0:
		out.Came = "no call matched"
	default:
		out.Came = "never true"
	}
	return out
}

// extent returns in words how near the number of a condition came to giving it the truth want.
func (r *readings) extent(l leaf, want fact.Truth) string {
	op, least, most := l.Op, numberText(l.Terms[0], r.min), numberText(l.Terms[0], r.max)
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
