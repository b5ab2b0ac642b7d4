// Package text owns the text of a reminder, which may have actions of text/template in it (LANGUAGE.md §6).
//
// From general to particular: New compiles a text to a Template, which renders it with the facts of a turn
// (template.go), and Tone warns of a text that models report as an attack (tone.go). check.go gives each
// value its type and refuses what a text may not have, function.go has the functions, scene.go the facts.
// use.go says what a text mentions, for those who look at it before it is rendered. parse.go finds the cause
// of a text that cannot be read, and report.go the place of each mistake.
//
// The package is pure. A Template is immutable and may be used concurrently.
package text
