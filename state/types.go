package state

import (
	"encoding/json"
	"time"

	"github.com/aside-go/aside/compile/fact"
	"github.com/aside-go/aside/compile/terms"
)

// Rule is what the machine knows of a reminder.
type Rule struct {
	ID            string
	Version       string // mode and canonical trigger; a reload keeps the state of a rule whose version is unchanged
	While         bool   // fires on levels, not on edges
	Rearm         bool   // re-arms by a condition of its own
	For, Cooldown terms.Span
	Keep          terms.Keep
	MaxFires      int // 0 is no limit
	Priority      int
	Tier          terms.Tier
	Attach        terms.Attach
}

// Input is one turn: what the host reports, and how the machine asks about triggers and texts.
type Input struct {
	Key    string // the host's key of this turn; "" means a new turn
	At     time.Time
	Order  terms.Order
	Budget terms.Budget

	// What happened since the previous turn; the engine counts from it. The zero Truth is False: say fact.Unknown where the
	// host did not report.
	UserMessage, Compacted, Resumed, Failed fact.Truth
	Tools                                   []string // in the order called
	ToolsKnown                              bool
	ResponseTokens                          int64 // output of the previous model call
	ResponseKnown                           bool

	Remind []string // ids to fire by hand
	Silent bool     // this turn can carry no text: what fires waits

	Judge  func(run *Run) (trigger, rearm []fact.Truth) // called once, after the counters have advanced; by rule index
	Render func(i int) (string, error)                  // the text of rule i
	Tokens func(text string) int                        // nil: bytes/4, rounded up

	Facts json.RawMessage // kept in the snapshot, for whoever explains the turn later; not to be written to from here on
	Tag   string          // what marks this run's texts as ours; the first that is not empty is kept for good
}

// Held says why a rule whose trigger was true, or that was fired by hand, did not fire.
type Held struct {
	ID   string     `json:"id"`
	Why  string     `json:"why"`           // HeldArmed and the like
	Left terms.Span `json:"left,omitzero"` // of "for" and "cooldown"
}

// TextError is a text that could not be rendered.
type TextError struct {
	ID    string `json:"id"`
	Error string `json:"error"`
}

// Decision is what one turn came to.
type Decision struct {
	Turn        int         `json:"turn"`
	Key         string      `json:"key,omitempty"`
	Fired       []terms.Due `json:"fired"`
	Due         []terms.Due `json:"due"` // fired and still kept
	Held        []Held      `json:"held,omitempty"`
	Errors      []TextError `json:"errors,omitempty"`
	Undelivered []string    `json:"undelivered,omitempty"`
}
