package condition

import (
	"time"

	"github.com/aside-go/aside/compile/fact"
	"github.com/aside-go/aside/grammar"
)

// Distance is the way from the last firing of a reminder, or from the beginning of the run, to now.
type Distance struct {
	Fired, Known bool
	N            int // turns or user turns
	D            time.Duration
}

// Distance returns the distance from the last firing of the reminder that l, a Cadence, belongs to.
func (l *Leaf) Distance(f *fact.Frame) Distance {
	h := f.History()
	if h == nil {
		return Distance{}
	}
	now := h.Now()
	last, fired := h.LastFire(f.Self())
	if !fired {
		last = h.Begin()
		last.UserTurnOK = true
	}
	switch l.Unit {
	case grammar.Turns:
		return Distance{Fired: fired, Known: true, N: now.Turn - last.Turn}
	case grammar.UserTurns:
		return Distance{Fired: fired, Known: now.UserTurnOK && last.UserTurnOK, N: now.UserTurn - last.UserTurn}
	default:
		return Distance{Fired: fired, Known: !now.At.IsZero(), D: now.At.Sub(last.At)}
	}
}

// cadence is the truth of a Cadence: true at its distance from the last firing of its reminder or, before the
// first one, from the beginning of the run (LANGUAGE.md §6). It is false between turns and at other moments.
func (l *Leaf) cadence(f *fact.Frame) fact.Truth {
	if at, _ := f.Moment(); f.Between() || at != fact.Turn {
		return fact.False
	}
	s := l.Distance(f)
	if !s.Known {
		return fact.Unknown
	}
	return fact.Of(s.N >= l.N && s.D >= l.Every)
}
