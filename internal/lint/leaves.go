package lint

import (
	"cmp"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/aside-go/aside/compile/fact"
	"github.com/aside-go/aside/grammar"
	"github.com/aside-go/aside/internal/agent"
	"github.com/aside-go/aside/internal/callpattern"
	"github.com/aside-go/aside/internal/code"
	"github.com/aside-go/aside/internal/condition"
	"github.com/aside-go/aside/internal/near"
	"github.com/aside-go/aside/internal/words"
)

// leaves looks at the operands of a trigger one by one.
func (s *subject) leaves(field string, root *condition.Node) {
	s.names = nil
	s.eachLeaf(field, root)
	has := func(a *agent.Agent) func(toolUse) bool {
		return func(n toolUse) bool { return slices.Contains(a.ToolNames(), n.name) }
	}
	own := func(toolUse) bool { return false }
	if s.agent != nil {
		own = has(s.agent)
	}
	shared := slices.ContainsFunc(s.names, func(chain []toolUse) bool { return all(chain, own) })
	for _, chain := range s.names {
		mixed := slices.ContainsFunc(chain, own) && !slices.ContainsFunc(agent.WithHooks(),
			func(a *agent.Agent) bool { return all(chain, has(a)) })
		for _, n := range chain {
			s.toolName(field, n.at, n.name, shared && !mixed)
			s.callPattern(field, n.at, n.name)
		}
	}
}

func all[T any](list []T, is func(T) bool) bool {
	return !slices.ContainsFunc(list, func(x T) bool { return !is(x) })
}

// callPattern looks at the subject of a pattern that names a tool as one of the tool's class, which package
// compile does not know.
func (s *subject) callPattern(field string, at grammar.Range, text string) {
	p, _ := callpattern.Parse(text)
	if p == nil || !p.Literal() || p.Doubt(fact.NoClass) != nil {
		return
	}
	if m := p.Doubt(agent.ClassOf(p.Name())); m != nil {
		f := finding{code: code.DoubtfulPattern, field: field, at: at, message: m.Message, hint: m.Hint}
		if m.Replace {
			f.fix = text[:m.Offset] + m.Fix + text[m.Offset+m.Length:]
		}
		s.addName(f, text)
	}
}

// toolUse is the name of a tool in a trigger.
type toolUse struct {
	name string
	at   grammar.Range
}

func (s *subject) eachLeaf(field string, root *condition.Node) {
	root.Walk(func(n *condition.Node) {
		if n.Leaf == nil {
			return
		}
		switch x := n.Expr.(type) {
		case *grammar.Binary:
			if n.Leaf.Value == nil {
				s.equality(field, n, x)
			} else {
				s.remainder(field, n.Leaf.Value)
			}
		case *grammar.Shorthand:
			if n.Leaf.Function == "tool_chain_repeats" {
				var chain []toolUse
				for link := range strings.SplitSeq(n.Leaf.Argument, ">") {
					chain = append(chain, toolUse{strings.TrimSpace(link), x.Args[0].Range})
				}
				s.names = append(s.names, chain)
			}
		}
		s.tools(field, n.Leaf, n.Leaf.Value != nil)
		if n.Leaf.Kind != condition.Text {
			return
		}
		for i, at := range s.places(n.Expr) {
			switch n.Leaf.Fact {
			case fact.ThreadType:
				s.threadName(field, at, n.Leaf.Names[i])
			case fact.Model:
				s.modelName(field, at, n.Leaf.Names[i], n.Leaf.Not)
			case fact.Provider:
				s.nearValue(field, at, words.Provider, n.Leaf.Names[i])
			case fact.Mode:
				s.nearValue(field, at, words.Mode, n.Leaf.Names[i])
			}
		}
	})
}

// places returns where the values stand with which a condition compares a fact.
func (s *subject) places(x grammar.Expr) (all []grammar.Range) {
	for _, m := range grammar.Members(x) {
		all = append(all, m.Span())
	}
	if c, ok := x.(*grammar.Binary); ok && all == nil {
		all = append(all, c.Left.Span())
		if name, word := c.Left.(*grammar.Name); word {
			if _, ok := s.set.Schema().Lookup(name.Name); ok {
				all[0] = c.Right.Span()
			}
		}
	}
	return all
}

// tools notes the tools that a condition names; quoted is whether its names are in quotes.
func (s *subject) tools(field string, l *condition.Leaf, quoted bool) {
	ps := l.Patterns
	if len(l.Terms) > 0 {
		ps = nil
	}
	for _, t := range l.Terms {
		ps = append(ps, t.Patterns...)
		if t.Leaf != nil {
			s.tools(field, t.Leaf, quoted)
		}
	}
	for _, p := range ps {
		text := s.value(field)[p.At.Start.Offset:p.At.End.Offset]
		name, from := strings.Trim(text, `"'`+"`"), 1
		if !quoted {
			s.names = append(s.names, []toolUse{{name, p.At}})
			continue
		}
		for one := range callpattern.Split(name) {
			trimmed := strings.TrimLeft(one, " ")
			to := from + len(one)
			s.names = append(s.names, []toolUse{{strings.TrimRight(trimmed, " "),
				shift(p.At, text, to-len(trimmed), to)}})
			from = to + len(",")
		}
	}
}

// equality reports what a fact equals only by chance.
func (s *subject) equality(field string, n *condition.Node, x *grammar.Binary) {
	f := s.set.Schema().Fact(n.Leaf.Fact)
	fd := finding{code: code.HitByChance, field: field, at: x.OpRange}
	switch l := n.Leaf; l.Kind {
	case condition.Comparison, condition.NumberIn:
		by := map[fact.Type]string{fact.Ratio: "a share is", fact.Duration: "a time is"}[f.Type]
		if f.Unit == "tokens" && f.ID != fact.ContextWindow {
			by = "tokens are"
		}
		_, of := l.OfFact()
		if by == "" || l.Kind != condition.NumberIn && (!of || l.Op != grammar.Equal && l.Op != grammar.NotEqual) ||
			slices.ContainsFunc(l.Numbers, func(n float64) bool { return n == 0 || f.Type == fact.Ratio && n == 1 }) {
			return
		}
		fd.message = by + " hardly ever exactly that"
		if l.Kind == condition.NumberIn {
			least := x.Right.(*grammar.Array).Items[0]
			fd.hint = fmt.Sprintf("write a range, as in `%s >= %s`", f.Name, written(least))
		} else {
			op := grammar.GreaterEqual
			if l.Op == grammar.NotEqual {
				op = grammar.Less
			}
			if x.Left.Span().Start.Offset > x.OpRange.Start.Offset { // it was written with the number on the left
				op = op.Turned()
			}
			fd.fix = op.String()
			fd.hint = "write " + fd.fix
		}
	case condition.Text, condition.Members:
		declared := strings.HasPrefix(f.Name, "vars.")
		word := func(name string) bool { return words.Of(words.Absent, name) != "" }
		_, told := s.set.Schema().Lookup(l.Names[0]) // package compile says it
		told = told || strings.Contains(l.Names[0], "*")
		_, within := x.Right.(*grammar.Name) // "rm -rf" in command
		within = within && x.Op.Membership()
		switch i := slices.IndexFunc(l.Names, word); {
		case i >= 0 && !declared:
			fd.message = fmt.Sprintf("%s is a text like any other here: a fact without a value is unknown, and "+
				"equals nothing", l.Names[i])
			fd.hint = `leave it out, or write "" for an empty text`
		case !told && (f.ID == fact.Output || f.ID == fact.Written || f.ID == fact.Command && within ||
			(f.ID == fact.Prompt || f.ID == fact.Response) && bare(x)):
			fd.severity = grammar.Info
			fd.message = fmt.Sprintf("the whole text of %s is hardly ever exactly that", f.Name)
			each := make([]string, len(l.Names))
			for i, name := range l.Names {
				each[i] = fmt.Sprintf("%s contains %q", f.Name, name)
			}
			fd.hint = "write `" + strings.Join(each, " or ") + "`"
		default:
			return
		}
	default:
		return
	}
	s.add(fd)
}

// threadName reports what people call threads, where the name that hosts give them is compared.
func (s *subject) threadName(field string, at grammar.Range, name string) {
	if words.Of(words.ValueOf("thread"), name) == "root" {
		s.add(finding{code: code.MainThreadName, field: field, at: at, hint: "write root", fix: "root",
			message: fmt.Sprintf("the main thread is called root, not %q", name)})
		return
	}
	if a := words.Lines(name, nil); a.Sure && strings.HasPrefix(a.Lines[0], "thread_type ") {
		s.add(finding{code: code.NearValue, field: field, at: at,
			message: fmt.Sprintf("no thread is called %q: a subagent's has the name of its kind", name),
			hint:    fmt.Sprintf("`%s` holds in each of them", a.Lines[0])})
	}
}

// modelName reports the name of a family where the id of a model is compared: ids hold a version. A name
// with a wildcard has a finding of its own.
func (s *subject) modelName(field string, at grammar.Range, name string, denied bool) {
	if name != "" && !strings.ContainsAny(name, "0123456789*") {
		s.add(finding{code: code.ModelFamily, field: field, at: at,
			message: fmt.Sprintf("no model has the id %q: ids hold a version", name),
			hint: fmt.Sprintf("write `model %scontains %q`, or the whole id",
				map[bool]string{true: "not "}[denied], name)})
	}
}

// remainder reports COUNT % N == M.
func (s *subject) remainder(field string, v *condition.Value) {
	if v.Op != "==" || v.Parts[0].Op != "%" {
		return
	}
	_, to := v.Parts[1].Expr.(*grammar.Literal)
	count := v.Parts[0].Parts[0].Fact
	n, by := v.Parts[0].Parts[1].Expr.(*grammar.Literal)
	unit := map[fact.ID]string{fact.TurnCount: "turns", fact.UserTurnCount: "user turns"}[count.ID]
	if to && by && unit != "" {
		every := fmt.Sprintf("every %s %s", n.Text, unit)
		s.add(finding{code: code.RemainderOfCount, field: field, at: v.Expr.Span(), hint: "write `" + every + "`",
			message: count.Name + " is the host's number, which may pass over this one", fix: every})
	}
}

// bare reports whether a fact is compared with words without quotes, or with one of several texts.
func bare(x *grammar.Binary) bool {
	_, left := x.Left.(*grammar.Name)
	_, right := x.Right.(*grammar.Name)
	return x.Op.Membership() || left && right
}

// value is the trigger or the rearm, as written.
func (s *subject) value(field string) string {
	if field == "rearm" {
		return s.Rearm
	}
	return s.Trigger
}

// shift is the range of a part of a text that stands at a range.
func shift(at grammar.Range, text string, from, to int) grammar.Range {
	return grammar.Range{Start: at.Start.After(text[:from]), End: at.Start.After(text[:to])}
}

// everyTool are the tools of all agents, each once.
var everyTool = sync.OnceValue(func() []string {
	var names []string
	for _, a := range agent.WithHooks() {
		names = append(names, a.ToolNames()...)
	}
	slices.Sort(names)
	return slices.Compact(names)
})

// toolName looks at the name of a tool that a trigger waits for. Hosts have tools of their own, so an
// unknown name is not a finding. A name that is nearly a known one is a finding, and so is one that no tool
// can have. Where several agents share a rule (another name in it is the chosen agent's own), the names of
// other agents' tools are not findings either.
func (s *subject) toolName(field string, at grammar.Range, name string, shared bool) {
	report := func(message, hint, fix string) {
		s.addName(finding{code: code.ToolOfNoAgent, field: field, at: at, message: message, hint: hint, fix: fix},
			name)
	}
	if i := strings.IndexByte(name, '('); i > 0 && strings.HasSuffix(name, ")") {
		name = strings.TrimSpace(name[:i]) // package callpattern looks at the subject
	}
	bare := strings.TrimRight(name, "*")
	switch {
	case name == "" || bare == "" || name[0] == '@':
		return
	case several(name) != "", strings.ContainsAny(name, ";&"):
		hint := "name the tools one by one, with commas between, as in after_tool:Edit,Write"
		if several(name) != "" {
			hint = "write " + several(name)
		}
		report(fmt.Sprintf("%q is the name of one tool here", name), hint, several(name))
		return
	case strings.ContainsAny(name, "|^$()[]\\") || strings.Contains(name, ".*"):
		hint, fix := "name the tools one by one, as in after_tool:Edit,Write; * is the only wildcard", ""
		if head, ok := strings.CutSuffix(name, ".*"); ok && plainName(head) {
			hint, fix = fmt.Sprintf("write %s*", head), head+"*"
		}
		report(fmt.Sprintf("%q looks like a regular expression, and here it is the name of a tool", name),
			hint, fix)
		return
	case strings.HasPrefix(name, "mcp__"):
		server := strings.TrimSuffix(strings.TrimPrefix(name, "mcp__"), "__")
		alone := !strings.Contains(server, "__") && !strings.HasSuffix(name, "*")
		if server != "" && alone && plainName(server) {
			all := "mcp__" + server + "__*"
			report(fmt.Sprintf("%q is an MCP server, not one of its tools", name),
				"write "+all+" for all of its tools", all)
		}
		return
	case strings.Contains(name, "*"), strings.HasPrefix(name, "!"): // which the compiler speaks of
		return
	}
	if slices.Contains(s.opts.Tools, name) {
		return
	}
	if known := near.Names(name, s.opts.Tools); len(known) > 0 {
		report(fmt.Sprintf("no tool %q was called here", name), near.Question(known), known[0])
		return
	}
	known, none := everyTool(), fmt.Sprintf("no agent has a tool %q", name)
	chosen := s.agent != nil && s.agent.AllTools
	if chosen {
		known, none = s.agent.ToolNames(), fmt.Sprintf("%s has no tool %q", s.agent.Title, name)
	}
	meant := func(message, other string) { report(message, "did you mean "+other+"?", other) }
	folded := slices.IndexFunc(known, func(k string) bool { return strings.EqualFold(k, name) })
	switch elsewhere := slices.Contains(everyTool(), name); {
	case slices.Contains(known, name), shared && elsewhere:
		if !chosen {
			s.commonName(field, at, name)
		}
	case folded >= 0:
		meant("names of tools are case-sensitive, and "+none, known[folded])
	case elsewhere:
		hint, fix := "name a tool of its own", ""
		if i := slices.IndexFunc(known, func(k string) bool { return kin(name, k) }); i >= 0 {
			hint, fix = "there it is called "+known[i], known[i]
		}
		report(none+": another agent has", hint, fix)
	case chosen:
		if names := near.Names(name, known); len(names) > 0 && len(name) > 3 {
			meant(none, names[0])
		}
	case slices.Contains(fact.Classes(), fact.Class(name)):
		meant(none+": it is the name of a class", "@"+name)
	default:
		if other := cmp.Or(near.Slip(name, known), words.Of(words.Call, name)); other != "" { // test, deploy
			meant(none, other)
		}
	}
}

// several returns tools, with commas between, that somebody has joined by another sign, as in Edit;Write. It
// returns "" for any other name.
func several(name string) string {
	names := strings.FieldsFunc(name, func(r rune) bool { return strings.ContainsRune(";&|+/", r) })
	known := func(n string) bool { return slices.Contains(everyTool(), n) }
	if len(names) < 2 || !all(names, known) {
		return ""
	}
	return strings.Join(names, ",")
}

// commonName reports the name of a tool that other agents write in another case, unless the trigger names
// theirs, too: a capital name if more of them do, a name in small letters always, since it may be a slip.
func (s *subject) commonName(field string, at grammar.Range, name string) {
	called := map[string][]string{}
	for _, a := range agent.WithHooks() {
		if _, fork := agent.Named(a.Parent); fork { // its tools are the parent's
			continue
		}
		for _, tool := range a.ToolNames() {
			if strings.EqualFold(tool, name) {
				called[tool] = append(called[tool], a.Title)
			}
		}
	}
	small := name == strings.ToLower(name)
	for _, other := range slices.Sorted(maps.Keys(called)) {
		agents := called[other]
		if other == name || !small && len(agents) <= len(called[name]) ||
			slices.ContainsFunc(slices.Concat(s.names...), func(n toolUse) bool { return n.name == other }) {
			continue
		}
		hint := "write " + other
		if class := agent.ClassOf(name); class != agent.NoClass {
			hint = fmt.Sprintf("write @%s for the tool of all agents, or %s", class, other)
		}
		f := finding{code: code.ToolOfFewAgents, field: field, at: at, hint: hint,
			message: fmt.Sprintf("%q is the name in %s; %d other agents write %s", name,
				strings.Join(called[name], ", "), len(agents), other)}
		if !small {
			f.severity = grammar.Info
		}
		s.add(f)
		return
	}
}

// kin reports whether two tools are of one family, the first of those that the name is in.
func kin(name, other string) bool {
	all := words.All()
	i := slices.IndexFunc(all, func(m words.Meaning) bool {
		return m.Kind == words.Kin && slices.Contains(m.Words, name)
	})
	return i >= 0 && slices.Contains(all[i].Words, other)
}

var plainName = regexp.MustCompile(`^[A-Za-z0-9_-]+$`).MatchString

// addName adds a finding whose fix stands in place of a name, in the quotes that the name stands in.
func (s *subject) addName(f finding, name string) {
	value, from, to := s.value(f.field), f.at.Start.Offset, f.at.End.Offset
	if from >= 0 && from <= to && to <= len(value) && strings.Count(value[from:to], name) == 1 {
		i := strings.Index(value[from:to], name)
		f.fixAt = shift(f.at, value[from:to], i, i+len(name))
	} else {
		f.fix = ""
	}
	s.add(f)
}
