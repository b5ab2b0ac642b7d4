package terminal

import "strings"

// Markdown lays a page out for a terminal of n columns; 0 leaves it as it is. A paragraph is wrapped once.
// A table fits: its columns share the room, and one with too many columns is a list of its rows. Code is
// indented by four blanks and stays as it is, so that people can copy it. bold styles headings.
func Markdown(text string, n int, bold func(string) string) string {
	if n <= 0 {
		return text
	}
	m := &layout{n: min(n, widest), bold: bold}
	fenced := false
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\n")
		fence := strings.HasPrefix(line, "```")
		item := strings.HasPrefix(line, "- ")
		switch row := strings.HasPrefix(line, "|"); {
		case fence || fenced:
			m.end()
			if fenced = fenced != fence; !fence {
				m.line(strings.TrimRight("    "+line, " "))
			}
		case row:
			m.paragraph()
			m.rows = append(m.rows, Cells(line))
		case strings.HasPrefix(line, "#"):
			m.end()
			m.line(strings.Join(Wrap(bold(strings.TrimLeft(line, "# ")), m.n), "\n"))
		case line == "" || strings.HasPrefix(line, "    "):
			m.end()
			m.line(line)
		default:
			m.table()
			if item {
				m.paragraph()
			}
			m.words = append(m.words, strings.TrimSpace(line))
		}
	}
	m.end()
	return m.out.String()
}

// widest is how many columns a line has at most that is still easy to read.
const widest = 100

// layout is a page on its way to a terminal of n columns.
type layout struct {
	n     int
	bold  func(string) string
	out   strings.Builder
	words []string // the lines of the paragraph that is read
	rows  [][]string
}

func (m *layout) line(s string) { m.out.WriteString(s + "\n") }

// end lays out what is read of a paragraph or a table.
func (m *layout) end() {
	m.paragraph()
	m.table()
}

func (m *layout) paragraph() {
	text := strings.Join(m.words, " ")
	if m.words = nil; text == "" {
		return
	}
	head, indent := "", ""
	if rest, item := strings.CutPrefix(text, "- "); item {
		text, head, indent = rest, "- ", "  "
	}
	for _, l := range Wrap(text, m.n-len(indent)) {
		m.line(head + l)
		head = indent
	}
}

// Cells returns the cells of a row of a table in Markdown.
func Cells(line string) []string {
	line = strings.ReplaceAll(strings.Trim(strings.TrimSpace(line), "|"), `\|`, "\x00")
	row := strings.Split(line, "|")
	for i, c := range row {
		row[i] = strings.ReplaceAll(strings.TrimSpace(c), "\x00", "|")
	}
	return row
}

// table lays out a table: its columns share the room, each with as much as it needs at most. Where that is
// too little for words, each row is a list.
func (m *layout) table() {
	rows := m.rows
	if m.rows = nil; len(rows) < 3 { // a head, a line below it, and no row
		return
	}
	head, rows := rows[0], rows[2:]
	wide, least := make([]int, len(head)), make([]int, len(head))
	for _, r := range append([][]string{head}, rows...) {
		for i := range min(len(r), len(head)) {
			wide[i], least[i] = max(wide[i], Width(r[i])), max(least[i], leastColumn)
			for word := range strings.FieldsSeq(r[i]) {
				least[i] = max(least[i], Width(word))
			}
		}
	}
	shares, ok := share(wide, least, m.n-2*(len(wide)-1))
	if !ok {
		for i, r := range rows {
			if i > 0 {
				m.line("")
			}
			m.list(head, r)
		}
		return
	}
	if strings.Join(head, "") != "" {
		m.row(head, shares, m.bold)
	}
	for _, r := range rows {
		m.row(r, shares, func(s string) string { return s })
	}
}

const leastColumn = 14 // columns of a terminal in which words can be read

// share returns how many columns of a terminal each column of a table has that takes wide of them, and needs
// least; ok is false where one would have too few.
func share(wide, least []int, room int) (got []int, ok bool) {
	got, ok = make([]int, len(wide)), true
	for left := len(wide); left > 0; {
		each, more := room/left, 0
		for i, w := range wide {
			if got[i] == 0 && w <= each {
				got[i], room, more = max(w, 1), room-w, more+1
			}
		}
		if left -= more; more == 0 {
			for i := range wide {
				if got[i] == 0 {
					got[i], ok = each, ok && each >= least[i]
				}
			}
			return got, ok
		}
	}
	return got, ok
}

// row lays out a row, each cell wrapped in its column.
func (m *layout) row(row []string, wide []int, style func(string) string) {
	lines, most := make([][]string, len(row)), 0
	for i, c := range row[:min(len(row), len(wide))] {
		lines[i] = Wrap(c, wide[i])
		most = max(most, len(lines[i]))
	}
	for k := range most {
		line := ""
		for i := range wide {
			cell := ""
			if i < len(lines) && k < len(lines[i]) {
				cell = lines[i][k]
			}
			if line += style(Fill(cell, wide[i])); i < len(wide)-1 {
				line += "  "
			}
		}
		m.line(strings.TrimRight(line, " "))
	}
}

// list lays out a row as a list: its first cell, and below it each other one behind the head of its column.
func (m *layout) list(head, row []string) {
	for _, l := range Wrap(row[0], m.n) {
		m.line(m.bold(l))
	}
	for i := 1; i < min(len(row), len(head)); i++ {
		if row[i] == "" {
			continue
		}
		for k, l := range Wrap(head[i]+": "+row[i], m.n-4) {
			m.line(map[bool]string{true: "  ", false: "    "}[k == 0] + l)
		}
	}
}
