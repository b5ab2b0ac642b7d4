package view

import (
	"strings"
	"unicode/utf8"

	"github.com/aside-go/aside/cmd/internal/terminal"
)

// rows are the rows into which a text breaks on a terminal, between words where that is possible. They are
// found as far as somebody asks for them, so that the end of a long text costs nothing until it is shown.
type rows struct {
	text   string
	width  int   // columns
	starts []int // where in text the rows begin that were found, in order
	next   int   // where the row after them begins; behind text: there is none
}

func newRows(text string, width int) rows {
	return rows{text: strings.TrimRight(text, " \t\r\n"), width: max(width, 1)}
}

// find finds the first n rows, and returns how many of them there are.
func (r *rows) find(n int) int {
	for len(r.starts) < n && r.next < len(r.text) {
		r.starts = append(r.starts, r.next)
		_, r.next = breakRow(r.text, r.next, r.width)
	}
	return min(n, len(r.starts))
}

// all finds all rows, and returns how many there are.
func (r *rows) all() int { return r.find(len(r.text) + 1) }

// row returns a row that was found, without characters that a terminal obeys.
func (r *rows) row(k int) string {
	end, _ := breakRow(r.text, r.starts[k], r.width)
	return harmless(r.text[r.starts[k]:end])
}

// at returns the row in which the byte at offset stands.
func (r *rows) at(offset int) int {
	for k := 0; ; k++ {
		if r.find(k+2) < k+2 || r.starts[k+1] > offset {
			return k
		}
	}
}

const (
	tab = 4 // columns
	// dense is how many bytes a column has at most. Characters of no width could make a row of any length.
	dense = 16
)

// breakRow returns where the row that begins at from ends, and where the next one begins.
func breakRow(text string, from, width int) (end, next int) {
	used, blank, word := 0, from, false // blank: the last one behind a word
	for i := from; i < len(text); {
		c, size := rune(text[i]), 1
		if c >= utf8.RuneSelf {
			c, size = utf8.DecodeRuneInString(text[i:])
		}
		if c == '\n' {
			return i, i + 1
		}
		w := columns(c, used)
		if used+w > width && i > from || i-from > dense*(width+1) {
			switch {
			case c == ' ':
				return i, i + 1
			case blank > from:
				return blank, blank + 1
			}
			return i, i
		}
		if word = word || c != ' '; c == ' ' && word {
			blank = i
		}
		used += w
		i += size
	}
	return len(text), len(text)
}

// columns returns the width of a character behind used columns, as harmless shows it.
func columns(c rune, used int) int {
	switch {
	case c == '\t':
		return tab - used%tab
	case variation(c):
		return 0
	case c >= ' ' && c < 0x7f || terminal.Obeys(c):
		return 1
	}
	return terminal.Width(string(c))
}

// variation reports whether a character asks for another form of the one before it, which terminals take to
// be one or two columns wide.
func variation(c rune) bool { return c == '\ufe0e' || c == '\ufe0f' }

// harmless returns a row with blanks for tabs, and pictures for characters that a terminal obeys.
func harmless(row string) string {
	if row = strings.TrimSuffix(row, "\r"); strings.ContainsAny(row, "\t\ufe0e\ufe0f") {
		var b strings.Builder
		used := 0
		for _, c := range row {
			w := columns(c, used)
			used += w
			switch {
			case c == '\t':
				b.WriteString(strings.Repeat(" ", w))
			case !variation(c):
				b.WriteRune(c)
			}
		}
		row = b.String()
	}
	return terminal.Shown(row)
}
