package document

import (
	"slices"
	"strings"
	"unicode"

	"github.com/aside-go/aside/compile"
	"github.com/aside-go/aside/grammar"
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
	first, value := rs[i].Place("").Start.Offset, rs[i].Place("enabled")
	e := d.insert(first-d.page.mark, disabled)
	switch {
	case on:
		e = d.withoutDisabled(value.Start.Offset - d.page.mark)
	case value.Start.Offset != first: // the key is there
		e = &grammar.Edit{Range: value, Text: "false"}
	}
	out = slices.Concat(src[:e.Range.Start.Offset], []byte(e.Text), src[e.Range.End.Offset:])
	if rs[i].Disabled = !on; !d.sameMeaning(rs, out) {
		return src, false
	}
	return out, true
}

// disabled is the key and the value by which a reminder is switched off.
const disabled = "enabled: false"

// withoutDisabled is the edit that removes the key enabled, whose value stands at an offset; where it does
// not stand on a line of its own, its value becomes true.
func (d *decoder) withoutDisabled(at int) *grammar.Edit {
	text := d.page.text
	from, end := d.page.line(at)
	to := min(d.page.next(end), len(text))
	line := text[from:to]
	lead := line[:len(line)-len(strings.TrimLeft(line, " -"))]
	switch {
	case strings.TrimSpace(line[len(lead):]) != disabled:
		return d.edit(at, len(text)-len(strings.TrimLeftFunc(text[at:], unicode.IsLetter)), "true")
	case strings.Contains(lead, "-"): // the next key goes where this one was
		return d.edit(from, len(text)-len(strings.TrimLeft(text[to:], " ")), lead)
	case from == d.from && to == d.to && strings.TrimSpace(text[:from]) == fence:
		_, end = d.page.line(to)
		return d.edit(0, min(d.page.next(end), len(text)), "") // the front matter held nothing else
	}
	return d.edit(from, to, "")
}
