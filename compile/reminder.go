package compile

import (
	"github.com/aside-go/aside/compile/fact"
	"github.com/aside-go/aside/compile/terms"
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

// Reminder is a text and the terms on which it is put before a model. One from a file comes out of Document; one in code is
// written down. The zero value of each field is its default in LANGUAGE.md §3.
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
	origin *origin
}
