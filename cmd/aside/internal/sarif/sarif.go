// Package sarif writes diagnostics for code scanners: SARIF 2.1.0 (OASIS,
// docs.oasis-open.org/sarif/sarif/v2.1.0).
//
// It knows the part of the format that this program needs: one run, a rule for each code, a result for each
// diagnostic, and the fixes. It is pure, and its functions may be called concurrently.
package sarif

import (
	"cmp"
	"encoding/json"
	"io"
	"net/url"
	"path/filepath"
	"strings"

	"github.com/aside-go/aside/grammar"
)

const schema = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"

// Rule explains a code.
type Rule struct {
	ID       string // such as R0204
	Title    string // a few words
	Text     string // the explanation in plain text
	Markdown string // the explanation in Markdown
}

// Tool is the program that has made the diagnostics.
type Tool struct {
	Name, Version, URI string
	Rules              []Rule // by id
}

// Write writes diagnostics. dir is the directory that relative names of files are relative to, "" where that
// is not known.
func Write(w io.Writer, t Tool, dir string, ds grammar.Diagnostics) error {
	index := make(map[string]int, len(t.Rules))
	d := driver{Name: t.Name, Version: t.Version, URI: t.URI, Rules: make([]rule, len(t.Rules))}
	for i, r := range t.Rules {
		index[r.ID] = i
		d.Rules[i] = rule{ID: r.ID, Name: camel(r.Title), Short: said(sentence(r.Title)), Full: said(r.Text),
			Help: said(r.Text)}
		d.Rules[i].Help.Markdown = braces.Replace(r.Markdown)
	}
	one := run{Tool: tool{Driver: d}, ColumnKind: "unicodeCodePoints", Results: make([]result, len(ds))}
	if filepath.IsAbs(dir) {
		one.Bases = map[string]base{root: {URI: fileURI(dir) + "/"}}
	}
	for i, x := range ds {
		one.Results[i] = resultOf(x, index)
	}
	enc := json.NewEncoder(w)
	enc.SetIndent("", " ")
	enc.SetEscapeHTML(false)
	return enc.Encode(log{Schema: schema, Version: "2.1.0", Runs: []run{one}})
}

func resultOf(x grammar.Diagnostic, index map[string]int) result {
	text := sentence(x.Message)
	if x.Hint != "" {
		text += " " + sentence(x.Hint)
	}
	level := map[grammar.Severity]string{grammar.Error: "error", grammar.Warning: "warning",
		grammar.Info: "note"}[x.Severity]
	r := result{RuleID: string(x.Code), Level: level, Message: said(text)}
	if i, ok := index[string(x.Code)]; ok {
		r.RuleIndex = &i
	}
	if x.File == "" {
		return r
	}
	file := artifact(x.File)
	place := physical{Artifact: file}
	if x.Range.Start.Line > 0 {
		reg := regionOf(x.Range)
		place.Region = &reg
	}
	r.Locations = []location{{Physical: place}}
	if x.Fix != nil && x.Fix.Range.Start.Line > 0 {
		deleted := regionOf(x.Fix.Range)
		c := change{Artifact: file, Replacements: []replacement{{Deleted: deleted}}}
		if x.Fix.Text != "" {
			c.Replacements[0].Inserted = &content{Text: x.Fix.Text}
		}
		r.Fixes = []fix{{Description: said(sentence(cmp.Or(x.Hint, "mend it"))), Changes: []change{c}}}
	}
	return r
}

// regionOf returns the region of a range. An empty range is the place before its first character.
func regionOf(r grammar.Range) region {
	return region{StartLine: r.Start.Line, StartColumn: r.Start.Column, EndLine: max(r.End.Line, r.Start.Line),
		EndColumn: max(r.End.Column, 1)}
}

const root = "ROOT"

func artifact(file string) artifactLocation {
	if filepath.IsAbs(file) {
		return artifactLocation{URI: fileURI(file)}
	}
	return artifactLocation{URI: (&url.URL{Path: filepath.ToSlash(file)}).String(), Base: root}
}

func fileURI(path string) string {
	path = filepath.ToSlash(path)
	if !strings.HasPrefix(path, "/") { // a drive
		path = "/" + path
	}
	return (&url.URL{Scheme: "file", Path: strings.TrimSuffix(path, "/")}).String()
}

// braces doubles braces, since in messages single ones stand for arguments (§3.11.5).
var braces = strings.NewReplacer("{", "{{", "}", "}}")

func said(text string) message { return message{Text: braces.Replace(text)} }

// sentence returns s with a full stop at its end and a capital at its beginning, unless its first word looks
// like a name or like code.
func sentence(s string) string {
	if s == "" {
		return s
	}
	if !strings.ContainsAny(s[len(s)-1:], ".?!") {
		s += "."
	}
	first, _, _ := strings.Cut(s, " ")
	if strings.ContainsAny(first, "_:.{`\"'<=") || len(first) == len(s) {
		return s
	}
	return strings.ToUpper(s[:1]) + s[1:]
}

// camel returns the name of a rule: its title in CamelCase.
func camel(title string) string {
	var b strings.Builder
	for word := range strings.FieldsFuncSeq(title, func(r rune) bool {
		return !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9')
	}) {
		b.WriteString(strings.ToUpper(word[:1]) + word[1:])
	}
	return b.String()
}
