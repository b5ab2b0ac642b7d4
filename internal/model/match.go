package model

import (
	"iter"
	"regexp"
	"strings"
	"sync"
)

// spellings yields the ways to read a model's id. Platforms and gateways put names in front, which end in
// '/' or '.' ("models/gemini-3-pro", "us.anthropic.claude-opus-5"), so the rest behind each of them is a
// spelling too. Some gateways write claude-opus-4.8 for claude-opus-4-8, so a Claude model has a second
// spelling, its maker's.
func spellings(id string) iter.Seq[string] {
	return func(yield func(string) bool) {
		for rest := id; ; {
			if !yield(rest) {
				return
			}
			if strings.HasPrefix(rest, "claude-") && strings.Contains(rest, ".") &&
				!yield(strings.ReplaceAll(rest, ".", "-")) {
				return
			}
			at := strings.IndexAny(rest, "./")
			if at < 0 {
				return
			}
			rest = rest[at+1:]
		}
	}
}

// version matches the part of an id behind a model's name that leaves it the same model: a date, a
// platform's version, the window.
var version = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(-latest|-preview)?([-@]\d{4}-?\d\d-?\d\d)?(-preview)?(-v\d+(:\d+)?)?(\[1m\])?$`)
})

func isVersion(after string) bool { return after == "" || version().MatchString(after) }

// Longest returns the index of the longest of n prefixes with which a model's id begins in one of its
// spellings, and the rest of that; -1 if there is none. The empty prefix fits every id.
func Longest(id string, n int, prefix func(i int) string) (best int, after string) {
	best = -1
	for name := range spellings(id) {
		for i := range n {
			rest, begins := strings.CutPrefix(name, prefix(i))
			if begins && (best < 0 || len(prefix(i)) > len(prefix(best))) {
				best, after = i, rest
			}
		}
	}
	return best, after
}
