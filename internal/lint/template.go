package lint

import (
	"fmt"
	"slices"
	"strings"
	"text/template/parse"

	"github.com/aside-go/aside/compile/fact"
	"github.com/aside-go/aside/grammar"
	"github.com/aside-go/aside/internal/code"
)

// A use is a fact, or the time, in an action of a text.
type use struct {
	what     string // as it is written
	fact     fact.Fact
	isFact   bool
	guarded  bool // what to write where it is unknown is said
	bare     bool // it is all of its action: {{.context_usage}}
	from, to int  // the action
}

// template looks at the actions of the text.
func (s *subject) template() {
	var volatile *use
	told := map[fact.ID]bool{}
	needed := s.needed()
	for _, u := range s.uses() {
		if volatile == nil && (!u.isFact || changes(u.fact)) {
			volatile = &u
		}
		if !u.isFact {
			continue
		}
		if u.bare && u.fact.Type == fact.Ratio {
			d := s.add(finding{
				code: code.LongRatio, field: "text", at: s.in(u.from, u.to),
				message: fmt.Sprintf("%s is written as a number such as 0.7342", u.fact.Name),
				hint:    fmt.Sprintf("write {{.%s | percent}}", u.fact.Name),
			})
			s.mend(d, "text", s.in(u.from, u.to), "{{."+u.fact.Name+" | percent}}")
		}
		if !u.guarded && !told[u.fact.ID] && !slices.Contains(needed, u.fact.ID) {
			told[u.fact.ID] = s.unguarded(u)
		}
	}
	s.early(volatile)
}

// oftenUnknown are facts that many hosts do not tell.
var oftenUnknown = []fact.ID{fact.ContextUsage, fact.ContextTokens, fact.ContextWindow, fact.LastResponseTokens, fact.OutputTokens, fact.MessageCount,
	fact.LastToolCallFailed, fact.FailuresInRow, fact.Response, fact.Provider, fact.Model, fact.Idle}

// unguarded tells of a fact that the text needs and nothing says is known: without it the reminder is not sent.
func (s *subject) unguarded(u use) bool {
	guard := fmt.Sprintf("put {{with .%s}}…{{end}} around what needs it", u.fact.Name)
	switch {
	case s.agent != nil && slices.Contains(s.agent.never, u.fact.ID):
		s.add(finding{
			code: code.TextNeedsUnknown, field: "text", at: s.in(u.from, u.to),
			message: fmt.Sprintf("%s never tells %s, and without it the text is not sent", s.agent.title, u.fact.Name),
			hint:    guard,
		})
	case s.agent == nil && slices.Contains(oftenUnknown, u.fact.ID):
		s.add(finding{
			code: code.TextNeedsUnknown, severity: grammar.Info, field: "text", at: s.in(u.from, u.to),
			message: fmt.Sprintf("%s may be unknown when this fires, and without it the text is not sent", u.fact.Name),
			hint:    guard,
		})
	default:
		return false
	}
	return true
}

// needed are the facts that must be known for the trigger to be true.
func (s *subject) needed() []fact.ID {
	if s.trigger == nil {
		return oftenUnknown // a Go function: nobody knows what it asks
	}
	ids := s.known(s.trigger)
	if slices.Contains(ids, fact.ContextUsage) {
		ids = append(ids, fact.ContextTokens, fact.ContextWindow)
	}
	if slices.Contains(ids, fact.ContextTokens) && slices.Contains(ids, fact.ContextWindow) {
		ids = append(ids, fact.ContextUsage)
	}
	if slices.Contains(ids, fact.FailuresInRow) {
		ids = append(ids, fact.LastToolCallFailed)
	}
	if slices.Contains(ids, fact.LastToolCallFailed) {
		ids = append(ids, fact.FailuresInRow)
	}
	return ids
}

// known returns the facts that are known wherever x is true.
func (s *subject) known(x grammar.Expr) []fact.ID {
	var ids []fact.ID
	switch x := x.(type) {
	case *grammar.And:
		for _, t := range x.Terms {
			ids = append(ids, s.known(t)...)
		}
		return ids
	case *grammar.Or:
		ids = s.known(x.Terms[0])
		for _, t := range x.Terms[1:] {
			other := s.known(t)
			ids = slices.DeleteFunc(ids, func(id fact.ID) bool { return !slices.Contains(other, id) })
		}
		return ids
	case *grammar.Not:
		if _, leaf := x.X.(*grammar.Or); !leaf {
			if _, leaf := x.X.(*grammar.And); !leaf {
				return s.known(x.X) // not of unknown is unknown
			}
		}
		return nil
	}
	if x, general := x.(*grammar.General); general && strings.ContainsAny(x.Text, "?|:") {
		return nil
	}
	for _, f := range s.read(x).facts {
		ids = append(ids, f.ID)
	}
	return ids
}

// uses finds the facts and the clock in the text, in order. A text that cannot be read was told of elsewhere.
func (s *subject) uses() []use {
	t := parse.New("text")
	t.Mode = parse.SkipFuncCheck
	tree, err := t.Parse(s.Text, "", "", map[string]*parse.Tree{})
	if err != nil || tree.Root == nil {
		return nil
	}
	f := usesFinder{s: s}
	f.list(tree.Root)
	return f.uses
}

type usesFinder struct {
	s       *subject
	guarded []string // facts that are known here
	inner   bool     // the dot is not the turn
	uses    []use
}

func (f *usesFinder) list(l *parse.ListNode) {
	if l == nil {
		return
	}
	for _, n := range l.Nodes {
		switch n := n.(type) {
		case *parse.ActionNode:
			f.pipe(n.Pipe, true)
		case *parse.IfNode:
			f.branch(&n.BranchNode, false)
		case *parse.WithNode:
			f.branch(&n.BranchNode, true)
		case *parse.RangeNode:
			f.branch(&n.BranchNode, true)
		}
	}
}

func (f *usesFinder) branch(b *parse.BranchNode, dot bool) {
	asked := f.asked(b.Pipe)
	if !dot {
		f.pipe(b.Pipe, false)
	}
	guarded, inner := f.guarded, f.inner
	f.guarded = append(slices.Clone(guarded), asked...)
	f.inner = inner || dot
	f.list(b.List)
	f.guarded, f.inner = guarded, inner
	f.list(b.ElseList)
}

// asked are the facts that a condition asks to be known.
func (f *usesFinder) asked(p *parse.PipeNode) (names []string) {
	if p == nil {
		return nil
	}
	for _, c := range p.Cmds {
		for i, a := range c.Args {
			switch a := a.(type) {
			case *parse.StringNode:
				if id, ok := c.Args[0].(*parse.IdentifierNode); ok && id.Ident == "known" && i == 1 {
					names = append(names, a.Text)
				}
			case *parse.FieldNode:
				if len(c.Args) == 1 {
					names = append(names, strings.Join(a.Ident, "."))
				}
			case *parse.PipeNode:
				if id, ok := c.Args[0].(*parse.IdentifierNode); ok && id.Ident == "and" {
					names = append(names, f.asked(a)...)
				}
			}
		}
	}
	return names
}

func (f *usesFinder) pipe(p *parse.PipeNode, whole bool) {
	if p == nil {
		return
	}
	defaulted := slices.ContainsFunc(p.Cmds, func(c *parse.CommandNode) bool {
		id, ok := c.Args[0].(*parse.IdentifierNode)
		return ok && (id.Ident == "default" || id.Ident == "known")
	})
	for _, c := range p.Cmds {
		for i, a := range c.Args {
			switch a := a.(type) {
			case *parse.PipeNode:
				f.pipe(a, false)
			case *parse.FieldNode:
				if !f.inner {
					f.fact(a.Ident, int(a.Pos), defaulted, whole && len(p.Cmds) == 1 && len(c.Args) == 1)
				}
			case *parse.VariableNode:
				if a.Ident[0] == "$" && len(a.Ident) > 1 {
					f.fact(a.Ident[1:], int(a.Pos), defaulted, false)
				}
			case *parse.IdentifierNode:
				if a.Ident == "now" && i == 0 && !daily(c) {
					from, to := f.action(int(a.Pos))
					f.uses = append(f.uses, use{what: "now", from: from, to: to})
				}
			}
		}
	}
}

// daily reports whether a layout of now shows nothing that changes within a day.
func daily(c *parse.CommandNode) bool {
	if len(c.Args) < 2 {
		return false
	}
	s, ok := c.Args[1].(*parse.StringNode)
	return ok && !strings.Contains(s.Text, "15") && !strings.Contains(s.Text, "03") && !strings.Contains(s.Text, "3:") && !strings.Contains(s.Text, "04") && !strings.Contains(s.Text, ":05")
}

func (f *usesFinder) fact(ident []string, pos int, guarded, bare bool) {
	name := strings.Join(ident, ".")
	ft, ok := f.s.set.Schema().Lookup(name)
	if !ok {
		return
	}
	from, to := f.action(pos)
	f.uses = append(f.uses, use{what: name, fact: ft, isFact: true, guarded: guarded || slices.Contains(f.guarded, name), bare: bare, from: from, to: to})
}

// action is the {{…}} around an offset.
func (f *usesFinder) action(pos int) (from, to int) {
	text := f.s.Text
	pos = at(text, pos)
	from = max(strings.LastIndex(text[:pos], "{{"), 0)
	to = len(text)
	if i := strings.Index(text[pos:], "}}"); i >= 0 {
		to = pos + i + 2
	}
	return from, to
}
