package compile

import (
	"time"

	"github.com/aside-go/aside/compile/fact"
	"github.com/aside-go/aside/grammar"
)

// cadence is "every N turns", "every N user turns" or "every D". It is true until its reminder has fired by
// itself, and then again at that distance from the last firing.
type cadence struct {
	unit grammar.CadenceUnit
	n    int           // turns or user turns
	d    time.Duration // for the unit Elapsed
}

// distance is the distance from the last firing of a reminder to now.
type distance struct {
	fired, known bool // known is false if either user turn is not known
	n            int
	d            time.Duration
}

// since returns the distance from the last firing of the reminder that the cadence belongs to.
func (l cadence) since(f *fact.Frame) distance {
	h := f.History()
	if h == nil {
		return distance{}
	}
	last, fired := h.LastFire(f.Self())
	if !fired {
		return distance{}
	}
	now := h.Now()
	switch l.unit {
	case grammar.Turns:
		return distance{fired: true, known: true, n: now.Turn - last.Turn}
	case grammar.UserTurns:
		return distance{
			fired: true, known: now.UserTurnOK && last.UserTurnOK, n: now.UserTurn - last.UserTurn,
		}
	default:
		return distance{fired: true, known: true, d: now.At.Sub(last.At)}
	}
}

func (l cadence) truth(f *fact.Frame) fact.Truth {
	s := l.since(f)
	switch {
	case !s.fired:
		return fact.True
	case !s.known:
		return fact.Unknown
	default:
		return fact.Of(s.n >= l.n && s.d >= l.d)
	}
}

func (l cadence) reads() []fact.ID { return nil }

func (l cadence) value(f *fact.Frame) string {
	s := l.since(f)
	switch {
	case !s.fired:
		return "never fired"
	case !s.known:
		return "user turns are unknown"
	case l.unit == grammar.Elapsed:
		return "last fired " + s.d.String() + " ago"
	default:
		return "last fired " + plural(s.n, l.unitName()) + " ago"
	}
}

// left returns the time until the cadence is true again; "" where nobody knows it.
func (l cadence) left(f *fact.Frame) string {
	s := l.since(f)
	switch {
	case !s.known:
		return ""
	case l.unit == grammar.Elapsed:
		return grammar.FormatDuration(max((l.d - s.d + time.Second - 1).Truncate(time.Second), 0))
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
