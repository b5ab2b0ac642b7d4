// Package trigger compiles one trigger to a Predicate, which is evaluated over the facts of a turn, and
// which says why it has its truth (Explain), what would change it (Needs), and why it was never true
// (Survey).
//
//	p, diags := trigger.Compile("context_usage > 75%", nil)
//
// A trigger is compiled in three steps:
//
//   - grammar.Parse makes the tree.
//   - lower.go, check.go, shorthand.go and literal.go find the type of each operand and report its mistakes,
//     exprcheck.go and exprcall.go those of each part of an expression, in the words of names.go and
//     report.go. meant.go betters their hints.
//   - Package internal/condition makes one Go function of the typed tree. An expression becomes a program of
//     expr-lang, which is printed from its typed tree (expr.go, members.go, program.go).
//
// explain.go, need.go, survey.go and identity.go walk the typed tree. Package internal/test/reference
// computes the same truth in another way, for tests to compare.
//
// The package knows nothing of reminders, files, runs and messages. It does no I/O, reads no clock and
// starts no goroutine. Mistakes in a trigger are grammar.Diagnostics, reported all at once, never a panic.
// A Predicate is immutable and may be used concurrently.
package trigger
