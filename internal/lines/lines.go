// Package lines says in which line and column a place of a text stands. An Index is immutable and may be used
// concurrently.
package lines

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// Index knows the line and the column of each offset of a text. A line ends with "\n". A column counts
// characters; an invalid byte is one. An Index is made in one pass, so that asking is cheap.
type Index struct {
	text   string
	starts []int  // where each line begins
	marks  []mark // of one character in each step bytes; nil when all are ASCII
}

// mark is a character that begins at the offset at, with n characters before it.
type mark struct{ at, n int }

// step is the distance of two marks, and so the greatest number of bytes to count for one column.
const step = 512

// New returns the Index of a text.
func New(text string) *Index {
	x := &Index{text: text, starts: make([]int, 1, 1+strings.Count(text, "\n"))}
	ascii := true
	for i := range len(text) {
		if text[i] == '\n' {
			x.starts = append(x.starts, i+1)
		}
		ascii = ascii && text[i] < utf8.RuneSelf
	}
	if ascii {
		return x
	}
	n := 0
	for i := range text {
		if i/step == len(x.marks) {
			x.marks = append(x.marks, mark{i, n})
		}
		n++
	}
	return x
}

// Starts returns where each line begins. It must not be modified.
func (x *Index) Starts() []int { return x.starts }

// At returns the line and the column of an offset, both from 1. Within a character it is that of its
// beginning.
func (x *Index) At(off int) (line, column int) {
	line, found := slices.BinarySearch(x.starts, off)
	if found {
		line++
	}
	return line, x.before(x.Back(off)) - x.before(x.starts[line-1]) + 1
}

// Back returns the beginning of the character that off is in.
func (x *Index) Back(off int) int {
	for k := 1; k < utf8.UTFMax && k <= off && off < len(x.text); k++ {
		if _, n := utf8.DecodeRuneInString(x.text[off-k:]); n > k {
			return off - k
		}
	}
	return off
}

// before counts the characters before the one that begins at off.
func (x *Index) before(off int) int {
	if x.marks == nil {
		return off
	}
	k := min(off/step, len(x.marks)-1)
	if x.marks[k].at > off {
		k--
	}
	m := x.marks[k]
	return m.n + utf8.RuneCountInString(x.text[m.at:off])
}

// Forward returns the offset n characters behind off, at most the end of the text.
func (x *Index) Forward(off, n int) int {
	if x.marks == nil {
		return min(off+n, len(x.text))
	}
	n += x.before(off)
	k, found := slices.BinarySearchFunc(x.marks, n, func(m mark, n int) int { return m.n - n })
	if !found {
		k--
	}
	m := x.marks[k]
	for i := range x.text[m.at:] {
		if m.n == n {
			return max(m.at+i, off)
		}
		m.n++
	}
	return len(x.text)
}
