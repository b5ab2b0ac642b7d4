package compile

import (
	"github.com/aside-go/aside/compile/fact"
	"github.com/aside-go/aside/compile/reminder"
	"github.com/aside-go/aside/grammar"
)

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

// Reminder is a text and the terms on which it is put before a model, with the fields of LANGUAGE.md §3. The zero value of each
// field is its default there. Package document reads reminders from files; code can declare them as literals.
type Reminder struct {
	ID          string // [A-Za-z0-9][A-Za-z0-9._-]*
	Description string // one line, for listings

	Mode      Mode
	Trigger   string                       // in the trigger language; "" means always, unless there is a Predicate
	Predicate func(*fact.Frame) fact.Truth // a Go function instead of Trigger; it must be pure and safe for concurrent use
	Rearm     string                       // a trigger that arms a When again; "" arms it when Trigger is false

	For, Cooldown reminder.Span
	Keep          reminder.Keep
	MaxFires      int // how often it may fire in one run; 0 is no limit
	Priority      int // higher ones come later in the request, nearer to its end
	Tier          reminder.Tier
	Attach        reminder.Attach
	Disabled      bool // it never fires, and hides reminders of the same id from directories of lower precedence

	Text string // a template

	File   string // the file it was read from; "" for one declared in code
	Origin Origin // where in File each field stands; nil for one declared in code
	Faulty bool   // mistakes in it were reported when it was read: New reports those that are left, and leaves it out
}

// Origin says where in its file each field of a reminder stands. A field is named by its key, such as "trigger", "rearm" or
// "text". One that the file does not have stands where the reminder begins. An Origin is immutable.
type Origin interface {
	// Place returns the range of the file that holds the range r of the field's value; of the whole field for the zero r.
	Place(field string, r grammar.Range) grammar.Range
	// Edit returns the edit of the file that makes the edit e of the field's value; nil if there is none.
	Edit(field string, e *grammar.Edit) *grammar.Edit
}

// Place returns the range of File where a field of the reminder stands; the zero range for a reminder declared in code.
func (r *Reminder) Place(field string) grammar.Range {
	if r.Origin == nil {
		return grammar.Range{}
	}
	return r.Origin.Place(field, grammar.Range{})
}

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
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || !first && (c == '.' || c == '_' || c == '-')
}
