package compile

import (
	"time"

	"github.com/aside-go/aside/compile/fact"
	"github.com/aside-go/aside/grammar"
	"github.com/aside-go/aside/internal/duration"
)

// cadence is "every N turns", "every N user turns" or "every D". It is true at that distance from the last
// firing of its reminder or, before the first one, from the beginning of the run (LANGUAGE.md §6).
type cadence struct {
	unit grammar.CadenceUnit
	n    int           // turns or user turns
	d    time.Duration // for the unit Elapsed
}

// distance is the distance from the last firing of a reminder, or from the beginning of the run, to now.
type distance struct {
	fired, known bool
	n            int
	d            time.Duration
}

// since returns the distance from the last firing of the reminder that the cadence belongs to.
func (l cadence) since(f *fact.Frame) distance {
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
	switch l.unit {
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

func (l cadence) truth(f *fact.Frame) fact.Truth {
	if f.Between() {
		return fact.False
	}
	s := l.since(f)
	if !s.known {
		return fact.Unknown
	}
	return fact.Of(s.n >= l.n && s.d >= l.d)
}

func (l cadence) reads() []fact.ID { return nil }

func (l cadence) value(f *fact.Frame) string {
	s := l.since(f)
	past := plural(s.n, l.unitName())
	if l.unit == grammar.Elapsed {
		past = s.d.String()
	}
	switch {
	case f.History() == nil:
		return "the run's past is unknown"
	case !s.known && l.unit == grammar.Elapsed:
		return "the time is unknown"
	case !s.known:
		return "user turns are unknown"
	case s.fired:
		return "last fired " + past + " ago"
	case l.unit == grammar.Elapsed:
		return "the run began " + past + " ago"
	default:
		return "the run has had " + past
	}
}

// left returns the time until the cadence is true again; "" where nobody knows it.
func (l cadence) left(f *fact.Frame) string {
	s := l.since(f)
	switch {
	case !s.known:
		return ""
	case l.unit == grammar.Elapsed:
		return duration.Format(max((l.d - s.d + time.Second - 1).Truncate(time.Second), 0))
	default:
		return plural(max(l.n-s.n, 1), l.unitName())
	}
}

func (l cadence) unitName() string {
	if l.unit == grammar.UserTurns {
		return "user turn"
	}
	return "turn"
}
