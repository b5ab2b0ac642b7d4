package trigger

import (
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/aside-go/aside/compile/fact"
	"github.com/aside-go/aside/grammar"
	"github.com/aside-go/aside/internal/condition"
	"github.com/aside-go/aside/internal/duration"
	"github.com/aside-go/aside/internal/excerpt"
)

// valueOf returns the values that a leaf read, for people.
func valueOf(l leaf, f *fact.Frame) string {
	switch l.Kind {
	case condition.Constant:
		return l.Truth.String()
	case condition.Failed:
		if names, ok := f.Failed(); ok {
			return "failed tools: [" + strings.Join(names, ", ") + "]"
		}
	case condition.Before:
		m, call := f.Moment()
		if m != fact.BeforeTool || call == nil {
			return "no call is about to be executed"
		}
		return call.Tool + " is about to be executed"
	case condition.Stopping:
		if m, _ := f.Moment(); m == fact.Stopping {
			return "the agent is about to end its work"
		}
		return "the agent is not about to end its work"
	case condition.Cadence:
		return cadenceValue(l, f)
	case condition.General, condition.Comparison:
		var parts []string
		for _, t := range l.Terms {
			parts = append(parts, termValue(t, f))
		}
		if l.Run != nil {
			if _, err := l.Run(f); err != nil {
				parts = append(parts, err.Error())
			}
		}
		return strings.Join(parts, ", ")
	}
	return describe(f, l.Reads...) // of a call the tools alone: what they were called with is never shown
}

// termValue returns the value of a part of an expression, for people.
func termValue(t *term, f *fact.Frame) string {
	if t.Fact.Name != "" {
		return describe(f, t.Reads...)
	}
	v := t.Num(f)
	switch {
	case math.IsNaN(v) && t.Err != nil && t.Err(f) != nil:
		return t.Text + ": " + t.Err(f).Error()
	case math.IsNaN(v):
		return t.Text + " is unknown"
	case t.Bool:
		return t.Text + " is " + fact.Of(v == 1).String()
	}
	return t.Text + " is " + wholeText(v)
}

func cadenceValue(l leaf, f *fact.Frame) string {
	if at, _ := f.Moment(); at != fact.Turn {
		return "a cadence is of turns alone"
	}
	s := l.Distance(f)
	past := plural(s.N, unitName(l))
	if l.Unit == grammar.Elapsed {
		past = s.D.String()
	}
	switch {
	case f.History() == nil:
		return "the run's past is unknown"
	case !s.Known && l.Unit == grammar.Elapsed:
		return "the time is unknown"
	case !s.Known:
		return "user turns are unknown"
	case s.Fired:
		return "last fired " + past + " ago"
	case l.Unit == grammar.Elapsed:
		return "the run began " + past + " ago"
	default:
		return "the run has had " + past
	}
}

// cadenceLeft returns the time until the cadence is true again; "" where nobody knows it.
func cadenceLeft(l leaf, f *fact.Frame) string {
	s := l.Distance(f)
	switch {
	case !s.Known:
		return ""
	case l.Unit == grammar.Elapsed:
		return duration.Format(max((l.Every - s.D + time.Second - 1).Truncate(time.Second), 0))
	default:
		return plural(max(l.N-s.N, 1), unitName(l))
	}
}

func unitName(l leaf) string {
	if l.Unit == grammar.UserTurns {
		return "user turn"
	}
	return "turn"
}

// shown is how many bytes of a string fact an explanation shows.
const shown = 60

// describe returns the values of facts for people: "context_usage is 71%, tool_used is [Edit]".
func describe(f *fact.Frame, ids ...fact.ID) string {
	parts := make([]string, len(ids))
	for i, id := range ids {
		parts[i] = f.Schema().Fact(id).Name + " is " + shownValue(f, id)
	}
	return strings.Join(parts, ", ")
}

// shownValue returns the value of a fact for people; of a private one no more than its size.
func shownValue(f *fact.Frame, id fact.ID) string {
	if set, all := f.Set(id); id.Private() && !all && len(set) > 0 {
		return "known in part"
	}
	switch v := f.Value(id).(type) {
	case bool:
		return strconv.FormatBool(v)
	case int64, float64, time.Duration:
		return measure(f.Schema().Fact(id), f.Num(id))
	case string:
		if id.Private() {
			return plural(len(v), "byte") + " long"
		}
		return strconv.Quote(excerpt.Of(v, shown))
	case []fact.Call:
		return plural(len(v), "call")
	case []string:
		if id.Private() {
			return "a set of " + strconv.Itoa(len(v))
		}
		return "[" + excerpt.Of(strings.Join(v, ", "), shown) + "]"
	default:
		return "unknown"
	}
}

// measure writes a number for people as one of a fact, in the unit of the fact.
func measure(ft fact.Fact, v float64) string {
	switch ft.Type {
	case fact.Ratio:
		return fact.Percent(v)
	case fact.Dollars:
		return "$" + wholeText(math.Round(v*1e6)/1e6)
	case fact.Duration:
		return duration.Format(time.Duration(v))
	}
	return wholeText(v)
}
