// Package inject puts due texts into a copy of a conversation, and takes them out again.
//
// It owns where a text goes (Placement), how a text is wrapped (Seal: a reminder tag that carries the run's mark), and how a tag
// that somebody else wrote is made harmless (Neutralise). What was put is found again by its mark, never by what it says. The
// package knows nothing of triggers, runs or HTTP, does no I/O, reads no clock and starts no goroutine.
//
// Messages that are Go values and request bodies (package inject/wire, in the generic shape) take the same way:
//
//	messages → []Outline → Clear  → []Removal (what stands already where texts are to go)
//	                     → Plan   → []Edit    (what goes where)
//	                     → Remove → []Removal (all that is ours)
//
// Messages and Strip apply these lists to Go values; inject/wire applies them to bytes.
//
// Arguments are never written to: a result shares the untouched messages with its argument, and holds copies of the others. Every
// function is deterministic, and may be called concurrently.
package inject
