package eval

import (
	"time"

	"github.com/aside-go/aside/compile/fact"
)

// Turn is what a host knows before one model call.
type Turn struct {
	// Key names the turn. After a crash or a lost answer, the same key stands for the same turn and gets the same decision.
	// "" is always a new turn. The key of an older turn is refused with state.ErrOldKey, and so is one
	// that is the last turn's but for a lower number at its end.
	Key string
	// At is the time of the turn; the zero time stands for what Options.Clock says.
	At time.Time
	// Facts are the facts that are known, by name, in the forms that fact.Frame.SetValue takes. What is absent or nil is
	// unknown, except that some facts are filled in: those that the run itself counts (turn_count, user_turn_count, tool_calls,
	// failures_in_row, output_tokens, elapsed, idle), and context_usage if context_tokens and context_window are known.
	//
	// fact.FailedTools, which is not a fact, may hold the list of those tools in tool_used that failed.
	//
	// The map and its lists are only read, and not after Prepare has returned.
	Facts map[string]any
	// Fill, if it is not nil, sets facts in a frame that already holds those of Facts. A host that has facts in variables
	// thus needs no map. It is called once for each Prepare, and must not keep the frame. Decide may call Prepare several
	// times. Lists are only read, and not after Prepare has returned.
	Fill func(f *fact.Frame)
	// Remind are the ids of reminders to fire by hand on this turn.
	Remind []string
	// Silent says that this turn can carry no text, so what fires waits for one that can.
	Silent bool
	// Mark is a token that tells the texts of this run from what others have written. The run keeps the first that is not "".
	Mark string
}
