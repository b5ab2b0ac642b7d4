package document

import (
	"sort"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/aside-go/aside/grammar"
)

const byteOrderMark = "\uFEFF"

// page is the text of one file together with what it takes to say where in it something stands. Offsets inside this package
// are bytes of text, that is without a byte order mark; positions that go out count the mark, as one character.
// A page is immutable and may be used concurrently.
type page struct {
	file string
	text string
	mark int // bytes of the byte order mark before text: 0 or 3

	once  sync.Once
	ascii bool
	lines []int // where each line begins; a line ends with "\n"
	runes []int // characters before each step-th byte; nil when all is ASCII
}

// step is the distance of the entries of page.runes: what has to be counted for one position, at most.
const step = 512

func newPage(file string, src []byte) *page {
	text, found := strings.CutPrefix(string(src), byteOrderMark)
	p := &page{file: file, text: text}
	if found {
		p.mark = len(byteOrderMark)
	}
	return p
}

func (p *page) index() {
	p.once.Do(func() {
		p.lines = append(make([]int, 0, strings.Count(p.text, "\n")+1), 0)
		for off := 0; ; {
			i := strings.IndexByte(p.text[off:], '\n')
			if i < 0 {
				break
			}
			off += i + 1
			p.lines = append(p.lines, off)
		}
		p.ascii = true
		for i := 0; i < len(p.text); i++ {
			if p.text[i] >= utf8.RuneSelf {
				p.ascii = false
				break
			}
		}
		if p.ascii {
			return
		}
		n := 0
		for i := 0; i < len(p.text); i++ {
			if i%step == 0 {
				p.runes = append(p.runes, n)
			}
			if utf8.RuneStart(p.text[i]) {
				n++
			}
		}
		p.runes = append(p.runes, n)
	})
}

// before counts the characters before off.
func (p *page) before(off int) int {
	if p.ascii {
		return off
	}
	k := off / step
	n := p.runes[k]
	for i := k * step; i < off; i++ {
		if utf8.RuneStart(p.text[i]) {
			n++
		}
	}
	return n
}

// at says where off is. It is moved back to the beginning of the character it is inside of, and into the text.
func (p *page) at(off int) grammar.Position {
	p.index()
	off = min(max(off, 0), len(p.text))
	for k := 1; k < utf8.UTFMax && k <= off && off < len(p.text); k++ {
		if _, n := utf8.DecodeRuneInString(p.text[off-k:]); n > k {
			off -= k
			break
		}
	}
	line := sort.SearchInts(p.lines, off+1) - 1
	pos := grammar.Position{Offset: off + p.mark, Line: line + 1, Column: p.before(off) - p.before(p.lines[line]) + 1}
	if line == 0 && p.mark > 0 {
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

// forward is the offset n characters behind off.
func (p *page) forward(off, n int) int {
	p.index()
	if p.ascii {
		return min(off+n, len(p.text))
	}
	want := p.before(off) + n
	k := sort.SearchInts(p.runes, want+1) - 1 // the last entry that is not past it
	i := min(k*step, len(p.text))
	for have := p.runes[k]; i < len(p.text); i++ {
		if utf8.RuneStart(p.text[i]) {
			if have == want {
				break
			}
			have++
		}
	}
	return max(i, off)
}
