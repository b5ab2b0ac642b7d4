// Package inject has the messages that hosts hold as values (Message), and says how a text is wrapped: in a
// reminder tag that carries the run's mark (Options). A text that was put is found again by its mark, never
// by what it says. A tag that somebody else wrote is made harmless (Neutralise). Explanation explains the tag
// in the system prompt; Segments splits texts for display. Package inject/transport puts due texts into all
// requests of a conversation, bytes or values: in each of them, earlier texts must stand where they stood.
// Package inject/wire puts them into one body, and takes them out again.
//
// The package knows nothing of triggers, runs or HTTP, does no I/O, reads no clock and starts no goroutine.
// Every function is deterministic, and may be called concurrently.
package inject
