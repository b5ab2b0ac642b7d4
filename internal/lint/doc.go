// Package lint finds the probable mistakes in reminders that compile, and knows the comments with which an
// author allows one.
//
// Codes are R10xx. A reminder that surely cannot work as meant is a warning, a matter of taste is a remark
// (grammar.Info); no finding is an error. In doubt there is no finding: a wrong one costs more than a missing
// one. Package internal/analysis decides which truths a trigger can have at all (R09xx). Run joins the
// findings of both with the diagnostics of reading and compiling, and takes out those that are allowed.
//
// The package reads no files. Package internal/agent tells it the facts that an agent never reports and the
// names of its tools. It is pure, and its functions may be called concurrently.
package lint
