// Package grammar owns the text of a trigger, such as context_usage > 75% and not user_message: how it is
// parsed into a tree, how it is printed, and its mistakes and their places. LANGUAGE.md §2 is its
// specification.
//
// The package does not know the meaning of names. Facts, types and functions belong to package
// compile/trigger. The package does no I/O, reads no clock and starts no goroutine.
//
// # Parsing
//
// Parse takes a source through four stages, each linear in its length:
//
//   - The guard (parse.go) refuses a source that is longer than MaxTrigger or nests deeper than MaxNesting.
//   - The lexer (lexer.go, word.go, lookalike.go) cuts it into tokens. Where a sign, a quote or a keyword is
//     written wrongly, the lexer reports the mistake and emits the token that was meant.
//   - The operand pass (operand.go, cadence.go, check.go) finds where each operand begins and ends, and
//     decides whether it computes: then participle parses it by itself (expression.go), so that one mistake
//     does not hide the next. Where an operand is missing or cannot be read, the pass puts a Bad token in its
//     place, and explain.go reports why.
//   - participle (syntax.go) parses the tokens. After these repairs it never fails, so all mistakes of a
//     trigger are reported at once. syntax.go also makes the exported tree (tree.go) of its result.
//
// # Laws
//
// For every tree t that Parse returned without errors, Parse(Format(t)) equals t, and formatting twice is
// formatting once. Parse never panics. The range of a diagnostic lies within the source and does not split a
// character. Applying the fix of a diagnostic removes the diagnostic.
//
// All functions may be called concurrently. Trees are immutable.
package grammar
