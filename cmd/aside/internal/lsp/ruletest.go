package lsp

import (
	"context"
	"fmt"
	"strings"

	"github.com/aside-go/aside/cmd/aside/internal/ruletest"
	"github.com/aside-go/aside/grammar"
)

// codeFailed is the code for an expectation that does not hold. That is no mistake in the file, so it has no number.
const codeFailed = "test"

// maxTest is the length in bytes of the longest rule test that is run while it is typed; `aside test` runs longer ones.
const maxTest = 1 << 19

// testFindings returns the diagnostics of a rule test, and its expectations that do not hold as further ones.
func (s *Server) testFindings(ctx context.Context, d *doc) (grammar.Diagnostics, error) {
	if len(d.text.s) > maxTest {
		return nil, nil
	}
	f := ruletest.RunSource(ctx, d.path, []byte(d.text.s))
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	var ds grammar.Diagnostics
	for _, x := range f.Diagnostics {
		if x.File == d.path || x.File == "" {
			ds = append(ds, x)
		}
	}
	for _, t := range f.Tests {
		for _, c := range t.Checks {
			message := fmt.Sprintf("%s: expected %v, got %v", c.What, said(c.Expected), said(c.Actual))
			ds = append(ds, grammar.Diagnostic{Code: codeFailed, Severity: grammar.Error, File: d.path, Range: d.text.lineRange(c.Line),
				Message: message, Hint: strings.Join(c.Why, "\n")})
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
	return grammar.Range{Start: grammar.Position{Offset: from, Line: n}, End: grammar.Position{Offset: to, Line: n}}
}
