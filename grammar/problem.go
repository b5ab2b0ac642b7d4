package grammar

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// problem is a diagnostic before it has lines and columns.
type problem struct {
	code       Code
	start, end int
	message    string
	hint       string
	fix        *patch
}

// at returns p with its range set.
func (p problem) at(start, end int) problem {
	p.start, p.end = start, end
	return p
}

// patch is an edit before it has lines and columns.
type patch struct {
	start, end int
	text       string
}

// replace is the patch that puts text in place of t.
func replace(t token, text string) *patch { return &patch{start: t.start, end: t.end, text: text} }

// insert is the patch that puts text at an offset.
func insert(at int, text string) *patch { return &patch{start: at, end: at, text: text} }

func diagnostics(problems []problem, at *places) Diagnostics {
	if len(problems) == 0 {
		return nil
	}
	ds := make(Diagnostics, len(problems))
	for i, p := range problems {
		ds[i] = Diagnostic{Code: p.code, Severity: Error, Range: at.between(p.start, p.end), Message: p.message, Hint: oneLine(p.hint)}
		if p.fix != nil {
			ds[i].Fix = &Edit{Range: at.between(p.fix.start, p.fix.end), Text: p.fix.text}
		}
	}
	ds.Sort()
	return ds
}

// oneLine makes a hint safe to print: it may have pieces of the source in it. Line ends become blanks, and other characters
// that cannot be printed become U+FFFD.
func oneLine(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r < ' ':
			return ' '
		case !unicode.IsPrint(r):
			return utf8.RuneError
		default:
			return r
		}
	}, s)
}

// quoted puts a piece of source into a message: in quotes, on one line, and not too long.
func quoted(s string) string {
	const most = 40
	if len(s) > most {
		cut := most
		for cut > most-utf8.UTFMax && !utf8.RuneStart(s[cut]) {
			cut--
		}
		s = s[:cut] + "…"
	}
	return strconv.Quote(s)
}
