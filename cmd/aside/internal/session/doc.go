// Package session reads what a coding agent's own file of a session tells of what has been: how full the context is, what the last
// response took, which tool calls failed, how often a person wrote.
//
// These files grow to hundreds of megabytes, a line at a time, while they are read, and their formats change from one version of an
// agent to the next (HOOKS.md §4.8, §5). So they are read from their end (tail.go), no further back than needed and never without
// bound; lines of kinds that are not known are passed over; a line that is cut off is none. What a file does not tell is unknown,
// which is not 0.
//
// All functions may be called concurrently. They write nothing, and open regular files only.
package session
