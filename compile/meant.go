package compile

import (
	"slices"
	"strings"

	"github.com/aside-go/aside/compile/fact"
	"github.com/aside-go/aside/grammar"
	"github.com/aside-go/aside/internal/code"
	"github.com/aside-go/aside/internal/words"
)

// noHint is the hint about a name that is like no other.
const noHint = "aside help facts lists all facts"

// generalHint is the one about words that mean nothing together.
const generalHint = "a trigger is a condition over facts, such as context_usage > 75%: aside help triggers"

// intended returns the diagnostics of a trigger that has errors. In place of those of a condition that no
// hint mends stands one with the lines that its words may mean. It makes hints better and finds no mistakes,
// and a line that does not compile is never shown.
func intended(ds grammar.Diagnostics, src string, schema *fact.Schema) grammar.Diagnostics {
	for i := range ds {
		if ds[i].Severity == grammar.Error {
			explain(&ds[i], src)
		}
	}
	if len(src) > words.MaxLine {
		return ds
	}
	m := meaning{src: src, schema: schema}
	if trigger, key := words.Limit(src); key != "" && m.compiles(trigger) {
		d := ds[slices.IndexFunc(ds, func(d grammar.Diagnostic) bool { return d.Severity == grammar.Error })]
		d.Hint, d.Fix = "how often it fires and how long it holds are keys: `"+key+"`", nil
		return grammar.Diagnostics{d}
	}
	parts := words.Parts(src)
	whole, last, rejoined := "", 0, false
	for i, p := range parts {
		parts[i].Lines = slices.DeleteFunc(p.Lines, func(line string) bool { return !m.compiles(line) })
		text := src[p.From:p.To]
		if line := parts[i].First(); line != "" && !m.compiles(text) {
			if text = line; len(parts) > 1 && strings.Contains(line, " ") {
				text = "(" + line + ")"
			}
		}
		rejoined = rejoined || p.Instead != "" && !strings.EqualFold(p.Instead, p.Join)
		whole += src[last:p.From-len(p.Join)] + p.Instead + text
		last = p.To
	}
	m.sound = m.compiles(whole + src[last:])
	if rejoined && m.sound { // turn_count > 3 unless compacted
		parts = []words.Part{{To: len(src), Lines: []string{whole + src[last:]}, Sure: true}}
	}
	for _, p := range parts {
		ds = m.answer(ds, p, len(parts) > 1)
	}
	return ds
}

// meaning looks for what the author of a trigger with errors means.
type meaning struct {
	src    string
	schema *fact.Schema
	sound  bool // whether the trigger compiles with the first lines of all its parts
}

// compiles reports whether a trigger has no errors.
func (m *meaning) compiles(src string) bool {
	tree, found := grammar.Parse(src)
	c := checker{schema: m.schema, src: src, diags: found}
	root := c.lower(tree.Root)
	if root != nil {
		c.moments(root)
	}
	return root != nil && !c.diags.HasErrors()
}

// answer returns the diagnostics with one that shows the lines of a part in place of those within it.
func (m *meaning) answer(ds grammar.Diagnostics, p words.Part, joined bool) grammar.Diagnostics {
	within := func(d grammar.Diagnostic) bool {
		return d.Severity == grammar.Error && d.Range.Start.Offset <= p.To && d.Range.End.Offset >= p.From
	}
	first := slices.IndexFunc(ds, within)
	if first >= 0 && len(p.Lines) == 0 && ds[first].Code == code.MissingOperator && ds[first].Fix != nil {
		f := ds[first].Fix
		if to, _, _ := strings.Cut(strings.TrimPrefix(ds[first].Hint, "write "), " == "); f.Text == "== " {
			if _, is := m.schema.Lookup(to); !is { // nothing is compared there
				ds[first].Hint, ds[first].Fix = generalHint, nil
			}
		}
	}
	if first < 0 || len(p.Lines) == 0 || m.compiles(m.src[p.From:p.To]) ||
		m.mends(&ds[first], p, !slices.ContainsFunc(ds[first+1:], within)) {
		return ds
	}
	d := ds[first]
	d.Hint, d.Fix = "write "+p.Lines[0], nil
	if last := len(p.Lines) - 1; last > 0 {
		d.Hint = "write one of `" + strings.Join(p.Lines[:last], "`, `") + "` or `" + p.Lines[last] + "`"
	} else if p.Sure && m.sound {
		text := p.Lines[0]
		if joined && strings.Contains(text, " ") {
			text = "(" + text + ")"
		}
		start := grammar.Position{Line: 1, Column: 1}.After(m.src[:p.From])
		at := grammar.Range{Start: start, End: start.After(m.src[p.From:p.To])}
		d.Fix = &grammar.Edit{Range: at, Text: text, Unsafe: true}
	}
	out := grammar.Diagnostics{}
	for i, x := range ds {
		switch {
		case i == first:
			out = append(out, d)
		case !within(x):
			out = append(out, x)
		}
	}
	return out
}

// mends reports whether the hint of an error in a part says more than lines would. alone says that the part
// has no other error.
func (m *meaning) mends(d *grammar.Diagnostic, p words.Part, alone bool) bool {
	if f := d.Fix; f != nil {
		from, to := f.Range.Start.Offset, f.Range.End.Offset
		mended := m.src[:from] + f.Text + m.src[to:]
		written := m.src[from:to]
		other := d.Code == code.MissingOperator || d.Code == code.UnknownShorthand ||
			d.Code == code.UnknownFunction && words.Of(words.Function, written) != "" ||
			strings.Contains(p.First(), "(calls,")
		if p.Sure && other && !strings.EqualFold(written, f.Text) && !strings.Contains(mended, p.First()) {
			return false
		}
		if m.compiles(mended) ||
			from >= p.From && to <= p.To && m.compiles(m.src[p.From:from]+f.Text+m.src[to:p.To]) {
			return true
		}
	}
	if written, ok := strings.CutPrefix(d.Hint, "write "); ok && m.compiles(written) &&
		(!p.Sure || strings.HasPrefix(written, m.src[p.From:p.To])) {
		return true
	}
	if (d.Code == code.TypeMismatch || d.Code == code.OperandType) && p.Sure {
		return !strings.Contains(p.Lines[0], `"`) || !strings.ContainsAny(m.src[p.From:p.To], `"'`)
	}
	switch d.Code {
	case code.UnknownName, code.UnknownNameInExpression, code.UnknownFunction, code.NotAllowed:
		from, to := d.Range.Start.Offset, d.Range.End.Offset
		if unseen(m.src, from, to) != "" || d.Hint != "" && d.Hint == words.Of(words.Unseen, m.src[from:to]) {
			return true
		}
		return !p.Sure && alone && d.Hint != "" && d.Hint != noHint && !strings.HasPrefix(d.Hint, "there are ")
	case code.FunctionArguments: // of another function
		name, _, _ := strings.Cut(d.Message, " ")
		return !p.Sure || !strings.Contains(p.Lines[0], name+"(") && !strings.Contains(p.Lines[0], "(calls)")
	case code.UnknownShorthand:
		return false
	case code.MissingValue: // at the end
		return d.Range.End.Offset >= p.To
	case code.InWithoutList:
		return !p.Sure || !strings.ContainsAny(p.Lines[0], "[(")
	case code.MissingCondition, code.DeepTrigger, code.LongTrigger, code.LongOperand:
		return true
	case code.UnreadableExpression, code.BadPattern, code.TimeWithoutUnit, code.DollarsWithoutSign,
		code.ComparisonWithoutFact, code.ShorthandForm, code.UnclosedBracket:
		return !p.Sure && d.Hint != ""
	}
	return !strings.HasPrefix(string(d.Code), "R01") // a mistake of the grammar, whose hints know no words
}

// unseen says of the name at src[from:to] why there is no fact for it, "" if there may be.
func unseen(src string, from, to int) string {
	name := src[from:to]
	if strings.HasPrefix(src[from:], "vars.") || name[0] == '.' || from > 0 && src[from-1] == '.' ||
		words.Of(words.Fact, strings.ReplaceAll(name, ".", " ")) != "" {
		return ""
	}
	name, _, _ = strings.Cut(name, ".")
	name, _, _ = strings.Cut(name, "(")
	return words.Of(words.Unseen, name)
}

// explain betters the hint of an error that gives none, or one about a name that is no fact.
func explain(d *grammar.Diagnostic, src string) {
	from, to := d.Range.Start.Offset, d.Range.End.Offset
	if from < 0 || from >= to || to > len(src) {
		return
	}
	if strings.HasPrefix(d.Hint, "write one of ==") {
		d.Hint = generalHint
	}
	switch d.Code {
	case code.UnknownName, code.UnknownNameInExpression, code.UnknownFunction, code.NotAllowed:
		text := unseen(src, from, to)
		switch {
		case strings.HasPrefix(src[from:], "vars."), strings.HasPrefix(src[to:], "-"): // a name with a hyphen
		case text != "" && !strings.HasPrefix(d.Hint, "write "):
			d.Hint, d.Fix = text, nil
		case d.Code == code.NotAllowed:
			if d.Hint == "" {
				d.Hint = words.Of(words.Unseen, src[from:to])
			}
		case d.Hint == "", strings.HasPrefix(d.Hint, "if a text is meant") && compared(src[to:]):
			d.Hint = noHint
		}
	}
}

// compared reports whether an operator follows.
func compared(rest string) bool {
	rest = strings.TrimSpace(rest)
	return slices.ContainsFunc([]string{"==", "!=", "<", ">", "contains", "matches", "startsWith", "endsWith",
		"in "}, func(op string) bool { return strings.HasPrefix(rest, op) })
}
