package replay

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/aside-go/aside/cmd/internal/terminal"
	"github.com/aside-go/aside/compile"
	"github.com/aside-go/aside/compile/fact"
	"github.com/aside-go/aside/grammar"
	"github.com/aside-go/aside/internal/callpattern"
	"github.com/aside-go/aside/internal/condition"
	"github.com/aside-go/aside/state"
)

// never returns why reminder i did not fire.
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
			parts = append(parts, fmt.Sprintf("on %s by %s", terminal.Count(s.held[i][why], "turn"),
				heldBecause(why, r)))
		}
		return "held back " + strings.Join(parts, ", ")
	}
	if r.Predicate != nil {
		return "its condition was never true"
	}
	if why := s.seen.why(s.set.Trigger(i).Root()); why != "" {
		return why
	}
	for _, id := range s.set.Trigger(i).Facts() {
		if name := s.set.Schema().Fact(id).Name; s.seen.facts[name] == nil {
			return unknownFact(name)
		}
	}
	if onlyCalls(s.set.Trigger(i).Root()) {
		return "no call matched its trigger"
	}
	return s.set.Trigger(i).String() + " was never true"
}

// onlyCalls reports whether a trigger asks for nothing but calls.
func onlyCalls(n *condition.Node) bool {
	if _, or := n.Expr.(*grammar.Or); or {
		return !slices.ContainsFunc(n.Kids, func(k *condition.Node) bool { return !onlyCalls(k) })
	}
	return n.Leaf != nil && ofCalls(n.Leaf) && !ofFailures(n.Leaf)
}

// ofCalls reports whether a condition is true only where a call was made that its patterns match.
func ofCalls(l *condition.Leaf) bool {
	switch l.Kind {
	case condition.Members:
		return l.Fact == fact.ToolUsed && !l.Not
	case condition.Called, condition.Before, condition.Failed, condition.FailedCall:
		return !l.Not
	}
	return false
}

func ofFailures(l *condition.Leaf) bool {
	return l.Kind == condition.Failed || l.Kind == condition.FailedCall
}

func unknownFact(name string) string { return "fact " + name + " is unknown in this session" }

// why returns why n was never true; "" where the facts alone do not show that.
func (o *observed) why(n *condition.Node) string {
	if n.Leaf != nil {
		return o.leaf(n)
	}
	switch n.Expr.(type) {
	case *grammar.And:
		for _, k := range n.Kids {
			if why := o.why(k); why != "" {
				return why
			}
		}
		return "its parts were never all true on one turn"
	case *grammar.Not:
		if l := n.Kids[0].Leaf; l != nil && l.Kind == condition.Number && o.schema.Fact(l.Fact).Type == fact.Bool {
			return o.flag(o.schema.Fact(l.Fact).Name, l.Numbers[0] == 0)
		}
		return ""
	}
	if names := o.unused(n); len(names) > 0 {
		return needs(names)
	}
	var whys []string
	for _, k := range n.Kids {
		why := o.why(k)
		if why == "" {
			return ""
		}
		if !slices.Contains(whys, why) {
			whys = append(whys, why)
		}
	}
	if more := len(whys) - maxNames; more > 1 {
		whys = append(whys[:maxNames], fmt.Sprintf("so with the other %d", more))
	}
	return strings.Join(whys, ", and ")
}

// leaf is why of a condition.
func (o *observed) leaf(n *condition.Node) string {
	l := n.Leaf
	name := o.schema.Fact(l.Fact).Name
	switch {
	case l.Kind == condition.Constant && l.Truth != fact.True:
		return grammar.Format(&grammar.Trigger{Root: n.Expr}) + ": fires by name only"
	case l.Kind == condition.Number && o.schema.Fact(l.Fact).Type == fact.Bool:
		return o.flag(name, l.Numbers[0] == 1)
	case l.Kind == condition.Number:
		return o.number(name, l.Op, l.Numbers[0])
	case l.Kind == condition.Text && !l.Not:
		return o.text(name, l.Names)
	case ofCalls(l):
		return o.tool(l.Names, ofFailures(l))
	case l.Function == "tool_chain_repeats" && l.Op == grammar.GreaterEqual:
		return fmt.Sprintf("%s never came %v times in a row", l.Argument, l.Numbers[0])
	}
	if names := o.unused(n); len(names) > 0 {
		return needs(names)
	}
	return ""
}

// unused returns tools of which at least one must have been used for n to be true, if none of them was; else
// nil.
func (o *observed) unused(n *condition.Node) []string {
	var names []string
	if _, or := n.Expr.(*grammar.Or); or {
		for _, k := range n.Kids {
			more := o.unused(k)
			if len(more) == 0 {
				return nil
			}
			names = append(names, more...)
		}
		return names
	}
	switch l := n.Leaf; {
	case l == nil:
	case ofCalls(l):
		names = l.Names
	case l.Function == "used" && l.Op == grammar.Equal, (l.Function == "tool_count" ||
		l.Function == "turns_since_tool") && (l.Op == grammar.Greater || l.Op == grammar.GreaterEqual) &&
		l.Numbers[0] >= 1:
		names = l.Names
	}
	if slices.ContainsFunc(names, func(name string) bool { used, _ := o.called(name); return used }) {
		return nil
	}
	return names
}

// maxNames is how many tools, or reasons, are named of many.
const maxNames = 3

// needs returns in words that none of the tools of these call patterns was used.
func needs(patterns []string) string {
	var names []string
	for _, p := range patterns {
		if name, _, _ := strings.Cut(p, "("); !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	last := min(len(names)-1, maxNames)
	switch {
	case last == 0:
		return "needs tool " + names[0] + ", which was never used"
	case last < len(names)-1:
		return fmt.Sprintf("needs one of the tools %s or %d others, and none was used",
			strings.Join(names[:last], ", "), len(names)-last)
	}
	return "needs one of the tools " + strings.Join(names[:last], ", ") + " or " + names[last] +
		", and none was used"
}

// flag returns why a bool was never want; "" where it was, or the fact does not show it.
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

// tool returns in words that none of these tools was used, or, with failed, that no call of them has failed;
// "" where that is not so.
func (o *observed) tool(names []string, failed bool) string {
	used := false
	for _, name := range names {
		called, bad := o.called(name)
		if called && (!failed || bad || bound(name)) {
			return ""
		}
		used = used || called
	}
	if used {
		return "no call of " + strings.Join(names, " or ") + " failed"
	}
	return needs(names)
}

// number returns how near a fact came to a limit; "" where the facts do not show that it never passed the
// limit.
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

// text returns the values that a string had instead of want; "" where it had one of want.
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
	return fmt.Sprintf("%s was never %s, only %s", name, strings.Join(want, " or "),
		strings.Join(slices.Sorted(maps.Keys(v.texts)), ", "))
}

// called returns whether a call of a tool was made that a call pattern may mean by its name or class, and
// whether one of them failed.
func (o *observed) called(pattern string) (used, failed bool) {
	p, mistake := callpattern.Parse(pattern)
	if mistake != nil {
		return false, false
	}
	for t, bad := range o.tools {
		if p.Fits(t.name, t.class) {
			used, failed = true, failed || bad
		}
	}
	return used, failed
}

// bound reports whether a pattern looks at the subject of a call: that its tool was used does not say that it
// matched.
func bound(pattern string) bool { return strings.Contains(pattern, "(") }

// observed sums up the facts of all turns, to say why a trigger was never true.
type observed struct {
	schema *fact.Schema
	turns  int
	reads  []fact.ID          // the facts that rules read
	facts  map[string]*values // the facts that were known on some turn
	tools  map[tool]bool      // the tools that were called: whether a call failed
}

type tool struct {
	name  string
	class fact.Class
}

// values sums up the values of one fact.
type values struct {
	known    int             // on how many turns the fact was known
	min, max float64         // of a number, of a duration in nanoseconds, and of a bool as 0 or 1
	duration bool            // the fact is a duration
	ratio    bool            // the fact is a ratio
	dollars  bool            // the fact is an amount of money
	texts    map[string]bool // of a string: the first maxTexts values
}

const maxTexts = 16

func newObserved(set *compile.Set) *observed {
	return &observed{schema: set.Schema(), reads: set.Facts(), facts: map[string]*values{},
		tools: map[tool]bool{}}
}

func (o *observed) add(t *Step) {
	o.turns++
	t.Decision.Read(func(f *fact.Frame) {
		for _, id := range o.reads {
			v := f.Value(id)
			if v == nil {
				continue
			}
			name := f.Schema().Fact(id).Name
			seen := o.facts[name]
			if seen == nil {
				seen = &values{texts: map[string]bool{}, dollars: id == fact.Cost}
				o.facts[name] = seen
			}
			seen.add(v)
		}
	})
	for _, c := range t.Calls {
		called := tool{c.Name, c.Fact().Class}
		o.tools[called] = o.tools[called] || c.Failed == fact.True
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
		s.ratio = !s.dollars
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

// show returns a number in the form in which the fact's type is written.
func (s *values) show(n float64) string {
	switch {
	case s.dollars:
		return "$" + strconv.FormatFloat(math.Round(n*100)/100, 'f', -1, 64)
	case s.duration:
		return time.Duration(n).Round(time.Second).String()
	case s.ratio:
		return strings.TrimSuffix(strconv.FormatFloat(n*100, 'f', 1, 64), ".0") + "%"
	default:
		return strconv.FormatFloat(n, 'f', -1, 64)
	}
}

// heldWhy returns in words why a reminder was held although its trigger was true. The words begin with h.Why.
// errs are the decision's.
func heldWhy(h state.Held, r *compile.Source, errs []state.TextError) string {
	for _, e := range errs {
		if h.Why == state.HeldText && e.ID == h.ID {
			return "text: " + e.Error
		}
	}
	why := heldBecause(h.Why, r)
	if h.Left.IsZero() {
		return why
	}
	return h.Why + ": " + h.Left.String() + " left"
}

// heldBecause returns in words why a reminder was held, given the Why of its state.Held.
func heldBecause(why string, r *compile.Source) string {
	switch why {
	case state.HeldArmed:
		if r.Rearm != "" {
			return "not armed: waits for " + r.Rearm
		}
		return "not armed: its trigger has not been false since it fired"
	case state.HeldFor:
		return "for: not true for " + r.For.String() + " on end"
	case state.HeldCooldown:
		return "cooldown: " + r.Cooldown.String()
	case state.HeldMaxFires:
		return "max_fires: fired " + terminal.Count(r.MaxFires, "time") + " already"
	case state.HeldBudget:
		return "budget: no room for its tokens"
	case state.HeldText:
		return "text: could not be rendered"
	default:
		return why
	}
}
