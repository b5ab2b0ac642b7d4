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
	from  int        // the YAML's part of the page's text
	to    int        //
	lines []int      // where the YAML's lines begin, as YAML counts them
	flow  bool       // inside [ ] or { }
	most  int        // bytes that the file may have
	root  *yaml.Node // what read has returned
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

// within checks that the YAML has no more entries than allowed, before the library reads it: that takes time
// and memory in proportion to them. It counts the signs that stand before entries, also those of a text, of
// which no text of people has so many.
func (d *decoder) within() bool {
	most, n := limitEntries*max(d.most/limitFile, 1), 0
	text := d.page.text
	blank := func(at int) bool { return at < d.from || at >= d.to || strings.IndexByte(blanks, text[at]) >= 0 }
	for i := d.from; i < d.to; i++ {
		switch c := text[i]; {
		case c == ',', c == '#' && blank(i-1), (c == '-' || c == '?' || c == ':') && blank(i+1):
			n++
		}
		if n > most {
			d.add(code.LargeYAML, d.page.between(i, i+1),
				fmt.Sprintf("more than %d keys, items and comments in one file", most), "split the file")
			return false
		}
	}
	return true
}

// deeper returns a collection within n that is nested more than some levels deep; nil if there is none.
func deeper(n *yaml.Node, levels int) *yaml.Node {
	switch {
	case n.Kind == yaml.ScalarNode || n.Kind == yaml.AliasNode:
		return nil
	case levels == 0:
		return n
	}
	for _, c := range n.Content {
		if x := deeper(c, levels-1); x != nil {
			return x
		}
	}
	return nil
}

// read returns the YAML of its part of the page: nil if there is none, or if it cannot be read and d says
// why.
func (d *decoder) read() (root *yaml.Node) {
	if !d.within() {
		return nil
	}
	root, next, err := readYAML(d.page.text[d.from:d.to])
	var deep *yaml.Node
	if err != nil && strings.Contains(err.Error(), "max depth") { // where, the library does not say
		deep = &yaml.Node{Line: 1, Column: 1}
	} else if root != nil {
		deep = deeper(root, limitNesting+1) // the document itself is a level
	}
	switch {
	case deep != nil:
		at := d.start(deep)
		d.add(code.LargeYAML, d.page.between(at, min(at+1, d.to)),
			fmt.Sprintf("nested deeper than %d levels", limitNesting), "a reminder needs three: quote what is text")
		return nil
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
	d.root = root.Content[0]
	return d.root
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

// Quoted returns the offset behind the quoted scalar of YAML at i; the end of the text if it is not closed.
func Quoted(text string, i int) int {
	quote := text[i]
	for i++; i < len(text); i++ {
		switch {
		case quote == '"' && text[i] == '\\':
			i++
		case text[i] == quote:
			return i + 1
		}
	}
	return len(text)
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
