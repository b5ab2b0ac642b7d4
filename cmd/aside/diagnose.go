package main

import (
	"encoding/json"
	"fmt"
	"io"
	"regexp"
	"strings"

	"github.com/aside-go/aside/grammar"
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
		d = anchored(d)
		list[i] = diagnosticJSON{
			File: d.File, Line: d.Range.Start.Line, Column: d.Range.Start.Column,
			EndLine: d.Range.End.Line, EndColumn: d.Range.End.Column,
			Severity: d.Severity.String(), Code: string(d.Code), Message: d.Message, Hint: d.Hint,
		}
	}
	return printList(w, list)
}

// printList prints a JSON array with each element on a line.
func printList(w io.Writer, list []any) error {
	for i, v := range list {
		b, err := marshal(v)
		if err != nil {
			return err
		}
		open := ","
		if i == 0 {
			open = "["
		}
		fmt.Fprintf(w, "%s%s", map[bool]string{true: open, false: open + "\n"}[i == 0], b)
	}
	if len(list) == 0 {
		fmt.Fprint(w, "[")
	}
	_, err := fmt.Fprintln(w, "]")
	return err
}

// marshal returns v as JSON on one line. It does not escape <, > and &, since texts hold tags.
func marshal(v any) ([]byte, error) {
	var b strings.Builder
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	err := enc.Encode(v)
	return []byte(strings.TrimSuffix(b.String(), "\n")), err
}

// render prints diagnostics with the lines that they are about. files are the texts by name.
func (e *env) render(w io.Writer, ds grammar.Diagnostics, files map[string][]byte, colour bool) {
	for _, d := range ds {
		short := anchored(d)
		short.File = e.below(d.File)
		s := strings.TrimRight(short.Render(files[d.File]), "\n")
		if style := map[grammar.Severity]string{grammar.Error: "1;31", grammar.Warning: "1;33", grammar.Info: "1;36"}[d.Severity]; colour {
			s = coloured(s, d.Severity.String(), style)
		}
		fmt.Fprintln(w, s)
	}
}

// anchored returns a diagnostic with a range: that of a diagnostic about a whole file is the file's beginning.
func anchored(d grammar.Diagnostic) grammar.Diagnostic {
	if d.Range.Start.Line == 0 {
		first := grammar.Position{Line: 1, Column: 1}
		d.Range = grammar.Range{Start: first, End: first}
	}
	return d
}

var carets = regexp.MustCompile(`(?m)^( +\| +)(\^+)`)

// coloured adds colours to a rendered diagnostic: the place and the message are bold, the severity and the carets have style.
func coloured(s, severity, style string) string {
	head, rest, _ := strings.Cut(s, "\n")
	place, message, ok := strings.Cut(head, " "+severity+"[")
	if !ok {
		return s
	}
	code, message, _ := strings.Cut(message, "]: ")
	head = "\x1b[1m" + place + "\x1b[0m \x1b[" + style + "m" + severity + "\x1b[0m[" + code + "]: \x1b[1m" + message + "\x1b[0m"
	if rest == "" {
		return head
	}
	at := strings.LastIndexByte(rest, '\n') + 1 // the last line holds the carets
	return head + "\n" + rest[:at] + carets.ReplaceAllString(rest[at:], "$1\x1b["+style+"m$2\x1b[0m")
}

// tally returns the numbers of diagnostics in words: "2 errors, 1 warning".
func tally(ds grammar.Diagnostics) string {
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
			parts = append(parts, count(n[s], name))
		}
	}
	if parts == nil {
		return "no mistakes"
	}
	return strings.Join(parts, ", ")
}

// count returns "1 thing" or "n things".
func count(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return fmt.Sprintf("%d %ss", n, thing)
}
