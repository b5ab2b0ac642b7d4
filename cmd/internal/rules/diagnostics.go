package rules

import (
	"fmt"
	"io"
	"regexp"
	"strings"

	"github.com/aside-go/aside/cmd/internal/command"
	"github.com/aside-go/aside/cmd/internal/terminal"
	"github.com/aside-go/aside/grammar"
)

// Render prints diagnostics with the lines that they are about. files are the texts by name. On a terminal
// lines are wrapped, and a blank line stands between two diagnostics.
func Render(e *command.Env, w io.Writer, ds grammar.Diagnostics, files map[string][]byte, colour bool) {
	styles := map[grammar.Severity]string{grammar.Error: "1;31", grammar.Warning: "1;33", grammar.Info: "1;36"}
	columns := 0
	if w == e.Out || e.ErrTTY {
		columns = e.Width
	}
	for i, d := range ds {
		short := Anchored(d)
		short.File = e.Below(d.File)
		s := strings.TrimRight(short.Render(files[d.File]), "\n")
		if columns > 0 {
			s = wrapped(s, short.Hint, columns)
			if i > 0 {
				fmt.Fprintln(w)
			}
		}
		if colour {
			s = coloured(s, d.Severity.String(), styles[d.Severity])
		}
		fmt.Fprintln(w, s)
	}
}

// wrapped wraps the first line of a rendered diagnostic, and sets its hint below the carets where it does not
// fit beside them.
func wrapped(s, hint string, columns int) string {
	head, rest, _ := strings.Cut(s, "\n")
	head = strings.Join(terminal.Wrap(head, max(columns-2, 1)), "\n  ")
	if rest == "" {
		return head
	}
	at := strings.LastIndexByte(rest, '\n') + 1
	if last := rest[at:]; terminal.Width(last) > columns && hint != "" {
		gutter := last[:strings.IndexByte(last, '|')+2]
		rest = rest[:at] + strings.TrimRight(strings.TrimSuffix(last, hint), " ")
		for _, line := range terminal.Wrap(hint, max(columns-len(gutter), 20)) {
			rest += "\n" + gutter + line
		}
	}
	return head + "\n" + rest
}

// Anchored returns a diagnostic with a range: that of a diagnostic about a whole file is the file's
// beginning.
func Anchored(d grammar.Diagnostic) grammar.Diagnostic {
	if d.Range.Start.Line == 0 {
		first := grammar.Position{Line: 1, Column: 1}
		d.Range = grammar.Range{Start: first, End: first}
	}
	return d
}

// diagnosticJSON is a diagnostic in the output of commands. CLI.md fixes the names and their meaning.
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

// JSON returns diagnostics as commands write them; the list is never nil.
func JSON(ds grammar.Diagnostics) []any {
	list := make([]any, len(ds))
	for i, d := range ds {
		d = Anchored(d)
		list[i] = diagnosticJSON{d.File, d.Range.Start.Line, d.Range.Start.Column, d.Range.End.Line,
			d.Range.End.Column, d.Severity.String(), string(d.Code), d.Message, d.Hint}
	}
	return list
}

var (
	sources = regexp.MustCompile(`\n *[0-9]+ \| `) // the line of the source, with the newline before it
	carets  = regexp.MustCompile(`(?m)^( +\| +)(\^+)`)
)

// coloured adds colours to a rendered diagnostic: the place and the message are bold, the severity and the
// carets have style.
func coloured(s, severity, style string) string {
	const bold, plain = "\x1b[1m", "\x1b[0m"
	style = "\x1b[" + style + "m"
	head, rest := s, ""
	if source := sources.FindStringIndex(s); source != nil {
		head, rest = s[:source[0]], s[source[0]:]
	}
	place, message, ok := strings.Cut(head, " "+severity+"[")
	if !ok {
		return s
	}
	code, message, _ := strings.Cut(message, "]: ")
	head = bold + place + plain + " " + style + severity + plain + "[" + code + "]: " + bold + message + plain
	return head + carets.ReplaceAllString(rest, "${1}"+style+"${2}"+plain)
}

// Tally returns the numbers of diagnostics in words: "2 errors, 1 warning", "no mistakes, 1 remark".
func Tally(ds grammar.Diagnostics) string {
	n := map[grammar.Severity]int{}
	for _, d := range ds {
		n[d.Severity]++
	}
	var parts []string
	for s := grammar.Error; s <= grammar.Info; s++ {
		if n[s] > 0 {
			name := s.String()
			if s == grammar.Info {
				name = "remark"
			}
			parts = append(parts, terminal.Count(n[s], name))
		}
	}
	if n[grammar.Error]+n[grammar.Warning] == 0 {
		parts = append([]string{"no mistakes"}, parts...)
	}
	return strings.Join(parts, ", ")
}
