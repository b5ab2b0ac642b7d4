// Package reminder owns the word reminder: its text, its trigger, and the terms on which its text is put
// before a model (LANGUAGE.md §3): how long it stays, who is dropped when the budget is short, in which order
// and to which message texts are put. They are plain values. Package compile/load reads them from rule files,
// package firing obeys them, and package inject places texts by them, so that none of the three has to know
// another.
package reminder

// Mode says when a reminder fires: once when its trigger becomes true, or as long as it is true.
type Mode uint8

const (
	// When fires when the trigger becomes true (on the edge), and not again before it is armed again.
	When Mode = iota
	// While fires on every turn on which the trigger is true (on the level).
	While
)

// String returns the mode as rule files write it.
func (m Mode) String() string { return [...]string{"when", "while"}[m] }

// Reminder is a text and the terms on which it is put before a model, with the fields of LANGUAGE.md §3. The
// zero value of each field is its default there. Package document reads reminders from files; code can
// declare them as literals.
type Reminder struct {
	ID          string `json:"id"`                   // [A-Za-z0-9][A-Za-z0-9._-]*
	Description string `json:"description,omitzero"` // one line, for listings

	Mode    Mode   `json:"mode,omitzero"`
	Trigger string `json:"trigger,omitzero"` // in the trigger language; "" means always
	// a trigger that arms a When again; "" arms it when Trigger is false
	Rearm string `json:"rearm,omitzero"`

	For      Span   `json:"for,omitzero"`
	Cooldown Span   `json:"cooldown,omitzero"`
	Keep     Keep   `json:"keep,omitzero"`
	MaxFires int    `json:"max_fires,omitzero"` // how often it may fire in one run; 0 is no limit
	Priority int    `json:"priority,omitzero"`  // higher ones come later in the request, nearer to its end
	Tier     Tier   `json:"tier,omitzero"`
	Attach   Attach `json:"attach,omitzero"`
	// it never fires, and hides reminders of the same id from directories of lower precedence
	Disabled bool `json:"disabled,omitzero"`

	// with before_tool alone: hold the call back once, with the text as the reason
	Pause bool `json:"pause,omitzero"`

	// Expect is a trigger: the model should make it true within the next Within turns after a firing (0 means
	// DefaultWithin); "" expects nothing (LANGUAGE.md §4, Effect).
	Expect string `json:"expect,omitzero"`
	Within int    `json:"within,omitzero"`
	// share of runs, 0 to 0.5, in which the text is held back; 1 is a trial, in all runs
	Holdout float64 `json:"holdout,omitzero"`
	// after so many ignored firings in a row it is silent for the rest of the run; 0 is no limit
	MaxIgnored int `json:"max_ignored,omitzero"`

	Text string `json:"text"` // a template
}

// DefaultWithin is how many turns the model has for what a reminder expects, where the reminder does not say.
const DefaultWithin = 5

// ValidID reports whether s can be the id of a reminder, that is, matches [A-Za-z0-9][A-Za-z0-9._-]*.
func ValidID(s string) bool {
	for i := 0; i < len(s); i++ {
		if !isIDByte(s[i], i == 0) {
			return false
		}
	}
	return s != ""
}

func isIDByte(c byte, first bool) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' ||
		!first && (c == '.' || c == '_' || c == '-')
}
