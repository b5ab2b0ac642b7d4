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
	summaryLines = 8   // of a summary that count, the longest
	summaryBytes = 200 // of these, for a summary to tell whose it is
)

// Lines returns the longest lines of texts, the longest first, at most as many as most.
func Lines(most int, texts ...[]byte) (list []Line) {
	for _, text := range texts {
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
	}
	slices.SortFunc(list, func(a, b Line) int { return cmp.Or(b.Len-a.Len, cmp.Compare(a.Digest, b.Digest)) })
	list = slices.Compact(list)
	return list[:min(most, len(list))]
}

// Summary returns a summary as an answer: the digest of its longest line stands in place of that of the
// words, and those of the next ones in place of ids. It reports false for a summary that is too short to tell
// whose it is.
func Summary(text []byte) (s Said, tells bool) {
	for i, l := range Lines(summaryLines, text) {
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
	held, bytes := 0, 0
	for _, l := range lines {
		if is := slices.Contains(a.IDs, l.Digest); is || a.Words == l.Digest {
			bytes += l.Len
			if is {
				held++
			}
		}
	}
	longest := slices.ContainsFunc(lines, func(l Line) bool { return l.Digest == a.Words })
	return longest && 2*held >= len(a.IDs) && bytes >= summaryBytes
}
