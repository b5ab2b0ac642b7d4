package wire

import (
	"cmp"
	"slices"
)

// splice replaces a span of the body by with.
type splice struct {
	span
	with []byte
}

// splices are the changes to a body. They do not overlap. Insertions at the same place keep the order in which they were
// appended.
type splices []splice

func (s *splices) insert(at int, with ...byte) { *s = append(*s, splice{span{at, at}, with}) }

func (s *splices) cut(from, to int) { *s = append(*s, splice{span{from, to}, nil}) }

// sort sorts by place, stably.
func (s splices) sort() {
	slices.SortStableFunc(s, func(x, y splice) int { return cmp.Compare(x.from, y.from) })
}

// apply returns b with the changes made, in a new slice; b itself if there are none.
func (s splices) apply(b []byte) []byte {
	if len(s) == 0 {
		return b
	}
	return s.appendTo(nil, b)
}

// appendTo appends b with the changes made to dst.
func (s splices) appendTo(dst, b []byte) []byte { return newEdition(b, s).AppendTo(dst) }
