package grammar

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/aside-go/aside/internal/code"
)

// Position is a place in a text. The zero Position means "no place".
type Position struct {
	Offset int `json:"offset"` // bytes from the start, from 0
	Line   int `json:"line"`   // from 1
	Column int `json:"column"` // characters (code points) from 1
}

// Range is a stretch of text, from Start up to but not including End.
type Range struct {
	Start Position `json:"start"`
	End   Position `json:"end"`
}

// Severity says how serious a diagnostic is.
type Severity uint8

const (
	// Error stands for something that cannot be used as it is.
	Error Severity = iota
	// Warning stands for something that works but probably not as meant.
	Warning
	// Info stands for a remark.
	Info
)

// String returns "error", "warning" or "info".
func (s Severity) String() string {
	switch s {
	case Error:
		return "error"
	case Warning:
		return "warning"
	default:
		return "info"
	}
}

// Code is the kind of a diagnostic: R and four digits. A code never changes its meaning.
type Code = code.Code

// Edit replaces a stretch of text by Text.
type Edit struct {
	Range Range
	Text  string
}

// Diagnostic is a mistake that the author of a trigger or a rule file can correct.
type Diagnostic struct {
	Code     Code // such as "R0204"
	Severity Severity
	File     string // "" if the text is not from a file
	Range    Range  // what is wrong, and no more than that
	Message  string // what is wrong, on one line
	Hint     string // what to do about it, on one line; may be empty
	Fix      *Edit  // the hint as an edit of the same text; nil where there is a choice
}

// String returns the diagnostic on one line: file:line:column: severity[code]: message (hint).
func (d Diagnostic) String() string {
	s := fmt.Sprintf("%d:%d: %s[%s]: %s", d.Range.Start.Line, d.Range.Start.Column, d.Severity, d.Code, d.Message)
	if d.File != "" {
		s = d.File + ":" + s
	}
	if d.Hint != "" {
		s += " (" + d.Hint + ")"
	}
	return s
}

// Diagnostics is a list of diagnostics. Every function of this module that returns one returns it sorted.
type Diagnostics []Diagnostic

// Sort puts ds in the order file, place, code, message.
func (ds Diagnostics) Sort() {
	slices.SortStableFunc(ds, func(a, b Diagnostic) int {
		return cmp.Or(
			strings.Compare(a.File, b.File),
			cmp.Compare(a.Range.Start.Offset, b.Range.Start.Offset),
			cmp.Compare(a.Range.End.Offset, b.Range.End.Offset),
			cmp.Compare(a.Code, b.Code),
			strings.Compare(a.Message, b.Message),
		)
	})
}

// HasErrors reports whether any diagnostic of ds is an error.
func (ds Diagnostics) HasErrors() bool {
	return slices.ContainsFunc(ds, func(d Diagnostic) bool { return d.Severity == Error })
}
