package state

import "github.com/aside-go/aside/compile/reminder"

// Decision is the outcome of one turn.
type Decision struct {
	Turn int    `json:"turn"`          // from 1; at another moment the turn before it, 0 if there was none
	Key  string `json:"key,omitempty"` // Input.Key

	Rules string `json:"rules,omitempty"` // Rules.Digest of the rules that decided

	// Fired are the texts that fired on this turn; Due are the texts to put before the model: those that fired
	// now, and those that fired earlier and are still kept. Both are in Input.Order.
	Fired []reminder.Due `json:"fired"`
	Due   []reminder.Due `json:"due"`

	Held   []Held      `json:"held,omitempty"`   // by id
	Errors []TextError `json:"errors,omitempty"` // texts that could not be rendered
	// ids, by byte: of texts that no request carried in time, and unknown ids of Input.Remind
	Undelivered []string `json:"undelivered,omitempty"`

	// ids, by byte, of reminders that ask to hold back the call, at BeforeTool
	Paused   []string  `json:"paused,omitempty"`
	Outcomes []Outcome `json:"outcomes,omitempty"` // expectations that ended on this turn, by id
}

// Held says why a reminder did not fire although its trigger was true, or although it was asked for by hand.
type Held struct {
	ID   string        `json:"id"`
	Why  string        `json:"why"`           // HeldArmed or another of these constants
	Left reminder.Span `json:"left,omitzero"` // of HeldFor and HeldCooldown: how long the reminder is still held
}

// The values of Held.Why.
const (
	HeldArmed    = "not armed"   // the reminder fired, and was not armed again since
	HeldFor      = "for"         // the trigger has not been true for long enough
	HeldCooldown = "cooldown"    // the last firing is too short a time ago
	HeldMaxFires = "max_fires"   // the reminder fired as often as it may in one run
	HeldBudget   = "budget"      // the text would have cost more tokens than were left
	HeldText     = "text"        // the text could not be rendered, or is blank
	HeldIgnored  = "max_ignored" // as many firings in a row as that were ignored
	// what it asks about in the call was held back before, or two other things in this user turn; or the work
	// was kept from ending in it
	HeldAnswered = "answered"
)

// TextError says why the text of a reminder could not be rendered.
type TextError struct {
	ID    string `json:"id"`
	Error string `json:"error"`
}
