// Package text owns the text of a reminder, which may have actions of text/template in it (LANGUAGE.md §6).
// New checks them and compiles the text to a Template (template.go), which renders it with the facts of a
// turn. check.go gives each value its type, parse.go finds the place of each mistake. Tone (tone.go) warns
// of a text that models report as an attack.
//
// The package is pure. A Template is immutable and may be used concurrently.
package text
