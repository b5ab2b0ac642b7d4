package lint

import (
	"fmt"
	"slices"

	"github.com/aside-go/aside/grammar"
	"github.com/aside-go/aside/internal/agent"
	"github.com/aside-go/aside/internal/code"
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

// can is which truths a part of a trigger can come to.
type can struct{ yes, no, unknown bool }

// unknowable tells of facts that the chosen agent can never tell.
func (s *subject) unknowable(field string, root grammar.Expr) {
	if s.agent == nil || len(s.agent.Never) == 0 {
		return
	}
	dead := !s.reach(root).yes
	walk(root, 0, func(x grammar.Expr, not int) {
		switch x.(type) {
		case *grammar.And, *grammar.Or, *grammar.Not:
			return
		}
		for _, f := range s.read(x).facts {
			if !slices.Contains(s.agent.Never, f.ID) {
				continue
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
			s.add(finding{
				code: code.FactNotTold, field: field, at: x.Span(),
				message: message,
				hint:    s.agent.Advice(f.ID),
			})
			return
		}
	})
}

// reach says which truths x can come to where what the agent never tells is unknown.
func (s *subject) reach(x grammar.Expr) can {
	switch x := x.(type) {
	case *grammar.Not:
		c := s.reach(x.X)
		return can{c.no, c.yes, c.unknown}
	case *grammar.And:
		all := can{yes: true}
		for _, t := range x.Terms {
			c := s.reach(t)
			all.no = all.no || c.no
			all.unknown = all.unknown || c.unknown
			all.yes = all.yes && c.yes
		}
		return all
	case *grammar.Or:
		all := can{no: true}
		for _, t := range x.Terms {
			c := s.reach(t)
			all.yes = all.yes || c.yes
			all.unknown = all.unknown || c.unknown
			all.no = all.no && c.no
		}
		return all
	}
	// A general leaf that has an "or" of its own is unknown all the same: it is so where anything that it
	// mentions is.
	for _, f := range s.read(x).facts {
		if slices.Contains(s.agent.Never, f.ID) {
			return can{unknown: true}
		}
	}
	return can{true, true, true}
}
