package text

import (
	"slices"
	"strings"
	"text/template/parse"

	"github.com/aside-go/aside/compile/fact"
)

// Use is a fact, or the time, in an action of a text.
type Use struct {
	Name     string    // as it is written
	Fact     fact.Fact // the zero Fact for the time
	Clock    bool      // it is the time
	Guarded  bool      // the text is there, too, where the fact is unknown
	Bare     bool      // it is all of its action: {{.context_usage}}
	From, To int       // the action
}

// Uses returns the facts that the text mentions, and the time if it shows more of it than the day, in the
// order of the places. The caller must not modify the list.
func (t *Template) Uses() []Use { return t.uses }

// use notes what a node mentions.
func (c *checker) use(n parse.Node, u Use) {
	u.From = max(strings.LastIndex(c.text[:min(int(n.Position()), len(c.text))], "{{"), 0)
	u.To = actionEnd(c.text, u.From+2)
	c.uses = append(c.uses, u)
}

// asked are the facts that a condition asks to be known.
func asked(p *parse.PipeNode) (names []string) {
	if p == nil {
		return nil
	}
	for _, cmd := range p.Cmds {
		id, _ := cmd.Args[0].(*parse.IdentifierNode)
		for i, a := range cmd.Args {
			switch a := a.(type) {
			case *parse.StringNode:
				if id != nil && id.Ident == "known" && i == 1 {
					names = append(names, a.Text)
				}
			case *parse.FieldNode:
				if len(cmd.Args) == 1 {
					names = append(names, strings.Join(a.Ident, "."))
				}
			case *parse.PipeNode:
				if id != nil && id.Ident == "and" {
					names = append(names, asked(a)...)
				}
			}
		}
	}
	return names
}

// alone reports whether an action is nothing but a fact.
func alone(p *parse.PipeNode) bool {
	if len(p.Cmds) != 1 || len(p.Cmds[0].Args) != 1 {
		return false
	}
	_, is := p.Cmds[0].Args[0].(*parse.FieldNode)
	return is
}

// daily reports whether a layout of now shows nothing that changes within a day.
func daily(now *parse.CommandNode) bool {
	if len(now.Args) < 2 {
		return false
	}
	s, ok := now.Args[1].(*parse.StringNode)
	hour := func(layout string) bool { return strings.Contains(s.Text, layout) } // or a minute, or a second
	return ok && !slices.ContainsFunc([]string{"15", "03", "3:", "04", ":05"}, hour)
}
