package lsp

import (
	"cmp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/aside-go/aside/grammar"
)

// replacement replaces a span of a text.
type replacement struct {
	span
	text string
}

// follow applies the fixes of diagnostics, except those that touch an earlier one, and returns how many it has applied.
func follow(src string, ds grammar.Diagnostics) (out string, n int) {
	var list []replacement
	for _, d := range ds {
		if d.Fix == nil {
			continue
		}
		r := replacement{spanIn(d.Fix.Range), d.Fix.Text}
		if r.from < 0 || r.to < r.from || r.to > len(src) || slices.ContainsFunc(list, r.touches) {
			continue
		}
		list = append(list, r)
	}
	return apply(src, list), len(list)
}

func (r replacement) touches(o replacement) bool { return r.span.touches(o.span) }

// apply applies replacements, none of which touches another.
func apply(src string, list []replacement) string {
	slices.SortFunc(list, func(a, b replacement) int { return cmp.Compare(a.from, b.from) })
	var b strings.Builder
	at := 0
	for _, r := range list {
		b.WriteString(src[at:r.from])
		b.WriteString(r.text)
		at = r.to
	}
	b.WriteString(src[at:])
	return b.String()
}

// difference returns the replacements that turn one text into another. Where the number of lines is the same they are line by line, so
// that the editor's cursor and marks stay where they are.
func difference(before, after string) []replacement {
	if before == after {
		return nil
	}
	a, b := strings.SplitAfter(before, "\n"), strings.SplitAfter(after, "\n")
	if len(a) != len(b) {
		return []replacement{narrow(before, after, 0)}
	}
	var list []replacement
	at := 0
	for i := range a {
		if a[i] != b[i] {
			list = append(list, narrow(a[i], b[i], at))
		}
		at += len(a[i])
	}
	return list
}

// narrow returns the replacement of before, which begins at the offset at, by after, without what both begin and end with.
func narrow(before, after string, at int) replacement {
	head := 0
	for head < len(before) && head < len(after) && before[head] == after[head] {
		head++
	}
	for head > 0 && !(head == len(before) || utf8.RuneStart(before[head])) {
		head--
	}
	tail := 0
	for tail < len(before)-head && tail < len(after)-head && before[len(before)-1-tail] == after[len(after)-1-tail] {
		tail++
	}
	for tail > 0 && !utf8.RuneStart(before[len(before)-tail]) {
		tail--
	}
	return replacement{span{at + head, at + len(before) - tail}, after[head : len(after)-tail]}
}

// edits returns replacements of t in the protocol's form.
func (v *view) edits(t *text, list []replacement) []textEdit {
	out := make([]textEdit, len(list))
	for i, r := range list {
		out[i] = textEdit{t.rangeOf(r.span, v.units), r.text}
	}
	return out
}

// change is an edit of one file. text is what the replacements are of.
type change struct {
	path string
	text *text
	list []replacement
}

// workspaceEdit returns changes in the protocol's form: with the versions of open texts if the editor takes those, so that it can tell
// that a text has changed meanwhile.
func (v *view) workspaceEdit(changes ...change) *workspaceEdit {
	w := &workspaceEdit{}
	for _, c := range changes {
		uri := v.uriOf(c.path)
		edits := v.edits(c.text, c.list)
		if !v.caps.Workspace.WorkspaceEdit.DocumentChanges {
			if w.Changes == nil {
				w.Changes = map[string][]textEdit{}
			}
			w.Changes[uri] = append(w.Changes[uri], edits...)
			continue
		}
		e := documentEdit{TextDocument: versionedDocument{URI: uri}, Edits: edits}
		if d := v.docs[uri]; d != nil {
			e.TextDocument.Version = &d.version
		}
		w.DocumentChanges = append(w.DocumentChanges, e)
	}
	return w
}
