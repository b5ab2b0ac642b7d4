// Package grammar owns the text of a trigger: its tokens, its tree, its canonical form, and what is wrong with it and
// where.
//
// It refuses to know what names mean. Facts, types, functions and the inside of general leaves belong to package
// compile; files, messages and runs are far away. It does no I/O, reads no clock and starts no goroutine.
//
// # The way through
//
// A source passes four stages, each linear in its length:
//
//   - the guard (guard.go) refuses what is longer than MaxTrigger or nests deeper than MaxNesting;
//   - the lexer (lexer.go, word.go, foreign.go) cuts it into tokens, and reads what was meant where a sign, a quote or a
//     keyword is written wrongly;
//   - the operand pass (operand.go, slip.go, judge.go) finds where each operand begins and ends, decides whether the grammar or
//     expr-lang reads it, and repairs: a Bad token stands in for what is missing or cannot be read, and explain.go says why;
//   - participle (syntax.go) reads the stream, which it therefore never refuses; convert.go makes the public tree of it.
//
// So all mistakes of a trigger are reported at once, each with a tight range, a hint, and, where following the hint is
// mechanical, the edit that follows it.
//
// # Laws
//
// Parse(Format(t)) equals t, and Format is idempotent, for every t without errors. Parse never panics. Every
// diagnostic's range lies in the source on character boundaries, and applying its fix removes it.
//
// All functions may be called concurrently. Trees are immutable.
package grammar
