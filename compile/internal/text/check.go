package text

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"text/template/parse"

	"github.com/aside-go/aside/compile/fact"
	"github.com/aside-go/aside/grammar"
	"github.com/aside-go/aside/internal/code"
	"github.com/aside-go/aside/internal/duration"
	"github.com/aside-go/aside/internal/vocabulary"
)

// templater walks the tree of a text, reports everything in it that is not on the list of LANGUAGE.md §6, and
// writes calls in place of facts: .prompt becomes (fact $ "prompt"), which fails if the fact is unknown, or
// (perhaps $ "prompt") where an unknown fact is provided for. Going through a call, a fact has no fields and
// no methods.
type templater struct {
	schema *fact.Schema
	text   string
	diags  grammar.Diagnostics
	facts  []fact.ID // those that the text mentions
	inWith bool      // the dot is not the turn
	inLoop bool
}

func (c *templater) report(id grammar.Code, from, to int, message, hint string) *grammar.Diagnostic {
	c.diags = append(c.diags, grammar.Diagnostic{
		Code: id, Message: message, Hint: hint, Range: grammar.Range{Start: c.place(from), End: c.place(to)},
	})
	return &c.diags[len(c.diags)-1]
}

// place is the position of an offset of the text.
func (c *templater) place(offset int) grammar.Position {
	return grammar.Position{Line: 1, Column: 1}.After(c.text[:min(offset, len(c.text))])
}

// at reports a diagnostic about a node.
func (c *templater) at(id grammar.Code, n parse.Node, message, hint string) *grammar.Diagnostic {
	switch n.(type) {
	case *parse.RangeNode, *parse.TemplateNode: // the whole action, which begins before the node's place
		from := max(strings.LastIndex(c.text[:min(int(n.Position()), len(c.text))], "{{"), 0)
		return c.report(id, from, actionEnd(c.text, from+2), message, hint)
	}
	from := c.start(n)
	return c.report(id, from, from+max(len(source(n)), 1), message, hint)
}

// start is where a node begins; the parser notes the place behind the first name for some.
func (c *templater) start(n parse.Node) int {
	from := int(n.Position())
	src := source(n)
	for back := from; back >= 0 && from-back <= len(src); back-- {
		if strings.HasPrefix(c.text[min(back, len(c.text)):], src) {
			return back
		}
	}
	return min(from, len(c.text))
}

// source is a node as it was written, or nearly.
func source(n parse.Node) string {
	switch n := n.(type) {
	case *parse.StringNode:
		return n.Quoted
	case *parse.NumberNode:
		return n.Text
	default:
		return n.String()
	}
}

func (c *templater) list(l *parse.ListNode) {
	if l == nil {
		return
	}
	for _, n := range l.Nodes {
		switch n := n.(type) {
		case *parse.ActionNode:
			c.pipe(n.Pipe, false)
		case *parse.IfNode:
			c.pipe(n.Pipe, false)
			c.list(n.List)
			c.list(n.ElseList)
		case *parse.WithNode:
			c.pipe(n.Pipe, true)
			outer := c.inWith
			c.inWith = true
			c.list(n.List)
			c.inWith = outer
			c.list(n.ElseList)
		case *parse.RangeNode:
			c.loop(n)
		case *parse.TemplateNode:
			d := c.at(code.TemplateFunction, n, "{{template}} is not allowed in a text", "write the text out")
			if actions(c.text[d.Range.Start.Offset:])[0].keyword == "block" { // parse has reported it
				c.diags = c.diags[:len(c.diags)-1]
			}
		}
	}
}

// loop checks a range: directly over a set fact, and never within another, so that its length is the set's.
func (c *templater) loop(n *parse.RangeNode) {
	name, ok := c.ranged(n.Pipe)
	switch {
	case c.inLoop:
		c.at(code.TemplateRange, n, "a range within a range is not allowed", "use join")
		return
	case !ok:
		c.at(code.TemplateRange, n.Pipe, "range goes directly over a fact that is a set",
			"as in {{range .tool_used}}{{.}} {{end}}")
		return
	}
	actions := 0
	count(n.List, &actions)
	n.Pipe.Cmds[0].Args = call(n.Pipe.Pos, "members", quoted(name), &parse.NumberNode{
		NodeType: parse.NodeNumber, Pos: n.Pipe.Pos, IsInt: true, Int64: int64(actions), Text: fmt.Sprint(actions)})
	with := c.inWith
	c.inWith, c.inLoop = true, true
	c.list(n.List)
	c.inWith, c.inLoop = with, false
	c.list(n.ElseList)
}

// ranged returns the set fact that a pipe is and nothing else.
func (c *templater) ranged(p *parse.PipeNode) (string, bool) {
	if len(p.Cmds) != 1 || len(p.Cmds[0].Args) != 1 {
		return "", false
	}
	name, ok := c.factName(p.Cmds[0].Args[0])
	if !ok {
		return "", false
	}
	ft, ok := c.schema.Lookup(name)
	return name, ok && ft.Type == fact.Set
}

// count counts the nodes of a list.
func count(l *parse.ListNode, n *int) {
	if l == nil {
		return
	}
	for _, x := range l.Nodes {
		*n++
		switch x := x.(type) {
		case *parse.ActionNode:
			*n += countPipe(x.Pipe)
		case *parse.IfNode:
			*n += countPipe(x.Pipe)
			count(x.List, n)
			count(x.ElseList, n)
		case *parse.WithNode:
			*n += countPipe(x.Pipe)
			count(x.List, n)
			count(x.ElseList, n)
		}
	}
}

func countPipe(p *parse.PipeNode) int {
	n := 0
	for _, cmd := range p.Cmds {
		n += len(cmd.Args)
		for _, a := range cmd.Args {
			if inner, ok := a.(*parse.PipeNode); ok {
				n += countPipe(inner)
			}
		}
	}
	return n
}

// factName is the name of the fact that a node is, known or not: .prompt, .vars.todos, $.prompt.
func (c *templater) factName(n parse.Node) (string, bool) {
	switch n := n.(type) {
	case *parse.FieldNode:
		if c.inWith {
			return "", false
		}
		return strings.Join(n.Ident, "."), true
	case *parse.VariableNode:
		if n.Ident[0] != "$" || len(n.Ident) == 1 {
			return "", false
		}
		return strings.Join(n.Ident[1:], "."), true
	}
	return "", false
}

// call is the arguments of a command that calls one of ours with the scene first.
func call(pos parse.Pos, function string, args ...parse.Node) []parse.Node {
	scene := &parse.VariableNode{NodeType: parse.NodeVariable, Pos: pos, Ident: []string{"$"}}
	return slices.Concat([]parse.Node{parse.NewIdentifier(function).SetPos(pos), scene}, args)
}

// quoted is a quoted text.
func quoted(s string) *parse.StringNode {
	return &parse.StringNode{NodeType: parse.NodeString, Quoted: fmt.Sprintf("%q", s), Text: s}
}

// nested is a call in parentheses.
func nested(args []parse.Node) *parse.PipeNode {
	pos := args[0].Position()
	return &parse.PipeNode{NodeType: parse.NodePipe, Pos: pos,
		Cmds: []*parse.CommandNode{{NodeType: parse.NodeCommand, Pos: pos, Args: args}}}
}

// tkind is the type of a value in a text, as far as it is known when the text is loaded.
type tkind uint8

const (
	tAny tkind = iota // of a variable, or wrong
	tBool
	tNumber
	tDuration
	tString
	tSet
)

func (k tkind) String() string {
	return [...]string{"anything", "true or false", "a number", "a duration", "a string", "a set"}[k]
}

var kindOfFact = [...]tkind{fact.Bool: tBool, fact.Int: tNumber, fact.Number: tNumber, fact.Ratio: tNumber,
	fact.Dollars: tNumber, fact.Duration: tDuration, fact.String: tString, fact.Set: tSet, fact.Calls: tAny}

// templateFunction is a function that a text may call.
type templateFunction struct {
	name     string
	min, max int // arguments; max -1 is any number
	result   tkind
	example  string
}

// templateFunctions are those of LANGUAGE.md §6, sorted.
var templateFunctions = [...]templateFunction{
	{"and", 1, -1, tAny, `and (known "idle") .resumed`},
	{"default", 2, 2, tAny, `.thread_type | default "root"`},
	{"eq", 2, -1, tBool, `eq .thread_type "plan"`},
	{"ge", 2, 2, tBool, "ge .turn_count 10"},
	{"gt", 2, 2, tBool, "gt .turn_count 10"},
	{"index", 2, 2, tString, "index .tool_used 0"},
	{"join", 1, 2, tString, `join ", " .tool_used`},
	{"known", 1, 1, tBool, `known "context_usage"`},
	{"le", 2, 2, tBool, "le .turn_count 10"},
	{"len", 1, 1, tNumber, "len .tool_used"},
	{"lower", 1, 1, tString, "lower .model"},
	{"lt", 2, 2, tBool, "lt .turn_count 10"},
	{"ne", 2, 2, tBool, `ne .thread_type "plan"`},
	{"not", 1, 1, tBool, "not .resumed"},
	{"now", 0, 1, tString, `now "15:04"`},
	{"or", 1, -1, tAny, "or .resumed .compacted"},
	{"percent", 1, 1, tString, ".context_usage | percent"},
	{"printf", 1, -1, tString, `printf "%d turns" .turn_count`},
	{"upper", 1, 1, tString, "upper .model"},
}

func templateFunctionNames() []string {
	names := make([]string, len(templateFunctions))
	for i, f := range templateFunctions {
		names[i] = f.name
	}
	return names
}

// given is a value given to a function.
type given struct {
	kind tkind
	node parse.Node // nil for a value of a pipe
}

// pipe checks a pipe. Guard says that an unknown fact, all by itself, is provided for.
func (c *templater) pipe(p *parse.PipeNode, guard bool) tkind {
	if p == nil {
		return tAny
	}
	var last *given
	for i, cmd := range p.Cmds {
		alone := guard && len(p.Cmds) == 1
		if i+1 < len(p.Cmds) {
			if id, ok := p.Cmds[i+1].Args[0].(*parse.IdentifierNode); ok && id.Ident == "default" {
				alone = true
			}
		}
		last = &given{kind: c.command(cmd, last, alone)}
	}
	if last == nil {
		return tAny
	}
	return last.kind
}

// command checks one command of a pipe, into which piped flows, nil for the first.
func (c *templater) command(cmd *parse.CommandNode, piped *given, guard bool) tkind {
	id, ok := cmd.Args[0].(*parse.IdentifierNode)
	if !ok {
		if len(cmd.Args) > 1 || piped != nil {
			c.at(code.TemplateArguments, cmd.Args[0],
				fmt.Sprintf("%s is a value and takes nothing", source(cmd.Args[0])),
				"call a function, as in "+templateFunctions[2].example)
			return tAny
		}
		n, k := c.value(cmd.Args[0], guard)
		cmd.Args[0] = n
		return k
	}
	i := slices.IndexFunc(templateFunctions[:], func(f templateFunction) bool { return f.name == id.Ident })
	if i < 0 {
		c.unknownFunction(id)
		for j := 1; j < len(cmd.Args); j++ {
			c.value(cmd.Args[j], true)
		}
		return tAny
	}
	fn := &templateFunctions[i]
	var args []given
	for j := 1; j < len(cmd.Args); j++ {
		n, k := c.value(cmd.Args[j], fn.name == "default" && j == 2)
		args = append(args, given{k, cmd.Args[j]})
		cmd.Args[j] = n
	}
	if piped != nil {
		args = append(args, *piped)
	}
	if len(args) < fn.min || fn.max >= 0 && len(args) > fn.max {
		values := fmt.Sprintf("%d values", len(args))
		if len(args) == 1 {
			values = "1 value"
		}
		c.at(code.TemplateArguments, id, fmt.Sprintf("%s does not take %s", fn.name, values),
			"as in {{"+fn.example+"}}")
		return tAny
	}
	c.fits(fn, id, args)
	if fn.name == "known" || fn.name == "now" {
		cmd.Args = call(id.Pos, fn.name, cmd.Args[1:]...)
	}
	return fn.result
}

func (c *templater) unknownFunction(id *parse.IdentifierNode) {
	names := templateFunctionNames()
	d := c.report(code.TemplateFunction, c.start(id), c.start(id)+len(id.Ident),
		fmt.Sprintf("there is no function %q in a text", id.Ident), "there are "+strings.Join(names, ", "))
	if _, ok := c.schema.Lookup(id.Ident); ok {
		d.Message = fmt.Sprintf("%q is a fact, not a function", id.Ident)
		d.Hint, d.Fix = "did you mean ."+id.Ident+"?", edit(d.Range, "."+id.Ident)
		return
	}
	switch id.Ident {
	case "print", "println", "html", "urlquery", "js":
		d.Hint = "write the value by itself, as in {{.thread_type}}"
		return
	}
	if question, instead := vocabulary.Meant(id.Ident, names); instead != "" {
		d.Hint, d.Fix = question, edit(d.Range, instead)
	}
}

// fits checks the types of a function's arguments.
func (c *templater) fits(fn *templateFunction, id *parse.IdentifierNode, args []given) {
	wrong := func(g given, wants string) {
		n := g.node
		if n == nil {
			n = id
		}
		c.at(code.TemplateType, n,
			strings.TrimSuffix(fmt.Sprintf("%s takes %s, not %s", fn.name, wants, g.kind), ", not anything"),
			"as in {{"+fn.example+"}}")
	}
	want := func(i int, wants string, kinds ...tkind) {
		if k := args[i].kind; k != tAny && !slices.Contains(kinds, k) {
			wrong(args[i], wants)
		}
	}
	switch fn.name {
	case "percent":
		want(0, "a number", tNumber)
	case "lower", "upper":
		want(0, "a string", tString)
	case "printf":
		s, ok := args[0].node.(*parse.StringNode)
		if !ok {
			wrong(given{tAny, args[0].node}, "a quoted format first")
		} else if _, err := measureFormat(s.Text); err != nil {
			c.at(code.TemplateType, s, err.Error(), "as in {{"+fn.example+"}}")
		}
	case "now":
		if len(args) > 0 {
			want(0, "a string", tString)
		}
	case "len":
		want(0, "a string or a set", tString, tSet)
	case "index":
		want(0, "a set", tSet)
		want(1, "a number", tNumber)
	case "join":
		sets := 0
		for i := range args {
			want(i, "a set and a string", tSet, tString)
			if args[i].kind == tSet || args[i].kind == tAny {
				sets++
			}
		}
		if sets == 0 {
			wrong(args[len(args)-1], "a set")
		}
	case "known":
		c.knownFact(id, args[0])
	case "eq", "ne", "lt", "le", "gt", "ge":
		c.comparable(fn, args, wrong)
	}
}

// knownFact checks that known is given the quoted name of a fact.
func (c *templater) knownFact(id *parse.IdentifierNode, g given) {
	s, ok := g.node.(*parse.StringNode)
	if !ok {
		d := c.at(code.TemplateType, id, "known takes the quoted name of a fact",
			`as in {{if known "context_usage"}}`)
		if f, ok := g.node.(*parse.FieldNode); ok {
			if from := c.start(f); strings.HasPrefix(c.text[from:], source(f)) {
				name := strings.Join(f.Ident, ".")
				d.Hint = fmt.Sprintf("write known %q", name)
				d.Fix = edit(grammar.Range{Start: c.place(from), End: c.place(from + len(source(f)))},
					strconv.Quote(name))
			}
		}
		return
	}
	ft, ok := c.schema.Lookup(s.Text)
	if !ok {
		c.unknownFact(s, s.Text, `"`, `"`)
		return
	}
	c.facts = append(c.facts, ft.ID)
}

// comparable checks that compared values have one type.
func (c *templater) comparable(fn *templateFunction, args []given, wrong func(given, string)) {
	first := args[0]
	for _, g := range args[1:] {
		switch {
		case first.kind == tSet:
			wrong(first, "single values")
			return
		case g.kind == tSet:
			wrong(g, "single values")
		case first.kind == tAny || g.kind == tAny:
		case first.kind == tBool && fn.name != "eq" && fn.name != "ne":
			wrong(first, "values that have an order")
			return
		case isDurationText(first, g), isDurationText(g, first):
		case first.kind != g.kind:
			wrong(g, first.kind.String()+" beside "+first.kind.String())
		}
	}
}

// isDurationText reports whether d is a duration and s a quoted text that is one.
func isDurationText(d, s given) bool {
	n, ok := s.node.(*parse.StringNode)
	if !ok || d.kind != tDuration {
		return false
	}
	_, err := duration.Parse(n.Text)
	return err == nil
}

// value checks a value and returns the node that replaces it.
func (c *templater) value(n parse.Node, guard bool) (parse.Node, tkind) {
	switch x := n.(type) {
	case *parse.PipeNode:
		return n, c.pipe(x, guard)
	case *parse.StringNode:
		return n, tString
	case *parse.NumberNode:
		if x.IsComplex && !x.IsInt && !x.IsFloat {
			c.at(code.TemplateType, n, "an imaginary number is not allowed in a text", "")
		}
		return n, tNumber
	case *parse.BoolNode:
		return n, tBool
	case *parse.DotNode:
		if !c.inWith {
			c.at(code.NotFactInText, n, "the dot alone is nothing outside {{with}} and {{range}}",
				"write the name of a fact, as in {{.turn_count}}")
		}
		return n, tAny
	case *parse.FieldNode:
		if c.inWith {
			d := c.at(code.NotFactInText, n, source(n)+" is not reached by a plain dot inside {{with}} and {{range}}",
				"did you mean $"+source(n)+"?")
			d.Fix = edit(d.Range, "$"+source(n))
			return n, tAny
		}
		return c.fact(n, x.Ident, ".", guard)
	case *parse.VariableNode:
		switch {
		case x.Ident[0] == "$" && len(x.Ident) > 1:
			return c.fact(n, x.Ident[1:], "$.", guard)
		case x.Ident[0] == "$":
			c.at(code.NotFactInText, n, "$ alone is nothing", "write the name of a fact, as in {{$.turn_count}}")
		case len(x.Ident) > 1:
			c.at(code.NotFactInText, n, x.Ident[0]+" has no fields", "")
		}
		return n, tAny
	case *parse.IdentifierNode: // a function without arguments
		cmd := &parse.CommandNode{NodeType: parse.NodeCommand, Pos: x.Pos, Args: []parse.Node{x}}
		k := c.command(cmd, nil, false)
		return nested(cmd.Args), k
	case *parse.ChainNode:
		c.at(code.NotFactInText, n, "what a function returns has no fields",
			bracesHint)
	default:
		c.at(code.NotFactInText, n, source(n)+" is not allowed in a text", "")
	}
	return n, tAny
}

// fact checks the mention of a fact and returns the call that stands for it.
func (c *templater) fact(n parse.Node, ident []string, prefix string, guard bool) (parse.Node, tkind) {
	name := strings.Join(ident, ".")
	ft, ok := c.schema.Lookup(name)
	if !ok {
		if first, is := c.schema.Lookup(ident[0]); is {
			d := c.at(code.NotFactInText, n, first.Name+" has no fields", "did you mean "+prefix+first.Name+"?")
			d.Fix = edit(d.Range, prefix+first.Name)
		} else {
			c.unknownFact(n, name, prefix, "")
		}
		return n, tAny
	}
	if ft.Type == fact.Calls {
		c.at(code.NotFactInText, n, ft.Name+" is a list of calls, which a text cannot show",
			"write {{join .command}}, {{join .path}} or {{join .tool_used}}")
		return n, tAny
	}
	c.facts = append(c.facts, ft.ID)
	function := "fact"
	if guard {
		function = "perhaps"
	}
	return nested(call(n.Position(), function, quoted(name))), kindOfFact[ft.Type]
}
