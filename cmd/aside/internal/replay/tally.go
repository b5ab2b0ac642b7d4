package replay

import (
	"fmt"
	"slices"

	"github.com/aside-go/aside/cmd/aside/internal/transcript"
	"github.com/aside-go/aside/compile/fact"
)

// tally names tools in order, those that came several times on end once, with a mark for calls that failed.
func (t *timeline) tally(calls []transcript.Call) []text {
	type group struct {
		name      string
		n, failed int
	}
	var groups []group
	if len(calls) > 6 { // too many to be read in order
		for _, c := range calls {
			i := slices.IndexFunc(groups, func(g group) bool { return g.name == c.Name })
			if i < 0 {
				i = len(groups)
				groups = append(groups, group{name: c.Name})
			}
			groups[i].n++
			if c.Failed == fact.True {
				groups[i].failed++
			}
		}
	} else {
		for _, c := range calls {
			failed := 0
			if c.Failed == fact.True {
				failed = 1
			}
			if last := len(groups) - 1; last >= 0 && groups[last].name == c.Name && (groups[last].failed > 0) == (failed > 0) {
				groups[last].n++
				groups[last].failed += failed
				continue
			}
			groups = append(groups, group{c.Name, 1, failed})
		}
	}
	var out []text
	for i, g := range groups {
		if i > 0 {
			out = append(out, text{dim, ", "})
		}
		out = append(out, text{plain, clean(g.name)})
		if g.failed == g.n {
			out = append(out, text{red, t.g.cross})
		}
		if g.n > 1 {
			out = append(out, text{dim, fmt.Sprintf(" %s%d", t.g.times, g.n)})
		}
		if g.failed > 0 && g.failed < g.n {
			out = append(out, text{red, fmt.Sprintf(" (%d%s)", g.failed, t.g.cross)})
		}
	}
	return out
}

// thousands writes a number with commas.
func thousands(n int64) string {
	s := fmt.Sprint(n)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}
