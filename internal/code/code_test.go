package code_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/aside-go/aside/compile"
	"github.com/aside-go/aside/grammar"
	"github.com/aside-go/aside/internal/code"
	"github.com/aside-go/aside/internal/document"
	"github.com/aside-go/aside/internal/lint"
)

// named returns the constants of list.go, in their order, with the code of each.
func named(t *testing.T) (ids []code.Code) {
	t.Helper()
	f, err := parser.ParseFile(token.NewFileSet(), "list.go", nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	ast.Inspect(f, func(n ast.Node) bool {
		if lit, ok := n.(*ast.BasicLit); ok && lit.Kind == token.STRING {
			ids = append(ids, code.Code(strings.Trim(lit.Value, `"`)))
		}
		return true
	})
	return ids
}

// TestTable: codes.txt and list.go have the same codes, in order, and each row is whole.
func TestTable(t *testing.T) {
	t.Parallel()
	var ids []code.Code
	severity, title := regexp.MustCompile(`^(error|warning|info)$`), regexp.MustCompile(`^\S.*[^.\s]$`)
	for _, c := range code.All() {
		ids = append(ids, c.ID)
		if !severity.MatchString(c.Severity) {
			t.Errorf("%s: severity %q", c.ID, c.Severity)
		}
		if !title.MatchString(c.Title) {
			t.Errorf("%s: title %q", c.ID, c.Title)
		}
		if c.Reason != "" && !strings.HasSuffix(c.Reason, ".") {
			t.Errorf("%s: reason %q", c.ID, c.Reason)
		}
	}
	if d := cmp.Diff(named(t), ids); d != "" {
		t.Errorf("list.go (-) and codes.txt (+):\n%s", d)
	}
	if !slices.IsSorted(ids) || len(slices.Compact(slices.Clone(ids))) != len(ids) {
		t.Error("the codes are not in order, or one stands twice")
	}
}

// found returns the diagnostics of one line of a rule file.
func found(t *testing.T, line string) grammar.Diagnostics {
	t.Helper()
	src := []byte("---\n" + line + "\n---\nText.\n")
	rs, ds := document.Read("example.md", src)
	set, more := compile.FromFiles(rs, compile.Options{})
	return lint.Run(set, slices.Concat(ds, more), map[string][]byte{"example.md": src}, lint.Options{})
}

// TestExamples: each example has the finding that it is an example of, with the severity of the row or a
// lighter one. The line to write instead has neither that finding nor an error.
func TestExamples(t *testing.T) {
	t.Parallel()
	severities := []string{"error", "warning", "info"}
	for _, c := range code.All() {
		if c.Wrong != "" {
			ds := found(t, c.Wrong)
			i := slices.IndexFunc(ds, func(d grammar.Diagnostic) bool { return d.Code == c.ID })
			if i < 0 {
				t.Errorf("%s: %s has %v", c.ID, c.Wrong, ds)
			} else if slices.Index(severities, ds[i].Severity.String()) < slices.Index(severities, c.Severity) {
				t.Errorf("%s: %s, and in the table %s", c.ID, ds[i].Severity, c.Severity)
			}
		}
		if c.Instead != "" {
			ds := found(t, c.Instead)
			still := slices.ContainsFunc(ds, func(d grammar.Diagnostic) bool { return d.Code == c.ID })
			if still || ds.HasErrors() {
				t.Errorf("%s: %s has %v", c.ID, c.Instead, ds)
			}
		}
	}
}

func TestLookup(t *testing.T) {
	t.Parallel()
	for _, id := range []string{"R0204", "r0204", "0204", " R0204 "} {
		if c, ok := code.Lookup(id); !ok || c.ID != "R0204" {
			t.Errorf("%q: %v, %v", id, c, ok)
		}
	}
	if _, ok := code.Lookup("R9999"); ok {
		t.Error("R9999")
	}
	c, _ := code.Lookup("R1022")
	if s := c.Text(); !strings.Contains(s, "R1022: a remainder of a count\n") ||
		!strings.Contains(s, "    while: every 10 turns\n") {
		t.Error(s)
	}
	if s := c.Markdown(); !strings.Contains(s, `turn\_count is`) ||
		!strings.Contains(s, "```yaml\nwhile: turn_count % 10 == 0\n```") {
		t.Error(s)
	}
}
