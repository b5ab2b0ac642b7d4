// Package inject puts due texts into a copy of one request, and takes them out again. For all requests of a
// conversation there is package inject/transport: in each of them, earlier texts must stand where they stood.
//
// It owns where a text goes (Placement) and how a text is wrapped: in a reminder tag that carries the run's
// mark (Options). A text that was put is found again by its mark, never by what it says. A tag that somebody
// else wrote is made harmless (Neutralise). Explanation explains the tag in the system prompt; Segments and
// SegmentsOf split texts for display. The package knows nothing of triggers, runs or HTTP, does no I/O, reads
// no clock and starts no goroutine.
//
// Arguments are never written to: a result shares the untouched messages with its argument, and holds copies
// of the others. Every function is deterministic, and may be called concurrently.
//
// Request bodies of the model APIs take the same way as bytes: see package inject/wire.
package inject
