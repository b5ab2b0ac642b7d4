package text

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	texttemplate "text/template"
	"time"

	"github.com/aside-go/aside/compile/fact"
	"github.com/aside-go/aside/grammar"
	"github.com/aside-go/aside/internal/code"
	"github.com/aside-go/aside/internal/duration"
	"github.com/aside-go/aside/internal/mark"
)

const (
	maxTemplate = 256 << 10 // bytes of a text with actions in it
	maxRendered = 64 << 10  // bytes that a text may become
)

// Template is a text with {{actions}} in it. It is immutable and may be rendered concurrently.
type Template struct {
	exec  *texttemplate.Template
	facts []fact.ID
}

// New checks a text and compiles it. The template is nil if there is an error among the diagnostics, whose
// places are in text.
func New(text string, schema *fact.Schema) (*Template, grammar.Diagnostics) {
	c := &templater{schema: schema, text: text}
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
	exec, err := texttemplate.New("text").Funcs(templateFuncs).AddParseTree("text", tree)
	if err != nil { // no user can cause it: the tree has one name
		c.report(code.UnreadableTemplate, 0, 0, "the text cannot be made a template", "")
		return nil, c.diags
	}
	return &Template{exec: exec, facts: c.facts}, c.diags
}

// Facts returns the facts that the text mentions.
func (t *Template) Facts() []fact.ID { return t.facts }

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

// capped takes maxRendered bytes and refuses more, so that no text can fill the memory while it is made.
type capped struct{ b strings.Builder }

// Write implements io.Writer.
func (w *capped) Write(p []byte) (int, error) {
	if w.b.Len()+len(p) > maxRendered {
		return 0, &templateError{fmt.Sprintf("the text is longer than %d KiB", maxRendered>>10)}
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

// templateFuncs are the functions of LANGUAGE.md §6, and three that templater writes in place of facts: fact,
// perhaps and members, which nobody can call by name. The scene that some of them take is written by
// templater, too.
var templateFuncs = texttemplate.FuncMap{
	"fact":    (*scene).fact,
	"perhaps": (*scene).perhaps,
	"members": (*scene).members,
	"known":   (*scene).known,
	"now":     (*scene).now,
	"percent": percent,
	"default": fallback,
	"join":    join,
	"lower":   strings.ToLower,
	"upper":   strings.ToUpper,
	"printf":  printf,
	"len":     length,
	"index":   index,
	"eq":      equal,
	"ne":      func(a, b any) (bool, error) { eq, err := equal(a, b); return !eq, err },
	"lt":      func(a, b any) (bool, error) { return ordered(a, b, func(c int) bool { return c < 0 }) },
	"le":      func(a, b any) (bool, error) { return ordered(a, b, func(c int) bool { return c <= 0 }) },
	"gt":      func(a, b any) (bool, error) { return ordered(a, b, func(c int) bool { return c > 0 }) },
	"ge":      func(a, b any) (bool, error) { return ordered(a, b, func(c int) bool { return c >= 0 }) },
}

func failf(format string, args ...any) error { return &templateError{fmt.Sprintf(format, args...)} }

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

// maxSteps bounds the work of a range: its members times the actions within it.
const maxSteps = 100_000

// members returns the members of a set fact for a range.
func (s *scene) members(name string, actions int) (list, error) {
	v, err := s.fact(name)
	if err != nil {
		return nil, err
	}
	l, _ := v.(list)
	if len(l) > maxSteps/max(actions, 1) {
		return nil, failf("%s has %d members, which is too many to go through", name, len(l))
	}
	return l, nil
}

func (s *scene) known(name string) bool { return s.perhaps(name) != nil }

// now is the time of the turn, RFC 3339 unless a layout of package time is given.
func (s *scene) now(layout ...string) string {
	if len(layout) == 0 {
		return s.at.Format(time.RFC3339)
	}
	return s.at.Format(layout[0])
}

func percent(v any) (string, error) {
	n, ok := asNumber(v)
	if !ok {
		return "", failf("percent takes a number")
	}
	// as written: 0.285*100 would be less than 28.5
	shifted, err := strconv.ParseFloat(strconv.FormatFloat(n, 'f', -1, 64)+"e2", 64)
	if err != nil {
		return "", failf("percent cannot write %v", n)
	}
	return strconv.FormatFloat(math.Round(shifted), 'f', -1, 64) + "%", nil
}

// fallback is v, or instead where v is unknown or empty.
func fallback(instead, v any) any {
	switch v := v.(type) {
	case nil:
		return instead
	case string:
		if v == "" {
			return instead
		}
	case list:
		if len(v) == 0 {
			return instead
		}
	}
	return v
}

// join takes a set and a separator, in either order. The default separator is a comma and a blank.
func join(args ...any) (string, error) {
	sep, have := ", ", false
	var l list
	for _, a := range args {
		switch a := a.(type) {
		case string:
			sep = a
		case list:
			l, have = a, true
		}
	}
	if !have {
		return "", failf("join takes a set")
	}
	size := 0
	for _, m := range l {
		size += len(m) + len(sep)
	}
	if size > 2*maxRendered {
		return "", failf("what join makes is too long")
	}
	return strings.Join(l, sep), nil
}

// printf is fmt.Sprintf within bounds: it estimates the greatest possible length of the result first.
func printf(format string, args ...any) (string, error) {
	f, err := measureFormat(format)
	if err != nil {
		return "", err
	}
	longest := 0
	for _, a := range args {
		switch a := a.(type) {
		case string:
			longest = max(longest, len(a))
		case list:
			longest = max(longest, len(a.String()))
		}
	}
	const growth = 8 // %q and %x make this much of a byte, at most
	if len(format)+f.width+f.verbs*(longest*growth+64) > 64*maxRendered {
		return "", failf("what printf makes is too long")
	}
	return fmt.Sprintf(format, args...), nil
}

// maxWidth is the greatest width or precision in a format.
const maxWidth = 1000

// formatSize is how much a format makes by itself.
type formatSize struct{ verbs, width int }

// measureFormat reads a format for printf, and refuses formats that could make a long text of a short one.
func measureFormat(format string) (formatSize, error) {
	var f formatSize
	inVerb, n := false, 0
	for i := 0; i < len(format); i++ {
		c := format[i]
		switch {
		case c == '%' && !inVerb:
			inVerb, n = true, 0
			f.verbs++
		case !inVerb:
		case c == '*':
			return f, failf("printf takes no * in its format")
		case c >= '0' && c <= '9':
			n = n*10 + int(c-'0')
			if n > maxWidth {
				return f, failf("printf takes no width above %d", maxWidth)
			}
			f.width += n
		case strings.IndexByte("+-# .[]", c) >= 0:
			n = 0
		default:
			inVerb = false
		}
	}
	return f, nil
}

func length(v any) (int, error) {
	switch v := v.(type) {
	case string:
		return len(v), nil
	case list:
		return len(v), nil
	default:
		return 0, failf("len takes a text or a set")
	}
}

func index(v any, at any) (string, error) {
	l, ok := v.(list)
	n, isNumber := asNumber(at)
	if !ok || !isNumber || n != math.Trunc(n) {
		return "", failf("index takes a set and a whole number")
	}
	if n < 0 || n >= float64(len(l)) {
		return "", failf("index %v is beyond the %d members of the set", n, len(l))
	}
	return l[int(n)], nil
}

// equal reports whether the first is any of the others.
func equal(a any, bs ...any) (bool, error) {
	for _, b := range bs {
		if x, ok := a.(bool); ok {
			y, ok := b.(bool)
			if !ok {
				return false, mismatch(a, b)
			}
			if x == y {
				return true, nil
			}
			continue
		}
		c, err := order(a, b)
		if err != nil {
			return false, err
		}
		if c == 0 {
			return true, nil
		}
	}
	return false, nil
}

func ordered(a, b any, holds func(int) bool) (bool, error) {
	c, err := order(a, b)
	return err == nil && holds(c), err
}

// order compares numbers with numbers, texts with texts, and durations with durations or texts that are some.
func order(a, b any) (int, error) {
	da, isA := asDuration(a, b)
	db, isB := asDuration(b, a)
	if isA && isB {
		return cmp.Compare(da, db), nil
	}
	na, isA := asNumber(a)
	nb, isB := asNumber(b)
	if isA && isB {
		return cmp.Compare(na, nb), nil
	}
	sa, isA := a.(string)
	sb, isB := b.(string)
	if isA && isB {
		return strings.Compare(sa, sb), nil
	}
	return 0, mismatch(a, b)
}

// asDuration reads v as a duration: one, or a text that is one beside a duration.
func asDuration(v, beside any) (time.Duration, bool) {
	if d, ok := v.(time.Duration); ok {
		return d, true
	}
	if _, ok := beside.(time.Duration); !ok {
		return 0, false
	}
	s, ok := v.(string)
	if !ok {
		return 0, false
	}
	d, err := duration.Parse(s)
	return d, err == nil
}

func asNumber(v any) (float64, bool) {
	switch n := v.(type) {
	case int:
		return float64(n), true
	case int64:
		return float64(n), true
	case float64:
		return n, true
	default:
		return 0, false
	}
}

func mismatch(a, b any) error {
	return failf("%s and %s cannot be compared", described(a), described(b))
}

// described is the type of a value, for people.
func described(v any) string {
	switch v.(type) {
	case nil:
		return "an unknown fact"
	case bool:
		return "true or false"
	case string:
		return "a string"
	case list:
		return "a set"
	case time.Duration:
		return "a duration"
	default:
		return "a number"
	}
}
