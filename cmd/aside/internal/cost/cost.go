// Package cost computes the cost of reminders in a recorded run, and their effect on its prompt cache: as
// their texts are sent to the run's model by default, compared with the run as it was recorded.
//
// It owns the reconstruction of the prompts from the recorded bills. Each recorded request becomes a prompt
// of units of known length. Where the recording tells the reads and writes of the cache, units end where
// the cache did, and cache entries are made and dropped so that the run without reminders has exactly the
// recorded tokens. Then the same conversation is sent with the reminders in it, through package promptcache:
// a text lapses with its turn where the model takes such texts, any other is sent again at the same place in
// each later request. The cost is the recorded cost, plus the difference between that run and the run without
// reminders.
//
// The lengths of prompts, reads, writes and answers are known as far as the recording has them. Two lengths
// are estimated: the tokens of reminders are a quarter of their bytes, with the tag around them; prompts
// whose length was not recorded have a quarter of the bytes of their text.
//
// The model is simpler than the APIs in three points: a text always goes after the client's last message
// and its cache breakpoint, even if its rule attaches it elsewhere; a model that thinks is assumed not to
// drop its thinking; a client that shortens its history without a compaction is assumed to have lost the
// texts after that place.
//
// The package knows replay.View, and no file format. Nothing here reads a clock. An Account and a View are
// for one goroutine.
package cost

import (
	"time"

	"github.com/aside-go/aside/internal/promptcache"
)

// Call is a model call of a run: its record, and the decision of the rules on its turn.
type Call struct {
	Model    string
	At       time.Time // zero: unknown
	Recorded Recorded
	System   int // tokens of tools and system prompt, on the first call of a run; 0: unknown
	// bytes of text that are new in the request, for where its length was not recorded; 0: unknown
	New       int
	Blocks    int  // how many positions of a cache's lookback the new messages take; at least 1
	Rewritten bool // the history was compacted since the call before

	Fired []Text // on this turn, in order
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
