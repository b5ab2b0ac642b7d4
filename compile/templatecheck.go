package compile

import (
	"fmt"
	"slices"
	"strings"
	"text/template/parse"

	"github.com/aside-go/aside/compile/fact"
	"github.com/aside-go/aside/grammar"
	"github.com/aside-go/aside/internal/code"
)

// templater walks the tree of a text, reports everything in it that is not on the list of LANGUAGE.md §6, and writes calls in
// place of facts: .prompt becomes (fact $ "prompt"), which fails if the fact is unknown, or (perhaps $ "prompt") where an
// unknown fact is provided for. Going through a call, a fact has no fields and no methods.
type templater struct {
	schema *fact.Schema
	text   string
	diags  grammar.Diagnostics
	inWith bool // the dot is not the turn
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
	offset = min(offset, len(c.text))
	return advance(grammar.Position{Line: 1, Column: 1}, c.text[:offset], offset)
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
		c.at(code.TemplateRange, n.Pipe, "range goes directly over a fact that is a set", "as in {{range .tool_used}}{{.}} {{end}}")
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
