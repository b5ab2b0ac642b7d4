package trigger

import (
	"fmt"
	"slices"
	"strings"

	"github.com/aside-go/aside/compile/fact"
	"github.com/aside-go/aside/grammar"
	"github.com/aside-go/aside/internal/callpattern"
	"github.com/aside-go/aside/internal/code"
)

// callPattern reads a call pattern, which stands at a place with or without quotes, by parse. ok is false if
// it is none, which it reports.
func (c *checker) callPattern(at grammar.Range, text string,
	parse func(string) (*callpattern.Pattern, *callpattern.Mistake)) (p callPattern, ok bool) {
	if strings.TrimSpace(text) == "" {
		return p, c.tool(at, text)
	}
	parsed, m := parse(text)
	if m != nil {
		d := c.badPattern(at, text, m)
		c.add(d)
		return p, false
	}
	p.Pattern, p.At = parsed, at
	for _, one := range parsed.Parts() {
		if m := one.Doubt(fact.NoClass); m != nil {
			d := c.badPattern(at, one.String(), m)
			d.Code, d.Severity, d.Fix = code.DoubtfulPattern, grammar.Warning, d.Fix.Doubtful()
			c.add(d)
		}
		if name := one.Name(); !strings.HasPrefix(name, "@") {
			c.tool(at, name)
			if !parsed.Subject() {
				p.Name = parsed.Name()
			}
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

// tool looks at the name of a tool and reports whether it can be one.
func (c *checker) tool(at grammar.Range, name string) bool {
	if strings.TrimSpace(name) == "" {
		c.report(code.EmptyToolName, at, "the name of the tool is empty", "write a name, or * for any tool")
		return false
	}
	if len(c.tools) > 0 && !slices.ContainsFunc(c.tools, callpattern.Wild(name)) {
		n := len(c.diags)
		c.unknown(code.UnknownTool, at, fmt.Sprintf("there is no tool %q", name), name, c.tools, "")
		for i := range c.diags[n:] {
			c.diags[n+i].Severity, c.diags[n+i].Fix = grammar.Warning, c.diags[n+i].Fix.Doubtful()
		}
	}
	return true
}

// chain reports whether text is a chain of tools.
func (c *checker) chain(at grammar.Range, text string) bool {
	if chain := strings.NewReplacer(", ", ">", ",", ">", "->", ">", "=>", ">").Replace(text); chain != text {
		d := c.badPattern(at, text, &callpattern.Mistake{Length: len(text), Replace: true, Fix: chain,
			Message: "the tools of a chain are joined by >", Hint: "write " + chain})
		c.add(d)
		return false
	}
	for link := range strings.SplitSeq(text, ">") {
		link = strings.TrimSpace(link)
		if strings.HasPrefix(link, "@") || strings.ContainsAny(link, "()") {
			c.report(code.BadCallPattern, at, fmt.Sprintf("a chain takes names of tools, not %q", link),
				"write names, perhaps with *, as in Read>Edit")
			return false
		}
		if !c.tool(at, link) {
			return false
		}
	}
	return c.remembered(at, text, 1)
}

// remembered reports whether n repeats of a chain fit into the calls that a run remembers.
func (c *checker) remembered(at grammar.Range, chain string, n float64) bool {
	if need := n * float64(strings.Count(chain, ">")+1); need > fact.ChainMemory {
		c.report(code.LongChain, at, fmt.Sprintf("%s times this chain is %s, and a run remembers %d", wholeText(n),
			plural(int(min(need, fact.MaxInt)), "call"), fact.ChainMemory),
			"shorten the chain or lower the number")
		return false
	}
	return true
}
