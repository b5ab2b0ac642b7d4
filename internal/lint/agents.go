package lint

import (
	"fmt"
	"slices"

	"github.com/aside-go/aside/compile/fact"
	"github.com/aside-go/aside/grammar"
	"github.com/aside-go/aside/internal/agent"
	"github.com/aside-go/aside/internal/code"
	"github.com/aside-go/aside/internal/condition"
)

// host is an agent whose tools are all known, or a host of which it is known what it tells.
type host struct {
	*agent.Agent
	tools []string // names of its own tools; empty: not all are known
}

// hostNamed returns the host that Options.Agent names, nil where there is none.
func hostNamed(name string) *host {
	a, ok := agent.Host(name)
	if !ok {
		return nil
	}
	return &host{a, a.ToolNames()}
}

// moment returns the moment at which the trigger is read.
func (s *subject) moment() fact.Moment {
	i, _ := s.set.Index(s.ID)
	return s.set.Trigger(i).Moment()
}

// untold tells of a moment at which the chosen agent is silent. All of the trigger is about that moment.
func (s *subject) untold(root *condition.Node) {
	if s.agent == nil {
		return
	}
	moment := s.moment()
	if moment == fact.Turn || slices.Contains(s.agent.Moments, moment) {
		return
	}
	hint := "write after_tool for what can be said after the call"
	if moment == fact.Stopping {
		hint = "say it after a call near the end of the work, as in `after_tool:@shell(git commit*)`"
	}
	s.add(finding{code: code.FactNotTold, field: "trigger", at: root.Expr.Span(), hint: hint,
		message: fmt.Sprintf("%s never tells %s, so this reminder never fires there", s.agent.Title, moment)})
}

// unknowable tells of facts that the chosen agent can never tell.
func (s *subject) unknowable(field string, root *condition.Node) {
	if s.agent == nil || len(s.agent.Never)+len(s.agent.Rarely) == 0 {
		return
	}
	dead := !s.may(root, true)
	s.eachFact(root, func(n *condition.Node, f fact.Fact) bool {
		why := s.agent.Rarely[f.ID]
		if why != "" {
			s.add(finding{code: code.FactNotTold, field: field, at: n.Expr.Span(), hint: s.agent.Advice(f.ID),
				message: fmt.Sprintf("%s tells %s only at times: %s", s.agent.Title, f.Name, why)})
		}
		return why == ""
	})
	s.eachFact(root, func(n *condition.Node, f fact.Fact) bool {
		if !slices.Contains(s.agent.Never, f.ID) {
			return true
		}
		message := fmt.Sprintf("%s never tells %s", s.agent.Title, f.Name)
		switch {
		case dead && field == "trigger":
			message += ", so this reminder never fires there"
		case dead:
			message += ", so this is never true there"
		default:
			message += ", so this part is never true there"
		}
		s.add(finding{code: code.FactNotTold, field: field, at: n.Expr.Span(), message: message,
			hint: s.agent.Advice(f.ID)})
		return false
	})
}

// eachFact visits the facts of each operand, until visit returns false.
func (s *subject) eachFact(root *condition.Node, visit func(n *condition.Node, f fact.Fact) bool) {
	root.Walk(func(n *condition.Node) {
		for _, f := range s.read(n.Leaf).facts {
			if !visit(n, f) {
				return
			}
		}
	})
}

// may reports whether n can come out as truth where the facts that the agent never tells are unknown.
func (s *subject) may(n *condition.Node, truth bool) bool {
	switch n.Expr.(type) {
	case *grammar.Not:
		return s.may(n.Kids[0], !truth)
	case *grammar.And, *grammar.Or:
		if _, and := n.Expr.(*grammar.And); and == truth {
			return !slices.ContainsFunc(n.Kids, func(k *condition.Node) bool { return !s.may(k, truth) })
		}
		return slices.ContainsFunc(n.Kids, func(k *condition.Node) bool { return s.may(k, truth) })
	}
	if slices.ContainsFunc(n.Leaf.Terms, func(t *condition.Term) bool { return t.Tally }) {
		return true // a condition on members: another one may decide
	}
	return !slices.ContainsFunc(s.read(n.Leaf).facts, func(f fact.Fact) bool {
		return slices.Contains(s.agent.Never, f.ID)
	})
}
