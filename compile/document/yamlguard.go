package document

import "strings"

// size is how much YAML a text holds, as far as that can be told without reading it as YAML.
type size struct {
	entries int // keys, list items and comments
	nesting int
	at      int // where a limit was passed; -1 if none was
}

// measure stands before the YAML library, which takes its time and memory by the entry. One pass, no memory but for the
// nesting, and it stops at the first limit that is passed. A scalar that is not what it seems can make it count too much or
// too little, never much: what bounds the library in the end is the size of the file.
func measure(text string) size {
	m := measurer{text: text, size: size{at: -1}}
	for i := 0; i < len(text) && m.size.at < 0; {
		i = m.line(i)
	}
	return m.size
}

type measurer struct {
	text    string
	size    size
	flow    int   // [ and { that are open
	indents []int // of the block collections that are open
	block   int   // the lines of a | or > scalar are indented deeper than this; -1 outside one
	inBlock bool
	comment func(from, to int) // is told of each comment, to the end of its line; may be nil
}

func (m *measurer) entry(i int) {
	if m.size.entries++; m.size.entries > limitEntries && m.size.at < 0 {
		m.size.at = i
	}
}

func (m *measurer) deep(i int) {
	n := m.flow + len(m.indents)
	m.size.nesting = max(m.size.nesting, n)
	if n > limitNesting && m.size.at < 0 {
		m.size.at = i
	}
}

func (m *measurer) indent(col, i int) {
	for k := len(m.indents); k > 0 && m.indents[k-1] >= col; k-- {
		m.indents = m.indents[:k-1]
	}
	m.indents = append(m.indents, col)
	m.deep(i)
}

// line measures from the beginning of a line to behind its end, or behind the end of a quoted scalar's last line.
func (m *measurer) line(start int) int {
	end := len(m.text)
	if n := strings.IndexByte(m.text[start:], '\n'); n >= 0 {
		end = start + n + 1
	}
	i := start
	for i < end && m.text[i] == ' ' {
		i++
	}
	col := i - start
	if blank := strings.TrimSpace(m.text[i:end]) == ""; blank || m.inBlock && col > m.block {
		return end
	}
	m.inBlock = false
	parent, fresh := col-1, true // fresh: a node may begin here
	if m.flow == 0 && m.text[i] != '#' {
		m.indent(col, i)
	}
	for i < end && m.size.at < 0 {
		c := m.text[i]
		spaced := i+1 >= len(m.text) || strings.IndexByte(" \t\r\n", m.text[i+1]) >= 0
		switch {
		case c == ' ' || c == '\t' || c == '\r' || c == '\n':
			i++
			continue
		case c == '#' && (i == start || strings.IndexByte(" \t", m.text[i-1]) >= 0):
			m.entry(i)
			if m.comment != nil {
				m.comment(i, end)
			}
			return end
		case fresh && (c == '"' || c == '\''):
			if i = m.quoted(i); i > end {
				if n := strings.IndexByte(m.text[i:], '\n'); n >= 0 {
					end = i + n + 1
				} else {
					end = len(m.text)
				}
			}
			fresh = false
			continue
		case fresh && m.flow == 0 && (c == '-' || c == '?') && spaced:
			m.entry(i)
			parent = i - start
			i++
			for i < end && (m.text[i] == ' ' || m.text[i] == '\t') {
				i++
			}
			if i < end && strings.IndexByte("\r\n#", m.text[i]) < 0 {
				m.indent(i-start, i)
			}
			continue
		case c == ':' && (spaced || m.flow > 0):
			m.entry(i)
			if m.flow == 0 && len(m.indents) > 0 {
				parent = m.indents[len(m.indents)-1]
			}
			fresh = true
		case m.flow > 0 && c == ',':
			m.entry(i)
			fresh = true
		case (fresh || m.flow > 0) && (c == '[' || c == '{'):
			m.flow++
			m.deep(i)
			fresh = true
		case m.flow > 0 && (c == ']' || c == '}'):
			m.flow--
			fresh = false
		case fresh && m.flow == 0 && (c == '|' || c == '>') && blockHeader(strings.TrimRight(m.text[i+1:end], "\r\n")):
			m.inBlock, m.block = true, parent
			return end
		default:
			fresh = false
		}
		i++
	}
	return end
}

// quoted is the offset behind the quoted scalar at i, or the end.
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

// blockHeader reports whether rest may stand behind the | or > of a block scalar on its line.
func blockHeader(rest string) bool {
	i := 0
	for i < len(rest) && i < 2 && strings.IndexByte("+-123456789", rest[i]) >= 0 {
		i++
	}
	after := strings.TrimLeft(rest[i:], " \t")
	return after == "" || after[0] == '#' && len(after) < len(rest[i:])
}
