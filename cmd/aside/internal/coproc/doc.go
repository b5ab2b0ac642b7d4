// Package coproc owns the protocol by which a program in any language has rules evaluated: one JSON object a line in, one a
// line out, each flushed before the next is read.
//
// A line is evaluated as a whole or refused as a whole. A refused line has an answer that holds errors and nothing else,
// and changes no state, so that it can be mended and sent again.
package coproc
