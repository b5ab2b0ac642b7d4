package fact

import "time"

// ChainMemory is how many tool calls a run remembers in their order: a chain that takes more calls is never found.
const ChainMemory = 256

// History is what a run remembers of its past turns. Triggers ask it through the functions of LANGUAGE.md §1, such as
// tool_count("Bash"), and through cadences, such as every 10 turns. state.Run implements it. A frame without a History
// answers as a run would in which no tool was called and no reminder has fired.
//
// An implementation must be pure, that is, answer the same question the same way throughout a turn, and it must be safe for
// concurrent use.
type History interface {
	// Now returns the turn that is being evaluated.
	Now() Mark
	// ToolCount returns how many calls the run has made of tools whose name match accepts.
	ToolCount(match func(tool string) bool) int
	// TurnsSinceTool returns how many turns ago such a tool was last called: 1 on the turn that reports the call. ok is
	// false as long as there was no such call.
	TurnsSinceTool(match func(tool string) bool) (turns int, ok bool)
	// ChainRepeats returns how many times in a row the chain of calls stands at the very end of the run's last ChainMemory
	// tool calls. Each link of the chain accepts the names of one call.
	ChainRepeats(chain []func(tool string) bool) int
	// LastFire returns when the trigger of a reminder last made it fire; a firing by hand does not count. ok is false
	// before its first firing. What fires on the turn being evaluated cannot be seen yet.
	LastFire(id string) (at Mark, ok bool)
}

// Mark is a point in a run.
type Mark struct {
	Turn         int       // the turns that were committed so far, this one included: 1 on the first
	UserTurn     int       // user turns so far
	UserTurnOK   bool      // whether UserTurn is known
	OutputTokens int64     // output of the model so far in the run
	OutputOK     bool      // whether OutputTokens is known
	At           time.Time // the time of the host's clock, which may stand still or go back
}

// SetHistory sets the past that triggers may ask about; nil is none.
func (f *Frame) SetHistory(h History) { f.history = h }

// History returns what SetHistory set, or nil.
func (f *Frame) History() History { return f.history }

// SetSelf sets the id of the reminder whose trigger is evaluated next. A cadence needs it, to find out when its own reminder
// last fired.
func (f *Frame) SetSelf(id string) { f.self = id }

// Self returns what SetSelf set.
func (f *Frame) Self() string { return f.self }
