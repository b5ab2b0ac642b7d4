package wire

import (
	"io"
	"net"
	"slices"
)

// Edition is a body with what was put into it, which is written down only when it is read: of a long body most stays where it is.
// It is immutable, and holds the body.
type Edition struct {
	body []byte
	s    splices // in the order of their places
	n    int
}

func newEdition(b []byte, s splices) Edition {
	s.sort()
	n := len(b)
	for _, x := range s {
		n += len(x.with) - (x.to - x.from)
	}
	return Edition{b, s, n}
}

// Len returns how many bytes it has.
func (e Edition) Len() int { return e.n }

// Changed reports whether it is anything but the body as it came.
func (e Edition) Changed() bool { return len(e.s) > 0 }

// AppendTo appends it to dst, which must not overlap the body.
func (e Edition) AppendTo(dst []byte) []byte {
	dst = slices.Grow(dst, e.n)
	at := 0
	for _, x := range e.s {
		dst = append(append(dst, e.body[at:x.from]...), x.with...)
		at = x.to
	}
	return append(dst, e.body[at:]...)
}

// stretch is how much of a body is looked at before it is copied: as much as is sure to be still at hand then.
const stretch = 8 << 10

// appendIf is AppendTo as long as the body may be appended up to a byte, which it asks before each stretch, in order and of all of
// the body. Where it may not, dst comes back as it was, but for room.
func (e Edition) appendIf(dst []byte, may func(to int) bool) ([]byte, bool) {
	n := len(dst)
	dst = slices.Grow(dst, e.n)
	for at, i := 0, 0; ; i++ {
		x := splice{span: span{len(e.body), len(e.body)}}
		if i < len(e.s) {
			x = e.s[i]
		}
		for at < x.from {
			to := min(at+stretch, x.from)
			if !may(to) {
				return dst[:n], false
			}
			dst = append(dst, e.body[at:to]...)
			at = to
		}
		if dst, at = append(dst, x.with...), x.to; i == len(e.s) {
			return dst, true
		}
	}
}

// Source is what a body is sent from.
type Source interface {
	io.Reader
	io.WriterTo
	Len() int // how many bytes are left
}

// Open returns what it is sent from.
func (e Edition) Open() Source { return &editionReader{e: e, left: e.n} }

// editionReader reads an Edition: in turn what stands in the body and what was put.
type editionReader struct {
	e    Edition
	at   int // in the body
	next int // the splice that comes next
	part []byte
	left int
}

// Len implements Source.
func (r *editionReader) Len() int { return r.left }

// Read implements io.Reader.
func (r *editionReader) Read(p []byte) (n int, err error) {
	for n < len(p) {
		if len(r.part) == 0 && !r.turn() {
			break
		}
		k := copy(p[n:], r.part)
		r.part = r.part[k:]
		n += k
	}
	r.left -= n
	if n == 0 && len(p) > 0 {
		return 0, io.EOF
	}
	return n, nil
}

// WriteTo implements io.WriterTo. To a connection all parts go at once, from where they stand.
func (r *editionReader) WriteTo(w io.Writer) (int64, error) {
	parts := make(net.Buffers, 0, 2*len(r.e.s)+1)
	for len(r.part) > 0 || r.turn() {
		parts = append(parts, r.part)
		r.part = nil
	}
	n, err := parts.WriteTo(w)
	r.left -= int(n)
	return n, err
}

// turn goes to the next part that is not empty, and reports whether there is one.
func (r *editionReader) turn() bool {
	for len(r.part) == 0 {
		switch {
		case r.next == len(r.e.s):
			r.part, r.at = r.e.body[r.at:], len(r.e.body)
			return len(r.part) > 0
		case r.at < r.e.s[r.next].from:
			r.part, r.at = r.e.body[r.at:r.e.s[r.next].from], r.e.s[r.next].from
		default:
			x := r.e.s[r.next]
			r.part, r.at = x.with, x.to
			r.next++
		}
	}
	return true
}
