package grammar

import (
	"bytes"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/width"
)

// Render returns the diagnostic as three lines, without a newline at the end: what is wrong and where, the line of the
// source, and under it carets with the hint.
//
//	reminders/edit.md:4:23: error[R0204]: a ratio cannot be above 100%
//	  4 | when: context_usage > 75
//	    |                       ^^ did you mean 75%?
//
// src is the text of d.File. If the range spans several lines, only the first is shown, and of a long line only the part
// around the range. Control characters are shown as symbols such as ␛, so that a source cannot control the terminal. If
// d.Range is not a place in src, Render returns what String does.
func (d Diagnostic) Render(src []byte) string {
	line, ok := lineAt(src, d.Range.Start.Line)
	if !ok {
		return d.String()
	}
	hint := d.Hint
	d.Hint = ""
	start := d.Range.Start.Column
	end := utf8.RuneCountInString(line) + 1
	if d.Range.End.Line == d.Range.Start.Line {
		end = d.Range.End.Column
	}
	text, marks := underline(line, start, end)
	gutter := fmt.Sprintf("%3d", d.Range.Start.Line)
	below := strings.TrimRight(fmt.Sprintf("%*s | %s %s", len(gutter), "", marks, hint), " ")
	return fmt.Sprintf("%s\n%s | %s\n%s", d.String(), gutter, text, below)
}

// lineAt returns the n-th line of src, counted from 1, without its end.
func lineAt(src []byte, n int) (string, bool) {
	if n < 1 {
		return "", false
	}
	for range n - 1 {
		end := bytes.IndexByte(src, '\n')
		if end < 0 {
			return "", false
		}
		src = src[end+1:]
	}
	line, _, _ := bytes.Cut(src, []byte("\n"))
	return string(bytes.TrimSuffix(line, []byte("\r"))), true
}

// underline returns line as a terminal can show it, and what puts carets under its columns start to end.
func underline(line string, start, end int) (text, marks string) {
	const (
		before = 80  // columns shown before the range, if the line is long
		most   = 160 // columns shown at all
	)
	var shown, under strings.Builder
	column, carets := 1, 0
	first := max(1, start-before)
	if first > 1 {
		shown.WriteRune('…')
		under.WriteByte(' ')
	}
	for _, r := range line {
		if column >= first+most && column > start {
			shown.WriteRune('…')
			break
		}
		if column >= first {
			r, cells := visible(r)
			shown.WriteRune(r)
			switch {
			case column < start && r == '\t':
				under.WriteByte('\t')
			case column < start:
				under.WriteString(strings.Repeat(" ", cells))
			case column < end:
				carets += cells
			}
		}
		column++
	}
	under.WriteString(strings.Repeat("^", max(1, carets)))
	return shown.String(), under.String()
}

// visible returns what stands for r on a terminal, and how many cells it takes.
func visible(r rune) (rune, int) {
	switch {
	case r == '\t':
		return r, 1
	case r < ' ':
		return '␀' + r, 1
	case r == 0x7f:
		return '␡', 1
	case unicode.Is(unicode.Cf, r), unicode.IsControl(r), unicode.Is(unicode.Zl, r), unicode.Is(unicode.Zp, r):
		return utf8.RuneError, 1
	case unicode.Is(unicode.Mn, r), unicode.Is(unicode.Me, r):
		return r, 0
	}
	switch width.LookupRune(r).Kind() {
	case width.EastAsianWide, width.EastAsianFullwidth:
		return r, 2
	default:
		return r, 1
	}
}
