package lsp

import (
	"fmt"
	"sort"
	"strings"
	"unicode/utf8"

	"github.com/aside-go/aside/grammar"
)

// units are the units in which an editor counts the columns of a line.
type units uint8

const (
	utf16 units = iota // the protocol's default
	utf8s
	utf32
)

func (u units) String() string { return [...]string{"utf-16", "utf-8", "utf-32"}[u] }

// agree returns the first of the units that an editor offers, which are in its order of preference. Bytes
// would be cheapest here, but the editor knows best which unit is cheap for its own texts.
func agree(offered []string) units {
	for _, o := range offered {
		for _, u := range []units{utf16, utf8s, utf32} {
			if o == u.String() {
				return u
			}
		}
	}
	return utf16
}

// width returns how many units a character takes. size is its length in bytes.
func (u units) width(r rune, size int) int {
	switch {
	case u == utf8s:
		return size
	case u == utf16 && r >= 0x10000:
		return 2
	}
	return 1
}

// text is the text of a file and the beginnings of its lines, which end with "\n", "\r\n" or "\r". It is
// immutable.
type text struct {
	s     string
	lines []int
}

func newText(s string) *text {
	t := &text{s: s, lines: make([]int, 1, 1+strings.Count(s, "\n"))}
	for i := 0; i < len(s); i++ {
		if c := s[i]; c == '\n' || c == '\r' && (i+1 == len(s) || s[i+1] != '\n') {
			t.lines = append(t.lines, i+1)
		}
	}
	return t
}

// line returns the offsets of a line, numbered from 0, without its line end.
func (t *text) line(n int) (from, to int) {
	from, to = t.lines[n], len(t.s)
	if n+1 < len(t.lines) {
		to = t.lines[n+1]
	}
	return from, from + len(strings.TrimRight(t.s[from:to], "\r\n"))
}

// lineOf returns the number, from 0, of the line that off is in.
func (t *text) lineOf(off int) int { return sort.SearchInts(t.lines, off+1) - 1 }

// offset returns the offset of p in bytes. As the protocol says, a column past the end of its line is the
// line's end. A line past the last one is the end of the text, and a column inside a character is the
// character's beginning.
func (t *text) offset(p position, u units) int {
	if p.Line >= len(t.lines) {
		return len(t.s)
	}
	from, to := t.line(max(p.Line, 0))
	for n := 0; from < to; {
		r, size := utf8.DecodeRuneInString(t.s[from:to])
		if n += u.width(r, size); n > p.Character {
			break
		}
		from += size
	}
	return from
}

// position returns the position of off in the editor's units. An offset inside a character is moved back to
// its beginning, and one past the text to the text's end.
func (t *text) position(off int, u units) position {
	off = min(max(off, 0), len(t.s))
	for off > 0 && off < len(t.s) && !utf8.RuneStart(t.s[off]) {
		off--
	}
	line := t.lineOf(off)
	p := position{Line: line}
	for at := t.lines[line]; at < off; {
		r, size := utf8.DecodeRuneInString(t.s[at:])
		p.Character += u.width(r, size)
		at += size
	}
	return p
}

// span is the bytes [from, to) of a text.
type span struct{ from, to int }

func (t *text) rangeOf(s span, u units) lspRange {
	return lspRange{t.position(s.from, u), t.position(max(s.from, s.to), u)}
}

func (t *text) spanOf(r lspRange, u units) span {
	from := t.offset(r.Start, u)
	return span{from, max(from, t.offset(r.End, u))}
}

// spanIn returns the span of a range. The zero range is at the beginning of the text.
func spanIn(r grammar.Range) span { return span{r.Start.Offset, r.End.Offset} }

// touches reports whether two spans overlap or meet.
func (s span) touches(o span) bool { return s.from <= o.to && o.from <= s.to }

// change returns the text after a change of the editor, which replaces a range or the whole text.
func (t *text) change(c contentChange, u units) (*text, error) {
	if c.Range == nil {
		return newText(c.Text), nil
	}
	if after(c.Range.Start, c.Range.End) {
		return nil, fmt.Errorf("a range that ends before it begins: %v", *c.Range)
	}
	s := t.spanOf(*c.Range, u)
	return newText(t.s[:s.from] + c.Text + t.s[s.to:]), nil
}

func after(a, b position) bool {
	return a.Line > b.Line || a.Line == b.Line && a.Character > b.Character
}
