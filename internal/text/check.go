package text

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"text/template/parse"

	"github.com/aside-go/aside/compile/fact"
	"github.com/aside-go/aside/internal/code"
	"github.com/aside-go/aside/internal/duration"
	"github.com/aside-go/aside/internal/vocabulary"
)

func (c *checker) list(l *parse.ListNode) {
	if l == nil {
		return
	}
	for _, n := range l.Nodes {
		switch n := n.(type) {
		case *parse.ActionNode:
			c.bare = alone(n.Pipe)
			c.pipe(n.Pipe, false)
			c.bare = false
		case *parse.IfNode:
			known := asked(n.Pipe)
			c.pipe(n.Pipe, false)
			c.branches(&n.BranchNode, c.inWith, known)
		case *parse.WithNode:
			known := asked(n.Pipe)
			c.pipe(n.Pipe, true)
			c.branches(&n.BranchNode, true, known)
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

// branches checks what stands behind a condition. inWith says whether the dot is another one there, and known
// are the facts that it has asked to be known.
func (c *checker) branches(n *parse.BranchNode, inWith bool, known []string) {
	outer, loops, before := c.inWith, c.inLoop, c.asked
	c.inWith, c.asked = inWith, slices.Concat(before, known)
	c.list(n.List)
	c.inWith, c.inLoop, c.asked = outer, loops && n.NodeType != parse.NodeRange, before
	c.list(n.ElseList)
}

// loop checks a range: directly over a set fact, and never within another, so that its length is the set's.
func (c *checker) loop(n *parse.RangeNode) {
	var ft fact.Fact
	if len(n.Pipe.Cmds) == 1 && len(n.Pipe.Cmds[0].Args) == 1 {
		if ident, _ := c.named(n.Pipe.Cmds[0].Args[0]); ident != nil {
			ft, _ = c.schema.Lookup(strings.Join(ident, "."))
		}
	}
	switch {
	case c.inLoop:
		c.at(code.TemplateRange, n, "a range within a range is not allowed", "use join")
		return
	case ft.Type != fact.Set:
		c.at(code.TemplateRange, n.Pipe, "range goes directly over a fact that is a set",
			"as in {{range .tool_used}}{{.}} {{end}}")
		return
	}
	bytes := len(n.List.String())
	n.Pipe.Cmds[0].Args = call(n.Pipe.Pos, "members", quoted(ft.Name), &parse.NumberNode{
		NodeType: parse.NodeNumber, Pos: n.Pipe.Pos, IsInt: true, Int64: int64(bytes), Text: fmt.Sprint(bytes)})
	c.inLoop = true
	c.branches(&n.BranchNode, true, nil)
}

// named is the name of the fact that a node is, known or not, and what stands before it: .prompt,
// .vars.todos, $.prompt. It is nil for another node.
func (c *checker) named(n parse.Node) (ident []string, before string) {
	switch n := n.(type) {
	case *parse.FieldNode:
		if !c.inWith {
			return n.Ident, "."
		}
	case *parse.VariableNode:
		if n.Ident[0] == "$" && len(n.Ident) > 1 {
			return n.Ident[1:], "$."
		}
	}
	return nil, ""
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

// given is a value given to a function.
type given struct {
	kind kind
	node parse.Node // nil for a value of a pipe
}

// pipe checks a pipe. Guard says that an unknown fact, all by itself, is provided for.
func (c *checker) pipe(p *parse.PipeNode, guard bool) kind {
	if p == nil {
		return anything
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
		return anything
	}
	return last.kind
}

// command checks one command of a pipe, into which piped flows, nil for the first.
func (c *checker) command(cmd *parse.CommandNode, piped *given, guard bool) kind {
	id, ok := cmd.Args[0].(*parse.IdentifierNode)
	if !ok {
		if len(cmd.Args) > 1 || piped != nil {
			c.at(code.TemplateArguments, cmd.Args[0],
				fmt.Sprintf("%s is a value and takes nothing", source(cmd.Args[0])),
				"call a function, as in "+functions[2].example)
			return anything
		}
		n, k := c.value(cmd.Args[0], guard)
		cmd.Args[0] = n
		return k
	}
	i := slices.IndexFunc(functions[:], func(f function) bool { return f.name == id.Ident })
	if i < 0 {
		c.unknownFunction(id)
		for j := 1; j < len(cmd.Args); j++ {
			c.value(cmd.Args[j], true)
		}
		return anything
	}
	fn := &functions[i]
	var args []given
	for j := 1; j < len(cmd.Args); j++ {
		n, k := c.value(cmd.Args[j], fn.name == "default" && j == 2)
		args = append(args, given{k, cmd.Args[j]})
		cmd.Args[j] = n
	}
	if piped != nil {
		args = append(args, *piped)
	}
	if len(args) < fn.least || fn.max >= 0 && len(args) > fn.max {
		values := fmt.Sprintf("%d values", len(args))
		if len(args) == 1 {
			values = "1 value"
		}
		c.at(code.TemplateArguments, id, fmt.Sprintf("%s does not take %s", fn.name, values),
			"as in {{"+fn.example+"}}")
		return anything
	}
	c.fits(fn, id, args)
	if fn.name == "now" && !daily(cmd) {
		c.use(id, Use{Name: fn.name, Clock: true})
	}
	if fn.name == "known" || fn.name == "now" {
		cmd.Args = call(id.Pos, fn.name, cmd.Args[1:]...)
	}
	return fn.result
}

func (c *checker) unknownFunction(id *parse.IdentifierNode) {
	names := functionNames()
	d := c.at(code.TemplateFunction, id, fmt.Sprintf("there is no function %q in a text", id.Ident),
		"there are "+strings.Join(names, ", "))
	if _, ok := c.schema.Lookup(id.Ident); ok {
		d.Message = fmt.Sprintf("%q is a fact, not a function", id.Ident)
		d.Hint, d.Fix = "did you mean ."+id.Ident+"?", edit(d.Range, "."+id.Ident)
		return
	}
	switch id.Ident {
	case "print", "println", "html", "urlquery", "js":
		d.Hint = "write the value alone, as in {{.thread_type}}"
		return
	}
	if question, instead := vocabulary.Meant(id.Ident, names); instead != "" {
		d.Hint, d.Fix = question, edit(d.Range, instead)
	}
}

// fits checks the types of a function's arguments.
func (c *checker) fits(fn *function, id *parse.IdentifierNode, args []given) {
	wrong := func(g given, wants string) {
		n := g.node
		if n == nil {
			n = id
		}
		c.at(code.TemplateType, n, strings.TrimSuffix(fmt.Sprintf("%s takes %s, not %s", fn.name, wants, g.kind),
			", not anything"), "as in {{"+fn.example+"}}")
	}
	of := make([]kind, len(args))
	for i, g := range args {
		of[i] = g.kind
	}
	switch fn.name {
	case "printf":
		if s, ok := args[0].node.(*parse.StringNode); !ok {
			wrong(given{anything, args[0].node}, "a quoted format first")
		} else if err := checkFormat(s.Text); err != nil {
			c.at(code.TemplateType, s, err.Error(), "as in {{"+fn.example+"}}")
		}
	case "known":
		c.knownFact(id, args[0])
	case "eq", "ne", "lt", "le", "gt", "ge":
		c.comparable(fn, args, wrong)
	default:
		fn.misfits(of, func(i int, wants string) { wrong(args[i], wants) })
	}
}

// knownFact checks that known is given the quoted name of a fact.
func (c *checker) knownFact(id *parse.IdentifierNode, g given) {
	s, ok := g.node.(*parse.StringNode)
	if !ok {
		d := c.at(code.TemplateType, id, "known takes the quoted name of a fact",
			`as in {{if known "context_usage"}}`)
		if f, ok := g.node.(*parse.FieldNode); ok {
			name := strconv.Quote(strings.Join(f.Ident, "."))
			d.Hint, d.Fix = "write known "+name, edit(c.span(f), name)
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
func (c *checker) comparable(fn *function, args []given, wrong func(given, string)) {
	first := args[0]
	for _, g := range args[1:] {
		switch {
		case first.kind == set:
			wrong(first, "single values")
			return
		case g.kind == set:
			wrong(g, "single values")
		case first.kind == anything || g.kind == anything:
		case first.kind == truth && fn.name != "eq" && fn.name != "ne":
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
	if !ok || d.kind != span {
		return false
	}
	_, err := duration.Parse(n.Text)
	return err == nil
}

// value checks a value and returns the node that replaces it.
func (c *checker) value(n parse.Node, guard bool) (parse.Node, kind) {
	switch x := n.(type) {
	case *parse.PipeNode:
		return n, c.pipe(x, guard)
	case *parse.StringNode:
		return n, word
	case *parse.NumberNode:
		if x.IsComplex && !x.IsInt && !x.IsFloat {
			c.at(code.TemplateType, n, "an imaginary number is not allowed in a text", "")
		}
		return n, number
	case *parse.BoolNode:
		return n, truth
	case *parse.DotNode:
		if !c.inWith {
			c.at(code.NotFactInText, n, "the dot alone is nothing outside {{with}} and {{range}}",
				"write the name of a fact, as in {{.turn_count}}")
		}
		return n, anything
	case *parse.FieldNode, *parse.VariableNode:
		if ident, before := c.named(n); ident != nil {
			return c.fact(n, ident, before, guard)
		}
		switch v, _ := n.(*parse.VariableNode); {
		case v == nil:
			d := c.at(code.NotFactInText, n, source(n)+" is not reached by a plain dot inside {{with}} and {{range}}",
				"did you mean $"+source(n)+"?")
			d.Fix = edit(d.Range, "$"+source(n))
		case v.Ident[0] == "$":
			c.at(code.NotFactInText, n, "$ alone is nothing", "write the name of a fact, as in {{$.turn_count}}")
		case len(v.Ident) > 1:
			c.at(code.NotFactInText, n, v.Ident[0]+" has no fields", "")
		}
		return n, anything
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
	return n, anything
}

// fact checks the mention of a fact and returns the call that stands for it.
func (c *checker) fact(n parse.Node, ident []string, prefix string, guard bool) (parse.Node, kind) {
	name := strings.Join(ident, ".")
	ft, ok := c.schema.Lookup(name)
	if !ok {
		if first, is := c.schema.Lookup(ident[0]); is {
			d := c.at(code.NotFactInText, n, first.Name+" has no fields", "did you mean "+prefix+first.Name+"?")
			d.Fix = edit(d.Range, prefix+first.Name)
		} else {
			c.unknownFact(n, name, prefix, "")
		}
		return n, anything
	}
	if ft.Type == fact.Calls {
		c.at(code.NotFactInText, n, ft.Name+" is a list of calls, which a text cannot show",
			"write {{join .command}}, {{join .path}} or {{join .tool_used}}")
		return n, anything
	}
	c.facts = append(c.facts, ft.ID)
	c.use(n, Use{Name: name, Fact: ft, Guarded: guard || slices.Contains(c.asked, name), Bare: c.bare})
	function := "fact"
	if guard {
		function = "perhaps"
	}
	return nested(call(n.Position(), function, quoted(name))), kinds[ft.Type]
}
