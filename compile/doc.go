// Package compile turns triggers and reminders into what is evaluated: it checks types, lowers triggers to predicates over
// the slots of a fact.Frame, checks the templates of texts, and gathers reminders into a Set. Rule files are read by package
// document.
//
// A trigger goes one straight way: grammar.Parse makes the tree, check.go gives every leaf its type and says what is
// wrong with it, lower.go joins the leaves to one function. What the grammar knows becomes native code; an operand that
// only expr-lang can read (general.go) is parsed, held against a list of what is allowed, and only then compiled. Both sit
// in one tree, so that Explain walks one thing. Package compile/reference derives the same truth by another road.
//
// The package refuses to know files, runs and messages: it does no I/O, reads no clock and starts no goroutine. What a
// user can cause is a grammar.Diagnostic, all of them at once; nothing here panics on what people write. Predicates and
// sets are immutable and may be used concurrently; a Frame and a Truths belong to one evaluation at a time.
//
// Codes: R02xx types, R03xx general operands, R05xx templates, R06xx reminders and sets.
package compile
