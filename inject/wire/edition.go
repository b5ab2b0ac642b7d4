package wire

import (
	"io"
	"net"
	"slices"
)

// Edition is a body with splices, which are applied only when the Edition is read: most of a long body stays where it is. An
// Edition is immutable. It borrows the body.
type Edition struct {
	body []byte
	s    splices // sorted by place
	n    int     // length in bytes
}

// newEdition returns b with the changes of s, which it sorts.
func newEdition(b []byte, s splices) Edition {
	s.sort()
	n := len(b)
	for _, x := range s {
		n += len(x.with) - (x.to - x.from)
	}
	return Edition{b, s, n}
}

// Len returns the length in bytes.
func (e Edition) Len() int { return e.n }

// Changed reports whether anything differs from the body as it came.
func (e Edition) Changed() bool { return len(e.s) > 0 }

// AppendTo appends the edited body to dst, which must not overlap the body.
func (e Edition) AppendTo(dst []byte) []byte {
	dst = slices.Grow(dst, e.n)
	at := 0
	for _, x := range e.s {
		dst = append(append(dst, e.body[at:x.from]...), x.with...)
		at = x.to
	}
	return append(dst, e.body[at:]...)
}

// Source is what a body is sent from.
type Source interface {
	io.Reader
	io.WriterTo
	Len() int // bytes left
}

// Open returns a Source that reads the edited body from its beginning.
func (e Edition) Open() Source { return &editionReader{e: e, left: e.n} }

// editionReader reads an Edition: stretches of the body and the splices between them, in turn.
type editionReader struct {
	e    Edition
	at   int // offset in the body
	next int // index of the next splice
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

// WriteTo implements io.WriterTo. A network connection gets all parts in one call (net.Buffers), without copying them.
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

// turn makes the next part that is not empty r.part, and reports whether there is one.
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
