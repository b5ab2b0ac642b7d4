package grammar

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// Position is a place in a text. The zero Position means "no place".
type Position struct {
	Offset int `json:"offset"` // bytes from the start, from 0
	Line   int `json:"line"`   // from 1
	Column int `json:"column"` // characters (code points) from 1
}

// Range is a stretch of text; End is the place just behind it.
type Range struct {
	Start Position `json:"start"`
	End   Position `json:"end"`
}

// Severity says how much a diagnostic weighs.
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

// Edit replaces a stretch of text; following the hint of a diagnostic is applying its edit.
type Edit struct {
	Range Range
	Text  string
}

// Diagnostic is something a user can cause and can mend. Its code is stable: once given it keeps its meaning.
type Diagnostic struct {
	Code     string // such as "R0204"
	Severity Severity
	File     string // "" when the text has no file
	Range    Range  // what is wrong, tightly
	Message  string // one line: what is wrong
	Hint     string // one line: what to do; may be empty
	Fix      *Edit  // the hint as an edit of the same text; nil where a person has to choose
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

// Diagnostics is a list of diagnostics. All functions of this module that return one return it sorted.
type Diagnostics []Diagnostic

// Sort puts ds in the order file, place, code, message.
func (ds Diagnostics) Sort() {
	slices.SortStableFunc(ds, func(a, b Diagnostic) int {
		return cmp.Or(
			strings.Compare(a.File, b.File),
			cmp.Compare(a.Range.Start.Offset, b.Range.Start.Offset),
			cmp.Compare(a.Range.End.Offset, b.Range.End.Offset),
			strings.Compare(a.Code, b.Code),
			strings.Compare(a.Message, b.Message),
		)
	})
}

// HasErrors reports whether any diagnostic of ds is an error.
func (ds Diagnostics) HasErrors() bool {
	return slices.ContainsFunc(ds, func(d Diagnostic) bool { return d.Severity == Error })
}
