package lsp

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/aside-go/aside/cmd/internal/cursor"
	"github.com/aside-go/aside/grammar"
	"github.com/aside-go/aside/internal/document"
	"github.com/aside-go/aside/internal/lint"
)

// The kinds of code actions that are offered.
const (
	kindQuickFix = "quickfix"
	kindFixOurs  = "source.fixAll.aside"
)

// codeActions answers a request for code actions: fixes for the diagnostics in a range, and one that fixes
// all.
func codeActions(ctx context.Context, s *Server, v *view, p *documentParams) (any, error) {
	actions := []codeAction{}
	d, _ := s.served(v, p.TextDocument.URI)
	if d == nil || v.caps.TextDocument.CodeAction.CodeActionLiteralSupport == nil {
		return actions, nil
	}
	found, err := s.findings(ctx, v, d)
	if err != nil {
		return nil, err
	}
	if asksFor(p.Context.Only, kindQuickFix) {
		at := d.text.spanOf(p.Range, v.units)
		for _, x := range found {
			if spanIn(x.Range).touches(at) {
				actions = append(actions, v.mend(d, x)...)
			}
		}
		slices.SortStableFunc(actions, func(a, b codeAction) int { return first(a.IsPreferred, b.IsPreferred) })
	}
	fixable := slices.ContainsFunc(found, func(x grammar.Diagnostic) bool { return x.Fix != nil })
	if fixable && asksFor(p.Context.Only, kindFixOurs) {
		if after := s.fixAll(ctx, v, d); after != d.text.s {
			actions = append(actions, codeAction{Title: "Fix everything that fixes itself", Kind: kindFixOurs,
				Edit: v.workspaceEdit(d, difference(d.text.s, after))})
		}
	}
	return actions, nil
}

// asksFor reports whether kind is among the kinds that an editor asks for, where none means all. "source"
// stands for all kinds that begin with "source.".
func asksFor(only []string, kind string) bool {
	return len(only) == 0 || slices.ContainsFunc(only, func(o string) bool {
		return o == kind || strings.HasPrefix(kind, o+".")
	})
}

// mend returns the actions for a diagnostic: to apply its fix, and to allow its code.
func (v *view) mend(d *doc, x grammar.Diagnostic) []codeAction {
	var actions []codeAction
	shown := []diagnostic{v.show(d.text, x)}
	if x.Fix != nil {
		title := cmp.Or(x.Hint, "fix: "+x.Message)
		if x.Fix.Unsafe {
			title += " (changes what the rule does)"
		}
		actions = append(actions, codeAction{Title: oneLine(title), Kind: kindQuickFix, Diagnostics: shown,
			IsPreferred: !x.Fix.Unsafe,
			Edit:        v.workspaceEdit(d, []replacement{{spanIn(x.Fix.Range), x.Fix.Text}})})
	}
	if e := silence(d, x); e != nil {
		actions = append(actions, codeAction{Title: fmt.Sprintf("Allow %s in this reminder", x.Code),
			Kind: kindQuickFix, Diagnostics: shown,
			Edit: v.workspaceEdit(d, []replacement{{spanIn(e.Range), e.Text}})})
	}
	return actions
}

// silence returns the edit that allows a diagnostic, nil for one that cannot be allowed.
func silence(d *doc, x grammar.Diagnostic) *grammar.Edit {
	if x.Severity == grammar.Error || x.Code == codeFailed || cursor.At(d.path, d.text.s,
		x.Range.End.Offset).Part == cursor.OnComment {
		return nil // an error, a failed test, or a mistake in an allowance itself
	}
	return lint.Allow(d.path, []byte(d.text.s), x.Range, x.Code)
}

// fixAll returns a text with all fixes applied, those of diagnostics that come up then included.
func (s *Server) fixAll(ctx context.Context, v *view, d *doc) string {
	out, _ := lint.Mend([]byte(d.text.s), func(src []byte) grammar.Diagnostics {
		after := *d
		after.text = newText(string(src))
		then := *v
		then.put(d.uri, &after)
		found, _ := s.findings(ctx, &then, &after) // an error is the end of the request
		return found
	})
	return string(out)
}

func formatting(_ context.Context, s *Server, v *view, p *documentParams) (any, error) {
	d, k := s.served(v, p.TextDocument.URI)
	if k != rules {
		return nil, nil
	}
	after, ds := document.Format(d.path, []byte(d.text.s))
	if ds.HasErrors() {
		return nil, nil // the editor shows the diagnostics already
	}
	v.made.add(d.path, d.text.s, string(after))
	return v.edits(d.text, difference(d.text.s, string(after))), nil
}

// replacement replaces a span of a text.
type replacement struct {
	span
	text string
}

// difference returns the replacements that turn one text into another. Where the number of lines is the same
// they are line by line, so that the editor's cursor and marks stay where they are.
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

// narrow returns the replacement of before, which begins at the offset at, by after, without the parts that
// both begin and end with.
func narrow(before, after string, at int) replacement {
	head := 0
	for head < len(before) && head < len(after) && before[head] == after[head] {
		head++
	}
	for head > 0 && !(head == len(before) || utf8.RuneStart(before[head])) {
		head--
	}
	tail := 0
	for tail < len(before)-head && tail < len(after)-head &&
		before[len(before)-1-tail] == after[len(after)-1-tail] {
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

// workspaceEdit returns replacements of an open text in the protocol's form: with the version of the text if
// the editor takes that, so that it can tell that the text has changed meanwhile.
func (v *view) workspaceEdit(d *doc, list []replacement) *workspaceEdit {
	v.made.add(d.path, d.text.s, applied(d.text.s, list))
	edits := v.edits(d.text, list)
	if !v.caps.Workspace.WorkspaceEdit.DocumentChanges {
		return &workspaceEdit{Changes: map[string][]textEdit{d.uri: edits}}
	}
	return &workspaceEdit{DocumentChanges: []documentEdit{{textDocument{URI: d.uri, Version: d.version}, edits}}}
}
