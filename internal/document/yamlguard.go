package document

import "strings"

// size is how much YAML a text holds.
type size struct {
	entries int // keys, list items and comments
	nesting int
	at      int // the offset where a limit was passed; -1 if none was
}

// measure tells how much YAML a text holds, in one pass and without allocating more than the nesting takes. It stops at the
// first limit that is passed. It guards the YAML library, which takes time and memory in proportion to the entries.
//
// It does not read YAML in full, so a scalar of a form that it does not know can make it count some entries too many or too
// few. In the end it is the limit on the size of a file that bounds what the library takes.
func measure(text string) size {
	m := measurer{text: text, size: size{at: -1}}
	for i := 0; i < len(text) && m.size.at < 0; {
		i = m.line(i)
	}
	return m.size
}

// measurer goes through a YAML text from line to line.
type measurer struct {
	text    string
	size    size
	flow    int                // how many [ and { are open
	indents []int              // the columns of the block collections that are open, outermost first
	inBlock bool               // in a | or > scalar,
	block   int                // of which the lines are indented deeper than this
	comment func(from, to int) // is told of each comment, up to the end of its line; may be nil

	// The line that is being measured.
	start, end int  // its offsets; end moves on if a quoted scalar goes on in further lines
	parent     int  // the column that the lines of a block scalar which begins here are indented deeper than
	fresh      bool // a node may begin here
}

// entry counts an entry, at offset i.
func (m *measurer) entry(i int) {
	if m.size.entries++; m.size.entries > limitEntries && m.size.at < 0 {
		m.size.at = i
	}
}

// deep notes how deep the text is nested at offset i.
func (m *measurer) deep(i int) {
	n := m.flow + len(m.indents)
	m.size.nesting = max(m.size.nesting, n)
	if n > limitNesting && m.size.at < 0 {
		m.size.at = i
	}
}

// indent begins or goes on with the block collection of a column, which ends those further to the right.
func (m *measurer) indent(col, i int) {
	for k := len(m.indents); k > 0 && m.indents[k-1] >= col; k-- {
		m.indents = m.indents[:k-1]
	}
	m.indents = append(m.indents, col)
	m.deep(i)
}

// line measures the line that begins at an offset, and returns where the next one begins.
func (m *measurer) line(start int) int {
	m.start, m.end = start, m.lineEnd(start)
	i := start
	for i < m.end && m.text[i] == ' ' {
		i++
	}
	col := i - start
	if blank := strings.TrimSpace(m.text[i:m.end]) == ""; blank || m.inBlock && col > m.block {
		return m.end
	}
	m.inBlock, m.parent, m.fresh = false, col-1, true
	if m.flow == 0 && m.text[i] != '#' {
		m.indent(col, i)
	}
	for i < m.end && m.size.at < 0 {
		i = m.next(i)
	}
	return m.end
}

// lineEnd returns the offset behind the line that goes on at i.
func (m *measurer) lineEnd(i int) int {
	if n := strings.IndexByte(m.text[i:], '\n'); n >= 0 {
		return i + n + 1
	}
	return len(m.text)
}

// next measures what stands at i, and returns the offset at which to go on.
func (m *measurer) next(i int) int {
	switch c := m.text[i]; {
	case c == ' ' || c == '\t' || c == '\r' || c == '\n':
		return i + 1
	case c == '#' && (i == m.start || strings.IndexByte(" \t", m.text[i-1]) >= 0):
		m.entry(i)
		if m.comment != nil {
			m.comment(i, m.end)
		}
		return m.end
	case m.fresh && (c == '"' || c == '\''):
		m.fresh = false
		if i = m.quoted(i); i > m.end {
			m.end = m.lineEnd(i)
		}
		return i
	case m.fresh && m.flow == 0 && (c == '-' || c == '?') && m.beforeBlank(i):
		return m.item(i)
	case m.fresh && m.flow == 0 && (c == '|' || c == '>') && blockHeader(strings.TrimRight(m.text[i+1:m.end], "\r\n")):
		m.inBlock, m.block = true, m.parent
		return m.end
	}
	m.sign(i)
	return i + 1
}

// beforeBlank reports whether a blank, or the end of the line, follows the byte at i.
func (m *measurer) beforeBlank(i int) bool {
	return i+1 >= len(m.text) || strings.IndexByte(" \t\r\n", m.text[i+1]) >= 0
}

// item measures the - or ? at i, behind which a collection may begin on the same line.
func (m *measurer) item(i int) int {
	m.entry(i)
	m.parent = i - m.start
	i++
	for i < m.end && (m.text[i] == ' ' || m.text[i] == '\t') {
		i++
	}
	if i < m.end && strings.IndexByte("\r\n#", m.text[i]) < 0 {
		m.indent(i-m.start, i)
	}
	return i
}

// sign measures the byte at i if it is one that ends a key, an item or a flow collection, or begins one.
func (m *measurer) sign(i int) {
	switch c := m.text[i]; {
	case c == ':' && (m.flow > 0 || m.beforeBlank(i)):
		m.entry(i)
		if m.flow == 0 && len(m.indents) > 0 {
			m.parent = m.indents[len(m.indents)-1]
		}
		m.fresh = true
	case c == ',' && m.flow > 0:
		m.entry(i)
		m.fresh = true
	case (c == '[' || c == '{') && (m.fresh || m.flow > 0):
		m.flow++
		m.deep(i)
		m.fresh = true
	case (c == ']' || c == '}') && m.flow > 0:
		m.flow--
		m.fresh = false
	default:
		m.fresh = false
	}
}

// quoted returns the offset behind the quoted scalar at i; the end of the text if it is not closed.
func (m *measurer) quoted(i int) int {
	quote := m.text[i]
	for i++; i < len(m.text); i++ {
		switch {
		case quote == '"' && m.text[i] == '\\':
			i++
		case m.text[i] == quote:
			return i + 1
		}
	}
	return len(m.text)
}

// blockHeader reports whether rest can follow the | or > that begins a block scalar, on its line.
func blockHeader(rest string) bool {
	i := 0
	for i < len(rest) && i < 2 && strings.IndexByte("+-123456789", rest[i]) >= 0 {
		i++
	}
	after := strings.TrimLeft(rest[i:], " \t")
	return after == "" || after[0] == '#' && len(after) < len(rest[i:])
}
