package terminal

import (
	"cmp"
	"io"
	"slices"
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

// Print prints blocks for a terminal of columns columns; 0: 80. ascii says that it shows only ASCII. Of a
// table that is too wide, names are cut first; then columns are left out: those with nothing but zeros, and
// then from the left, since the last column has the sum.
func Print(w io.Writer, blocks []Block, columns int, ascii bool) error {
	p := printed{columns: cmp.Or(columns, 80)}
	for i, b := range blocks {
		switch {
		case b.Heading != "":
			if i > 0 {
				p.line("")
			}
			p.line(Fold(b.Heading, p.columns))
		case b.Rows != nil:
			p.table(append([][]string{b.Head}, b.Rows...))
		default:
			p.say(b.Text)
		}
	}
	text := p.String()
	if ascii {
		text = strings.NewReplacer("−", "-", "×", "x", "\ufffd", "?", "…", "~").Replace(text)
	}
	_, err := io.WriteString(w, text)
	return err
}

// printed is a text of blocks.
type printed struct {
	strings.Builder
	columns int
}

func (p *printed) line(s string) { p.WriteString(strings.TrimRight(s, " ") + "\n") }

// say prints a sentence, on as many lines as it needs.
func (p *printed) say(s string) {
	indent := "  "
	for _, l := range Wrap(s, max(p.columns-4, 1)) {
		p.line(indent + l)
		indent = "    "
	}
}

const leastName = 24 // columns that a name keeps

// table prints a head and rows: the first column is aligned to the left, the others to the right.
func (p *printed) table(t [][]string) {
	wide, all := widths(t)
	left := false
	for ; all > p.columns; wide, all = widths(t) {
		least := leastName
		if len(t[0]) <= 2 {
			least = 1
		}
		if to := max(wide[0]-(all-p.columns), least); to < wide[0] {
			for _, row := range t {
				row[0] = Cut(row[0], to)
			}
			continue
		}
		if len(t[0]) <= 2 {
			break
		}
		out := idle(t)
		left = left || out == 0
		for i := range t {
			t[i] = slices.Delete(t[i], max(out, 1), max(out, 1)+1)
		}
	}
	for _, row := range t {
		line := "  " + Fill(row[0], wide[0])
		for i, cell := range row[1:] {
			line += strings.Repeat(" ", 2+wide[i+1]-Width(cell)) + cell
		}
		p.line(line)
	}
	if left {
		p.say("a wider terminal has room for more columns")
	}
}

// widths returns the widths of the columns of a table, and of a row with the blanks between them.
func widths(t [][]string) (wide []int, all int) {
	wide = make([]int, len(t[0]))
	for _, row := range t {
		for i, cell := range row {
			wide[i] = max(wide[i], Width(cell))
		}
	}
	for _, n := range wide {
		all += len("  ") + n
	}
	return wide, all
}

// idle returns a column between the first and the last with nothing but zeros; 0 where there is none.
func idle(t [][]string) int {
	for i := 1; i < len(t[0])-1; i++ {
		if !slices.ContainsFunc(t[1:], func(row []string) bool { return row[i] != "$0" && row[i] != "0" }) {
			return i
		}
	}
	return 0
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
