package grammar

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/width"

	"github.com/aside-go/aside/internal/code"
	"github.com/aside-go/aside/internal/excerpt"
)

// Position is a place in a text. The zero Position means "no place".
type Position struct {
	Offset int `json:"offset"` // bytes from the start, from 0
	Line   int `json:"line"`   // from 1
	Column int `json:"column"` // characters (code points) from 1
}

// After returns the position behind a text that begins at p.
func (p Position) After(text string) Position {
	p.Offset += len(text)
	if i := strings.LastIndexByte(text, '\n'); i >= 0 {
		p.Line += strings.Count(text, "\n")
		p.Column, text = 1, text[i+1:]
	}
	p.Column += utf8.RuneCountInString(text)
	return p
}

// Range is a stretch of text, from Start up to but not including End.
type Range struct {
	Start Position `json:"start"`
	End   Position `json:"end"`
}

// Severity says how serious a diagnostic is.
type Severity uint8

const (
	// Error stands for something that cannot be used unchanged.
	Error Severity = iota
	// Warning stands for something that works but probably not as meant.
	Warning
	// Info stands for a remark.
	Info
)

// String returns "error", "warning" or "info".
func (s Severity) String() string {
	switch s {
	case Error:
		return "error"
	case Warning:
		return "warning"
	default:
		return "info"
	}
}

// Code is the kind of a diagnostic: R and four digits. A code never changes its meaning.
type Code = code.Code

// Edit replaces a stretch of text by Text.
type Edit struct {
	Range Range
	Text  string
	// Unsafe says that the edit changes what a rule does that can be used as it is, so that a person has to
	// choose it. The edit of an error is safe: the rule does nothing yet.
	Unsafe bool
}

// Doubtful returns e, which may be nil, marked as unsafe.
func (e *Edit) Doubtful() *Edit {
	if e == nil {
		return nil
	}
	return &Edit{Range: e.Range, Text: e.Text, Unsafe: true}
}

// Diagnostic is a mistake that the author of a trigger or a rule file can correct.
type Diagnostic struct {
	Code     Code // such as "R0204"
	Severity Severity
	File     string // "" if the text is not from a file
	Range    Range  // of the mistake, and no more than that
	Message  string // the mistake, on one line
	Hint     string // the advice, on one line; may be empty
	Fix      *Edit  // the hint as an edit of the same text; nil where there is a choice
}

// String returns the diagnostic on one line: file:line:column: severity[code]: message (hint). One that has
// neither a file nor a place, as of a reminder in code, begins with its severity.
func (d Diagnostic) String() string {
	s := fmt.Sprintf("%s[%s]: %s", d.Severity, d.Code, d.Message)
	if d.File != "" || d.Range.Start.Line > 0 {
		s = fmt.Sprintf("%d:%d: %s", d.Range.Start.Line, d.Range.Start.Column, s)
	}
	if d.File != "" {
		s = d.File + ":" + s
	}
	if d.Hint != "" {
		s += " (" + d.Hint + ")"
	}
	return s
}

// Diagnostics is a list of diagnostics. Every function of this module that returns one returns it sorted. It
// is an error, whether an error is among it or not: see Err.
type Diagnostics []Diagnostic

// Error implements error: each diagnostic on a line.
func (ds Diagnostics) Error() string {
	lines := make([]string, len(ds))
	for i, d := range ds {
		lines[i] = d.String()
	}
	return strings.Join(lines, "\n")
}

// Err returns ds if an error is among it, else nil. Find it again with errors.As.
func (ds Diagnostics) Err() error {
	if ds.HasErrors() {
		return ds
	}
	return nil
}

// Sort puts ds in the order file, place, code, message.
func (ds Diagnostics) Sort() {
	slices.SortStableFunc(ds, func(a, b Diagnostic) int {
		return cmp.Or(strings.Compare(a.File, b.File), cmp.Compare(a.Range.Start.Offset, b.Range.Start.Offset),
			cmp.Compare(a.Range.End.Offset, b.Range.End.Offset), cmp.Compare(a.Code, b.Code),
			strings.Compare(a.Message, b.Message))
	})
}

// HasErrors reports whether any diagnostic of ds is an error.
func (ds Diagnostics) HasErrors() bool {
	return slices.ContainsFunc(ds, func(d Diagnostic) bool { return d.Severity == Error })
}

// edit is the edit that puts text in place of a stretch of p.
func (p places) edit(start, end int, text string) *Edit {
	return &Edit{Range: p.between(start, end), Text: text}
}

// replace is the edit that puts text in place of t.
func (p places) replace(t token, text string) *Edit { return p.edit(t.start, t.end, text) }

// insert is the edit that puts text at an offset.
func (p places) insert(at int, text string) *Edit { return p.edit(at, at, text) }

// oneLine makes a hint safe to print: it may have pieces of the source in it. Line ends become blanks, and
// other characters that cannot be printed become U+FFFD.
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
func quoted(s string) string { return strconv.Quote(excerpt.Of(s, 40)) }

// Render returns the diagnostic as three lines, without a newline at the end: the mistake and its place, the
// line of the source, and under it carets with the hint.
//
//	reminders/edit.md:4:23: error[R0204]: a ratio cannot be above 100%
//	  4 | when: context_usage > 75
//	    |                       ^^ did you mean 75%?
//
// src is the text of d.File. If the range spans several lines, only the first is shown, and of a long line
// only the part around the range. Control characters are shown as symbols such as ␛, so that a source cannot
// control the terminal. If d.Range is not a place in src, Render returns the same as String.
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

// underline returns line as a terminal can show it, and the blanks and carets under its columns start to
// end.
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

// visible returns the text for r on a terminal, and the number of its cells.
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
