// Package sample holds the recording that "aside replay" shows where a person has no session of an agent's:
// two sessions of Claude Code and one of a subagent, all made up. generate.go writes the files from the
// conversation in script.go.
package sample

import "embed"

// Sessions holds the recording below "sample", which is how "aside replay" names it. It may be read
// concurrently.
//
//go:generate go run generate.go script.go
//go:embed sample
var Sessions embed.FS
