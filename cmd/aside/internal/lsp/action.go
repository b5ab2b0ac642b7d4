package lsp

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/aside-go/aside/grammar"
	"github.com/aside-go/aside/internal/document"
	"github.com/aside-go/aside/internal/lint"
)

// The kinds of code actions that are offered.
const (
	kindQuickFix = "quickfix"
	kindFixAll   = "source.fixAll"
	kindFixOurs  = "source.fixAll.aside"
)

// codeActions answers a request for code actions: fixes for the diagnostics in a range, and one that fixes all.
func codeActions(ctx context.Context, s *Server, v *view, p *codeActionParams) (any, error) {
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
		slices.SortStableFunc(actions, func(a, b codeAction) int { return rank(a) - rank(b) })
	}
	fixable := slices.ContainsFunc(found, func(x grammar.Diagnostic) bool { return x.Fix != nil })
	if fixable && asksFor(p.Context.Only, kindFixOurs) {
		if after := s.fixAll(ctx, v, d); after != d.text.s {
			actions = append(actions, codeAction{Title: "Fix everything that fixes itself", Kind: kindFixOurs,
				Edit: v.workspaceEdit(change{d.path, d.text, difference(d.text.s, after)})})
		}
	}
	return actions, nil
}

func rank(a codeAction) int {
	if a.IsPreferred {
		return 0
	}
	return 1
}

// asksFor reports whether kind is among the kinds that an editor asks for, where none means all. "source" stands for all kinds that begin
// with "source.".
func asksFor(only []string, kind string) bool {
	return len(only) == 0 || slices.ContainsFunc(only, func(o string) bool { return o == kind || strings.HasPrefix(kind, o+".") })
}

// mend returns the actions for a diagnostic: to apply its fix, and to allow its code.
func (v *view) mend(d *doc, x grammar.Diagnostic) []codeAction {
	var actions []codeAction
	shown := []diagnostic{v.showOne(d.text, x)}
	if x.Fix != nil {
		title := x.Hint
		if title == "" {
			title = "fix: " + x.Message
		}
		actions = append(actions, codeAction{Title: oneLine(title), Kind: kindQuickFix, Diagnostics: shown, IsPreferred: true,
			Edit: v.workspaceEdit(change{d.path, d.text, []replacement{{spanIn(x.Fix.Range), x.Fix.Text}}})})
	}
	if e := silence(d, x); e != nil {
		actions = append(actions, codeAction{Title: fmt.Sprintf("Allow %s in this reminder", x.Code), Kind: kindQuickFix, Diagnostics: shown,
			Edit: v.workspaceEdit(change{d.path, d.text, []replacement{{spanIn(e.Range), e.Text}}})})
	}
	return actions
}

// silence returns the edit that allows a diagnostic, nil for one that cannot be allowed.
func silence(d *doc, x grammar.Diagnostic) *grammar.Edit {
	if x.Severity == grammar.Error || x.Code == codeFailed || cursorAt(d.path, d.text.s, x.Range.End.Offset).part == onComment {
		return nil // an error, a failed test, or a mistake in an allowance itself
	}
	return lint.Allow(d.path, []byte(d.text.s), x.Range, x.Code)
}

// fixAll returns a text with all fixes applied, those of diagnostics that come up then included.
func (s *Server) fixAll(ctx context.Context, v *view, d *doc) string {
	const rounds = 10 // a fix may uncover another mistake
	after := d
	for range rounds {
		found, err := s.findings(ctx, s.with(v, after), after)
		if err != nil {
			return d.text.s
		}
		src, n := follow(after.text.s, found)
		if n == 0 || src == after.text.s {
			break
		}
		after = &doc{uri: d.uri, path: d.path, version: d.version, text: newText(src)}
	}
	return after.text.s
}

// with returns a view in which d replaces the doc of the same URI.
func (s *Server) with(v *view, d *doc) *view {
	w := *v
	w.put(d.uri, d)
	return &w
}

// formatting answers a request to format a rule file.
func formatting(_ context.Context, s *Server, v *view, p *documentParams) (any, error) {
	d, k := s.served(v, p.TextDocument.URI)
	if k != rules {
		return nil, nil
	}
	after, ds := document.Format(d.path, []byte(d.text.s))
	if ds.HasErrors() {
		return nil, nil // the editor shows the diagnostics already
	}
	return v.edits(d.text, difference(d.text.s, string(after))), nil
}
