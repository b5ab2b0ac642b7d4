// Package testdata holds the sample recording that "aside replay" shows where there is no session of an
// agent's: two sessions of Claude Code and a subagent's, all made up. Sample may be read concurrently.
package testdata

import "embed"

// Sample holds the sample recording below "sample".
//
//go:generate go run generate.go script.go
//go:embed sample
var Sample embed.FS
