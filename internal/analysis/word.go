package analysis

import (
	"encoding/binary"
	"slices"
	"strings"
)

// A glob is a text in which star stands for any text.
type glob []rune

const star rune = -1

// wild is the glob of a name in which * is a wildcard.
func wild(s string) glob {
	g := glob(s)
	for i, r := range g {
		if r == '*' {
			g[i] = star
		}
	}
	return g
}

// like is the glob of contains, startsWith and endsWith.
func like(word, s string) glob {
	g := glob(s)
	if word != "startsWith" {
		g = slices.Insert(g, 0, star)
	}
	if word != "endsWith" {
		g = append(g, star)
	}
	return g
}

// filled is the glob with a text in place of each star.
func (g glob) filled(by string) string {
	var b strings.Builder
	for _, r := range g {
		if r == star {
			b.WriteString(by)
		} else {
			b.WriteRune(r)
		}
	}
	return b.String()
}

// after are the positions in the glob, as a set of bits, that are reached from those of p by a character.
func (g glob) after(p uint64, r rune) uint64 {
	var out uint64
	for i, c := range g {
		if p&(1<<i) == 0 {
			continue
		}
		switch c {
		case star:
			out |= 1 << i
		case r:
			out |= 1 << (i + 1)
		}
	}
	return g.over(out)
}

// over adds the positions behind stars, which may stand for nothing.
func (g glob) over(p uint64) uint64 {
	for i, c := range g {
		if c == star && p&(1<<i) != 0 {
			p |= 1 << (i + 1)
		}
	}
	return p
}

func (g glob) accepts(s string) bool {
	if !slices.Contains(g, star) {
		return string(g) == s
	}
	p := g.over(1)
	for _, r := range s {
		p = g.after(p, r)
	}
	return p&(1<<len(g)) != 0
}

// The bounds of a search for words: globs and characters of each, since sets of them are words of the
// machine, and steps.
const (
	maxGlobs = 62
	maxTexts = 20_000
)

// wordsOf finds a text of each class of texts that the globs tell apart; ok is false if there is too much
// to look at. first are taken before others where no glob accepts them.
func wordsOf(globs []glob, first ...string) (out []string, ok bool) {
	var alphabet []rune
	stars := false
	for _, g := range globs {
		if len(g) > maxGlobs && slices.Contains(g, star) {
			return nil, false
		}
		for _, r := range g {
			if stars = stars || r == star; r != star && !slices.Contains(alphabet, r) {
				alphabet = append(alphabet, r)
			}
		}
	}
	if len(globs) > maxGlobs && stars || len(globs) > 16*maxGlobs {
		return nil, false
	}
	if !stars { // each text by itself, and any other
		for _, g := range globs {
			if !slices.Contains(out, string(g)) {
				out = append(out, string(g))
			}
		}
		return append(out, otherThan(out, first)), true
	}
	seen := map[uint64]bool{}
	add := func(s string) {
		var by uint64
		for i, g := range globs {
			if g.accepts(s) {
				by |= 1 << i
			}
		}
		if !seen[by] {
			seen[by] = true
			out = append(out, s)
		}
	}
	for _, g := range globs {
		for _, by := range []string{"x", "other", ""} {
			if s := g.filled(by); s != "" {
				add(s)
			}
		}
	}
	for _, s := range first {
		add(s)
	}
	type text struct {
		at []uint64 // of each glob
		s  string
	}
	begin := text{at: make([]uint64, len(globs))}
	for i, g := range globs {
		begin.at[i] = g.over(1)
	}
	other := 'x'
	for slices.Contains(alphabet, other) {
		other++
	}
	alphabet = append(alphabet, other)
	visited := map[string]bool{}
	for queue := []text{begin}; len(queue) > 0; queue = queue[1:] {
		t := queue[0]
		add(t.s)
		for _, r := range alphabet {
			next := text{make([]uint64, len(globs)), t.s + string(r)}
			var id []byte
			for i, g := range globs {
				next.at[i] = g.after(t.at[i], r)
				id = binary.LittleEndian.AppendUint64(id, next.at[i])
			}
			if !visited[string(id)] {
				visited[string(id)] = true
				queue = append(queue, next)
			}
		}
		if len(visited) > maxTexts {
			return nil, false
		}
	}
	return out, true
}

// otherThan is a text beside some, one of first if it can be.
func otherThan(texts, first []string) string {
	for _, s := range first {
		if !slices.Contains(texts, s) {
			return s
		}
	}
	return strings.Join(texts, "") + "x"
}
