package lint

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/aside-go/aside/compile/fact"
	compiled "github.com/aside-go/aside/compile/trigger"
	"github.com/aside-go/aside/internal/analysis"
	"github.com/aside-go/aside/internal/code"
	"github.com/aside-go/aside/internal/condition"
)

// untold tells of facts that the chosen agent tells at times, and of facts and moments that it never reports.
func (s *subject) untold(field string, p *compiled.Predicate) {
	if s.agent == nil {
		return
	}
	told := func(n *condition.Node, message, hint string) {
		s.add(finding{code: code.FactNotTold, field: field, at: n.Expr.Span(), message: s.agent.Title + message,
			hint: hint})
	}
	instead := func(n *condition.Node, advice string) string {
		switch whole := n == p.Root(); {
		case whole:
			return cmp.Or(advice, "keep the rule for other agents, or write another condition")
		case advice != "":
			return advice + ", or leave this part out"
		}
		return "leave this part out"
	}
	p.Root().Walk(func(n *condition.Node) {
		if n.Leaf == nil {
			return
		}
		if f, ok := s.reads(n, func(id fact.ID) bool { return s.agent.Rarely[id] != "" }); ok {
			told(n, fmt.Sprintf(" reports %s only at times: %s", f.Name, s.agent.Rarely[f.ID]),
				instead(n, s.agent.Advice(f.ID)))
		}
		if !s.agent.Times && slices.ContainsFunc(n.Leaf.Terms,
			func(t *condition.Term) bool { return t.Times }) {
			told(n, " never reports how long a call took, so .duration is unknown there", instead(n, ""))
		}
	})
	moment := p.Moment()
	never := slices.Clone(s.agent.Never)
	if moment == fact.Stopping { // the answer that ends the work comes with the moment
		never = slices.DeleteFunc(never, func(id fact.ID) bool { return id == fact.Response })
	}
	host := analysis.Host{Facts: never, Root: true}
	if moment != fact.Turn && !slices.Contains(s.agent.Moments, moment) {
		host.Moments = []fact.Moment{moment}
	}
	parts, dead := host.Untold(p)
	result := ", so this part is never true there"
	switch {
	case dead && field == "trigger":
		result = ", so this reminder never fires there"
	case dead:
		result = ", so this is never true there"
	}
	for _, n := range parts {
		is := func(k condition.Kind) bool { return n.Leaf != nil && n.Leaf.Kind == k }
		if f, ok := s.reads(n, func(id fact.ID) bool { return slices.Contains(never, id) }); ok {
			told(n, " never reports "+f.Name+result, instead(n, s.agent.Advice(f.ID)))
		} else if is(condition.Before) {
			told(n, " never reports before_tool"+result, "write after_tool for what can be said after the call")
		} else if is(condition.Stopping) {
			told(n, " never reports stopping"+result,
				"say it after a call near the end of the work, as in `after_tool:@shell(git commit*)`")
		} else if _, ok := s.reads(n, func(id fact.ID) bool { return id == fact.ThreadType }); ok {
			told(n, " reports stopping of the root agent alone"+result,
				"for the end of a subagent write after_tool:@task")
		}
	}
}

// reads returns the first of the facts that a condition, or one within it, reads of which is holds.
func (s *subject) reads(n *condition.Node, is func(fact.ID) bool) (f fact.Fact, ok bool) {
	n.Leaves(func(l *condition.Leaf) {
		if i := slices.IndexFunc(l.Reads, is); i >= 0 && !ok && !l.History() {
			f, ok = s.set.Schema().Fact(l.Reads[i]), true
		}
	})
	return f, ok
}

// rare are events that never come on two turns in a row.
var rare = []fact.ID{fact.Compacted, fact.Resumed}

// needs reports whether a trigger can be true only where one of some facts is known.
func needs(p *compiled.Predicate, ids ...fact.ID) bool {
	reads := false
	p.Root().Leaves(func(l *condition.Leaf) {
		reads = reads || slices.ContainsFunc(ids, func(id fact.ID) bool { return slices.Contains(l.Reads, id) })
	})
	return reads && !(&analysis.Host{Facts: ids}).Possible(p)
}

// onEvent reports whether a trigger is true on single turns alone, and not between two: where an event holds.
func onEvent(p *compiled.Predicate) bool {
	holds, _ := analysis.Between(p)
	return p.Events() && !holds
}
