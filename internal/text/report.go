package text

import (
	"fmt"
	"strings"
	"text/template/parse"

	"github.com/aside-go/aside/compile/fact"
	"github.com/aside-go/aside/grammar"
	"github.com/aside-go/aside/internal/code"
	"github.com/aside-go/aside/internal/vocabulary"
)

// checker walks the tree of a text, reports everything in it that is not on the list of LANGUAGE.md §6, and
// writes calls in place of facts: .prompt becomes (fact $ "prompt"), which fails if the fact is unknown, or
// (perhaps $ "prompt") where an unknown fact is provided for. Going through a call, a fact has no fields and
// no methods.
type checker struct {
	schema *fact.Schema
	text   string
	diags  grammar.Diagnostics
	facts  []fact.ID // those that the text mentions
	uses   []Use
	asked  []string // facts that are known here, since a condition around has asked
	inWith bool     // the dot is not the turn
	inLoop bool
	bare   bool // the action is nothing but a fact
}

func (c *checker) report(id grammar.Code, from, to int, message, hint string) *grammar.Diagnostic {
	c.diags = append(c.diags, grammar.Diagnostic{
		Code: id, Message: message, Hint: hint, Range: grammar.Range{Start: c.place(from), End: c.place(to)},
	})
	return &c.diags[len(c.diags)-1]
}

// at reports a diagnostic about a node.
func (c *checker) at(id grammar.Code, n parse.Node, message, hint string) *grammar.Diagnostic {
	switch n.(type) {
	case *parse.RangeNode, *parse.TemplateNode: // the whole action, which begins before the node's place
		from := max(strings.LastIndex(c.text[:min(int(n.Position()), len(c.text))], "{{"), 0)
		return c.report(id, from, actionEnd(c.text, from+2), message, hint)
	}
	at := c.span(n)
	return c.report(id, at.Start.Offset, at.End.Offset, message, hint)
}

// span is where a node stands.
func (c *checker) span(n parse.Node) grammar.Range {
	from := c.start(n)
	return grammar.Range{Start: c.place(from), End: c.place(from + max(len(source(n)), 1))}
}

// start is where a node begins; the parser notes the place behind the first name for some.
func (c *checker) start(n parse.Node) int {
	from := int(n.Position())
	src := source(n)
	for back := from; back >= 0 && from-back <= len(src); back-- {
		if strings.HasPrefix(c.text[min(back, len(c.text)):], src) {
			return back
		}
	}
	return min(from, len(c.text))
}

// place is the position of an offset of the text.
func (c *checker) place(offset int) grammar.Position {
	return grammar.Position{Line: 1, Column: 1}.After(c.text[:min(offset, len(c.text))])
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

// bracesHint is for words in braces that were meant as they stand.
const bracesHint = `write {{"{{"}} for two braces that are meant as they stand`

// unknownFact reports a fact that does not exist; before and after stand around a name in the text.
func (c *checker) unknownFact(n parse.Node, name, before, after string) {
	message, hint := fmt.Sprintf("there is no fact %q", name), "write the name of a fact, as in {{.turn_count}}"
	if strings.Contains(name, ".") && !strings.HasPrefix(name, "vars.") {
		hint = bracesHint
	}
	if name == "vars" {
		hint = "a declared fact is written .vars.NAME"
	}
	if strings.HasPrefix(name, "vars.") {
		message = fmt.Sprintf("the fact %q is not declared", name)
	}
	d := c.at(code.UnknownFactInText, n, message, hint)
	if question, instead := vocabulary.Meant(name, c.schema.Names()); instead != "" {
		d.Hint, d.Fix = question, edit(d.Range, before+instead+after)
	}
}

func edit(at grammar.Range, text string) *grammar.Edit { return &grammar.Edit{Range: at, Text: text} }

// actionEnd is the place behind the }} that closes the action whose inside begins at at.
func actionEnd(text string, at int) int {
	inside := strings.TrimLeft(strings.TrimPrefix(text[at:], "-"), " \t\r\n")
	if strings.HasPrefix(inside, "/*") {
		if i := strings.Index(text[at:], "*/"); i >= 0 {
			at += i + 2
		}
	}
	for at < len(text) {
		switch c := text[at]; {
		case strings.HasPrefix(text[at:], "}}"):
			return at + 2
		case c == '"' || c == '\'' || c == '`':
			end := at + 1
			for end < len(text) && text[end] != c && (c == '`' || text[end] != '\n') {
				if c != '`' && text[end] == '\\' {
					end++
				}
				end++
			}
			at = end
		}
		at++
	}
	return len(text)
}
