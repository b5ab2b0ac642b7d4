package replay

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/aside-go/aside/compile/fact"
	"github.com/aside-go/aside/grammar"
)

// observed is what the facts were over all turns; from it follows why a trigger was never true.
type observed struct {
	turns int
	facts map[string]*values
	tools map[string]bool // whether a call of it failed
}

// values is what one fact was.
type values struct {
	known    int // turns
	min, max float64
	duration bool
	ratio    bool
	texts    map[string]bool // at most maxTexts
}

const maxTexts = 16

func newObserved() *observed {
	return &observed{facts: map[string]*values{}, tools: map[string]bool{}}
}

func (o *observed) add(t *step) {
	o.turns++
	for name, v := range t.decision.Facts {
		seen := o.facts[name]
		if seen == nil {
			seen = &values{texts: map[string]bool{}}
			o.facts[name] = seen
		}
		seen.add(v)
	}
	for _, c := range t.Calls {
		o.tools[c.Name] = o.tools[c.Name] || c.Failed == fact.True
	}
}

func (s *values) add(v any) {
	switch v := v.(type) {
	case bool:
		n := 0.0
		if v {
			n = 1
		}
		s.number(n)
	case int64:
		s.number(float64(v))
	case float64:
		s.ratio = true
		s.number(v)
	case time.Duration:
		s.duration = true
		s.number(float64(v))
	case string:
		s.known++
		if len(s.texts) < maxTexts {
			s.texts[v] = true
		}
	default:
		s.known++
	}
}

func (s *values) number(n float64) {
	if s.known == 0 {
		s.min, s.max = n, n
	}
	s.known++
	s.min, s.max = min(s.min, n), max(s.max, n)
}

// show writes a number as the fact's type is written.
func (s *values) show(n float64) string {
	switch {
	case s.duration:
		return time.Duration(n).Round(time.Second).String()
	case s.ratio:
		return strconv.FormatFloat(n, 'f', 2, 64)
	default:
		return strconv.FormatFloat(n, 'f', -1, 64)
	}
}

// never says why reminder i did not fire.
func (s *summary) never(i int) string {
	r := s.set.Reminder(i)
	if s.seen.turns == 0 {
		return "there was no turn"
	}
	if s.wrong[i] != "" {
		return "its text could not be rendered: " + s.wrong[i]
	}
	if len(s.held[i]) > 0 {
		var parts []string
		for _, why := range slices.Sorted(maps.Keys(s.held[i])) {
			parts = append(parts, fmt.Sprintf("on %s by %s", plural(s.held[i][why], "turn"), heldBecause(why, r)))
		}
		return "held back " + strings.Join(parts, ", ")
	}
	if r.Predicate != nil {
		return "its condition was never true"
	}
	tree, diags := grammar.Parse(s.set.Trigger(i).String())
	if !diags.HasErrors() && tree.Root != nil {
		if why := s.seen.why(tree.Root); why != "" {
			return why
		}
	}
	for _, id := range s.set.Trigger(i).Facts() {
		if name := s.set.Schema().Fact(id).Name; s.seen.facts[name] == nil {
			return unknownFact(name)
		}
	}
	return s.set.Trigger(i).String() + " was never true"
}

func unknownFact(name string) string { return "fact " + name + " is unknown in this session" }

// why says why x was never true; "" if the facts alone do not show it.
func (o *observed) why(x grammar.Expr) string {
	switch x := x.(type) {
	case *grammar.Constant:
		if x.Name == "always" {
			return ""
		}
		return x.Name + ": fires by name only"
	case *grammar.And:
		for _, t := range x.Terms {
			if why := o.why(t); why != "" {
				return why
			}
		}
		return "its parts were never true on one turn"
	case *grammar.Or:
		var whys []string
		for _, t := range x.Terms {
			why := o.why(t)
			if why == "" {
				return ""
			}
			if !slices.Contains(whys, why) {
				whys = append(whys, why)
			}
		}
		return strings.Join(whys, ", and ")
	case *grammar.Not:
		if b, ok := x.X.(*grammar.Bare); ok {
			return o.flag(b.Name, false)
		}
	case *grammar.Bare:
		return o.flag(x.Name, true)
	case *grammar.Shorthand:
		return o.shorthand(x)
	case *grammar.Comparison:
		return o.comparison(x)
	}
	return ""
}

// flag says why a bool was never want.
func (o *observed) flag(name string, want bool) string {
	v := o.facts[name]
	switch {
	case v == nil:
		return unknownFact(name)
	case want && v.max == 0:
		return name + " was never true"
	case !want && v.min == 1:
		return name + " was never false"
	default:
		return ""
	}
}

func (o *observed) shorthand(x *grammar.Shorthand) string {
	var args []string
	for _, a := range x.Args {
		args = append(args, a.Text)
	}
	switch x.Name {
	case "after_tool":
		return o.tool(args, false)
	case "tool_failed":
		return o.tool(args, true)
	case "turn_gt", "user_turn_gt":
		n, err := strconv.ParseFloat(args[0], 64)
		if err != nil {
			return ""
		}
		name := map[string]string{"turn_gt": "turn_count", "user_turn_gt": "user_turn_count"}[x.Name]
		return o.number(name, grammar.Greater, n)
	case "thread":
		return o.text("thread_type", args)
	case "repeated_tool_chain":
		return "the chain " + strings.Join(args, ",") + " was never that long"
	}
	return ""
}

// tool says why none of the tools was used, or none failed.
func (o *observed) tool(names []string, failed bool) string {
	used := false
	for _, name := range names {
		for tool, bad := range o.tools {
			if glob(name, tool) {
				if !failed || bad {
					return ""
				}
				used = true
			}
		}
	}
	list := strings.Join(names, " or ")
	switch {
	case used:
		return "no call of " + list + " failed"
	case len(names) == 1:
		return "needs tool " + list + ", which was never used"
	default:
		return "needs tool " + list + ", and none of them was used"
	}
}

func (o *observed) comparison(x *grammar.Comparison) string {
	if x.Left.Kind != grammar.Word {
		return ""
	}
	name := x.Left.Text
	v := o.facts[name]
	if v == nil {
		if !strings.Contains(name, "_") && !strings.Contains(name, ".") {
			return "" // perhaps the other side is the fact
		}
		return unknownFact(name)
	}
	var texts []string
	for _, operand := range append(x.Right.List, x.Right) {
		switch operand.Kind {
		case grammar.Int, grammar.Decimal, grammar.Percent:
			return o.number(name, x.Op, operand.Number)
		case grammar.Duration:
			return o.number(name, x.Op, float64(operand.Duration))
		case grammar.Word, grammar.String:
			texts = append(texts, operand.Text)
		}
	}
	switch {
	case len(texts) == 0 || (x.Op != grammar.Equal && x.Op != grammar.In):
		return ""
	case name == "tool_used":
		return o.tool(texts, false)
	default:
		return o.text(name, texts)
	}
}

// number says how far a fact stayed away from a limit.
func (o *observed) number(name string, op grammar.Op, limit float64) string {
	v := o.facts[name]
	switch {
	case v == nil:
		return unknownFact(name)
	case op == grammar.Greater && v.max <= limit, op == grammar.GreaterEqual && v.max < limit:
		return name + " never above " + v.show(v.max)
	case op == grammar.Less && v.min >= limit, op == grammar.LessEqual && v.min > limit:
		return name + " never below " + v.show(v.min)
	case op == grammar.Equal && (limit < v.min || limit > v.max):
		return fmt.Sprintf("%s was always between %s and %s", name, v.show(v.min), v.show(v.max))
	default:
		return ""
	}
}

// text says what a string was instead.
func (o *observed) text(name string, want []string) string {
	v := o.facts[name]
	if v == nil {
		return unknownFact(name)
	}
	for _, w := range want {
		if v.texts[w] {
			return ""
		}
	}
	if len(v.texts) > 3 {
		return fmt.Sprintf("%s was never %s", name, strings.Join(want, " or "))
	}
	return fmt.Sprintf("%s was never %s, only %s", name, strings.Join(want, " or "), strings.Join(slices.Sorted(maps.Keys(v.texts)), ", "))
}

// glob reports whether a tool's name fits a pattern in which * stands for anything.
func glob(pattern, name string) bool {
	parts := strings.Split(pattern, "*")
	if len(parts) == 1 {
		return pattern == name
	}
	first, last := parts[0], parts[len(parts)-1]
	if !strings.HasPrefix(name, first) || !strings.HasSuffix(name[len(first):], last) {
		return false
	}
	rest := name[len(first) : len(name)-len(last)]
	for _, p := range parts[1 : len(parts)-1] {
		_, after, ok := strings.Cut(rest, p)
		if !ok {
			return false
		}
		rest = after
	}
	return true
}
