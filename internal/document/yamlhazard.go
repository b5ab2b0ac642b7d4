package document

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/aside-go/aside/compile/trigger"
	"github.com/aside-go/aside/grammar"
	"github.com/aside-go/aside/internal/code"
	"github.com/aside-go/aside/internal/words"
)

// explain says in our words why YAML cannot be read. The library names a line at best. The usual mistake is
// a value that begins with or contains a character with a meaning in YAML, and that can be seen line by
// line.
func (d *decoder) explain(err error) {
	if d.hazards() {
		return
	}
	msg := strings.TrimPrefix(err.Error(), "yaml: ")
	line := 1
	if rest, ok := strings.CutPrefix(msg, "line "); ok {
		num, problem, _ := strings.Cut(rest, ": ")
		if n, err := strconv.Atoi(num); err == nil {
			line, msg = max(n, 1), problem
		}
		for _, p := range fromZero { // the library's parser counts lines from 0, its scanner from 1
			if strings.Contains(msg, p) {
				line++
			}
		}
	}
	from, to := d.page.line(d.offset(line, 1))
	for from < to && (d.page.text[from] == ' ' || d.page.text[from] == '\t') {
		from++
	}
	if strings.Contains(msg, "<document start>") {
		d.add(code.SeveralDocuments, d.page.between(from, min(to, d.to)),
			"the YAML ends above, and this would not be read", "write several reminders as a list under `reminders:`")
		return
	}
	what, hint := "this is not YAML", "each line is `key: value`; quote a value that holds `: ` or "+
		"begins with a sign"
	for _, p := range problems {
		if strings.Contains(msg, p.theirs) {
			what, hint = p.ours, p.hint
			break
		}
	}
	d.add(code.UnreadableYAML, d.page.between(from, min(to, d.to)), what, hint)
}

// fromZero matches the messages of the library's parser, which counts lines from 0, unlike its scanner.
var fromZero = []string{"expected key", "expected node content", "expected '-' indicator", "expected ',' or",
	"expected <document start>"}

// problems are our words for the messages of the library, for mistakes that hazards has not found.
var problems = []struct{ theirs, ours, hint string }{
	{"mapping values are not allowed", "a key cannot begin here",
		"indent keys alike, and quote a value that holds `: `"},
	{"could not find expected ':'", "a key without a value", "write `key: value`"},
	{"expected '-' indicator", "a list and keys cannot be mixed", "begin each item of the list with `- `"},
	{"did not find expected key", "a key is wanted here",
		"indent keys alike, and quote a value that begins with a sign"},
	{"expected ',' or", "a bracket is not closed", "close it, or quote the value if it is text"},
	{"tab character", "a tab cannot indent YAML", "indent with blanks"},
	{"unexpected end of stream", "a quoted value is not closed", "close it with the quote that opened it"},
	{"unknown anchor", "an alias cannot be used here", "quote the value if it is text, or write it out"},
	{"tag", "a tag cannot be used here", "quote the value if it is text"},
	{"block sequence entries", "a list cannot begin here",
		"begin the list on the next line, or quote the value"},
}

// A keyLine is a line of the form "key: value".
type keyLine struct {
	indent   int // column of the key, from 0
	key      string
	from, to int // the value; from == to if there is none on the line
}

// keyed matches a line with a key up to its value, and what stands before the key.
var keyed = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^( *(?:- +)*)["']*([A-Za-z0-9_-]+)["']*:(?:[ \t]+|$)`)
})

// keyLine reads the line at from as key and value, if it is that.
func (d *decoder) keyLine(from, to int) (k keyLine, ok bool) {
	m := keyed().FindStringSubmatchIndex(d.page.text[from:to])
	if m == nil {
		return k, false
	}
	k = keyLine{indent: m[3], key: d.page.text[from+m[4] : from+m[5]], from: from + m[1]}
	k.to = d.valueEnd(k.from, to)
	return k, true
}

func isWord(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '_' || c == '-'
}

// valueEnd returns the end of a value that begins at from and reaches to the end of its line, without
// blanks and a comment.
func (d *decoder) valueEnd(from, to int) int {
	if i := strings.Index(d.page.text[from:to], " #"); i >= 0 {
		to = from + i
	}
	return from + len(strings.TrimRight(d.page.text[from:to], " \t"))
}

// hazards looks at each line for values that YAML reads in another way than their author, and reports
// whether it found any.
func (d *decoder) hazards() bool {
	found, skip := false, -1 // lines deeper than skip belong to a block scalar
	for from, to := range d.page.lines(d.from, d.to) {
		line := d.page.text[from:to]
		indent := len(line) - len(strings.TrimLeft(line, " "))
		if strings.TrimSpace(line) == "" || skip >= 0 && indent > skip || line[indent] == '#' {
			continue
		}
		skip = -1
		if line[indent] == '\t' {
			tabs := line[indent : len(line)-len(strings.TrimLeft(line[indent:], " \t"))]
			r := d.page.between(from+indent, from+indent+len(tabs))
			x := d.add(code.UnreadableYAML, r, "a tab cannot indent YAML", "indent with blanks")
			x.Fix = &grammar.Edit{Range: r, Text: strings.ReplaceAll(tabs, "\t", "  ")}
			found = true
			continue
		}
		k, ok := d.keyLine(from, to)
		if !ok || k.from == k.to {
			if !ok && (d.marker(from, to) || d.noBlank(from, to) || d.inFlow(from+indent, to)) {
				found = true
			}
			continue
		}
		if c := d.page.text[k.from]; (c == '|' || c == '>') && blockHeader(d.page.text[k.from+1:to]) {
			skip = k.indent
			continue
		}
		hit, open := d.hazard(k, to)
		if found = found || hit; hit {
			d.inside(k)
		}
		if open {
			break // the rest is inside of it
		}
	}
	return found
}

// marker finds a line that ends the YAML, or tells the reader of it something.
func (d *decoder) marker(from, to int) bool {
	line := strings.TrimRight(d.page.text[from:to], blanks)
	switch {
	case line == "...":
		d.add(code.SeveralDocuments, d.page.between(from, from+len(line)),
			"the YAML ends here, and the rest would not be read", "remove the line").Fix = d.wholeLine(from, to)
	case strings.HasPrefix(line, "%"):
		d.add(code.UnreadableYAML, d.page.between(from, from+len(line)),
			"YAML directives are not read here", "remove the line").Fix = d.wholeLine(from, to)
	default:
		return false
	}
	return true
}

// wholeLine is the edit that removes a line with its end.
func (d *decoder) wholeLine(from, to int) *grammar.Edit {
	return d.edit(from, min(d.page.next(to), d.to), "")
}

// noBlank finds "key:value" and, at the beginning of a line, "key value", neither of which is a key.
func (d *decoder) noBlank(from, to int) bool {
	text := d.page.text
	i := from
	for i < to && text[i] == ' ' {
		i++
	}
	end := i
	for end < to && isWord(text[end]) {
		end++
	}
	if !isKey(text[i:end]) || end+1 >= to {
		return false
	}
	switch c := text[end]; {
	case c == ':':
		x := d.add(code.UnreadableYAML, d.page.between(i, end+1),
			fmt.Sprintf("a blank is missing behind %q", text[i:end+1]), "write `"+text[i:end+1]+" `")
		x.Fix = d.edit(end+1, end+1, " ")
	case c == ' ' && i == from:
		x := d.add(code.UnreadableYAML, d.page.between(i, end),
			fmt.Sprintf("a colon is missing behind %q", text[i:end]), "write `"+text[i:end]+": `")
		x.Fix = d.edit(end, end, ":")
	default:
		return false
	}
	return true
}

// inFlow looks for values that begin with a sign between the brackets on one line.
func (d *decoder) inFlow(from, to int) (found bool) {
	text := d.page.text
	if !strings.ContainsAny(text[from:to], "[{") {
		return false
	}
	flow := d.flow
	d.flow = true
	defer func() { d.flow = flow }()
	for i := from; i < to; i++ {
		switch text[i] {
		case '"', '\'':
			if i > from && strings.IndexByte(" [{,", text[i-1]) >= 0 {
				i = Quoted(text[:to], i) - 1
			}
		case '!', '%', '@', '`', '*', '&':
			if i < from+2 || text[i-1] != ' ' || strings.IndexByte(":[{,", text[i-2]) < 0 {
				continue
			}
			end := i
			for end < to && strings.IndexByte(",[]{}", text[end]) < 0 {
				end++
			}
			k := keyLine{from: i, to: i + len(strings.TrimRight(text[i:end], blanks))}
			if colon := strings.TrimRight(text[from:i-1], ":"); text[i-2] == ':' {
				k.key = colon[strings.LastIndexAny(colon, " {,")+1:]
			}
			hit, _ := d.hazard(k, to)
			found = found || hit
			i = max(i, k.to-1)
		}
	}
	return found
}

// hazard reports whether YAML reads a value in another way than its author, and adds a diagnostic if so.
// open says that the value may continue on further lines.
func (d *decoder) hazard(k keyLine, lineTo int) (found, open bool) {
	text := d.page.text
	v := text[k.from:k.to]
	switch c := v[0]; c {
	case '%', '@', '`', ']', '}', ',', '>', '|':
		d.eaten(k.from, k.from+1, k.to, fmt.Sprintf("a value cannot begin with %q in YAML", string(c)))
		return true, false
	case '*':
		d.eaten(k.from, d.word(k.from), k.to, "YAML reads this as an alias").Code = code.YAMLAlias
		return true, false
	case '&':
		d.eaten(k.from, d.word(k.from), k.to, "YAML reads this as an anchor").Code = code.YAMLAlias
		return true, false
	case '!':
		d.tag(k.from, k.to, isTrigger(k.key))
		return true, false
	case '-':
		if len(v) > 1 && v[1] == ' ' {
			d.eaten(k.from, k.from+1, k.to, "a list cannot begin behind a key")
			return true, false
		}
	case '"', '\'':
		return d.quotedHazard(k, lineTo)
	case '[', '{':
		return d.flowHazard(k, lineTo)
	}
	if i := strings.Index(v+" ", ": "); i >= 0 {
		x := d.eaten(k.from, k.to, k.to, "YAML begins another key behind this colon")
		x.Range = d.page.between(k.from+i, k.from+i+1)
		return true, false
	}
	return false, false
}

// quotedHazard looks at a value that begins with a quote.
func (d *decoder) quotedHazard(k keyLine, lineTo int) (found, open bool) {
	text, quote := d.page.text, d.page.text[k.from]
	end := Quoted(text[:d.to], k.from)
	if text[end-1] != quote || end == k.from+1 {
		x := d.add(code.UnreadableYAML, d.page.between(k.from, k.from+1),
			fmt.Sprintf("the quote %c is not closed", quote), "close it with the same quote")
		if at := d.valueEnd(k.from, lineTo); text[end-1] != quote && !strings.ContainsRune(text[k.from+1:at],
			rune(quote)) && !strings.HasSuffix(text[:at], `\`) {
			x.Fix = d.edit(at, at, string(quote))
		}
		return true, true
	}
	if end > lineTo {
		return false, true
	}
	if quote == '"' && d.badEscape(k.from+1, end-1) {
		return true, false
	}
	if strings.TrimSpace(text[end:d.valueEnd(end, lineTo)]) != "" {
		x := d.eaten(k.from, end, k.to, "YAML ends the value at the closing quote")
		inner, twice := quotedTwice(text[k.from:k.to])
		if twice {
			x.Fix = d.edit(k.from, k.to, quoteYAML(inner))
		}
		if (twice || quote == '"') && len(x.Fix.Text) <= 100 && x.Fix.Text[0] == '\'' {
			x.Hint = "quote the whole value: " + x.Fix.Text
		}
		return true, false
	}
	return false, false
}

// flowHazard looks at a value that begins with [ or {.
func (d *decoder) flowHazard(k keyLine, lineTo int) (found, open bool) {
	text := d.page.text
	end := d.closing(k.from, k.to)
	if end < 0 && d.closing(k.from, d.to) < 0 {
		d.add(code.UnreadableYAML, d.page.between(k.from, k.from+1),
			fmt.Sprintf("the bracket %c is not closed", text[k.from]), "close it, or quote the value if it is text")
		return true, true
	}
	if hit := d.inFlow(k.from, lineTo); hit || end < 0 {
		return hit, end < 0
	}
	if rest := strings.TrimSpace(text[end:k.to]); rest != "" || strings.HasPrefix(text[k.from:k.to], "{{") {
		d.eaten(k.from, end, k.to, "YAML ends the value at the closing bracket")
		return true, false
	}
	return false, false
}

// eaten says that YAML makes something else of the value that goes from one offset to another; the fix quotes
// the value.
func (d *decoder) eaten(from, shown, to int, what string) *grammar.Diagnostic {
	x := d.add(code.EatenByYAML, d.page.between(from, shown), what, "quote the value")
	x.Fix = d.edit(from, to, quoteYAML(d.page.text[from:to]))
	return x
}

// inside says of a trigger that quotes alone do not mend what else is wrong with it.
func (d *decoder) inside(k keyLine) {
	x, text := &d.ds[len(d.ds)-1], d.page.text[k.from:k.to]
	if !strings.HasPrefix(x.Hint, "quote the ") || !isTrigger(k.key) || strings.Contains(text, "vars.") {
		return
	}
	if inner, ok := quotedTwice(text); ok {
		text = inner
	}
	_, found := trigger.Compile(text, nil)
	i := slices.IndexFunc(found, func(f grammar.Diagnostic) bool { return f.Severity != grammar.Info })
	if i < 0 {
		return
	}
	f := found[i]
	line, whole := strings.CutPrefix(f.Hint, "write ")
	from, to := words.Clause(text, f.Range.Start.Offset)
	if f.Fix != nil {
		line, from, to, whole = f.Fix.Text, f.Fix.Range.Start.Offset, f.Fix.Range.End.Offset, true
	}
	if line = text[:from] + line + text[to:]; whole {
		_, found = trigger.Compile(line, nil)
	}
	if len(found) > 0 {
		x.Hint = fmt.Sprintf("quote the value; then %s: %s", f.Message, f.Hint)
		return
	}
	x.Fix = d.edit(k.from, k.to, writeScalar(line, 0, false))
	x.Hint, x.Fix.Unsafe = "write "+x.Fix.Text, true
}

// quotedTwice returns the trigger in a value that was quoted although it has quotes itself; ok is false for
// any other value.
func quotedTwice(value string) (trigger string, ok bool) {
	last := len(value) - 1
	if last < 1 || value[0] != value[last] || value[0] != '"' && value[0] != '\'' {
		return "", false
	}
	_, whole := grammar.Parse(value)
	_, within := grammar.Parse(value[1:last])
	return value[1:last], whole.HasErrors() && !within.HasErrors()
}

// tag says that the value at from, which begins with "!", is a tag to YAML. In a trigger it was meant as not.
func (d *decoder) tag(from, to int, trigger bool) {
	v := d.page.text[from:max(to, from)]
	word := d.page.text[from:d.word(from)]
	x := d.add(code.TaggedValue, d.page.between(from, from+len(word)),
		fmt.Sprintf("YAML reads %q as a tag and drops it", clip(word)), "quote the value, or remove the tag")
	if strings.HasPrefix(word, "!!") && len(word) > 2 && word[2] >= 'a' && word[2] <= 'z' &&
		!strings.ContainsAny(word, "_(:") && len(v) > len(word) && v[len(word)] == ' ' {
		x.Hint = "remove the tag"
		x.Fix = d.edit(from, from+len(word)+1, "")
		return
	}
	if !trigger {
		if !d.flow {
			x.Fix = d.edit(from, to, quoteYAML(v))
		}
		return
	}
	x.Hint = "quote it, or write `not`"
	rest := strings.TrimLeft(v, "! ")
	if rest == "" { // nothing behind it, or, in { }, not in the same word
		return
	}
	signs := v[:len(v)-len(rest)]
	x.Fix = d.edit(from, from+len(signs), strings.Repeat("not ", strings.Count(signs, "!")))
}

// isTrigger reports whether a key takes a trigger.
func isTrigger(key string) bool {
	switch key {
	case "when", "while", "trigger", "rearm", "expect", "condition":
		return true
	}
	return false
}

// closing is the offset behind the bracket that closes the one at from; -1 if it is not on this line.
func (d *decoder) closing(from, to int) int {
	text, depth := d.page.text[:to], 0
	for i := from; i < to; i++ {
		switch text[i] {
		case '"', '\'':
			i = Quoted(text, i) - 1
		case '[', '{':
			depth++
		case ']', '}':
			if depth--; depth == 0 {
				return i + 1
			}
		}
	}
	return -1
}

// badEscape finds a backslash that begins no escape of a double-quoted scalar.
func (d *decoder) badEscape(from, to int) bool {
	text := d.page.text
	for i := from; i < to; i++ {
		if text[i] != '\\' {
			continue
		}
		if n, _ := escape(text[:to], i); n == 0 {
			at := d.page.between(i, min(i+2, to))
			d.add(code.UnreadableYAML, at, fmt.Sprintf("YAML knows no escape %s", text[i:at.End.Offset-d.page.mark]),
				"write `\\\\` for a backslash, or use single quotes").Fix = d.edit(i, i+1, `\\`)
			return true
		}
		i++
	}
	return false
}
