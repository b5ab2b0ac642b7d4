package lint

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/aside-go/aside/compile/fact"
	"github.com/aside-go/aside/grammar"
	"github.com/aside-go/aside/internal/code"
)

// leaves looks at the operands of a trigger one by one.
func (s *subject) leaves(field string, root grammar.Expr) {
	s.names = nil
	s.eachLeaf(field, root)
	own := func(n toolUse) bool { return s.agent != nil && slices.Contains(s.agent.tools, n.name) }
	shared := slices.ContainsFunc(s.names, func(n toolUse) bool { return own(n) && s.together(n, own) })
	for _, n := range s.names {
		mixed := n.chain && !s.ofOneAgent(n) && slices.ContainsFunc(s.names, func(o toolUse) bool { return o.at == n.at && own(o) })
		s.toolName(field, n.at, n.name, shared && !mixed)
	}
}

// together reports whether has holds for each link of the chain that n stands in; true of a name outside a chain.
func (s *subject) together(n toolUse, has func(toolUse) bool) bool {
	return !n.chain || !slices.ContainsFunc(s.names, func(o toolUse) bool { return o.chain && o.at == n.at && !has(o) })
}

// ofOneAgent reports whether some agent has all tools of the chain that n stands in.
func (s *subject) ofOneAgent(n toolUse) bool {
	return slices.ContainsFunc(agents, func(a agent) bool {
		return s.together(n, func(o toolUse) bool { return slices.Contains(a.tools, o.name) })
	})
}

// toolUse is the name of a tool in a trigger.
type toolUse struct {
	name  string
	at    grammar.Range
	chain bool // one of several that must all be used
}

func (s *subject) tool(at grammar.Range, name string) {
	s.names = append(s.names, toolUse{name: name, at: at})
}

func (s *subject) eachLeaf(field string, root grammar.Expr) {
	walk(root, 0, func(x grammar.Expr, not int) {
		switch x := x.(type) {
		case *grammar.Comparison:
			s.equality(field, x)
			if f, ok := s.factOf(x.Left); ok {
				s.values(field, f, x.Right)
			} else if f, ok := s.factOf(x.Right); ok && f.Type == fact.Set {
				s.values(field, f, x.Left)
			}
		case *grammar.Shorthand:
			for _, a := range x.Args {
				switch x.Name {
				case "after_tool", "tool_failed":
					s.tool(a.Range, strings.Trim(a.Text, `"`))
				case "thread":
					s.threadName(field, a.Range, strings.Trim(a.Text, `"`))
				case "repeated_tool_chain":
					chain := a.Text
					if i := strings.LastIndexByte(chain, '|'); i >= 0 {
						chain = chain[:i]
					}
					for link := range strings.SplitSeq(chain, ">") {
						s.names = append(s.names, toolUse{strings.Trim(link, ` "`), a.Range, true})
					}
				}
			}
		case *grammar.General:
			s.general(field, x)
		}
	})
}

// values looks at the texts that a fact is compared with.
func (s *subject) values(field string, f fact.Fact, v grammar.Operand) {
	vs := []grammar.Operand{v}
	if v.Kind == grammar.List {
		vs = v.List
	}
	for _, v := range vs {
		if v.Kind != grammar.Word && v.Kind != grammar.String {
			continue
		}
		switch f.ID {
		case fact.ToolUsed:
			s.tool(v.Range, v.Text)
		case fact.ThreadType:
			s.threadName(field, v.Range, v.Text)
		case fact.Model:
			s.modelName(field, v.Range, v.Text)
		}
	}
}

// equality tells of a number that is hit exactly by chance alone.
func (s *subject) equality(field string, x *grammar.Comparison) {
	l, ok := s.limitOf(x)
	if !ok || l.op != grammar.Equal && l.op != grammar.NotEqual || l.n == 0 || l.fact.ID == fact.ContextWindow {
		return
	}
	what := ""
	switch {
	case l.fact.Type == fact.Ratio && l.n != 1:
		what = "a share is hardly ever exactly that"
	case l.fact.Type == fact.Duration:
		what = "a time is hardly ever exactly that"
	case l.fact.Unit == "tokens":
		what = "tokens are hardly ever exactly so many"
	default:
		return
	}
	to := ">="
	if l.op == grammar.NotEqual {
		to = "<"
	}
	if x.Left.Start.Offset > x.OpRange.Start.Offset { // it was written with the number on the left
		to = map[string]string{">=": "<=", "<": ">"}[to]
	}
	d := s.add(finding{
		code: code.HitByChance, field: field, at: x.OpRange,
		message: what,
		hint:    "write " + to,
	})
	s.mend(d, field, x.OpRange, to)
}

// mainThread is how people and other tools call the thread whose name here is root.
var mainThread = map[string]bool{"main": true, "primary": true, "default": true, "top": true, "parent": true, "orchestrator": true}

func (s *subject) threadName(field string, at grammar.Range, name string) {
	folded := strings.ToLower(name)
	if name == "root" || folded != "root" && !mainThread[folded] {
		return
	}
	d := s.add(finding{
		code: code.MainThreadName, field: field, at: at,
		message: fmt.Sprintf("the main thread is called root, not %q", name),
		hint:    "write root",
	})
	s.mend(d, field, at, "root")
}

// modelName tells of the name of a family where the id of a model is compared: ids hold a version. A name with a wildcard
// has a finding already: R0223.
func (s *subject) modelName(field string, at grammar.Range, name string) {
	if name == "" || strings.ContainsAny(name, "0123456789*") {
		return
	}
	s.add(finding{
		code: code.ModelFamily, field: field, at: at,
		message: fmt.Sprintf("no model has the id %q: ids hold a version", name),
		hint:    fmt.Sprintf("write `model contains %q`, or the whole id", name),
	})
}

var modulo = regexp.MustCompile(`^\s*(turn_count|user_turn_count)\s*%\s*([0-9]+)\s*==\s*[0-9]+\s*$`)

// general looks at an operand that only expr-lang can read.
func (s *subject) general(field string, x *grammar.General) {
	if m := modulo.FindStringSubmatch(x.Text); m != nil {
		unit := "turns"
		if m[1] == "user_turn_count" {
			unit = "user turns"
		}
		every := fmt.Sprintf("every %s %s", m[2], unit)
		d := s.add(finding{
			code: code.RemainderOfCount, field: field, at: x.Range,
			message: m[1] + " is the host's number, which may pass over this one",
			hint:    "write `" + every + "`",
		})
		s.mend(d, field, x.Range, every)
	}
	for _, m := range toolText.FindAllStringSubmatchIndex(x.Text, -1) {
		from, to := m[2], m[3]
		if m[2] < 0 {
			from, to = m[4], m[5]
		}
		s.tool(shift(x.Range, x.Text, from, to), x.Text[from:to])
	}
}

// toolText finds a tool's name in a general expression.
var toolText = regexp.MustCompile(`(?:tool_count|turns_since_tool|used)\(\s*"([^"\\]*)"\s*\)|"([^"\\]*)"\s+in\s+tool_used`)

// shift is the range of a part of a text that stands at a range, on one line.
func shift(at grammar.Range, text string, from, to int) grammar.Range {
	move := func(n int) grammar.Position {
		p := at.Start
		for _, r := range text[:n] {
			p.Column++
			if r == '\n' {
				p.Line, p.Column = p.Line+1, 1
			}
		}
		p.Offset += n
		return p
	}
	return grammar.Range{Start: move(from), End: move(to)}
}
