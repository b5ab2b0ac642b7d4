package main

import (
	"io"
	"strings"

	"golang.org/x/text/width"

	"github.com/aside-go/aside/cmd/aside/internal/terminal"
)

// table prints rows in aligned columns with two blanks between them. A row of one cell is a heading, and does not widen a column. columns
// is the width of the terminal, to which the last column is cut; 0: not at all.
func table(w io.Writer, rows [][]string, columns int) error {
	var wide []int
	for _, r := range rows {
		if len(r) == 1 {
			continue // a heading
		}
		for i, cell := range r {
			if i == len(wide) {
				wide = append(wide, 0)
			}
			wide[i] = max(wide[i], cells(cell))
		}
	}
	for _, r := range rows {
		var b strings.Builder
		used := 0
		for i, cell := range r {
			if len(r) == 1 {
				b.WriteString(cell)
				break
			}
			if i == len(r)-1 {
				if room := columns - used; columns > 0 {
					cell = cut(cell, max(room, 8))
				}
				b.WriteString(cell)
				break
			}
			b.WriteString(cell)
			b.WriteString(strings.Repeat(" ", wide[i]-cells(cell)+2))
			used += wide[i] + 2
		}
		if _, err := io.WriteString(w, strings.TrimRight(b.String(), " ")+"\n"); err != nil {
			return err
		}
	}
	return nil
}

// cells returns the width of s in columns of a terminal.
func cells(s string) int {
	n := 0
	for _, r := range s {
		n += cell(r)
	}
	return n
}

func cell(r rune) int {
	switch width.LookupRune(r).Kind() {
	case width.EastAsianWide, width.EastAsianFullwidth:
		return 2
	default:
		return 1
	}
}

// cut shortens s to n columns, with … at its end where something was cut off.
func cut(s string, n int) string {
	if cells(s) <= n {
		return s
	}
	used := 0
	for i, r := range s {
		if used += cell(r); used > n-1 {
			return s[:i] + "…"
		}
	}
	return s
}

// line returns s on one line: blanks and characters that a terminal would obey become single blanks.
func line(s string) string {
	return strings.Join(strings.FieldsFunc(s, func(r rune) bool { return r == ' ' || terminal.Obeys(r) }), " ")
}
