package lsp

import (
	"fmt"
	"sort"
	"strings"
	"sync/atomic"
	"unicode/utf8"

	"github.com/aside-go/aside/grammar"
)

// units is what an editor counts the columns of a line in.
type units uint8

const (
	utf16 units = iota // what the protocol takes where nothing else was agreed
	utf8s
	utf32
)

func (u units) String() string { return [...]string{"utf-16", "utf-8", "utf-32"}[u] }

// agree chooses among the units that an editor offers, in its order of preference: bytes are cheapest for us, but it is the one who knows
// its texts.
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

// width is how many units a character takes.
func (u units) width(r rune, size int) int {
	switch {
	case u == utf8s:
		return size
	case u == utf16 && r >= 0x10000:
		return 2
	}
	return 1
}

// text is the text of a file and the beginnings of its lines, which end with "\n", "\r\n" or "\r". It is immutable.
type text struct {
	s      string
	lines  []int
	serial int64 // no other text has it
}

var serials atomic.Int64

func newText(s string) *text {
	t := &text{s: s, serial: serials.Add(1), lines: make([]int, 1, 1+strings.Count(s, "\n"))}
	for i := 0; i < len(s); i++ {
		if c := s[i]; c == '\n' || c == '\r' && (i+1 == len(s) || s[i+1] != '\n') {
			t.lines = append(t.lines, i+1)
		}
	}
	return t
}

// line is the stretch of a line, without its end.
func (t *text) line(n int) (from, to int) {
	from, to = t.lines[n], len(t.s)
	if n+1 < len(t.lines) {
		to = t.lines[n+1]
	}
	return from, from + len(strings.TrimRight(t.s[from:to], "\r\n"))
}

// lineOf is the number of the line that off is in.
func (t *text) lineOf(off int) int { return sort.SearchInts(t.lines, off+1) - 1 }

// offset is the place of p in bytes. A column behind the end of its line is the end, as the protocol says; so is a line behind the last
// one, and one inside a character is the character's beginning.
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

// position is the place of off in the editor's units. An offset inside of a character or behind the text is moved back.
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

// span is a stretch of a text in bytes.
type span struct{ from, to int }

func (t *text) rangeOf(s span, u units) lspRange {
	return lspRange{t.position(s.from, u), t.position(max(s.from, s.to), u)}
}

func (t *text) spanOf(r lspRange, u units) span {
	from := t.offset(r.Start, u)
	return span{from, max(from, t.offset(r.End, u))}
}

// spanIn is where a diagnostic stands; one without a place stands at the beginning.
func spanIn(r grammar.Range) span { return span{r.Start.Offset, r.End.Offset} }

// touches reports whether two stretches have a place in common, their ends included.
func (s span) touches(o span) bool { return s.from <= o.to && o.from <= s.to }

// has reports whether off is in s or at one of its ends.
func (s span) has(off int) bool { return s.from <= off && off <= s.to }

// change applies one change of an editor: of a stretch, or of the whole text.
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
