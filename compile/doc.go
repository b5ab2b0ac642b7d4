// Package compile turns reminders into a set that can be evaluated. New makes a Set of many reminders,
// evaluates their triggers together, and renders their texts, which may be templates. Package
// compile/trigger compiles one trigger, and package compile/load reads reminders from files.
//
// From general to particular: new.go makes a Set (set.go) of reminders, which unit.go checks one by one.
// reads.go lists the parts of calls that the set reads; told.go remembers the values of its conditions on
// events and texts. plan.go evaluates its triggers, those that only compare numbers and bools with constants
// incrementally (incremental.go).
//
// The package knows nothing of files, runs, messages and agents. It does no I/O, reads no clock and starts
// no goroutine. Mistakes that people can make in rules are grammar.Diagnostics, reported all at once, never
// a panic. A Set is immutable and may be used concurrently. A fact.Frame and a Truths serve one evaluation
// at a time.
package compile
