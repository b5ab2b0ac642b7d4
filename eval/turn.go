package eval

import (
	"time"

	"github.com/aside-go/aside/compile/fact"
)

// Turn is what a host knows before one model call.
type Turn struct {
	// Key names the turn: the same key again, after a crash or a lost answer, is the same turn and returns the same decision.
	// "" is a new turn each time. An older key of the run is refused with state.ErrOldKey.
	Key string
	// At is when the turn is; the zero time asks the Evaluator's clock.
	At time.Time
	// Facts are the facts that are known, by name, as fact.Frame.SetValue takes them; a fact that is absent or nil is unknown.
	// Counts that the run keeps itself (turn_count, user_turn_count, tool_calls, failures_in_row, output_tokens, elapsed, idle),
	// and context_usage where tokens and window are known, are filled in where they are absent. The map and its lists are
	// borrowed until Prepare returns.
	//
	// Besides the facts there is fact.FailedTools: a list of those tools of tool_used that failed.
	Facts map[string]any
	// Fill, if it is not nil, sets facts too, in a frame that holds those of Facts: it spares a host that has them in variables the
	// map. It is called once for each Prepare (Decide may need several) and must not keep the frame; lists are borrowed as those of Facts are.
	Fill func(f *fact.Frame)
	// Remind names reminders to fire by hand on this turn.
	Remind []string
	// Silent says that this turn can carry no text: what fires waits for one that can.
	Silent bool
	// Mark is the token by which this run's texts are told from other people's; the run keeps the first that is not "".
	Mark string
}
