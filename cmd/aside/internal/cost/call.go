package cost

import (
	"time"

	"github.com/aside-go/aside/internal/promptcache"
)

// Call is a model call of a run: what was recorded of it, and what the rules decided on its turn.
type Call struct {
	Model     string
	At        time.Time // zero: unknown
	Recorded  Recorded
	System    int  // tokens of tools and system prompt, on the first call of a run; 0: unknown
	New       int  // bytes of text that are new in the request, for where its length was not recorded; 0: unknown
	Blocks    int  // how many positions of a cache's lookback the new messages take; at least 1
	Rewritten bool // the history was compacted since the call before

	Fired []Text // on this turn, in order
	Due   []Text // what has fired and what is kept
}

// Recorded is the recorded usage of a model call. A Prompt of 0 is unknown.
type Recorded struct {
	promptcache.Usage
	Cached bool // Read, Write and Hour are known
	Output int
	Spoke  bool // Output is known
}

// Text is a reminder as it goes out.
type Text struct {
	ID     string
	Tokens int // with the tag around it
}

// Way is a way of putting texts into requests.
type Way uint8

// The ways. None is the run as it was recorded.
const (
	None     Way = iota
	Native       // once, in a message that lapses with the turn
	Anchored     // once, and again at the same place in each later request
	Tail         // at the end of each request on whose turn the text is due, after the cache breakpoint
	Naive        // in the last message of the request on whose turn the text fires, and so before the cache breakpoint
)

var ways = [...]string{"none", "native", "anchored", "tail", "naive"}

// String returns the name of the way. Deliveries have the names of the command line.
func (w Way) String() string { return ways[w] }

// puts returns the texts that are put into the request of a call, without those that only stay there.
func (w Way) puts(c Call) []Text {
	switch w {
	case None:
		return nil
	case Tail:
		return c.Due
	}
	return c.Fired
}
