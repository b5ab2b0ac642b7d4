// Package inject puts due texts into a copy of a conversation, and takes them out again.
//
// It owns where a text goes (Placement), what it wears (a reminder tag that carries the run's mark), how a tag that
// somebody else wrote is made harmless (Neutralise), and how what was put is found again: by its mark, never by what it
// says. It knows nothing of triggers, runs or HTTP, does no I/O, reads no clock and starts no goroutine.
//
// There is one way through, for messages that are Go values and for request bodies that are bytes (package inject/wire):
//
//	messages → []Outline → Clear  → []Removal (what stands already where texts are to go)
//	                     → Plan   → []Edit    (what goes where)
//	                     → Remove → []Removal (all that is ours)
//
// Messages and Strip apply those lists to Go values; inject/wire applies the same lists to bytes.
//
// Nothing given is ever written to: what comes back shares the untouched messages with what was given, and holds copies
// of the others. Every function may be called concurrently, and every one is deterministic.
package inject
