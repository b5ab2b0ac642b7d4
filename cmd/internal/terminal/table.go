package terminal

import (
	"io"
	"strings"
)

// Block is a part of a text for people, which a terminal and a page lay out each in its own way: a heading, a
// sentence, or rows of cells, the first of which names its row. The zero Block is a blank line, of which a
// page has no need.
type Block struct {
	Heading, Text string
	Head          []string // of the columns
	Rows          [][]string
	Words         bool // the cells are words, not numbers
}

// Table prints rows in aligned columns with two blanks between them. A row of one cell is a heading, and does
// not widen a column. columns is the width of the terminal, to which the last column is cut; 0: not at all.
// Where that leaves nearly nothing of it, it stands below the others.
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

const leastCell = 16 // columns for the last cell of a row beside the others

// row returns the text of one row. wide are the widths of the columns.
func row(cells []string, wide []int, columns int) string {
	if len(cells) == 1 {
		return cells[0]
	}
	var b strings.Builder
	used := 0
	for i, cell := range cells {
		if i == len(cells)-1 {
			switch room := columns - used; {
			case columns <= 0:
				b.WriteString(cell)
			case room >= leastCell || Width(cell) <= room:
				b.WriteString(Cut(cell, room))
			default:
				const indent = "    "
				above := strings.Join(strings.Fields(b.String()), "  ")
				if strings.HasPrefix(cells[0], "  ") {
					above = "  " + above
				}
				b.Reset()
				b.WriteString(Cut(above, columns))
				for _, line := range Wrap(cell, max(columns-len(indent), 8)) {
					b.WriteString("\n" + indent + line)
				}
			}
			break
		}
		b.WriteString(cell)
		b.WriteString(strings.Repeat(" ", wide[i]-Width(cell)+2))
		used += wide[i] + 2
	}
	return b.String()
}
