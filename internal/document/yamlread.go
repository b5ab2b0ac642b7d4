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

// A decoder reads the YAML of one page and gathers what is wrong with it.
type decoder struct {
	page  *page
	from  int   // the YAML's part of the page's text
	to    int   //
	lines []int // where the YAML's lines begin, when YAML does not count them as the page does
	even  bool  // it does
	flow  bool  // inside [ ] or { }
	ds    grammar.Diagnostics
}

func (d *decoder) add(id grammar.Code, at grammar.Range, message, hint string) *grammar.Diagnostic {
	if len(d.ds) == cap(d.ds) { // append would grow by a quarter, and copy what is many
		d.ds = slices.Grow(d.ds, max(4, 2*len(d.ds)))
	}
	d.ds = append(d.ds, grammar.Diagnostic{Code: id, File: d.page.file, Range: at, Message: message, Hint: hint})
	return &d.ds[len(d.ds)-1]
}

// offset is the place in the page's text of a line and a column that YAML counted.
func (d *decoder) offset(line, column int) int {
	p := d.page
	p.index()
	if d.even = d.even || d.lines == nil && !d.oddLines(); !d.even && d.lines == nil {
		d.lines = append(d.lines, d.from)
		for i := d.from; i < d.to; {
			n := lineEndLen(p.text, i)
			if i += max(n, 1); n > 0 {
				d.lines = append(d.lines, i)
			}
		}
	}
	lines, first := d.lines, 0
	if lines == nil {
		lines, first = p.lines, p.at(d.from).Line-1
	}
	if k := first + line - 1; k >= 0 && k < len(lines) {
		return min(p.forward(lines[k], column-1), d.to)
	}
	return d.to
}

// oddLines reports whether YAML ends lines elsewhere than at "\n".
func (d *decoder) oddLines() bool {
	s := d.page.text[d.from:d.to]
	if strings.Count(s, "\r") != strings.Count(s, "\r\n") {
		return true
	}
	return !d.page.ascii && strings.ContainsAny(s, "\u0085\u2028\u2029")
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

// word is the end of what stands at from without a blank, but for at least one character, if there is one.
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

// legible checks that the text is UTF-8 without control characters; all else YAML refuses where it may not be.
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
		case r < ' ' || r == 0x7f || i < d.to && (r >= 0x80 && r < 0xa0 && r != 0x85 || r == 0xfeff || r == 0xfffe || r == 0xffff):
			x := d.add(code.FileBytes, at, fmt.Sprintf("character %U cannot stand in a rule file", r), "remove it")
			x.Fix = &grammar.Edit{Range: at}
			return false
		}
		i += n
	}
	return true
}

// within checks the limits before YAML is read.
func (d *decoder) within() bool {
	m := measure(d.page.text[d.from:d.to])
	if m.at < 0 {
		return true
	}
	at := d.from + m.at
	if m.nesting > limitNesting {
		d.add(code.LargeYAML, d.page.between(at, min(at+1, d.to)), fmt.Sprintf("nested deeper than %d levels", limitNesting),
			"a reminder needs three: quote what is text")
	} else {
		d.add(code.LargeYAML, d.page.between(at, min(at+1, d.to)), fmt.Sprintf("more than %d keys, items and comments in one file", limitEntries),
			"split the file")
	}
	return false
}

// read gives what YAML makes of its part of the page: nil if there is nothing, or if it cannot be read and d says why.
func (d *decoder) read() (root *yaml.Node) {
	if !d.within() {
		return nil
	}
	root, next, err := readYAML(d.page.text[d.from:d.to])
	switch {
	case err != nil:
		d.explain(err)
		return nil
	case next != nil:
		at := d.start(next)
		d.add(code.SeveralDocuments, d.page.between(at, d.word(at)), "a second YAML document begins here, and would not be read",
			"write several reminders as a list under `reminders:`")
		return nil
	case root == nil || len(root.Content) == 0:
		return nil
	}
	return root.Content[0]
}

// readYAML reads one document; next is the one behind it, if there is one. The library panics on some input that it was not
// made for: that is an error of the input as any other.
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
