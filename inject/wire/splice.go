package wire

import (
	"cmp"
	"slices"
)

// splice puts with in place of a stretch of the body.
type splice struct {
	span
	with []byte
}

// splices are changes to a body. They do not overlap; those at the same place keep their order.
type splices []splice

func (s *splices) insert(at int, with ...byte) { *s = append(*s, splice{span{at, at}, with}) }

func (s *splices) cut(from, to int) { *s = append(*s, splice{span{from, to}, nil}) }

// apply returns b with the changes made, in memory of its own; b itself if there are none.
func (s splices) apply(b []byte) []byte {
	if len(s) == 0 {
		return b
	}
	n := len(b)
	for _, x := range s {
		n += len(x.with) - (x.to - x.from)
	}
	return s.appendTo(make([]byte, 0, n), b)
}

// appendTo appends b to dst with the changes made.
func (s splices) appendTo(dst, b []byte) []byte {
	slices.SortStableFunc(s, func(x, y splice) int { return cmp.Compare(x.from, y.from) })
	at := 0
	for _, x := range s {
		dst = append(append(dst, b[at:x.from]...), x.with...)
		at = x.to
	}
	return append(dst, b[at:]...)
}
