package compile

import (
	"github.com/aside-go/aside/compile/fact"
	"github.com/aside-go/aside/compile/terms"
	"github.com/aside-go/aside/grammar"
)

// Mode says whether a reminder fires on edges or on levels.
type Mode uint8

const (
	// When fires once for each change of the trigger from false to true.
	When Mode = iota
	// While fires on every turn on which the trigger is true.
	While
)

// String returns the mode as rule files write it.
func (m Mode) String() string { return [...]string{"when", "while"}[m] }

// Reminder is a text and the terms on which it is put before a model. One from a file comes out of package document; one
// in code is written down. The zero value of each field is its default in LANGUAGE.md §3.
type Reminder struct {
	ID          string // [A-Za-z0-9][A-Za-z0-9._-]*
	Description string // one line, for listings

	Mode      Mode
	Trigger   string                       // in the trigger language; "" without a Predicate means always
	Predicate func(*fact.Frame) fact.Truth // in place of Trigger; must be pure, and may be called concurrently
	Rearm     string                       // re-arms a When once true; "" means the trigger is false

	For, Cooldown terms.Span
	Keep          terms.Keep
	MaxFires      int // 0 is no limit
	Priority      int
	Tier          terms.Tier
	Attach        terms.Attach
	Disabled      bool // hides a reminder of the same id from a lower directory

	Text string // a template

	File   string // where it was read; "" in code
	Origin Origin // where in File each field stands; nil in code
	Faulty bool   // something of it was found wrong, and told, when it was read: New checks the rest, and leaves it out
}

// Origin says where in its file each field of a reminder was written. Fields are "trigger", "rearm", "text", "id" or any
// other key of LANGUAGE.md §3; a field that the file does not hold stands where the reminder begins. It is immutable.
type Origin interface {
	// Place maps a range of the field's value to the file; the zero range is the whole field.
	Place(field string, r grammar.Range) grammar.Range
	// Edit maps an edit of the field's value to the file, as it is written there; nil where that cannot be.
	Edit(field string, e *grammar.Edit) *grammar.Edit
}

// Place is where a field of the reminder stands in File. A reminder that was declared in code has no places.
func (r *Reminder) Place(field string) grammar.Range {
	if r.Origin == nil {
		return grammar.Range{}
	}
	return r.Origin.Place(field, grammar.Range{})
}

// ValidID reports whether s can be the id of a reminder: [A-Za-z0-9][A-Za-z0-9._-]*.
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
