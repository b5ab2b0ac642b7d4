// Package replay runs reminder rules over recorded conversations and tells what would have fired, where, why, and what it
// would have cost, or what would change with other rules: as a timeline for people, as JSON lines, or to any number of views that
// its caller brings.
//
// It owns the way from a recorded turn to the evaluator, and these forms of output. It does not read rules (its caller
// brings a compiled set) and it does not know the file formats (package transcript does), but for how a file is packed. Nothing is
// written but the output; state lives in memory. Equal files and rules give equal output: time comes from the recording alone.
//
// Files are read several at a time, each by one goroutine (player), streamed, and shown one after the other by the caller's (stage).
// Between the two a queue for each file holds a bounded amount of what was decided, so the memory that a replay takes depends on the
// longest lines, not on how much is read. Run may be called concurrently; a View is called by one goroutine.
package replay
