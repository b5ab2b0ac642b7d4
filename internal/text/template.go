package text

import (
	"errors"
	"fmt"
	"strings"
	texttemplate "text/template"
	"time"

	"github.com/aside-go/aside/compile/fact"
	"github.com/aside-go/aside/grammar"
	"github.com/aside-go/aside/internal/code"
)

const (
	maxTemplate = 256 << 10 // bytes of a text with actions in it
	maxRendered = 64 << 10  // bytes that a text may become
	maxWork     = 512 << 10 // the members of a range times the bytes within it
)

// Template is a text with {{actions}} in it. It is immutable and may be rendered concurrently.
type Template struct {
	exec  *texttemplate.Template
	facts []fact.ID
	uses  []Use
}

// New checks a text and compiles it. The template is nil if there is an error among the diagnostics, whose
// places are in text.
func New(text string, schema *fact.Schema) (*Template, grammar.Diagnostics) {
	c := &checker{schema: schema, text: text}
	if len(text) > maxTemplate {
		c.report(code.LongTemplate, 0, 0,
			fmt.Sprintf("a text with actions in it is at most %d KiB long", maxTemplate>>10), "shorten it")
		return nil, c.diags
	}
	tree := c.parse()
	if tree != nil {
		c.list(tree.Root)
	}
	c.diags.Sort()
	if tree == nil || c.diags.HasErrors() {
		return nil, c.diags
	}
	exec, err := texttemplate.New("text").Funcs(calls()).AddParseTree("text", tree)
	if err != nil { // no user can cause it: the tree has one name
		c.report(code.UnreadableTemplate, 0, 0, "the text cannot be made a template", "")
		return nil, c.diags
	}
	return &Template{exec: exec, facts: c.facts, uses: c.uses}, c.diags
}

// Facts returns the facts that the text mentions; none for nil, a plain text.
func (t *Template) Facts() []fact.ID {
	if t == nil {
		return nil
	}
	return t.facts
}

// Render renders the template on the turn that f holds, at the time at.
func (t *Template) Render(f *fact.Frame, at time.Time) (string, error) {
	var out capped
	err := t.exec.Execute(&out, &scene{f: f, at: at})
	if err == nil {
		return out.b.String(), nil
	}
	var mine *templateError
	if errors.As(err, &mine) {
		return "", mine
	}
	message := err.Error()
	if i := strings.LastIndex(message, ">: "); i >= 0 {
		message = message[i+len(">: "):]
	}
	return "", &templateError{message}
}

// capped takes maxRendered bytes and refuses more, so that no text can fill the memory while it is made.
type capped struct{ b strings.Builder }

// Write implements io.Writer.
func (w *capped) Write(p []byte) (int, error) {
	if w.b.Len()+len(p) > maxRendered {
		return 0, failf("the text is longer than %d KiB", maxRendered>>10)
	}
	return w.b.Write(p)
}
