package lsp

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/aside-go/aside/grammar"
)

// quiet is how long nothing must have been told before the disk is looked at again.
const quiet = 300 * time.Millisecond

// feed tells the editor what is wrong with its texts. After each change it does so at once, and changes that come meanwhile wait
// together for the next time: who types fast is told of fewer states, and of the last one always.
type feed struct {
	changed chan struct{}

	sent map[string]report // by URI: what the editor knows; belongs to run
}

// report is what was said of a text.
type report struct {
	version int
	ds      []diagnostic
}

func (f *feed) init() {
	f.changed = make(chan struct{}, 1)
	f.sent = map[string]report{}
}

// stir says that something has changed.
func (f *feed) stir() {
	select {
	case f.changed <- struct{}{}:
	default:
	}
}

// run tells until ctx ends.
func (f *feed) run(ctx context.Context, s *Server) {
	var still <-chan time.Time
	for {
		select {
		case <-ctx.Done():
			return
		case <-f.changed:
			still = s.opts.After(quiet)
		case <-still:
			still = nil
			s.disk.doubtAll()
		}
		_, _ = s.guard(ctx, "diagnostics", func() (any, error) { f.tell(ctx, s); return nil, nil })
	}
}

// tell says what is new.
func (f *feed) tell(ctx context.Context, s *Server) {
	v := s.view()
	for uri, before := range f.sent {
		if v.docs[uri] == nil {
			delete(f.sent, uri)
			if len(before.ds) > 0 {
				s.notify(ctx, "textDocument/publishDiagnostics", publishDiagnosticsParams{URI: uri, Diagnostics: []diagnostic{}})
			}
		}
	}
	uris := make([]string, 0, len(v.docs))
	for uri := range v.docs {
		uris = append(uris, uri)
	}
	slices.SortFunc(uris, func(a, b string) int { // what was just changed comes first
		da, db := v.docs[a], v.docs[b]
		if stale := f.stale(db) - f.stale(da); stale != 0 {
			return stale
		}
		return strings.Compare(a, b)
	})
	for _, uri := range uris {
		if ctx.Err() != nil {
			return
		}
		f.tellOf(ctx, s, v, v.docs[uri])
	}
}

// stale is 1 if a text has another version than the one that was spoken of.
func (f *feed) stale(d *doc) int {
	if before, ok := f.sent[d.uri]; ok && before.version == d.version {
		return 0
	}
	return 1
}

func (f *feed) tellOf(ctx context.Context, s *Server, v *view, d *doc) {
	before, told := f.sent[d.uri]
	found, err := s.findings(ctx, v, d)
	if err != nil || !told && s.kindOf(v, d.path, d.text.s) == foreign {
		return // of what is not ours nothing is said, not even that nothing is wrong
	}
	ds := v.show(d.text, found)
	if told && before.version == d.version && slices.EqualFunc(ds, before.ds, sameDiagnostic) {
		return
	}
	f.sent[d.uri] = report{d.version, ds}
	version := d.version
	s.notify(ctx, "textDocument/publishDiagnostics", publishDiagnosticsParams{URI: d.uri, Version: &version, Diagnostics: ds})
}

// findings are what is wrong with an open text.
func (s *Server) findings(ctx context.Context, v *view, d *doc) (grammar.Diagnostics, error) {
	switch s.kindOf(v, d.path, d.text.s) {
	case rules:
		return s.study(v, s.scopeOf(v, d.path)).wrong(ctx, s, v, d.path)
	case ruleTest:
		return s.testFindings(ctx, d)
	}
	return nil, nil
}

// show is findings as the editor reads them.
func (v *view) show(t *text, found grammar.Diagnostics) []diagnostic {
	ds := make([]diagnostic, 0, len(found))
	for _, d := range found {
		ds = append(ds, v.showOne(t, d))
	}
	return ds
}

func (v *view) showOne(t *text, d grammar.Diagnostic) diagnostic {
	x := diagnostic{Range: t.rangeOf(spanIn(d.Range), v.units), Code: d.Code, Source: "aside", Message: d.Message}
	x.Severity = map[grammar.Severity]int{grammar.Error: severityError, grammar.Warning: severityWarning, grammar.Info: severityInfo}[d.Severity]
	if d.Hint != "" {
		x.Message += "\n" + d.Hint
	}
	return x
}

func sameDiagnostic(a, b diagnostic) bool {
	return a.Range == b.Range && a.Severity == b.Severity && a.Code == b.Code && a.Message == b.Message
}
