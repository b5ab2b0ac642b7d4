package body

import (
	"cmp"
	"io"
	"net"
	"slices"
)

// splice replaces a Span of the body by with.
type splice struct {
	Span
	with []byte
}

// Splices are the changes to a body. They do not overlap. Insertions at the same place keep the order in
// which they were appended.
type Splices []splice

// Insert puts with in at a byte.
func (s *Splices) Insert(at int, with ...byte) { *s = append(*s, splice{Span{at, at}, with}) }

// Cut takes out the bytes from from up to to.
func (s *Splices) Cut(from, to int) { *s = append(*s, splice{Span{from, to}, nil}) }

// sort sorts by place, stably. What is put in stands before what is taken out at the same place.
func (s Splices) sort() {
	slices.SortStableFunc(s, func(x, y splice) int {
		return cmp.Or(cmp.Compare(x.From, y.From), cmp.Compare(x.To, y.To))
	})
}

// Apply returns b with the changes made, in a new slice; b itself if there are none.
func (s Splices) Apply(b []byte) []byte {
	if len(s) == 0 {
		return b
	}
	return newEdited(b, s).AppendTo(nil)
}

// Edited is a body with Splices, which are applied only when the Edited is read: most of a long body stays
// where it is. An Edited is immutable. It borrows the body.
type Edited struct {
	body []byte
	s    Splices // sorted by place
	n    int     // length in bytes
}

// newEdited returns b with the changes of s, which it sorts.
func newEdited(b []byte, s Splices) Edited {
	s.sort()
	n := len(b)
	for _, x := range s {
		n += len(x.with) - (x.To - x.From)
	}
	return Edited{b, s, n}
}

// Len returns the length in bytes.
func (e Edited) Len() int { return e.n }

// Changed reports whether anything differs from the body as it came.
func (e Edited) Changed() bool { return len(e.s) > 0 }

// AppendTo appends the edited body to dst, which must not overlap the body.
func (e Edited) AppendTo(dst []byte) []byte {
	dst = slices.Grow(dst, e.n)
	at := 0
	for _, x := range e.s {
		dst = append(append(dst, e.body[at:x.From]...), x.with...)
		at = x.To
	}
	return append(dst, e.body[at:]...)
}

// Open returns a reader of the edited body, from its beginning.
func (e Edited) Open() io.Reader {
	parts := make(net.Buffers, 0, 2*len(e.s)+1)
	at := 0
	for _, x := range e.s {
		parts = append(parts, e.body[at:x.From], x.with)
		at = x.To
	}
	parts = append(parts, e.body[at:])
	return &parts
}
