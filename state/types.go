package state

import (
	"encoding/json"
	"time"

	"github.com/aside-go/aside/compile/fact"
	"github.com/aside-go/aside/compile/reminder"
)

// Rule is what the machine knows of a reminder: its id, and the terms of LANGUAGE.md §3 on which it fires.
type Rule struct {
	ID            string
	Version       string // names mode and trigger: when a set is reloaded, a rule of the same version keeps its state
	While         bool   // fires on every turn on which its trigger is true, not only when that becomes true
	Rearm         bool   // is armed again when a condition of its own is true, not when its trigger turns false
	For, Cooldown reminder.Span
	Keep          reminder.Keep
	MaxFires      int // in one run; 0 is no limit
	Priority      int
	Tier          reminder.Tier
	Attach        reminder.Attach
}

// Input is one turn: what the host reports, and the functions by which the machine asks about triggers and texts.
type Input struct {
	Key    string // the host's name for this turn, by which Step knows it again; "" is always a new turn
	At     time.Time
	Order  reminder.Order
	Budget reminder.Budget

	// What happened since the previous turn; the counts that a Run tells are made of it. Where the host did not report
	// something, say fact.Unknown: the zero Truth is False.
	UserMessage, Compacted, Resumed, Failed fact.Truth
	Tools                                   []string // the tools called, in order
	ToolsKnown                              bool     // whether the host reported Tools
	ResponseTokens                          int64    // output of the previous model call
	ResponseKnown                           bool     // whether the host reported ResponseTokens
	OutputTokens                            int64    // output so far, of a host that counts it itself; the run goes on from it
	OutputKnown                             bool     // whether the host reported OutputTokens

	Remind []string // ids of rules to fire by hand
	Silent bool     // this turn can carry no text, so what fires waits for one that can

	// Judge returns the truths of triggers and of rearm conditions, each by the index of the rule; what is missing at the
	// end of a list is Unknown. It is called at most once, when the counts have advanced to this turn. nil judges nothing.
	Judge func(run *Run) (trigger, rearm []fact.Truth)
	// Render returns the text of rule i. It is called for the rules that are to fire; after an error the rule does
	// not. nil fails for every rule.
	Render func(i int) (string, error)
	// Tokens counts the tokens of a text, for the budget. nil is a quarter of the bytes, rounded up.
	Tokens func(text string) int

	Facts json.RawMessage // kept in the snapshot, so that the turn can be explained later; do not modify it afterwards
	Tag   string          // marks the texts of this run as ours; the run keeps the first that is not empty
}

// Held says why a rule did not fire although its trigger was true or it was asked for by hand.
type Held struct {
	ID   string        `json:"id"`
	Why  string        `json:"why"`           // HeldArmed or another of these constants
	Left reminder.Span `json:"left,omitzero"` // of HeldFor and HeldCooldown: how long it is still held
}

// TextError says why the text of a rule could not be rendered.
type TextError struct {
	ID    string `json:"id"`
	Error string `json:"error"`
}

// Decision is the outcome of one turn.
type Decision struct {
	Turn        int            `json:"turn"`                  // from 1
	Key         string         `json:"key,omitempty"`         // Input.Key
	Fired       []reminder.Due `json:"fired"`                 // what fired on this turn, in Input.Order
	Due         []reminder.Due `json:"due"`                   // what is to be put before the model: what fired now or earlier and is still kept; in Input.Order
	Held        []Held         `json:"held,omitempty"`        // by id
	Errors      []TextError    `json:"errors,omitempty"`      // texts that could not be rendered
	Undelivered []string       `json:"undelivered,omitempty"` // ids of texts that no request carried in time, and of rules asked for by hand that do not exist
}
