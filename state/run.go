package state

import (
	"time"

	"github.com/aside-go/aside/compile/fact"
	"github.com/aside-go/aside/compile/reminder"
)

// Run is the past of a run as triggers see it while a turn is decided: the counters have advanced to this turn, but nothing
// has fired on it yet. It implements fact.History. It is immutable, may be used concurrently, and stays valid after the step.
type Run struct{ s *past }

var _ fact.History = (*Run)(nil)

// Now implements fact.History.
func (r *Run) Now() fact.Mark { return r.s.now() }

func (s *past) now() fact.Mark {
	return fact.Mark{Turn: s.turn, UserTurn: s.userTurns, UserTurnOK: s.userKnown, OutputTokens: s.output, OutputOK: s.outputKnown, At: s.last}
}

// ToolCount implements fact.History.
func (r *Run) ToolCount(match func(tool string) bool) int {
	n := 0
	for i := range r.s.tools {
		if match(r.s.tools[i].name) {
			n += r.s.tools[i].calls
		}
	}
	return n
}

// TurnsSinceTool implements fact.History.
func (r *Run) TurnsSinceTool(match func(tool string) bool) (turns int, ok bool) {
	last := 0
	for i := range r.s.tools {
		if t := &r.s.tools[i]; t.turn > last && match(t.name) {
			last = t.turn
		}
	}
	if last == 0 {
		return 0, false
	}
	return r.s.turn - last + 1, true
}

// ChainRepeats implements fact.History. It sees the last fact.ChainMemory calls.
func (r *Run) ChainRepeats(chain []func(tool string) bool) int {
	if len(chain) == 0 {
		return 0
	}
	repeats := 0
	for rest := r.s.calls; len(rest) >= len(chain); rest = rest[:len(rest)-len(chain)] {
		tail := rest[len(rest)-len(chain):]
		for i, match := range chain {
			if !match(r.s.tools[tail[i]].name) {
				return repeats
			}
		}
		repeats++
	}
	return repeats
}

// LastFire implements fact.History. Of what was first reported after the firing, nothing had been before it: all of it came since.
func (r *Run) LastFire(id string) (at fact.Mark, ok bool) {
	e := find(r.s.entries, id)
	if e == nil {
		return fact.Mark{}, false
	}
	at = e.last
	if at.Turn == r.s.turn {
		at = e.before
	}
	at.OutputOK = at.OutputOK || r.s.outputKnown
	at.UserTurnOK = at.UserTurnOK || r.s.userKnown
	return at, at.Turn != 0
}

// ToolCalls returns how many tool calls the run has made; ok is false as long as the host has never reported any tools.
func (r *Run) ToolCalls() (n int, ok bool) { return r.s.toolCalls, r.s.toolsKnown }

// FailuresInRow returns how many turns in a row, up to this one, reported a failed tool call; ok is false if the host did not
// say on this turn whether one failed.
func (r *Run) FailuresInRow() (n int, ok bool) { return r.s.failures, r.s.failedKnown }

// Elapsed returns the time since the run's first turn. It never decreases: while the clock is set back, it stands still.
func (r *Run) Elapsed() time.Duration { return distance(r.s.first, r.s.high) }

// Idle returns the time since the previous turn, 0 if the clock was set back since; ok is false on the first turn.
func (r *Run) Idle() (d time.Duration, ok bool) {
	if r.s.turn < 2 {
		return 0, false
	}
	return distance(r.s.prev, r.s.last), true
}

// Left returns how much of a span that began at since is left on the turn of r; zero if it is over.
func (r *Run) Left(span reminder.Span, since fact.Mark) reminder.Span {
	return reminder.Span{
		Turns: max(span.Turns-(r.s.turn-since.Turn), 0),
		Time:  max(span.Time-distance(since.At, r.s.last), 0),
	}
}

// distance returns the time from one moment to a later one, and 0 if it is not later. So a clock that is set back can delay
// a cooldown, but never end one early.
func distance(from, to time.Time) time.Duration { return max(to.Sub(from), 0) }
