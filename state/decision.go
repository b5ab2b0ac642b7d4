package state

import "github.com/aside-go/aside/compile/reminder"

// Decision is the outcome of one turn.
type Decision struct {
	Turn int    `json:"turn"`          // from 1
	Key  string `json:"key,omitempty"` // Input.Key

	// Fired are the texts that fired on this turn; Due are the texts to put before the model: those that fired
	// now, and those that fired earlier and are still kept. Both are in Input.Order.
	Fired []reminder.Due `json:"fired"`
	Due   []reminder.Due `json:"due"`

	Held   []Held      `json:"held,omitempty"`   // by id
	Errors []TextError `json:"errors,omitempty"` // texts that could not be rendered
	// ids, by byte: of texts that no request carried in time, and unknown ids of Input.Remind
	Undelivered []string `json:"undelivered,omitempty"`
}

// Held says why a reminder did not fire although its trigger was true, or although it was asked for by hand.
type Held struct {
	ID   string        `json:"id"`
	Why  string        `json:"why"`           // HeldArmed or another of these constants
	Left reminder.Span `json:"left,omitzero"` // of HeldFor and HeldCooldown: how long the reminder is still held
}

// The values of Held.Why.
const (
	HeldArmed    = "not armed" // the reminder fired, and was not armed again since
	HeldFor      = "for"       // the trigger has not been true for long enough
	HeldCooldown = "cooldown"  // the last firing is too short a time ago
	HeldMaxFires = "max_fires" // the reminder fired as often as it may in one run
	HeldBudget   = "budget"    // the text would have cost more tokens than were left
	HeldText     = "text"      // the text could not be rendered
)

// TextError says why the text of a reminder could not be rendered.
type TextError struct {
	ID    string `json:"id"`
	Error string `json:"error"`
}
