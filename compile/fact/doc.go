// Package fact owns what a fact is: its name, type and kind, its slot in a Frame, and truth with three values.
//
// It knows nothing of triggers, reminders, runs or messages. A Schema is immutable; a Frame is written by one goroutine
// and then read by any number; Truth is a value.
package fact
