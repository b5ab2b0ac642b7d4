package replay

import (
	"fmt"
	"slices"

	"github.com/aside-go/aside/cmd/aside/internal/transcript"
	"github.com/aside-go/aside/compile/fact"
)

// tally counts calls of tools: few in their order, many by name. It stays small however many there are.
type tally struct {
	n       int
	ordered []group // those that came several times on end are one
	named   []group
}

type group struct {
	name      string
	n, failed int
}

// few is how many calls are worth reading in their order.
const few = 6

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
		if t.n++; t.n > few {
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

// tallied names tools, each once or in order, with a mark for calls that failed.
func (t *timeline) tallied(calls *tally) []text {
	groups := calls.ordered
	if calls.n > few {
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

// thousands writes a number with commas.
func thousands(n int64) string {
	s := fmt.Sprint(n)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}
