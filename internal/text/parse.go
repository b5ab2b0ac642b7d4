package text

import (
	"regexp"
	"sort"
	"strings"
	"sync"
	"text/template/parse"

	"github.com/aside-go/aside/grammar"
	"github.com/aside-go/aside/internal/code"
)

// parse parses the text; it is nil, and reported, if the text cannot be read.
func (c *checker) parse() *parse.Tree {
	tree, set, err := parseTemplate(c.text)
	if err != nil {
		c.unreadable(err)
		return nil
	}
	if len(set) > 1 {
		for _, a := range actions(c.text) {
			if a.keyword == "define" || a.keyword == "block" {
				c.report(code.TemplateFunction, a.from, a.to, "{{"+a.keyword+"}} is not allowed in a text",
					"write the text out")
			}
		}
	}
	return tree
}

func parseTemplate(text string) (*parse.Tree, map[string]*parse.Tree, error) {
	t := parse.New("text")
	t.Mode = parse.SkipFuncCheck
	set := map[string]*parse.Tree{}
	tree, err := t.Parse(text, "", "", set)
	return tree, set, err
}

var parseErrorHead = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^template: text:\d+:(\d+:)? ?`)
})

// unreadable reports an error of the parser, which names only a line, at the action that causes it: the
// first one up to which the text has an error other than its early end.
func (c *checker) unreadable(err error) {
	message := parseErrorHead().ReplaceAllString(err.Error(), "")
	as := actions(c.text)
	i := sort.Search(len(as), func(i int) bool {
		_, _, err := parseTemplate(c.text[:as[i].to])
		return err != nil && !strings.Contains(err.Error(), "unexpected EOF")
	})
	if i < len(as) && strings.HasPrefix(message, "unclosed action") {
		from, to := as[i].from, as[i].to
		if n := strings.IndexByte(c.text[from:to], '\n'); n >= 0 {
			to = from + n
		}
		c.report(code.UnreadableTemplate, from, to, "the action is not closed", "write }} where it ends")
		return
	}
	if i < len(as) {
		d := c.report(code.UnreadableTemplate, as[i].from, as[i].to, "the action cannot be read: "+message, "")
		c.called(d, c.text[as[i].from:as[i].to])
		return
	}
	if open, ok := unclosed(as); ok {
		d := c.report(code.UnreadableTemplate, open.from, open.to, "{{"+open.keyword+"}} is not closed",
			"write {{end}} where it ends")
		if _, _, err := parseTemplate(c.text + "{{end}}"); err == nil {
			end := c.place(len(c.text))
			d.Fix = edit(grammar.Range{Start: end, End: end}, "{{end}}")
		}
		return
	}
	c.report(code.UnreadableTemplate, len(c.text), len(c.text), "the text cannot be read: "+message, "")
}

// operation matches an action with an operator, which is a function in a text.
var operation = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(\{\{-?\s*(?:(?:else )?if |with )?)\s*(\S+)\s*` +
		`(==|!=|<=|>=|<|>|&&|\|\||[-+*/%])\s*([^\s}]+)(\s*-?\}\})$`)
})

// called gives an unreadable action with an operator the call of the function that a text has for it.
func (c *checker) called(d *grammar.Diagnostic, action string) {
	m := operation().FindStringSubmatch(action)
	if m == nil {
		return
	}
	name := map[string]string{"==": "eq", "!=": "ne", "<": "lt", "<=": "le", ">": "gt", ">=": "ge", "&&": "and",
		"||": "or"}[m[3]]
	call := m[1] + name + " " + m[2] + " " + m[4] + m[5]
	_, _, err := parseTemplate(call)
	switch {
	case name == "":
		d.Hint = "a text does not compute: write the value alone, as in {{.turn_count}}"
	case err == nil || strings.Contains(err.Error(), "unexpected EOF"): // the end is not in the action
		d.Hint, d.Fix = "write "+call, edit(d.Range, call)
	default:
		d.Hint = "an operator is a function here, as in {{if gt .turn_count 20}}"
	}
}

// action is one {{…}} of a text.
type action struct {
	from, to int
	keyword  string // its first word
}

// actions finds the actions of a text as the lexer of text/template does; one that is not closed goes to the
// end.
func actions(text string) []action {
	var as []action
	for at := 0; ; {
		i := strings.Index(text[at:], "{{")
		if i < 0 {
			return as
		}
		from := at + i
		to := actionEnd(text, from+2)
		word := strings.TrimLeft(strings.TrimPrefix(text[from+2:to], "-"), " \t\r\n")
		if n := strings.IndexFunc(word, func(r rune) bool { return r < 'a' || r > 'z' }); n >= 0 {
			word = word[:n]
		}
		as = append(as, action{from, to, word})
		at = to
	}
}

// unclosed is the innermost action that wants an end and has none.
func unclosed(as []action) (action, bool) {
	var open []action
	for _, a := range as {
		switch a.keyword {
		case "if", "with", "range", "define", "block":
			open = append(open, a)
		case "end":
			if len(open) > 0 {
				open = open[:len(open)-1]
			}
		}
	}
	if len(open) == 0 {
		return action{}, false
	}
	return open[len(open)-1], true
}
