package text

import (
	"errors"
	"fmt"
	"math"
	"strings"
	texttemplate "text/template"
	"time"

	"github.com/aside-go/aside/compile/fact"
	"github.com/aside-go/aside/grammar"
	"github.com/aside-go/aside/internal/code"
	"github.com/aside-go/aside/internal/mark"
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
	return &Template{exec: exec, facts: c.facts}, c.diags
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

// templateError is why a text could not be rendered, in the words of the language.
type templateError struct{ message string }

// Error implements error.
func (e *templateError) Error() string { return e.message }

func failf(format string, args ...any) error { return &templateError{fmt.Sprintf(format, args...)} }

// capped takes maxRendered bytes and refuses more, so that no text can fill the memory while it is made.
type capped struct{ b strings.Builder }

// Write implements io.Writer.
func (w *capped) Write(p []byte) (int, error) {
	if w.b.Len()+len(p) > maxRendered {
		return 0, failf("the text is longer than %d KiB", maxRendered>>10)
	}
	return w.b.Write(p)
}

// scene is the turn for which a text is rendered: the value of $ and of the outermost dot.
type scene struct {
	f  *fact.Frame
	at time.Time
}

// list is a set fact in a text; printed, its members stand with commas between them.
type list []string

// String implements fmt.Stringer.
func (l list) String() string { return strings.Join(l, ", ") }

// fact is the value of a fact; it is an error if it is unknown.
func (s *scene) fact(name string) (any, error) {
	v := s.perhaps(name)
	if v == nil {
		return nil, failf("%s is unknown", name)
	}
	return v, nil
}

// perhaps is the value of a fact, nil if it is unknown. Texts of it are neutralised, since others write them.
func (s *scene) perhaps(name string) any {
	ft, ok := s.f.Schema().Lookup(name)
	if !ok {
		return nil
	}
	switch v := s.f.Value(ft.ID).(type) {
	case string:
		return mark.Neutralise(v)
	case []string:
		l := make(list, len(v))
		for i, m := range v {
			l[i] = mark.Neutralise(m)
		}
		return l
	case float64:
		if ft.Type == fact.Dollars { // a sum of small amounts, without the last digits' noise
			return math.Round(v*1e6) / 1e6
		}
		return v
	default:
		return v
	}
}

// members returns the members of a set fact for a range over as many bytes of actions.
func (s *scene) members(name string, bytes int) (list, error) {
	v, err := s.fact(name)
	if err != nil {
		return nil, err
	}
	l, _ := v.(list)
	if len(l) > maxWork/max(bytes, 1) {
		return nil, failf("%s has %d members, which is too many to go through", name, len(l))
	}
	return l, nil
}

func (s *scene) known(name string) bool { return s.perhaps(name) != nil }

// now is the time of the turn, RFC 3339 unless a layout of package time is given.
func (s *scene) now(layout ...string) string { return s.at.Format(append(layout, time.RFC3339)[0]) }
