package reminder

import "time"

// Decision is the outcome of one turn.
type Decision struct {
	Turn int    `json:"turn"`          // from 1; at another moment the turn before it, 0 if there was none
	Key  string `json:"key,omitempty"` // the host's name of the turn

	Rules string `json:"rules,omitempty"` // the digest of the rules that decided

	// Fired are the texts that fired on this turn; Due are the texts to put before the model: those that fired
	// now, and those that fired earlier and are still kept. Both are in the Order of
	// the set.
	Fired []Due `json:"fired"`
	Due   []Due `json:"due"`

	Held   []Held      `json:"held,omitempty"`   // by id
	Errors []TextError `json:"errors,omitempty"` // texts that could not be rendered
	// ids, by byte: of texts that no request carried in time, and unknown ids of reminders asked for by hand
	Undelivered []string `json:"undelivered,omitempty"`

	// ids, by byte, of reminders that ask to hold back the call, at BeforeTool
	Paused   []string  `json:"paused,omitempty"`
	Outcomes []Outcome `json:"outcomes,omitempty"` // expectations that ended on this turn, by id
}

// Held says why a reminder did not fire although its trigger was true, or although it was asked for by hand.
type Held struct {
	ID   string `json:"id"`
	Why  string `json:"why"`           // HeldArmed or another of these constants
	Left Span   `json:"left,omitzero"` // of HeldFor and HeldCooldown: how long the reminder is still held
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
	Error string `json:"error"`
	ID    string `json:"id"`
}

// Outcome is what became of the expectation of a firing (LANGUAGE.md §4, Effect).
type Outcome struct {
	After   int    `json:"after"` // turns from the firing to this one
	HeldOut bool   `json:"held_out,omitzero"`
	ID      string `json:"id"`
	Outcome string `json:"outcome"` // Heeded or another of these constants
}

// The values of Outcome.Outcome.
const (
	Heeded  = "heeded"  // the model did what the reminder expects
	Ignored = "ignored" // it did not in time
	Open    = "open"    // the history was compacted before, or nobody knows
)

// Holdout says in which runs the texts of reminders with a holdout are held back.
type Holdout uint8

const (
	// HoldoutByHash holds them back in the share of runs that the reminder says, by a hash of run and id.
	HoldoutByHash Holdout = iota
	// HoldoutSent sends them in all runs.
	HoldoutSent
	// HoldoutHeld holds them back in all runs.
	HoldoutHeld
)

// Record tells of one firing with an expectation: that it fired, or what became of it (LANGUAGE.md §4,
// Effect). A firing has a Record with the outcome Fired and, once its expectation has ended, another one. Of
// several with the same Firing the last one counts. No text of any kind stands in a Record.
type Record struct {
	Time   time.Time `json:"time"`
	Run    string    `json:"run"`    // a hash of the run that decides a holdout
	Firing string    `json:"firing"` // a hash that names the firing; the same on every machine
	ID     string    `json:"id"`
	// a digest of the reminder's text and of all that decides when it fires; with Trial behind it, of one that
	// is sent to nobody
	Version string `json:"version"`
	HeldOut bool   `json:"held_out,omitempty"`
	Outcome string `json:"outcome"`          // Fired, Unread, Heeded, Ignored or Open
	Turns   int    `json:"turns,omitempty"`  // from the firing to the outcome
	Tokens  int    `json:"tokens,omitempty"` // of the text; only beside Fired
	Agent   string `json:"agent,omitempty"`
	Model   string `json:"model,omitempty"`
}

// The values of Record.Outcome beside those of Outcome.Outcome.
const (
	Fired  = "fired"  // its expectation has not ended
	Unread = "unread" // its text was given up before a turn had carried it
)

// Trial ends the Record.Version of a reminder with a holdout of 100%. Its runs are of another time than those
// of a test that follows it, and so no group of that test.
const Trial = "-trial"
