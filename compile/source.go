package compile

import (
	"github.com/aside-go/aside/compile/reminder"
	"github.com/aside-go/aside/grammar"
)

// Source is a reminder as it was read from a file.
type Source struct {
	reminder.Reminder

	File   string // the file it was read from; "" for one declared in code
	Origin Origin // where in File each field stands; nil for one declared in code
	Faulty bool   // mistakes in it were reported when it was read: FromFiles reports those that are left, and leaves it out
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
func (r *Source) Place(field string) grammar.Range {
	if r.Origin == nil {
		return grammar.Range{}
	}
	return r.Origin.Place(field, grammar.Range{})
}
