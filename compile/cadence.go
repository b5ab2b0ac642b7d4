package compile

import (
	"time"

	"github.com/aside-go/aside/compile/fact"
	"github.com/aside-go/aside/grammar"
	"github.com/aside-go/aside/internal/duration"
)

// distance is the distance from the last firing of a reminder, or from the beginning of the run, to now.
type distance struct {
	fired, known bool
	n            int
	d            time.Duration
}

// since returns the distance from the last firing of the reminder that a condition.Cadence belongs to.
func since(l leaf, f *fact.Frame) distance {
	h := f.History()
	if h == nil {
		return distance{}
	}
	now := h.Now()
	last, fired := h.LastFire(f.Self())
	if !fired {
		last = h.Begin()
		last.UserTurnOK = true
	}
	switch l.Unit {
	case grammar.Turns:
		return distance{fired: fired, known: true, n: now.Turn - last.Turn}
	case grammar.UserTurns:
		return distance{
			fired: fired, known: now.UserTurnOK && last.UserTurnOK, n: now.UserTurn - last.UserTurn,
		}
	default:
		return distance{fired: fired, known: !now.At.IsZero(), d: now.At.Sub(last.At)}
	}
}

// cadence is the truth of a condition.Cadence: true at its distance from the last firing of its reminder or,
// before the first one, from the beginning of the run (LANGUAGE.md §6).
func cadence(l leaf, f *fact.Frame) fact.Truth {
	if f.Between() {
		return fact.False
	}
	s := since(l, f)
	if !s.known {
		return fact.Unknown
	}
	return fact.Of(s.n >= l.N && s.d >= l.Every)
}

func cadenceValue(l leaf, f *fact.Frame) string {
	s := since(l, f)
	past := plural(s.n, unitName(l))
	if l.Unit == grammar.Elapsed {
		past = s.d.String()
	}
	switch {
	case f.History() == nil:
		return "the run's past is unknown"
	case !s.known && l.Unit == grammar.Elapsed:
		return "the time is unknown"
	case !s.known:
		return "user turns are unknown"
	case s.fired:
		return "last fired " + past + " ago"
	case l.Unit == grammar.Elapsed:
		return "the run began " + past + " ago"
	default:
		return "the run has had " + past
	}
}

// cadenceLeft returns the time until the cadence is true again; "" where nobody knows it.
func cadenceLeft(l leaf, f *fact.Frame) string {
	s := since(l, f)
	switch {
	case !s.known:
		return ""
	case l.Unit == grammar.Elapsed:
		return duration.Format(max((l.Every - s.d + time.Second - 1).Truncate(time.Second), 0))
	default:
		return plural(max(l.N-s.n, 1), unitName(l))
	}
}

func unitName(l leaf) string {
	if l.Unit == grammar.UserTurns {
		return "user turn"
	}
	return "turn"
}
