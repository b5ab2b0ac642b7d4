package trigger

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode"

	"github.com/aside-go/aside/compile/fact"
	"github.com/aside-go/aside/grammar"
	"github.com/aside-go/aside/internal/code"
	"github.com/aside-go/aside/internal/words"
)

// noHint is the hint about a name that is like no other.
const noHint = "aside help facts lists all facts"

// dotHint is the one about a field of a name that has none.
const dotHint = "the only names with a dot are those of declared facts, vars.NAME"

// methodHint is the one about a method of which nothing is known.
const methodHint = "a function stands before its value, as in len(prompt) > 500"

// ifText begins the hint about a word that may go on with the comparison before it.
const ifText = "if a text is meant, write "

// conditionHint is the grammar's hint where an expression cannot go on.
const conditionHint = "write a condition, such as turn_count > 10"

// generalHint is the one about words that mean nothing together.
const generalHint = "a trigger is a condition over facts, such as context_usage > 75%: aside help triggers"

// intended returns the diagnostics of a trigger that has errors. In place of those of a condition that no
// hint mends stands one with the lines that its words may mean. It makes hints better and finds no mistakes,
// and a line that does not compile is never shown.
func intended(ds grammar.Diagnostics, src string, schema *fact.Schema) (out grammar.Diagnostics) {
	if len(src) > grammar.MaxTrigger { // it is too long, and nothing else is said of it
		return ds
	}
	if m := (meaning{src: src, to: len(src), schema: schema}); len(ds) > 0 {
		if line := m.infix(src); line != "" {
			ds[0].Hint, ds[0].Fix = "write "+line, m.instead(line)
			return ds[:1]
		}
	}
	answered := map[int]bool{} // by the beginning of the condition that lines are shown for
	for _, d := range ds {
		if d.Severity != grammar.Error {
			out = append(out, d)
			continue
		}
		m := meaning{src: src, schema: schema}
		m.from, m.to = words.Clause(src, d.Range.Start.Offset)
		if at, end := d.Range.Start.Offset, d.Range.End.Offset; at >= m.to { // what joins two conditions
			if means := words.Of(words.Unseen, src[at:end]); means != "" { // except when compacted
				answered[end], d.Hint = true, means
			}
			out = append(out, d)
			continue
		}
		if answered[m.from] {
			continue // it comes of the same words
		}
		if m.field(&d) || m.span(&d) {
			answered[m.from], out = true, append(out, d)
			continue
		}
		explain(&d, src)
		if m.answer(&d) {
			answered[m.from] = true
		} else if line, ok := strings.CutPrefix(d.Hint, "write "); d.Code == code.MissingOperator &&
			(d.Hint == "did you mean ==?" || ok && strings.Contains(line, " == ") && !m.compiles(line)) &&
			!m.mends(&d) { // weekday mornings; the context is getting full
			d.Hint, d.Fix = generalHint, nil
		}
		if d.Hint == generalHint || d.Hint == "leave it out" && !m.mends(&d) {
			if name := words.Lines(src[m.from:m.to], m.compiles).Unknown; name != "" {
				d.Hint = fmt.Sprintf("no fact is about %q: a text may name it, as in output contains %q", name, name)
			}
		}
		out = append(out, d)
	}
	return out
}

// meaning looks for what the author of a condition with errors means.
type meaning struct {
	src      string
	from, to int // where the condition stands
	schema   *fact.Schema
}

// infix returns conditions with and or or between them that are written as the arguments of one, as in
// AND(A, B) and all(A, B); "" for anything else.
func (m *meaning) infix(text string) string {
	name, inner, _ := strings.Cut(strings.TrimSpace(text), "(")
	join := words.JoinOf(name)
	inner, called := strings.CutSuffix(inner, ")")
	if join == "" || !called {
		return ""
	}
	var parts []string
	depth, from := 0, 0
	for i, r := range inner + "," {
		switch r {
		case '(', '[':
			depth++
		case ')', ']':
			depth--
		case ',':
			if depth > 0 {
				continue
			}
			part := strings.TrimSpace(inner[from:i])
			if line := m.infix(part); line != "" {
				part = "(" + line + ")"
			}
			if from = i + 1; !m.compiles(part) {
				return ""
			}
			parts = append(parts, part)
		}
	}
	return strings.Join(parts, " "+join+" ")
}

// compiles reports whether a trigger has no errors.
func (m *meaning) compiles(src string) bool {
	c := checker{schema: m.schema, src: src}
	_, root, _ := c.trigger()
	return root != nil
}

// sound reports whether a trigger has neither errors nor doubts.
func (m *meaning) sound(src string) bool {
	c := checker{schema: m.schema, src: src}
	_, root, _ := c.trigger()
	return root != nil && len(c.diags) == 0
}

// names matches the words of a condition, and its quoted texts. The plain words are those of the language
// that name nothing.
var (
	plain = []string{"and", "or", "not", "in", "true", "false", "every", "turn", "turns", "user", stoppingWord}
	names = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`"[^"]*"|\.?[A-Za-z_][\w.]*`) })
)

// foreign reports whether a condition has words that the language does not have.
func (m *meaning) foreign(written string) bool {
	return slices.ContainsFunc(names().FindAllString(written, -1), func(w string) bool {
		return w[0] != '"' && !m.own(w)
	})
}

// own reports whether a word is one of the language.
func (m *meaning) own(w string) bool {
	if field, ok := strings.CutPrefix(w, "."); ok {
		return isField(field)
	}
	_, known := m.schema.Lookup(w)
	return known || slices.Contains(plain, w) || slices.Contains(constants, w) ||
		words.Of(words.Operator, w) == w || findFunction(m.schema, w) != nil || findShorthand(m.schema, w) != nil
}

// slips are the errors of which the grammar knows what to do, unless words stand there that it does not know.
var slips = []grammar.Code{code.UnclosedQuote, code.UnclosedBracket, code.StrayBracket, code.ForeignOperator,
	code.ChainedComparison, code.ListForm, code.MissingCondition}

// unknown are the errors about a name that is not there, or a list, whose fix is a guess.
var unknown = []grammar.Code{code.UnknownFunction, code.UnknownNameInExpression, code.UnknownName,
	code.InWithoutList}

// field gives an error about a name that a field of a call has the condition on calls that reads the field.
func (m *meaning) field(d *grammar.Diagnostic) bool {
	if !isField(m.src[d.Range.Start.Offset:d.Range.End.Offset]) {
		return false
	}
	line := names().ReplaceAllStringFunc(strings.TrimSpace(m.src[m.from:m.to]), func(w string) string {
		if isField(w) {
			return "." + w
		}
		return w
	})
	if !m.compiles(line) { // it does not stand in a condition on calls
		if d.Fix != nil && m.mends(d) {
			return false
		}
		line = "any(calls, " + line + ")"
	}
	if !m.compiles(line) {
		return false
	}
	d.Hint, d.Fix = "write "+line, nil
	return true
}

// spans match what is compared with a range of numbers or days.
var spans = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(\w+) *(?: in |==?) *[\[(]? *"?(\w+%?) *(?:\.\.\.?|-) *(\w+%?)"? *[\])]?$`)
})

// span gives an error about a range what the language has for one: two comparisons, and of days a list.
func (m *meaning) span(d *grammar.Diagnostic) bool {
	f := spans().FindStringSubmatch(strings.TrimSpace(m.src[m.from:m.to]))
	if f == nil {
		return false
	}
	name, from, to := f[1], f[2], f[3]
	line, join := "", " and "
	if name == "weekday" {
		days := fact.Weekdays()
		first, last := slices.Index(days, day(from)), slices.Index(days, day(to))
		if first < 0 || last < 0 {
			return false
		}
		if last < first { // sat-mon
			last += len(days)
		}
		line = "weekday in [" + strings.Join(slices.Concat(days, days)[first:last+1], ", ") + "]"
	} else {
		if start, _ := strconv.Atoi(from); name == "hour" {
			if end, _ := strconv.Atoi(to); start > end {
				join = " or "
			}
		}
		line = name + " >= " + from + join + name + " <= " + to
	}
	if !m.compiles(line) {
		return false
	}
	d.Hint, d.Fix = "write "+line, m.instead(line)
	return true
}

// isField reports whether a name is that of a field of a call.
func isField(name string) bool {
	return slices.Contains(callFields, name) || isInput("."+name)
}

// answer gives an error the lines that the words of its condition may mean, where it has no better hint.
func (m *meaning) answer(d *grammar.Diagnostic) bool {
	at, end := d.Range.Start.Offset, d.Range.End.Offset
	written := m.src[m.from:m.to]
	if line := m.line(at, end); line != "" {
		d.Hint, d.Fix = "write "+line, m.instead(line)
		return true
	}
	if line := m.followed(d); line != "" { // IN ('a', 'b')
		d.Hint, d.Fix = "write "+line, m.instead(line)
		return true
	}
	answer := words.Lines(written, m.compiles)
	if means := words.Of(words.Unseen, m.src[at:end]); means != "" && !answer.Sure {
		// model changed; compacted once
		before := m.src[m.from:at]
		if _, fact := m.schema.Lookup(strings.TrimSpace(before)); fact || m.compiles(before) {
			d.Hint, d.Fix = means, nil
			return true
		}
	}
	h := m.doubts(d, answer)
	field := func(w string) bool { return w[0] == '.' && m.own(w) }
	if !answer.Sure && slices.ContainsFunc(names().FindAllString(written, -1), field) {
		return false // lines say less of a call
	}
	wrong := func(part string) bool { return !m.compiles(part) }
	commas := strings.NewReplacer(", ", ",", "; ", ",", ";", ",").Replace(strings.TrimSpace(written))
	for _, parts := range [][]string{m.parts(written, at-m.from), strings.Split(commas, ",")} {
		if answer.Sure || len(parts) < 2 || slices.ContainsFunc(parts, wrong) {
			continue
		}
		d.Hint, d.Fix = "write one of `"+strings.Join(parts, " and ")+"` or `"+strings.Join(parts, " or ")+"`", nil
		return true
	}
	function := d.Code == code.UnknownFunction
	if answer.Unseen != "" && h.weak && !m.mends(d) && (!function || len(answer.Lines) == 0) {
		d.Hint, d.Fix = answer.Unseen, nil
		return true
	}
	if h.guess && len(answer.Lines) == 0 && function {
		d.Fix = nil // it is not the only mistake
	}
	// contains "sudo" and not docker; != opus or sonnet
	goesOn := strings.HasPrefix(d.Hint, ifText) && strings.ContainsAny(d.Hint[len(d.Hint)-1:], `"]`)
	if len(answer.Lines) == 0 || !h.weak && !answer.Sure || m.compiles(written) || goesOn {
		return false
	}
	// quotes alone are missing, and none of another kind stand there
	quoted := bare(answer.Lines[0]) == strings.TrimSpace(written) &&
		!strings.ContainsFunc(written, func(r rune) bool { return r > unicode.MaxASCII })
	compared := answer.Sure && d.Code == code.MissingOperator // the grammar has no better word for one than ==
	if !quoted && !compared && !h.spelling && m.mends(d) {
		return false
	}
	hint := hintOf(answer)
	if hint == "" {
		return false
	}
	if d.Hint, d.Fix = hint, nil; answer.Sure {
		d.Fix = m.instead(answer.Lines[0])
	}
	return true
}

// parts cuts a text in conditions that stand side by side, the first of which ends at a byte of it; nil where
// it is anything else.
func (m *meaning) parts(text string, at int) []string {
	first, rest := strings.Trim(text[:at], ",; "), strings.Trim(text[at:], ",; ")
	if at == 0 || !m.compiles(first) {
		return nil
	}
	if m.compiles(rest) {
		return []string{first, rest}
	}
	c := checker{schema: m.schema, src: rest}
	if c.trigger(); len(c.diags) == 0 {
		return nil
	}
	others := m.parts(rest, min(c.diags[0].Range.Start.Offset, len(rest)))
	if others == nil {
		return nil
	}
	return append([]string{first}, others...)
}

// followed returns the condition that the fixes of its errors lead to, one after the other, where the first
// alone does not mend it; "" where they lead nowhere, and where one of them is a guess.
func (m *meaning) followed(d *grammar.Diagnostic) string {
	open := []grammar.Code{code.UnclosedQuote, code.UnclosedBracket} // whose end is anybody's guess
	if d.Fix == nil || slices.Contains(open, d.Code) || m.mends(d) {
		return ""
	}
	line, from := m.src[m.from:m.to], m.from
	for range 4 {
		f := d.Fix
		if f == nil || slices.Contains(unknown, d.Code) {
			return ""
		}
		start, end := f.Range.Start.Offset-from, f.Range.End.Offset-from
		if start < 0 || end > len(line) {
			return ""
		}
		line, from = line[:start]+f.Text+line[end:], 0
		c := checker{schema: m.schema, src: line}
		_, root, _ := c.trigger()
		if root != nil && len(c.diags) == 0 {
			return strings.TrimSpace(line)
		}
		i := slices.IndexFunc(c.diags, func(d grammar.Diagnostic) bool { return d.Severity == grammar.Error })
		if i < 0 {
			return ""
		}
		d = &c.diags[i]
	}
	return ""
}

// patterned match the shorthands that a call pattern may belong to.
var patterned = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`\b(?:after_tool|before_tool|tool_failed):`)
})

// line returns the condition that the author means. It knows four wrong forms: a condition in quotes, not for
// !=, if between two conditions, and a call pattern without the shorthand of the pattern before an and. It
// returns "" for any other form.
func (m *meaning) line(at, end int) string {
	written := strings.TrimSpace(m.src[m.from:m.to])
	if text := strings.Trim(written, "\"'`"); text != written && m.compiles(text) {
		return text
	}
	if name, value, ok := strings.Cut(written, " not "); ok && m.own(name) && m.compiles(name+" != "+value) {
		return name + " != " + value
	}
	if end > m.to {
		return ""
	}
	if left, right := m.src[m.from:at], m.src[end:m.to]; words.Of(words.Moment, m.src[at:end]) != "" &&
		m.compiles(left) && m.compiles(right) {
		return strings.TrimSpace(left) + " and " + strings.TrimSpace(right)
	}
	before := patterned().FindAllString(m.src[:m.from], -1)
	pattern, denied := strings.CutPrefix(written, "not ")
	if tool, _, _ := strings.Cut(pattern, "("); before == nil || tool == "" ||
		tool[0] != '@' && words.Of(words.Tool, tool) != tool {
		return ""
	}
	line := map[bool]string{true: "not "}[denied] + before[len(before)-1] + pattern
	if !m.sound(line) {
		return ""
	}
	return line
}

// hinted is what there is to say of the hint of an error.
type hinted struct {
	guess    bool // its fix is a guess, and mends nothing
	spelling bool // it takes a word for a misspelt one
	weak     bool // lines that the words may mean are better
}

// doubts looks at the hint of an error beside the lines that the words of its condition may mean.
func (m *meaning) doubts(d *grammar.Diagnostic, answer words.Answer) (h hinted) {
	at, end := d.Range.Start.Offset, d.Range.End.Offset
	written := m.src[m.from:m.to]
	// the grammar knows no words, and its hints are about what it expects
	h.guess = slices.Contains(unknown, d.Code) && d.Fix != nil && !m.mends(d)
	// committed is no misspelt compacted
	if strings.HasPrefix(d.Hint, "did you mean ") && len(answer.Left) == 0 {
		switch sure := answer.Sure && d.Fix != nil; d.Code {
		case code.UnknownName:
			h.spelling = words.Of(words.Fact, m.src[at:end]) == "" || sure && // extension == ".go"
				bare(written[:at-m.from]+d.Fix.Text+written[end-m.from:]) != bare(answer.Lines[0])
		case code.UnknownShorthand:
			h.spelling = sure && !strings.HasPrefix(answer.Lines[0], d.Fix.Text)
		}
	}
	quoting := strings.HasPrefix(d.Hint, "if a text is meant, quote it") &&
		!m.compiles(m.src[m.from:at]+strconv.Quote(m.src[at:end])+m.src[end:m.to])
	expects := strings.HasPrefix(string(d.Code), "R01") || strings.HasPrefix(d.Hint, "a field stands")
	h.weak = h.guess || h.spelling || quoting ||
		expects && m.foreign(written) && (!slices.Contains(slips, d.Code) || words.Strange(written, m.own)) ||
		slices.Contains([]string{"", noHint, conditionHint, generalHint, dotHint, methodHint}, d.Hint) ||
		strings.HasPrefix(d.Hint, "as in ") && len(answer.Left) == 0 || d.Hint == "use len, in, any or all" ||
		strings.HasPrefix(d.Hint, "there are ") ||
		d.Code == code.TypeMismatch && strings.HasPrefix(d.Hint, "write one of ") ||
		d.Code == code.UnknownShorthand && strings.HasPrefix(d.Hint, "compare it, as in ")
	return h
}

// hintOf shows the lines of an answer; "" if the first is an example that leaves words out.
func hintOf(answer words.Answer) (hint string) {
	lines := answer.Lines
	last := len(lines) - 1
	switch {
	case last > 0:
		hint = "write one of "
		if answer.Parts || len(answer.Left) > 0 {
			hint = "the nearest are "
		}
		hint += "`" + strings.Join(lines[:last], "`, `") + "` or `" + lines[last] + "`"
	case answer.Sure:
		hint = "write " + lines[0]
	case answer.Example && len(answer.Left) > 0:
		return ""
	case answer.Example && strings.Contains(lines[0], " "):
		name, _, _ := strings.Cut(lines[0], " ")
		hint = "perhaps " + name + ", as in " + lines[0]
	default:
		hint = "perhaps " + lines[0]
	}
	if answer.Parts && last > 0 {
		hint += "; each says a part"
	}
	if len(answer.Left) > 0 {
		hint += `, without "` + strings.Join(answer.Left, `", "`) + `"`
	}
	return hint
}

// instead puts a line in the place of the condition; nil where the trigger does not compile with it.
func (m *meaning) instead(line string) *grammar.Edit {
	written := m.src[m.from:m.to]
	text := strings.TrimSpace(written)
	if text != m.src && strings.Contains(line, " ") {
		line = "(" + line + ")"
	}
	from := m.from + strings.Index(written, text)
	if !m.compiles(m.src[:from] + line + m.src[from+len(text):]) {
		return nil
	}
	start := grammar.Position{Line: 1, Column: 1}.After(m.src[:from])
	return &grammar.Edit{Range: grammar.Range{Start: start, End: start.After(text)}, Text: line, Unsafe: true}
}

// bare is a line without quotes.
func bare(line string) string { return strings.TrimSpace(strings.ReplaceAll(line, `"`, "")) }

// mends reports whether what the hint of an error says to write compiles.
func (m *meaning) mends(d *grammar.Diagnostic) bool {
	if f := d.Fix; f != nil {
		from, to := f.Range.Start.Offset, f.Range.End.Offset
		return m.sound(m.src[:from]+f.Text+m.src[to:]) ||
			from >= m.from && to <= m.to && m.sound(m.src[m.from:from]+f.Text+m.src[to:m.to])
	}
	written, ok := strings.CutPrefix(d.Hint, "write ")
	return ok && m.compiles(written)
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

// explain betters the hint of an error that gives none, or one about a name that is not a fact.
func explain(d *grammar.Diagnostic, src string) {
	from, to := d.Range.Start.Offset, d.Range.End.Offset
	if from < 0 || from >= to || to > len(src) {
		return
	}
	if strings.HasPrefix(d.Hint, "write one of ==") {
		d.Hint = generalHint
	}
	if to, ok := strings.CutPrefix(d.Hint, "write "); ok && d.Code == code.MissingOperator {
		// nothing is compared there
		if left, _, is := strings.Cut(to, " == "); is && words.Of(words.Fact, left) != left {
			d.Hint, d.Fix = generalHint, nil
		}
	}
	switch d.Code {
	case code.UnknownName, code.UnknownNameInExpression, code.UnknownFunction, code.NotAllowed:
		text := unseen(src, from, to)
		if d.Code == code.UnknownFunction { // changed("*.go") is a call
			from, to := words.Clause(src, from)
			if words.Lines(src[from:to], nil).Lines != nil {
				text = ""
			}
		}
		switch {
		case strings.HasPrefix(src[from:], "vars."), strings.HasPrefix(src[to:], "-"): // a name with a hyphen
		case text != "" && !strings.HasPrefix(d.Hint, "write "):
			d.Hint, d.Fix = text, nil
		case d.Code == code.NotAllowed:
			if d.Hint == "" {
				d.Hint = words.Of(words.Unseen, src[from:to])
			}
		case d.Hint == "" && strings.Contains(src[from:to], "."):
			d.Hint = dotHint
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
