package state

import (
	"time"

	"github.com/aside-go/aside/compile/fact"
)

// Run is a run as the triggers of one turn see it: its counters have advanced, its firings of this turn are not there yet.
// It implements fact.History. It may be used concurrently, and after the step.
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

// LastFire implements fact.History.
func (r *Run) LastFire(id string) (at fact.Mark, ok bool) {
	e := find(r.s.entries, id)
	if e == nil {
		return fact.Mark{}, false
	}
	at = e.last
	if at.Turn == r.s.turn {
		at = e.before
	}
	return at, at.Turn != 0
}

// ToolCalls returns how many tool calls were made; ok is false before tools were once reported.
func (r *Run) ToolCalls() (n int, ok bool) { return r.s.toolCalls, r.s.toolsKnown }

// FailuresInRow returns on how many turns in a row, this one included, a tool call failed; ok is false on a turn on which
// the host did not say whether one failed.
func (r *Run) FailuresInRow() (n int, ok bool) { return r.s.failures, r.s.failedKnown }

// Elapsed returns the time since the run's first turn. It never falls: a clock that goes back makes it stand.
func (r *Run) Elapsed() time.Duration { return distance(r.s.first, r.s.high) }

// Idle returns the time since the previous turn, 0 when the clock went back; ok is false on the first turn.
func (r *Run) Idle() (d time.Duration, ok bool) {
	if r.s.turn < 2 {
		return 0, false
	}
	return distance(r.s.prev, r.s.last), true
}

// distance is the time from one moment to a later one, and 0 when it is not later: whatever a clock does, no limit that
// is a length of time is passed early.
func distance(from, to time.Time) time.Duration { return max(to.Sub(from), 0) }
