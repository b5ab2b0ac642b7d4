package trigger

import (
	"strings"

	"github.com/aside-go/aside/compile/fact"
	"github.com/aside-go/aside/grammar"
	"github.com/aside-go/aside/internal/callpattern"
	"github.com/aside-go/aside/internal/code"
)

// callPattern reads a call pattern, which stands at a place with or without quotes. ok is false if it is
// none, which it reports.
func (c *checker) callPattern(at grammar.Range, text string) (p callPattern, ok bool) {
	if strings.TrimSpace(text) == "" {
		return p, c.tool(at, text)
	}
	parsed, m := callpattern.Parse(text)
	if m != nil {
		d := c.badPattern(at, text, m)
		c.add(d)
		return p, false
	}
	if m := parsed.Doubt(fact.NoClass); m != nil {
		d := c.badPattern(at, parsed.String(), m)
		d.Code, d.Severity, d.Fix = code.DoubtfulPattern, grammar.Warning, d.Fix.Doubtful()
		c.add(d)
	}
	p.Pattern, p.At = parsed, at
	if name := parsed.Name(); !strings.HasPrefix(name, "@") {
		c.tool(at, name)
		if !parsed.Subject() {
			p.Name = name
		}
	}
	return p, true
}

// badPattern is the diagnostic of a mistake in a call pattern that stands at a place.
func (c *checker) badPattern(at grammar.Range, text string, m *callpattern.Mistake) grammar.Diagnostic {
	d := grammar.Diagnostic{Code: code.BadCallPattern, Range: at, Message: m.Message, Hint: m.Hint}
	// the place of the mistake within the text, where the text stands in the source letter by letter
	start, end := m.Offset, m.Offset+m.Length
	written := c.src[at.Start.Offset:min(at.End.Offset, len(c.src))]
	skip := strings.Index(written, text)
	if skip < 0 || start < 0 || end > len(text) {
		return d
	}
	d.Range.Start = at.Start.After(written[:skip+start])
	d.Range.End = at.Start.After(written[:skip+end])
	if m.Replace {
		d.Fix = &grammar.Edit{Range: d.Range, Text: m.Fix}
	}
	return d
}
