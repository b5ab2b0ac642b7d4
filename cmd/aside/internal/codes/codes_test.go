package codes_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/aside-go/aside/cmd/aside/internal/codes"
	"github.com/aside-go/aside/compile"
	"github.com/aside-go/aside/internal/document"
	"github.com/aside-go/aside/internal/lint"
)

// TestEveryCode: the table holds each code that a finding can have, and no others.
func TestEveryCode(t *testing.T) {
	t.Parallel()
	root := filepath.Join("..", "..", "..", "..")
	given := map[string]bool{}
	code := regexp.MustCompile(`^"R[0-9]{4}"$`)
	err := filepath.WalkDir(root, func(p string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() && (d.Name() == "testdata" || strings.HasPrefix(d.Name(), ".") && p != root) {
			if err == nil {
				err = fs.SkipDir
			}
			return err
		}
		if d.IsDir() || !strings.HasSuffix(p, ".go") || strings.HasSuffix(p, "_test.go") {
			return nil
		}
		f, err := parser.ParseFile(token.NewFileSet(), p, nil, 0)
		if err != nil {
			return err
		}
		ast.Inspect(f, func(n ast.Node) bool {
			if lit, ok := n.(*ast.BasicLit); ok && lit.Kind == token.STRING && code.MatchString(lit.Value) {
				given[strings.Trim(lit.Value, `"`)] = true
			}
			return true
		})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	all := codes.All()
	if !slices.IsSortedFunc(all, func(a, b codes.Code) int { return strings.Compare(a.ID, b.ID) }) {
		t.Error("the table is not in order")
	}
	for _, c := range all {
		if !given[c.ID] {
			t.Errorf("nothing gives %s", c.ID)
		}
		delete(given, c.ID)
		if c.Title == "" || strings.HasSuffix(c.Title, ".") || c.Title != strings.TrimSpace(c.Title) {
			t.Errorf("%s: title %q", c.ID, c.Title)
		}
		if c.Reason != "" && !strings.HasSuffix(c.Reason, ".") {
			t.Errorf("%s: reason %q", c.ID, c.Reason)
		}
	}
	for c := range given {
		t.Errorf("%s is not in the table", c)
	}
}

// found are the codes of what is told of one line of a rule file.
func found(t *testing.T, line string) []string {
	t.Helper()
	src := []byte("---\n" + line + "\n---\nText.\n")
	rs, ds := document.Read("example.md", src)
	set, more := compile.FromFiles(rs, compile.Options{})
	var ids []string
	for _, d := range lint.Run(set, slices.Concat(ds, more), map[string][]byte{"example.md": src}, lint.Options{}) {
		ids = append(ids, d.Code)
	}
	return ids
}

// TestExamples: each example has the finding that it is an example of, and what to write instead has none.
func TestExamples(t *testing.T) {
	t.Parallel()
	for _, c := range codes.All() {
		if c.Wrong != "" && !slices.Contains(found(t, c.Wrong), c.ID) {
			t.Errorf("%s: %s has %v", c.ID, c.Wrong, found(t, c.Wrong))
		}
		if c.Instead != "" {
			if ids := found(t, c.Instead); slices.Contains(ids, c.ID) || slices.ContainsFunc(ids, func(id string) bool { return id < "R0900" }) {
				t.Errorf("%s: %s has %v", c.ID, c.Instead, ids)
			}
		}
	}
}

func TestLookup(t *testing.T) {
	t.Parallel()
	for _, id := range []string{"R0204", "r0204", "0204", " R0204 "} {
		if c, ok := codes.Lookup(id); !ok || c.ID != "R0204" {
			t.Errorf("%q: %v, %v", id, c, ok)
		}
	}
	if _, ok := codes.Lookup("R9999"); ok {
		t.Error("R9999")
	}
	c, _ := codes.Lookup("R1022")
	if s := c.Text(); !strings.Contains(s, "R1022: a remainder of a count\n") || !strings.Contains(s, "    while: every 10 turns\n") {
		t.Error(s)
	}
	if s := c.Markdown(); !strings.Contains(s, `turn\_count is`) || !strings.Contains(s, "```yaml\nwhile: turn_count % 10 == 0\n```") {
		t.Error(s)
	}
}
