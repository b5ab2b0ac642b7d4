// Package reference computes the truth of a trigger in another way than package compile: it turns the tree of
// the grammar, with a schema, into one expr-lang program over numbers (0 false, 1 unknown, 2 true; and is
// min, or is max, not is 2-x; an operand is known ? (it holds ? 2 : 0) : 1) and runs that. Tests and fuzzing
// hold the two against each other (L6). It shares no code with the predicates, is not made to be quick, and
// takes only triggers that compile accepts.
//
// Read goes further: it reads the source of a trigger by itself, from LANGUAGE.md §2, with its own parser,
// its own expressions, its own call patterns and its own shell, none of them quick or complete, and shares
// nothing with package grammar or the packages that evaluate. An Occasion is a turn written down, with a
// Journal of the past; a Machine says which reminders fire on which turn, part or moment; Draw makes
// triggers, calls and turns from bytes.
//
// A Program and a Trigger may be run concurrently. A Past is a history written down, for tests that need one.
package reference
