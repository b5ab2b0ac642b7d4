// Package compile turns triggers and reminders into what can be evaluated. Compile makes a Predicate of one
// trigger. New makes a Set of many reminders, whose triggers are evaluated together, and whose texts may be
// templates. Package document reads reminders from rule files.
//
// A trigger is compiled in three steps. grammar.Parse makes the tree. check.go finds the type of each operand
// and reports what is wrong with it. lower.go makes one Go function of the tree. An operand that the grammar
// knows becomes a closure over the slots of a fact.Frame. One that only expr-lang can read (general.go) is
// parsed, checked against a list of what is allowed (allow.go), and only then compiled by expr-lang. Both
// stand in the same tree, which Explain and Needs walk. Package compile/reference computes the same truth in
// another way, for tests to compare.
//
// The package knows nothing of files, runs and messages. It does no I/O, reads no clock and starts no
// goroutine. Mistakes that people can make in rules are grammar.Diagnostics, all of which are reported at
// once, and never a panic. A Predicate and a Set are immutable and may be used concurrently. A fact.Frame and
// a Truths serve one evaluation at a time.
//
// Codes of diagnostics: R02xx types, R03xx general operands, R05xx templates, R06xx reminders and sets.
package compile
