package check

import (
	"cmp"
	"io"
	"runtime/debug"
	"strings"

	"github.com/aside-go/aside/cmd/aside/internal/command"
	"github.com/aside-go/aside/cmd/aside/internal/rules"
	"github.com/aside-go/aside/cmd/aside/internal/sarif"
	"github.com/aside-go/aside/grammar"
	"github.com/aside-go/aside/internal/code"
)

// diagnosticJSON is a diagnostic as "aside check --json" prints it. CLI.md fixes the names and their meaning.
type diagnosticJSON struct {
	File      string `json:"file"`
	Line      int    `json:"line"`   // from 1
	Column    int    `json:"column"` // characters from 1
	EndLine   int    `json:"endLine"`
	EndColumn int    `json:"endColumn"` // just after the end
	Severity  string `json:"severity"`  // error, warning or info
	Code      string `json:"code"`
	Message   string `json:"message"`
	Hint      string `json:"hint"`
}

// printJSON prints ds as an array, one diagnostic a line.
func printJSON(w io.Writer, ds grammar.Diagnostics) error {
	list := make([]any, len(ds))
	for i, d := range ds {
		d = rules.Anchored(d)
		list[i] = diagnosticJSON{
			File: d.File, Line: d.Range.Start.Line, Column: d.Range.Start.Column,
			EndLine: d.Range.End.Line, EndColumn: d.Range.End.Column,
			Severity: d.Severity.String(), Code: string(d.Code), Message: d.Message, Hint: d.Hint,
		}
	}
	return command.PrintList(w, list)
}

// printSARIF prints the findings for code scanners.
func printSARIF(e *command.Env, ds grammar.Diagnostics) error {
	t := sarif.Tool{Name: "aside", URI: "https://github.com/aside-go/aside"}
	if info, ok := debug.ReadBuildInfo(); ok {
		t.Version = strings.TrimPrefix(info.Main.Version, "v")
		if !strings.HasPrefix(info.Main.Version, "v") { // "(devel)": the program was built from a working copy
			t.Version = ""
		}
	}
	for _, c := range code.All() {
		t.Rules = append(t.Rules, sarif.Rule{ID: string(c.ID), Title: c.Title, Text: cmp.Or(c.Reason, c.Title),
			Markdown: c.Markdown()})
	}
	return sarif.Write(e.Out, t, e.Dir, ds)
}
