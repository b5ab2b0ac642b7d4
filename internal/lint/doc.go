// Package lint owns the judgement of reminders that compile: what will probably not do what its author means,
// and the comments with which an author says that it does.
//
// Codes are R10xx. What surely cannot work as meant is a warning, taste is a remark (grammar.Info); nothing
// here is an error. What is in doubt is not said: a finding that is wrong costs more than one that is
// missing. Package compile/analysis decides what triggers can come to at all (R09xx); Run joins both with
// what reading and compiling said, and takes out what is allowed.
//
// The package refuses to read files. Of agents it knows what package agent says: which facts each can never
// tell, and the names of its tools. It is pure, and its functions may be called concurrently.
package lint
