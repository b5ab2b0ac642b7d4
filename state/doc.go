// Package state owns the machine that fires each reminder once: one pure step from a run's snapshot and a turn to the
// next snapshot and a decision, what a snapshot holds, and the Store that keeps snapshots.
//
// The machine knows a reminder as a Rule: limits and an id. It never sees a trigger or a template; it asks for truths and
// texts through the Input. It reads no clock, does no I/O, starts no goroutine and has no state of its own, so the same
// inputs give the same outputs on every machine.
//
// A Snapshot, a Rules and a Decision are immutable once returned and may be shared between goroutines; Step, Remind and
// Missed never write to what they are given. A Memory may be used concurrently, as must any Store.
//
// To fire once per edge although processes race, crash and lose acknowledgements, a host loads a run, steps, saves by
// compare-and-swap, and sends only after the save was acknowledged. On ErrConflict or ErrIndeterminate it loads again and
// steps again with the same turn key: if the save did happen, the step returns the decision that was stored.
package state
