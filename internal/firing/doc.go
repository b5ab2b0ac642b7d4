// Package firing owns the machine that decides which reminders fire, and sees to it that each fires once per
// edge.
//
// The machine is one pure function, Step: from the Snapshot of a run and the Input of a turn it makes the
// next Snapshot and a Decision.
//
// The machine uses the id and the limits of a reminder. It never evaluates a trigger or a template: it calls
// functions of the Input for the truths of the triggers and for the texts. It reads no clock, does no I/O,
// starts no goroutine and has no state of its own, so the same inputs give the same outputs on every machine.
//
// Snapshot, Rules and Decision are immutable and may be shared by goroutines. No function modifies what it is
// given.
//
// # Firing once
//
// Processes race, crash and lose acknowledgements. For a reminder to fire once per edge all the same, a host
// loads the run, steps, saves by compare-and-swap, and sends only after the save was acknowledged. On
// state.ErrConflict or state.ErrIndeterminate it loads and steps again with the same turn key: if the save
// did happen, Step returns the decision that was stored. Package eval does it for hosts.
//
// # Files of this package
//
// step.go is the order of a turn; keys.go recognises a turn that was taken before; run.go counts; fire.go
// finds the reminders that fire, and what holds the others: for, cooldown, max_fires, the budget; texts.go
// keeps texts and makes them due; snapshot.go is the state of a run; snapshotjson.go is its JSON; rules.go
// are the reminders of a set.
package firing
