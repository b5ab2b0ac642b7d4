package cost

import (
	"time"

	"github.com/aside-go/aside/inject/wire/cache"
)

// Call is a model call of a run: what was recorded of it, and what the rules did on its turn.
type Call struct {
	Model     string
	At        time.Time // zero: unknown
	Recorded  Recorded
	System    int  // tokens of tools and system prompt, where the recording shows them; of the first call of a run
	New       int  // bytes of text that came into the request since the one before; for where its length was not recorded
	Blocks    int  // positions of a cache's lookback that this takes; at least 1
	Rewritten bool // the history is not that of the call before: it was compacted

	Fired []Text // on this turn, in order
	Due   []Text // what fired and what is kept
}

// Recorded is what a model call took. Prompt is known where it is not 0.
type Recorded struct {
	cache.Usage
	Cached bool // Read, Write and Hour are known
	Output int
	Spoke  bool // Output is known
}

// Text is a reminder as it goes out.
type Text struct {
	ID     string
	Tokens int // with the tag around it
}

// Way is how texts get into requests.
type Way uint8

// The ways. None is the run as it was recorded.
const (
	None     Way = iota
	Native       // once, in a message that the API lets lapse with the turn
	Anchored     // once, and again in each later request at its place
	Tail         // at the end of each request on whose turn it is due
	Naive        // the same, in the last message and so on the cache breakpoint
)

var ways = [...]string{"none", "native", "anchored", "tail", "naive"}

// String returns the name of the way, for deliveries that of the command line.
func (w Way) String() string { return ways[w] }

// puts returns what is put into a request anew.
func (w Way) puts(c Call) []Text {
	switch w {
	case None:
		return nil
	case Tail:
		return c.Due
	}
	return c.Fired
}
