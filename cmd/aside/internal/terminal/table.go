package terminal

import (
	"io"
	"strings"
)

// Table prints rows in aligned columns with two blanks between them. A row of one cell is a heading, and does
// not widen a column. columns is the width of the terminal, to which the last column is cut; 0: not at all.
func Table(w io.Writer, rows [][]string, columns int) error {
	var wide []int
	for _, r := range rows {
		if len(r) == 1 {
			continue // a heading
		}
		for i, cell := range r {
			if i == len(wide) {
				wide = append(wide, 0)
			}
			wide[i] = max(wide[i], Width(cell))
		}
	}
	for _, r := range rows {
		if _, err := io.WriteString(w, strings.TrimRight(row(r, wide, columns), " ")+"\n"); err != nil {
			return err
		}
	}
	return nil
}

// row returns the text of one row. wide are the widths of the columns.
func row(cells []string, wide []int, columns int) string {
	if len(cells) == 1 {
		return cells[0]
	}
	var b strings.Builder
	used := 0
	for i, cell := range cells {
		if i == len(cells)-1 {
			if columns > 0 {
				cell = Cut(cell, max(columns-used, 8))
			}
			b.WriteString(cell)
			break
		}
		b.WriteString(cell)
		b.WriteString(strings.Repeat(" ", wide[i]-Width(cell)+2))
		used += wide[i] + 2
	}
	return b.String()
}
