package replay

import (
	"strings"
	"unicode"

	"golang.org/x/text/width"

	"github.com/aside-go/aside/cmd/aside/internal/terminal"
)

// style is a colour or weight of the terminal.
type style string

const (
	plain  style = ""
	bold   style = "\x1b[1m"
	dim    style = "\x1b[2m"
	red    style = "\x1b[31m"
	green  style = "\x1b[32m"
	yellow style = "\x1b[33m"
	cyan   style = "\x1b[36m"
	reset        = "\x1b[0m"
)

// glyphs are the timeline's own characters, which a terminal may lack.
type glyphs struct {
	full, empty, arrow, cross, more, dash, dot, times, rule string
}

var (
	unicodeGlyphs = glyphs{"█", "░", "▸", "✗", "…", "–", "·", "×", "─"}
	asciiGlyphs   = glyphs{"#", ".", ">", "!", "...", "-", "-", "x", "-"}
)

// columns returns how many columns of a terminal s takes.
func columns(s string) int {
	n := 0
	for _, r := range s {
		n += runeColumns(r)
	}
	return n
}

func runeColumns(r rune) int {
	if r < 0x300 {
		return 1
	}
	if unicode.In(r, unicode.Mn, unicode.Me, unicode.Cf) {
		return 0
	}
	if r >= 0x1F300 && r <= 0x1FAFF {
		return 2
	}
	switch width.LookupRune(r).Kind() {
	case width.EastAsianWide, width.EastAsianFullwidth:
		return 2
	default:
		return 1
	}
}

// clean returns a text on one line, without what could move the cursor or change colours: recorded texts may come from anybody.
func clean(s string) string {
	var b strings.Builder
	gap := false
	for _, r := range s {
		switch {
		case unicode.IsSpace(r):
			gap = b.Len() > 0
		case terminal.Obeys(r), r == unicode.ReplacementChar:
		default:
			if gap {
				b.WriteByte(' ')
				gap = false
			}
			b.WriteRune(r)
		}
	}
	return b.String()
}

// visible returns a line without what could move the cursor or change colours, which names of files may hold.
func visible(s string) string {
	return strings.Map(func(r rune) rune {
		if terminal.Obeys(r) {
			return -1
		}
		return r
	}, s)
}

// shorten cuts s to at most most columns, with more at its end where something was cut off.
func shorten(s string, most int, more string) string {
	if columns(s) <= most {
		return s
	}
	room := most - columns(more)
	if room <= 0 {
		return ""
	}
	n := 0
	for i, r := range s {
		if n += runeColumns(r); n > room {
			return strings.TrimRight(s[:i], " ") + more
		}
	}
	return s
}

// fill pads s on the right to n columns.
func fill(s string, n int) string {
	return s + strings.Repeat(" ", max(0, n-columns(s)))
}

// wrap cuts s between words into lines of at most most columns. A word that is longer has a line of its own.
func wrap(s string, most int) []string {
	var lines []string
	line, used := "", 0
	for word := range strings.FieldsSeq(s) {
		n := columns(word)
		switch {
		case used == 0:
			line, used = word, n
		case used+1+n <= most:
			line, used = line+" "+word, used+1+n
		default:
			lines = append(lines, line)
			line, used = word, n
		}
	}
	return append(lines, line)
}
