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

// sort puts them in the order of their places.
func (s splices) sort() {
	slices.SortStableFunc(s, func(x, y splice) int { return cmp.Compare(x.from, y.from) })
}

// apply returns b with the changes made, in memory of its own; b itself if there are none.
func (s splices) apply(b []byte) []byte {
	if len(s) == 0 {
		return b
	}
	return s.appendTo(nil, b)
}

// appendTo appends b to dst with the changes made.
func (s splices) appendTo(dst, b []byte) []byte { return newEdition(b, s).AppendTo(dst) }
