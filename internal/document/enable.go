package document

import (
	"reflect"
	"slices"
	"strings"
	"unicode"

	"github.com/aside-go/aside/compile"
)

// Enable returns a rule file in which the reminder of an id is switched on, or off by `enabled: false`, and
// nothing else is changed: every other byte stays, and to switch a reminder off and on again gives the file
// as it was. ok is false where the file has no such reminder, or is written in a way that does not let the
// key be set so; then src comes back as it is.
func Enable(file string, src []byte, id string, on bool) (out []byte, ok bool) {
	rs, d := readDocument(file, src)
	i := slices.IndexFunc(rs, func(r compile.Source) bool { return r.ID == id })
	switch {
	case i < 0:
		return src, false
	case rs[i].Disabled != on:
		return src, true
	}
	text, mark := d.page.text, string(src[:d.page.mark])
	if on {
		text = d.withoutDisabled(rs[i].Place("enabled").Start.Offset - d.page.mark)
	} else {
		text = d.withDisabled(&rs[i])
	}
	out = []byte(mark + text)
	again, after := readDocument(file, out)
	if after.ds.HasErrors() && !d.ds.HasErrors() || len(again) != len(rs) {
		return src, false
	}
	for k := range rs {
		a, b := rs[k], again[k]
		a.Origin, b.Origin = nil, nil
		if k == i {
			a.Disabled = !on
		}
		if !reflect.DeepEqual(a, b) {
			return src, false
		}
	}
	return out, true
}

// disabled is the key and the value by which a reminder is switched off.
const disabled = "enabled: false"

// withDisabled returns the text of the page with a reminder switched off.
func (d *decoder) withDisabled(r *compile.Source) string {
	text, eol := d.page.text, "\n"
	if strings.Contains(text, "\r\n") {
		eol = "\r\n"
	}
	first, value := r.Place("").Start.Offset-d.page.mark, r.Place("enabled")
	switch from := value.Start.Offset - d.page.mark; {
	case from != first: // the key is there
		return text[:from] + "false" + text[value.End.Offset-d.page.mark:]
	case d.to == 0 && syntaxOf(d.page.file) == markdown: // no front matter
		return fence + eol + disabled + eol + fence + eol + text
	case strings.HasPrefix(text[first:], fence): // an empty one
		return text[:d.from] + disabled + eol + text[d.from:]
	case strings.LastIndexByte(text[:first], '{') > strings.LastIndexByte(text[:first], '\n'):
		return text[:first] + disabled + ", " + text[first:]
	}
	from, _ := d.page.line(first)
	return text[:first] + disabled + eol + strings.Repeat(" ", first-from) + text[first:]
}

// withoutDisabled returns the text without the key enabled, whose value stands at an offset; where it does
// not stand on a line of its own, its value becomes true.
func (d *decoder) withoutDisabled(at int) string {
	text := d.page.text
	from, end := d.page.line(at)
	to := min(d.page.next(end), len(text))
	line := text[from:to]
	lead := line[:len(line)-len(strings.TrimLeft(line, " -"))]
	switch {
	case strings.TrimSpace(line[len(lead):]) != disabled:
		return text[:at] + "true" + strings.TrimLeftFunc(text[at:], unicode.IsLetter)
	case strings.Contains(lead, "-"): // the next key goes where this one was
		return text[:from] + lead + strings.TrimLeft(text[to:], " ")
	}
	before, after := text[:from], text[to:]
	if rest, is := strings.CutPrefix(after, strings.TrimLeft(before, "\ufeff")); is &&
		strings.TrimSpace(before) == fence {
		return rest // the front matter held nothing else
	}
	return before + after
}
