package fact

import (
	"cmp"
	"slices"
)

// A condition on a text that is never kept is read once, where the text is told; for the rest of the turn its
// truth stands in place of the text (LANGUAGE.md §4, a turn told in parts). The set that reads the conditions
// names them, by keys of its own.

// toldTruth is the truth of a condition.
type toldTruth struct {
	key   string
	truth Truth
}

// SetTold sets the truth of a condition on texts. Unknown is that of every condition that was not set.
func (f *Frame) SetTold(key string, t Truth) {
	if t == Unknown {
		delete(f.told, key)
		return
	}
	if f.told == nil {
		f.told = map[string]Truth{}
	}
	f.told[key] = t
}

// Told returns what SetTold set, and whether it did.
func (f *Frame) Told(key string) (t Truth, ok bool) {
	if t, ok = f.told[key]; !ok {
		return Unknown, false
	}
	return t, true
}

// toldTruths returns the truths that SetTold set, in the order of their keys; nil if there are none.
func (f *Frame) toldTruths() []toldTruth {
	if len(f.told) == 0 {
		return nil
	}
	out := make([]toldTruth, 0, len(f.told))
	for key, t := range f.told {
		out = append(out, toldTruth{key, t})
	}
	slices.SortFunc(out, func(a, b toldTruth) int { return cmp.Compare(a.key, b.key) })
	return out
}
