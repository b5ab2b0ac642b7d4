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

// Open returns a reader of the edited body, from its beginning.
func (e Edition) Open() io.Reader {
	parts := make(net.Buffers, 0, 2*len(e.s)+1)
	at := 0
	for _, x := range e.s {
		parts = append(parts, e.body[at:x.from], x.with)
		at = x.to
	}
	parts = append(parts, e.body[at:])
	return &parts
}
