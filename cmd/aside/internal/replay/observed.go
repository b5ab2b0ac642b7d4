package replay

import (
	"strconv"
	"strings"
	"time"

	"github.com/aside-go/aside/compile/fact"
)

// observed sums up the facts of all turns, to say why a trigger was never true.
type observed struct {
	turns int
	facts map[string]*values // the facts that were known on some turn
	tools map[string]bool    // the tools that were called: whether a call failed
}

// values sums up the values of one fact.
type values struct {
	known    int             // on how many turns the fact was known
	min, max float64         // of a number, of a duration in nanoseconds, and of a bool as 0 or 1
	duration bool            // the fact is a duration
	ratio    bool            // the fact is a ratio
	texts    map[string]bool // of a string: the first maxTexts values
}

const maxTexts = 16

func newObserved() *observed {
	return &observed{facts: map[string]*values{}, tools: map[string]bool{}}
}

func (o *observed) add(t *Step) {
	o.turns++
	for name, v := range t.Facts {
		seen := o.facts[name]
		if seen == nil {
			seen = &values{texts: map[string]bool{}}
			o.facts[name] = seen
		}
		seen.add(v)
	}
	for _, c := range t.Calls {
		o.tools[c.Name] = o.tools[c.Name] || c.Failed == fact.True
	}
}

func (s *values) add(v any) {
	switch v := v.(type) {
	case bool:
		n := 0.0
		if v {
			n = 1
		}
		s.number(n)
	case int64:
		s.number(float64(v))
	case float64:
		s.ratio = true
		s.number(v)
	case time.Duration:
		s.duration = true
		s.number(float64(v))
	case string:
		s.known++
		if len(s.texts) < maxTexts {
			s.texts[v] = true
		}
	default:
		s.known++
	}
}

func (s *values) number(n float64) {
	if s.known == 0 {
		s.min, s.max = n, n
	}
	s.known++
	s.min, s.max = min(s.min, n), max(s.max, n)
}

// show returns a number in the form in which the fact's type is written.
func (s *values) show(n float64) string {
	switch {
	case s.duration:
		return time.Duration(n).Round(time.Second).String()
	case s.ratio:
		return strings.TrimSuffix(strconv.FormatFloat(n*100, 'f', 1, 64), ".0") + "%"
	default:
		return strconv.FormatFloat(n, 'f', -1, 64)
	}
}
