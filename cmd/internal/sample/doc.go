// Package sample holds the recording that "aside replay" shows where a person has no session of an agent's:
// two sessions of Claude Code and one of a subagent, all made up. The second session stops in the middle of a
// line, as one does whose agent was killed.
package sample

import "embed"

// Sessions holds the recording below "sample", which is how "aside replay" names it. It may be read
// concurrently.
//
//go:embed sample
var Sessions embed.FS
