package replay

import (
	"fmt"
	"slices"

	"github.com/aside-go/aside/cmd/aside/internal/transcript"
	"github.com/aside-go/aside/compile/fact"
)

// tally counts calls of tools: up to maxOrdered of them in their order, more by name. Its memory is bounded by the number of tools.
type tally struct {
	n       int     // calls
	ordered []group // consecutive calls of the same tool and outcome; nil for more than maxOrdered calls
	named   []group // one for each tool
}

// group is a number of calls of one tool.
type group struct {
	name      string
	n, failed int
}

// maxOrdered is how many calls are shown in their order.
const maxOrdered = 6

func (t *tally) add(calls ...transcript.Call) {
	for _, c := range calls {
		failed := 0
		if c.Failed == fact.True {
			failed = 1
		}
		i := slices.IndexFunc(t.named, func(g group) bool { return g.name == c.Name })
		if i < 0 {
			i = len(t.named)
			t.named = append(t.named, group{name: c.Name})
		}
		t.named[i].n++
		t.named[i].failed += failed
		if t.n++; t.n > maxOrdered {
			t.ordered = nil
			continue
		}
		if last := len(t.ordered) - 1; last >= 0 && t.ordered[last].name == c.Name && (t.ordered[last].failed > 0) == (failed > 0) {
			t.ordered[last].n++
			t.ordered[last].failed += failed
		} else {
			t.ordered = append(t.ordered, group{c.Name, 1, failed})
		}
	}
}

// tallied returns the tools of a tally, with their numbers and a mark for calls that failed.
func (t *timeline) tallied(calls *tally) []text {
	groups := calls.ordered
	if calls.n > maxOrdered {
		groups = calls.named
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

// thousands returns a number that is not below 0 with commas: "1,234".
func thousands(n int64) string {
	s := fmt.Sprint(n)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}
