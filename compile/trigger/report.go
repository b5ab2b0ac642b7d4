package trigger

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/aside-go/aside/grammar"
	"github.com/aside-go/aside/internal/vocabulary"
)

// report adds an error. It returns nil in place of a leaf, since a wrong condition has none.
func (c *checker) report(id grammar.Code, at grammar.Range, message, hint string) leaf {
	c.add(grammar.Diagnostic{Code: id, Range: at, Message: message, Hint: hint})
	return nil
}

// mend adds an error with a fix: text in place of the range.
func (c *checker) mend(id grammar.Code, at grammar.Range, message, hint, text string) leaf {
	c.add(grammar.Diagnostic{Code: id, Range: at, Message: message, Hint: hint, Fix: edit(at, text)})
	return nil
}

// meant is mend for a text that the author probably means.
func (c *checker) meant(id grammar.Code, at grammar.Range, message, text string) leaf {
	return c.mend(id, at, message, "did you mean "+text+"?", text)
}

// warn adds a warning. text replaces the range; it is "" where a person has to choose.
func (c *checker) warn(id grammar.Code, at grammar.Range, message, hint, text string) {
	d := grammar.Diagnostic{Code: id, Severity: grammar.Warning, Range: at, Message: message, Hint: hint}
	if text != "" {
		d.Fix = &grammar.Edit{Range: at, Text: text, Unsafe: true}
	}
	c.add(d)
}

// add adds a diagnostic, unless the parser has already said that something is wrong with these very
// characters.
func (c *checker) add(d grammar.Diagnostic) {
	if !slices.ContainsFunc(c.diags, func(o grammar.Diagnostic) bool {
		return o.Range == d.Range && o.Severity == grammar.Error && strings.HasPrefix(string(o.Code), "R01")
	}) {
		c.diags = append(c.diags, d)
	}
}

// unknown reports a name that does not exist, with the nearest that does, or a hint where nothing is near.
func (c *checker) unknown(id grammar.Code, at grammar.Range, message, name string, candidates []string,
	hint string) leaf {
	question, instead := vocabulary.Meant(name, candidates)
	if instead != "" {
		return c.mend(id, at, message, question, instead)
	}
	return c.report(id, at, message, cmp.Or(hint, question))
}

// source returns an operand as the author wrote it.
func (c *checker) source(o value) string {
	if s, e := o.Start.Offset, o.End.Offset; s >= 0 && s < e && e <= len(c.src) {
		return c.src[s:e]
	}
	return o.Text
}

func edit(at grammar.Range, text string) *grammar.Edit { return &grammar.Edit{Range: at, Text: text} }

// otherWord reports a shorthand or a function that stands where another kind of word is wanted, and whether
// the name is one.
func (c *checker) otherWord(id grammar.Code, at grammar.Range, name, wanted string) bool {
	w, kind := findShorthand(c.schema, name), "shorthand"
	if w == nil || wanted == kind {
		w, kind = findFunction(c.schema, name), "function"
	}
	if w == nil || wanted == kind {
		return false
	}
	if wanted != "" {
		kind += ", not a " + wanted
	}
	c.report(id, at, fmt.Sprintf("%q is a %s", name, kind), "as in "+w.Example)
	return true
}

// undeclared reports a fact of the host that it has not declared.
func (c *checker) undeclared(id grammar.Code, at grammar.Range, name string) leaf {
	return c.unknown(id, at, fmt.Sprintf("the fact %q is not declared", name), name, c.schema.Names(),
		"declare it, or use a fact there is")
}
