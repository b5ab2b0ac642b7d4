// Package compile turns triggers and reminders into predicates and sets that can be evaluated. Compile makes
// a Predicate of one trigger. New makes a Set of many reminders, evaluates their triggers together, and
// renders their texts, which may be templates. Package compile/load reads reminders from files.
//
// A trigger is compiled in three steps:
//
//   - grammar.Parse makes the tree.
//   - check.go and literal.go find the type of each operand and report its mistakes, exprcheck.go and
//     exprcall.go those of each part of an expression.
//   - predicate.go makes one Go function of the tree. An operand that the grammar knows becomes a closure
//     over the slots of a fact.Frame (leaf.go, cadence.go, function.go), an expression a program of
//     expr-lang, which is printed from its typed tree (program.go).
//
// Explain and Needs walk the same tree. Package internal/test/reference computes the same truth in another
// way, for tests to compare. A Set evaluates predicates that only compare numbers and bools with constants
// incrementally (incremental.go).
//
// The package knows nothing of files, runs, messages and agents. It does no I/O, reads no clock and starts no
// goroutine. Mistakes that people can make in rules are grammar.Diagnostics, reported all at once, never a
// panic. A Predicate and a Set are immutable and may be used concurrently. A fact.Frame and a Truths serve
// one evaluation at a time.
package compile
