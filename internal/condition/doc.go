// Package condition owns the typed tree of a trigger: conditions whose types are checked, and what each of
// them means, as a function over the facts of a turn. Package compile/trigger makes the tree. Whoever needs
// the meaning of a trigger reads it: evaluation, identity, explanation, needs, package analysis, package
// lint.
//
// A Node (node.go) joins others by and, or, not, or is a Leaf (leaf.go), whose Kind says what it asks.
// truth.go makes the function of a leaf, with called.go for calls and cadence.go for distances. A Value
// (value.go) is an expression with its types, a Term (term.go) what an expression mentions. remembered.go
// says what stays of a value when the calls and texts that it was read from are gone.
//
// The package is pure. A tree is immutable and may be used concurrently.
package condition
