package evidence

import (
	"bytes"
	"cmp"
	"hash/fnv"
	"slices"
)

// A client that compacts its history itself asks the model for a summary, and puts it in place of all that
// was said: into a message of the user, among words of its own, perhaps without a part that was the model's
// thinking aloud. No answer is left then. The summary came through here like an answer, and tells as much,
// but only by its lines.

// Line is a line of a text, told without its white space.
type Line struct {
	Digest uint64
	Len    int // bytes
}

const (
	shortLine    = 40  // bytes of a line: what is shorter is said by many
	summaryLines = 8   // of a summary that count, the longest at its end
	summaryBytes = 200 // of these, for a summary to tell whose it is
)

// MaxSummary is how many bytes a text may have that holds a summary.
const MaxSummary = 1 << 18

// Lines returns the longest lines of texts, the longest first, at most as many as most. Texts of more than
// MaxSummary bytes have none.
func Lines(most int, texts ...[]byte) (list []Line) {
	for _, text := range texts {
		if len(text) <= MaxSummary {
			list = longest(most, append(list, linesOf(text)...))
		}
	}
	return list
}

// linesOf returns the lines of a text that are not short.
func linesOf(text []byte) (list []Line) {
	for line := range bytes.Lines(text) {
		h, n := fnv.New64a(), 0
		for word := range bytes.FieldsSeq(line) {
			_, _ = h.Write(word)
			n += len(word)
		}
		if n >= shortLine {
			list = append(list, Line{h.Sum64(), n})
		}
	}
	return list
}

// longest returns the longest lines of a list, each once. It reorders the list.
func longest(most int, list []Line) []Line {
	slices.SortFunc(list, func(a, b Line) int { return cmp.Or(b.Len-a.Len, cmp.Compare(a.Digest, b.Digest)) })
	list = slices.Compact(list)
	return list[:min(most, len(list))]
}

// size returns how many bytes lines have together.
func size(list []Line) (n int) {
	for _, l := range list {
		n += l.Len
	}
	return n
}

// Summary returns a summary as an answer: the digest of its longest line stands in place of that of the
// words, and those of the next ones in place of ids. The last third of it counts, since a model that thinks
// aloud does so first. It reports false for a summary that is too short to tell whose it is.
func Summary(text []byte) (s Said, tells bool) {
	all := linesOf(text)
	from, left := len(all), max(summaryBytes, size(all)/3)
	for from > 0 && left > 0 {
		from--
		left -= all[from].Len
	}
	for i, l := range longest(summaryLines, all[from:]) {
		if s.Len += l.Len; i == 0 {
			s.Words = l.Digest
		} else {
			s.IDs = append(s.IDs, l.Digest)
		}
	}
	return s, s.Len >= summaryBytes
}

// Summarises reports whether an answer is a summary of which these lines hold the longest, half of the others
// at least, and enough to tell.
func (a *Answer) Summarises(lines []Line) bool {
	held := slices.DeleteFunc(slices.Clone(lines), func(l Line) bool {
		return l.Digest != a.Words && !slices.Contains(a.IDs, l.Digest)
	})
	is := func(l Line) bool { return l.Digest == a.Words }
	return slices.ContainsFunc(held, is) && 2*(len(held)-1) >= len(a.IDs) && size(held) >= summaryBytes
}
