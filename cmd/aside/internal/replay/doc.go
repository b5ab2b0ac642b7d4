// Package replay runs reminder rules over recorded conversations and tells what would have fired, where, why, and what it
// would have cost: as a timeline for people, or as JSON lines.
//
// It owns the way from a recorded turn to the evaluator, and both forms of output. It does not read rules (its caller
// brings a compiled set) and it does not know the file formats (package transcript does). Nothing is written but the output;
// state lives in memory. Equal files and rules give equal output: time comes from the recording alone.
package replay
