package document

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"gopkg.in/yaml.v3"

	"github.com/aside-go/aside/grammar"
	"github.com/aside-go/aside/internal/code"
)

// A decoder reads the YAML of one page and collects its mistakes.
type decoder struct {
	page  *page
	from  int   // the YAML's part of the page's text
	to    int   //
	lines []int // where the YAML's lines begin, as YAML counts them
	flow  bool  // inside [ ] or { }
	most  int   // bytes that the file may have
	ds    grammar.Diagnostics
}

func (d *decoder) add(id grammar.Code, at grammar.Range, message, hint string) *grammar.Diagnostic {
	if len(d.ds) == cap(d.ds) { // append would grow by a quarter, and copy many
		d.ds = slices.Grow(d.ds, max(4, 2*len(d.ds)))
	}
	d.ds = append(d.ds, grammar.Diagnostic{Code: id, File: d.page.file, Range: at, Message: message, Hint: hint})
	return &d.ds[len(d.ds)-1]
}

// edit is the edit that puts text in place of a stretch of the page.
func (d *decoder) edit(from, to int, text string) *grammar.Edit {
	return &grammar.Edit{Range: d.page.between(from, to), Text: text}
}

// offset is the place in the page's text of a line and a column that YAML counted. Its lines end with a few
// characters more than the page's do.
func (d *decoder) offset(line, column int) int {
	text := d.page.text
	if d.lines == nil {
		d.lines = append(make([]int, 0, 1+strings.Count(text[d.from:d.to], "\n")), d.from)
		for i := d.from; i < d.to; i++ {
			if c := text[i]; c >= ' ' && c < utf8.RuneSelf {
				continue
			}
			if n := lineEndLen(text, i); n > 0 {
				i += n - 1
				d.lines = append(d.lines, i+1)
			}
		}
	}
	if line < 1 || line > len(d.lines) {
		return d.to
	}
	return min(d.page.index().Forward(d.lines[line-1], column-1), d.to)
}

// start is where a node begins, a tag or an anchor before it included.
func (d *decoder) start(n *yaml.Node) int { return d.offset(n.Line, n.Column) }

// extent is where a node stands. That of a collection is its first character.
func (d *decoder) extent(n *yaml.Node) (from, to int) {
	from = d.start(n)
	if n.Kind != yaml.ScalarNode {
		return from, d.word(from)
	}
	if s, ok := scalarExtent(d.page.text[:d.to], from, n.Value); ok {
		return s.from, s.to
	}
	return from, d.word(from)
}

// where is extent as a range.
func (d *decoder) where(n *yaml.Node) grammar.Range { return d.page.between(d.extent(n)) }

// word returns the end of the text at from without a blank, of at least one character if there is one.
func (d *decoder) word(from int) int {
	to := from
	for to < d.to && strings.IndexByte(" \t\r\n", d.page.text[to]) < 0 {
		if d.flow && to > from && strings.IndexByte(",[]{}", d.page.text[to]) >= 0 {
			break
		}
		to++
	}
	return to
}

// fits checks that the file has at most most bytes.
func (d *decoder) fits(most int) bool {
	d.most = most
	n := len(d.page.text) + d.page.mark
	if n > most {
		d.add(code.LargeFile, d.page.between(0, 0),
			fmt.Sprintf("the file has %d bytes, and %d are allowed", n, most), "split the file, or shorten the text")
	}
	return n <= most
}

// legible checks that the text is UTF-8 without control characters; all else YAML refuses where it may not
// be.
func (d *decoder) legible() bool {
	text := d.page.text
	for i := 0; i < len(text); {
		c := text[i]
		if c >= ' ' && c < utf8.RuneSelf && c != 0x7f || c == '\n' || c == '\t' || c == '\r' {
			i++
			continue
		}
		r, n := utf8.DecodeRuneInString(text[i:])
		switch at := d.page.between(i, i+n); {
		case r == utf8.RuneError && n == 1:
			at.End = at.Start
			at.End.Offset++
			at.End.Column++
			hint := "save the file as UTF-8"
			d.add(code.FileBytes, at, fmt.Sprintf("byte 0x%02x is not UTF-8", c), hint)
			return false
		case r < ' ' || r == 0x7f || i < d.to && (r >= 0x80 && r < 0xa0 && r != 0x85 || r == 0xfeff ||
			r == 0xfffe || r == 0xffff):
			x := d.add(code.FileBytes, at, fmt.Sprintf("character %U cannot stand in this file", r), "remove it")
			x.Fix = &grammar.Edit{Range: at}
			return false
		}
		i += n
	}
	return true
}

// within checks the limits before YAML is read.
func (d *decoder) within() bool {
	m := d.measure(nil)
	if m.over < 0 {
		return true
	}
	at := d.from + m.over
	if m.nesting > limitNesting {
		d.add(code.LargeYAML, d.page.between(at, min(at+1, d.to)),
			fmt.Sprintf("nested deeper than %d levels", limitNesting), "a reminder needs three: quote what is text")
	} else {
		d.add(code.LargeYAML, d.page.between(at, min(at+1, d.to)),
			fmt.Sprintf("more than %d keys, items and comments in one file", m.most), "split the file")
	}
	return false
}

// read returns the YAML of its part of the page: nil if there is none, or if it cannot be read and d says
// why.
func (d *decoder) read() (root *yaml.Node) {
	if !d.within() {
		return nil
	}
	root, next, err := readYAML(d.page.text[d.from:d.to])
	switch {
	case d.oddBreak(root):
		return nil
	case err != nil:
		d.explain(err)
		return nil
	case next != nil:
		at := d.start(next)
		d.add(code.SeveralDocuments, d.page.between(at, d.word(at)),
			"a second YAML document begins here, and would not be read",
			"write several reminders as a list under `reminders:`")
		return nil
	case root == nil || len(root.Content) == 0:
		return nil
	}
	return root.Content[0]
}

// readYAML reads one document; next is the one behind it, if there is one. The library panics on some input
// that it was not made for: that is an error of the input as any other.
func readYAML(text string) (root, next *yaml.Node, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = errors.New("unreadable")
		}
	}()
	dec := yaml.NewDecoder(strings.NewReader(text))
	root = new(yaml.Node)
	switch err = dec.Decode(root); {
	case err == io.EOF:
		return nil, nil, nil
	case err != nil:
		return nil, nil, err
	}
	next = new(yaml.Node)
	switch err = dec.Decode(next); {
	case err == io.EOF:
		return root, nil, nil
	case err != nil:
		return nil, nil, err
	}
	return root, next, nil
}

// measure counts the entries and the nesting of the YAML, in one pass and without allocating more than the
// nesting takes. It stops at the first limit that is passed. It guards the YAML library, which takes time and
// memory in proportion to the entries. comment is called for each comment, up to the end of its line; it may
// be nil.
//
// It does not read YAML in full, so a scalar of a form that it does not know can make it count some entries
// too many or too few. The limit on the size of a file bounds the library in any case.
func (d *decoder) measure(comment func(from, to int)) *measurer {
	m := &measurer{text: d.page.text[d.from:d.to], most: limitEntries * max(d.most/limitFile, 1), over: -1,
		comment: comment}
	for i := 0; i < len(m.text) && m.over < 0; {
		i = m.line(i)
	}
	return m
}

// measurer goes through a YAML text from line to line.
type measurer struct {
	text    string
	entries int                // keys, list items and comments
	most    int                // entries that there may be
	nesting int                // the deepest
	over    int                // the offset where a limit was passed; -1 if none was
	flow    int                // how many [ and { are open
	indents []int              // the columns of the block collections that are open, outermost first
	inBlock bool               // in a | or > scalar,
	block   int                // of which the lines are indented deeper than this
	comment func(from, to int) // may be nil

	// The line that is being measured.
	start, end int  // its offsets; end moves if a quoted scalar continues on further lines
	parent     int  // the column that the lines of a block scalar which begins here are indented deeper than
	fresh      bool // a node may begin here
}

// entry counts an entry, at offset i.
func (m *measurer) entry(i int) {
	if m.entries++; m.entries > m.most && m.over < 0 {
		m.over = i
	}
}

// deep notes how deep the text is nested at offset i.
func (m *measurer) deep(i int) {
	n := m.flow + len(m.indents)
	m.nesting = max(m.nesting, n)
	if n > limitNesting && m.over < 0 {
		m.over = i
	}
}

// indent begins or continues the block collection of a column, and ends those further to the right.
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
	for i < m.end && m.over < 0 {
		i = m.next(i)
	}
	return m.end
}

// lineEnd returns the offset behind the line that contains i.
func (m *measurer) lineEnd(i int) int {
	if n := strings.IndexByte(m.text[i:], '\n'); n >= 0 {
		return i + n + 1
	}
	return len(m.text)
}

// next measures the text at i, and returns the offset of the text after it.
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
	case m.fresh && m.flow == 0 && (c == '|' || c == '>') &&
		blockHeader(strings.TrimRight(m.text[i+1:m.end], "\r\n")):
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

// sign measures the byte at i if it ends or begins a key, an item or a flow collection.
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
