// Package grammar owns the text of a trigger, such as context_usage > 75% and not user_message: how it is
// parsed into a tree, how it is printed, and its mistakes and their places. LANGUAGE.md §2 is its
// specification.
//
// The package does not know the meaning of names. Facts, types and functions belong to package
// compile/trigger. The package does no I/O, reads no clock and starts no goroutine.
//
// # Parsing
//
// Parse takes a source through these stages:
//
//   - The guard (parse.go) refuses a source that is longer than MaxTrigger or nests deeper than MaxNesting.
//   - The lexer (lexer.go, word.go, lookalike.go) cuts it into tokens. Where a sign, a quote or a keyword is
//     written wrongly, the lexer reports the mistake and emits the token that was meant.
//   - participle (syntax.go) parses the tokens by one grammar. syntax.go and expression.go make the exported
//     tree (tree.go) of its result; check.go and cadence.go look at each operand on the way.
//   - Where the tokens are no trigger, the operand pass (operand.go) finds where each operand begins and
//     ends, and participle parses each by itself, so that one mistake does not hide the next. explain.go says
//     why one cannot be parsed, from the place where participle stops, and a Bad token takes its place.
//
// # Laws
//
// For every tree t that Parse returned without errors, Parse(Format(t)) equals t, and formatting twice is
// formatting once. Parse never panics. The range of a diagnostic lies within the source and does not split a
// character. Applying the fix of a diagnostic removes the diagnostic.
//
// All functions may be called concurrently. Trees are immutable.
package grammar
