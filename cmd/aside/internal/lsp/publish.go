package lsp

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/aside-go/aside/cmd/internal/ruletest"
	"github.com/aside-go/aside/compile/fact"
	"github.com/aside-go/aside/grammar"
)

// quiet is how long no notification must have come before the disk is looked at again.
const quiet = 300 * time.Millisecond

// publisher sends the editor the diagnostics of its open texts. It does so at once after each change. Changes
// that come while it works are handled together afterwards: while somebody types fast, states are left out,
// but never the last one.
type publisher struct {
	changed chan struct{}

	sent map[string]report // by URI: the latest diagnostics that were sent; used by run alone
}

// report is the latest notification about a text.
type report struct {
	version int
	ds      []diagnostic
}

// wake makes run look for new diagnostics.
func (p *publisher) wake() {
	select {
	case p.changed <- struct{}{}:
	default:
	}
}

// run publishes diagnostics until ctx ends.
func (p *publisher) run(ctx context.Context, s *Server) {
	var still <-chan time.Time
	for {
		select {
		case <-ctx.Done():
			return
		case <-p.changed:
			still = s.opts.After(quiet)
		case <-still:
			still = nil
			s.replace(s.declare)
		}
		_, _ = s.guard(ctx, "diagnostics", func() (any, error) { p.tell(ctx, s); return nil, nil })
	}
}

// tell sends the diagnostics that have changed. Texts with a new version come first.
func (p *publisher) tell(ctx context.Context, s *Server) {
	v := s.view()
	for uri, before := range p.sent {
		if v.docs[uri] == nil {
			delete(p.sent, uri)
			if len(before.ds) > 0 {
				s.notify(ctx, "textDocument/publishDiagnostics", publishDiagnosticsParams{URI: uri,
					Diagnostics: []diagnostic{}})
			}
		}
	}
	uris := slices.SortedFunc(maps.Keys(v.docs), func(a, b string) int {
		return cmp.Or(first(p.stale(v.docs[a]), p.stale(v.docs[b])), strings.Compare(a, b))
	})
	for _, uri := range uris {
		if ctx.Err() != nil {
			return
		}
		p.tellOf(ctx, s, v, v.docs[uri])
	}
}

// stale reports whether no diagnostics were sent for this version of a text.
func (p *publisher) stale(d *doc) bool {
	before, ok := p.sent[d.uri]
	return !ok || before.version != d.version
}

// first orders two of which something holds or not: those of which it holds come first.
func first(a, b bool) int {
	switch {
	case a == b:
		return 0
	case a:
		return -1
	}
	return 1
}

func (p *publisher) tellOf(ctx context.Context, s *Server, v *view, d *doc) {
	before, told := p.sent[d.uri]
	found, err := s.findings(ctx, v, d)
	if err != nil || !told && s.kindOf(v, d.path, d.text.s) == foreign {
		return // for a text that is not served, not even an empty list is sent
	}
	ds := make([]diagnostic, len(found))
	for i, x := range found {
		ds[i] = v.show(d.text, x)
	}
	if told && before.version == d.version && slices.Equal(ds, before.ds) {
		return
	}
	p.sent[d.uri] = report{d.version, ds}
	version := d.version
	s.notify(ctx, "textDocument/publishDiagnostics", publishDiagnosticsParams{URI: d.uri, Version: &version,
		Diagnostics: ds})
}

// findings returns the diagnostics of an open text; none for one that is not served.
func (s *Server) findings(ctx context.Context, v *view, d *doc) (grammar.Diagnostics, error) {
	switch s.kindOf(v, d.path, d.text.s) {
	case rules:
		return s.ruleSet(v, s.scopeOf(v, d.path)).diagnose(ctx, v, d.path)
	case ruleTest:
		return s.testFindings(ctx, v, d)
	case configuration:
		return s.opts.Findings(d.path, []byte(d.text.s)), nil
	}
	return nil, nil
}

// show returns a diagnostic in the protocol's form.
func (v *view) show(t *text, d grammar.Diagnostic) diagnostic {
	x := diagnostic{Range: t.rangeOf(spanIn(d.Range), v.units), Code: string(d.Code), Source: "aside",
		Message: d.Message, Severity: int(d.Severity) + 1} // the protocol counts them in the same order, from 1
	if d.Hint != "" {
		x.Message += "\n" + d.Hint
	}
	return x
}

// codeFailed is the code for an expectation that does not hold. That is no mistake in the file, so it has no
// number.
const codeFailed = "test"

// maxTest is the length in bytes of the longest rule test that is run while it is typed; `aside test` runs
// longer ones.
const maxTest = 1 << 19

// testFindings returns the diagnostics of a rule test, and its expectations that do not hold as further ones.
func (s *Server) testFindings(ctx context.Context, v *view, d *doc) (grammar.Diagnostics, error) {
	if len(d.text.s) > maxTest {
		return nil, nil
	}
	f := ruletest.RunSource(ctx, d.path, []byte(d.text.s), ruletest.Options{Home: s.opts.Home,
		Facts: func(string) []fact.Fact { return v.declared }})
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	ds := slices.DeleteFunc(slices.Clone(f.Diagnostics), func(x grammar.Diagnostic) bool {
		return x.File != d.path && x.File != ""
	})
	for _, t := range f.Tests {
		for _, c := range t.Checks {
			message := fmt.Sprintf("%s: expected %v, got %v", c.What, said(c.Expected), said(c.Actual))
			ds = append(ds, grammar.Diagnostic{Code: codeFailed, Severity: grammar.Error, File: d.path,
				Range: d.text.lineRange(c.Line), Message: message, Hint: strings.Join(c.Why, "\n")})
		}
	}
	ds.Sort()
	return ds, nil
}

func said(v any) string {
	switch v := v.(type) {
	case nil:
		return "nothing"
	case []string:
		if len(v) == 0 {
			return "nothing"
		}
		return strings.Join(v, ", ")
	}
	return fmt.Sprintf("%v", v)
}

// lineRange returns the range of the n-th line, from 1, without the blanks and dashes that it begins with.
func (t *text) lineRange(n int) grammar.Range {
	if n < 1 || n > len(t.lines) {
		return grammar.Range{}
	}
	from, to := t.line(n - 1)
	from += len(t.s[from:to]) - len(strings.TrimLeft(t.s[from:to], " -"))
	return grammar.Range{Start: grammar.Position{Offset: from, Line: n},
		End: grammar.Position{Offset: to, Line: n}}
}
