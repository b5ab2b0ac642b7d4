// Package trigger compiles one trigger to a Predicate, which is evaluated over the facts of a turn, and which
// says why it has its truth (Explain), what would change it (Needs), and why it was never true (Survey).
//
//	p, diags := trigger.Compile("context_usage > 75%", nil)
//
// From general to particular:
//
//   - predicate.go has Compile. explain.go, survey.go, need.go and identity.go read the typed tree, for
//     people in the words of value.go.
//   - lower.go makes the typed tree (internal/condition) of the tree that grammar.Parse makes. check.go,
//     shorthand.go and literal.go find the type of each operand and report its mistakes, exprcall.go and
//     exprcheck.go those of each part of an expression. meant.go betters the hints.
//   - An expression becomes a program of expr-lang, which is printed from its typed tree: expr.go,
//     members.go, program.go.
//   - spelling.go, kind.go, callpattern.go, report.go and names.go serve all of them.
//
// Package internal/test/reference computes the same truth in another way, for tests to compare.
//
// The package knows nothing of sets, files, runs and messages. It does no I/O, reads no clock and starts no
// goroutine. Mistakes in a trigger are grammar.Diagnostics, reported all at once, never a panic. A Predicate
// is immutable and may be used concurrently.
package trigger
