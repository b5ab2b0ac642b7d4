// Package session reads facts about the past of a session from the file that a coding agent keeps of it: how full the context is, how
// many tokens the last response had, which tool calls failed, how many prompts persons have submitted.
//
// These files grow to hundreds of megabytes, a line at a time, while they are read, and their formats change from one version of an
// agent to the next (HOOKS.md §4.8, §5). So they are read from their end (tail.go), no further back than needed and never without
// bound. Lines of unknown kinds, and lines that are cut off, are passed over. What a file does not tell is unknown, which is not 0.
//
// All functions may be called concurrently. They write nothing, and open regular files only.
package session
