package document

import (
	"iter"
	"strconv"
	"strings"
	"sync"

	"github.com/aside-go/aside/grammar"
	"github.com/aside-go/aside/internal/lines"
)

const byteOrderMark = "\uFEFF"

// page is the text of one file with an index of its lines. Offsets inside this package are bytes of text,
// that is without a byte order mark; exported positions count the mark, as one character. A page is
// immutable and may be used concurrently.
type page struct {
	file string
	text string
	mark int // bytes of the byte order mark before text: 0 or 3

	index func() *lines.Index // of text
}

func newPage(file string, src []byte) *page {
	text, found := strings.CutPrefix(string(src), byteOrderMark)
	p := &page{file: file, text: text, index: sync.OnceValue(func() *lines.Index { return lines.New(text) })}
	if found {
		p.mark = len(byteOrderMark)
	}
	return p
}

// at says where off is. It is moved back to the beginning of the character it is inside of, and into the
// text.
func (p *page) at(off int) grammar.Position {
	off = p.index().Back(min(max(off, 0), len(p.text)))
	line, column := p.index().At(off)
	pos := grammar.Position{Offset: off + p.mark, Line: line, Column: column}
	if line == 1 && p.mark > 0 {
		pos.Column++
	}
	return pos
}

// between is the range from one offset to another.
func (p *page) between(from, to int) grammar.Range {
	return grammar.Range{Start: p.at(from), End: p.at(max(from, to))}
}

// line is the stretch of the line that off is in, without its end.
func (p *page) line(off int) (from, to int) {
	off = min(max(off, 0), len(p.text))
	from = strings.LastIndexByte(p.text[:off], '\n') + 1
	to = len(p.text)
	if i := strings.IndexByte(p.text[from:], '\n'); i >= 0 {
		to = from + i
	}
	return from, from + len(strings.TrimSuffix(p.text[from:to], "\r"))
}

// lines goes through the lines between two offsets, of which the first begins a line; a line is without its
// end.
func (p *page) lines(from, to int) iter.Seq2[int, int] {
	return func(yield func(from, to int) bool) {
		for at := from; at < to; {
			from, end := p.line(at)
			at = p.next(end)
			if !yield(from, min(end, to)) {
				return
			}
		}
	}
}

// next returns where the line behind one that ends at an offset begins.
func (p *page) next(end int) int { return end + max(lineEndLen(p.text, end), 1) }

// lineEnd returns how the lines of the page end.
func (p *page) lineEnd() string {
	if strings.Contains(p.text, "\r\n") {
		return "\r\n"
	}
	return "\n"
}

// FrontMatter returns where the YAML of a Markdown rule file begins and ends, and where its text begins; body
// is -1 while the front matter is open. ok is false where the file has none.
func FrontMatter(src string) (from, to, body int, ok bool) {
	text := strings.TrimPrefix(src, byteOrderMark)
	mark := len(src) - len(text)
	from, to, body, ok = (&page{text: text}).front()
	if body >= 0 {
		body += mark
	}
	return from + mark, to + mark, body, ok
}

// front is FrontMatter without a byte order mark.
func (p *page) front() (from, to, body int, ok bool) {
	from, to = p.line(0)
	if !isFence(p.text[from:to]) {
		return 0, 0, 0, false
	}
	first := min(p.next(to), len(p.text))
	for from, to = range p.lines(first, len(p.text)) {
		if isFence(p.text[from:to]) {
			return first, from, min(p.next(to), len(p.text)), true
		}
	}
	return first, len(p.text), -1, true
}

// origin implements compile.Origin for a reminder that was read from a page.
type origin struct {
	page  *page
	from  int // the place of the whole reminder: its first key, or the beginning of its file
	to    int
	spots []spot
}

// A spot is where one field was written.
type spot struct {
	field string
	as    spotKind
	from  int
	to    int    // of a stretch and a body
	value string // of a scalar, as YAML reads it
	skip  int    // of a scalar: how many bytes of value the field lacks at its front
	flow  bool   // of a scalar: inside [ ] or { }
}

type spotKind uint8

const (
	stretch    spotKind = iota // all of the field has one place
	scalarSpot                 // a YAML scalar
	body                       // the text behind a front matter, whose line ends were made "\n"
)

// Place implements compile.Origin.
func (o *origin) Place(field string, r grammar.Range) grammar.Range {
	from, to := o.from, o.to
	for _, s := range o.spots {
		if s.field == field {
			from, to = s.find(o.page.text, r)
			break
		}
	}
	return o.page.between(from, to)
}

// Edit implements compile.Origin.
func (o *origin) Edit(field string, e *grammar.Edit) *grammar.Edit {
	if e == nil {
		return nil
	}
	for _, s := range o.spots {
		if s.field != field {
			continue
		}
		text := e.Text
		switch sc, ok := readScalar(o.page.text, s.from, s.value); {
		case s.as == stretch:
			return nil
		case s.as == body:
		case !ok:
			return nil
		case sc.style == '\'':
			text = strings.ReplaceAll(text, "'", "''")
			if odd(text) {
				return nil
			}
		case sc.style == '"':
			text = strconv.Quote(text)
			text = text[1 : len(text)-1]
		case sc.style == 0:
			return o.editPlain(s, sc, e)
		case odd(text):
			return nil
		}
		return &grammar.Edit{Range: o.Place(field, e.Range), Text: text, Unsafe: e.Unsafe}
	}
	return nil
}

// editPlain edits an unquoted scalar; if YAML would read the new one otherwise, it is quoted.
func (o *origin) editPlain(s spot, sc scalar, e *grammar.Edit) *grammar.Edit {
	from, to := e.Range.Start.Offset+s.skip, e.Range.End.Offset+s.skip
	if from < 0 || from > to || to > len(s.value) {
		return nil
	}
	if value := s.value[:from] + e.Text + s.value[to:]; !plain(value, s.flow) {
		return &grammar.Edit{Range: o.page.between(sc.from, sc.to), Text: quoteYAML(value), Unsafe: e.Unsafe}
	}
	return &grammar.Edit{Range: o.Place(s.field, e.Range), Text: e.Text, Unsafe: e.Unsafe}
}

func (s *spot) find(text string, r grammar.Range) (from, to int) {
	var pieces []piece
	whole := r == grammar.Range{}
	switch s.as {
	case stretch:
		return s.from, s.to
	case body:
		if whole {
			return s.from, s.to
		}
		pieces = bodyPieces(text, s.from, s.to)
	case scalarSpot:
		sc, ok := readScalar(text, s.from, s.value)
		if !ok {
			return s.from, s.from
		}
		if whole {
			return sc.from, sc.to
		}
		if len(sc.pieces) == 0 {
			return sc.inFrom, sc.inFrom
		}
		pieces = sc.pieces
	}
	from = placeOf(pieces, r.Start.Offset+s.skip, false)
	if r.End.Offset > r.Start.Offset {
		return from, max(from, placeOf(pieces, r.End.Offset+s.skip, true))
	}
	return from, from
}

// bodyPieces is text[from:to] with "\r\n" read as "\n".
func bodyPieces(text string, from, to int) []piece {
	var ps []piece
	for val := 0; ; {
		n := strings.Index(text[from:to], "\r\n")
		if n < 0 {
			return append(ps, piece{val, to - from, from, to - from})
		}
		ps = append(ps, piece{val, n, from, n}, piece{val + n, 1, from + n, 2})
		val, from = val+n+1, from+n+2
	}
}

// placeOf is where the character at off of the value begins or, for an end, where the one that ends at off
// ends.
func placeOf(ps []piece, off int, end bool) int {
	for i, p := range ps {
		switch last := i == len(ps)-1; {
		case off > p.val+p.valLen && !last, off == p.val+p.valLen && !end && !last:
		case p.copied():
			return p.src + min(max(off-p.val, 0), p.srcLen)
		case end || off >= p.val+p.valLen:
			return p.src + p.srcLen
		default:
			return p.src
		}
	}
	return 0
}
