package fact

import "time"

// History answers the functions over a run's own past. The machine's run implements it; a frame without one
// answers "never" and "unknown". Implementations must be pure: the same question on the same turn has the same answer.
type History interface {
	// Now is the turn being evaluated.
	Now() Mark
	// ToolCount is how many calls were made of tools whose name match accepts.
	ToolCount(match func(tool string) bool) int
	// TurnsSinceTool is 1 on the turn that reports the use; ok is false before the first.
	TurnsSinceTool(match func(tool string) bool) (turns int, ok bool)
	// ChainRepeats is how often in a row the sequence of calls, read from its end, is the chain.
	ChainRepeats(chain []func(tool string) bool) int
	// LastFire is when the reminder last fired by itself; ok is false before its first firing.
	// Firings of the turn being evaluated are not visible yet.
	LastFire(id string) (at Mark, ok bool)
}

// Mark is a point in a run.
type Mark struct {
	Turn         int       // the engine's own committed evaluations, from 1
	UserTurn     int       // user turns so far
	UserTurnOK   bool      // whether UserTurn is known
	OutputTokens int64     // output so far in the run
	OutputOK     bool      // whether OutputTokens is known
	At           time.Time // the clock, which may stand or go back
}

// SetHistory lets the functions over the past be asked.
func (f *Frame) SetHistory(h History) { f.history = h }

// History returns what SetHistory set, or nil.
func (f *Frame) History() History { return f.history }

// SetSelf names the reminder whose trigger is evaluated next; only a cadence asks for it.
func (f *Frame) SetSelf(id string) { f.self = id }

// Self returns what SetSelf set.
func (f *Frame) Self() string { return f.self }
