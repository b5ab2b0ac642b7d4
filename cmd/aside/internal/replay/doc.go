// Package replay runs reminder rules over recorded conversations. It shows what would have fired, where, why, and how many tokens that
// would have taken, or what would change with other rules: as a timeline for people, as JSON lines, or to any number of Views of its
// caller.
//
// It owns the way from a recorded turn to the evaluator, and these forms of output. It does not read rules, since the caller brings a
// compiled set, and of file formats it knows only compression; package transcript knows the rest. Nothing is written but the output;
// state is in memory. Equal files and rules give equal output: time comes from the recording alone.
//
// Several files are read at a time, each as a stream by one goroutine (player). The caller's goroutine shows them one after the other
// (presenter). Between the two a queue for each file holds a bounded amount of decisions, so the memory of a replay depends on the
// longest lines, not on how much is read. Run may be called concurrently; a View is called by one goroutine.
package replay
