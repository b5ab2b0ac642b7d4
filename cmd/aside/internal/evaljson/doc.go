// Package evaljson owns the protocol by which a program in any language has rules evaluated: a line with a
// JSON object in, a line with a JSON object out, flushed before the next line is read.
//
// A line is evaluated as a whole or refused as a whole. The answer to a refused line holds errors and
// nothing else, and the line has changed no state, so it can be corrected and sent again.
package evaljson
