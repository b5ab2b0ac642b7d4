package layout

import (
	"go/ast"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/aside-go/aside/internal/code"
)

// ranges says which packages report a code, by its first digits. A code means one thing wherever it is read.
var ranges = map[string][]string{
	"R01": {"grammar"},
	// types; a set reads some triggers on turns alone; lint knows the class of a tool, and doubts more patterns
	"R02": {"compile", "compile/trigger", "internal/lint"},
	"R03": {"grammar", "compile/trigger"}, // conditions that compute
	"R04": {"internal/document", "compile/load"},
	"R05": {"compile", "internal/text"}, // texts
	"R06": {"compile"},                  // sets
	"R07": {"cmd/internal/ruletest"},
	"R08": {"cmd/internal/transcript", "cmd/internal/replay"},
	"R09": {"internal/analysis", "internal/lint"}, // lint leaves out its own findings where analysis decides
	"R10": {"internal/lint"},
	"R11": {"cmd/internal/config"},
}

// recognise are the packages that ask for a code that another one reports.
var recognise = map[string][]string{
	// whether the words of a trigger say more than the hint of a mistake in its grammar
	"compile/trigger": {"MissingOperator", "MissingCondition", "UnclosedBracket", "UnclosedQuote",
		"StrayBracket", "ForeignOperator", "ChainedComparison", "ListForm"},
	// a note on --var, for a name under vars.; remarks that are told always
	"cmd/aside/internal/check": {"UnknownName", "UnknownNameInExpression", "UnknownFactInText", "NotRead",
		"NoTrigger"},
	// whether a file that was read before is not there any more
	"cmd/internal/proxy": {"UnreadableFile"},
}

var literal = regexp.MustCompile(`^["` + "`" + `]R[0-9]{4}["` + "`" + `]$`)

// constants returns the codes by the names of their constants.
func constants(t *testing.T) map[string]string {
	t.Helper()
	ids := map[string]string{}
	sources(t, func(pkg string, _ *token.FileSet, f *ast.File) {
		if pkg != "internal/code" {
			return
		}
		ast.Inspect(f, func(n ast.Node) bool {
			if v, ok := n.(*ast.ValueSpec); ok && len(v.Values) == 1 {
				if lit, ok := v.Values[0].(*ast.BasicLit); ok && literal.MatchString(lit.Value) {
					ids[v.Names[0].Name] = strings.Trim(lit.Value, `"`)
				}
			}
			return true
		})
	})
	if len(ids) != len(code.All()) {
		t.Fatalf("%d constants, %d codes", len(ids), len(code.All()))
	}
	return ids
}

// TestCodes: a code is written as its constant, in a package that reports it, and each constant is used.
func TestCodes(t *testing.T) {
	t.Parallel()
	ids := constants(t)
	used := map[string]bool{}
	sources(t, func(pkg string, fset *token.FileSet, f *ast.File) {
		ast.Inspect(f, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.BasicLit:
				if literal.MatchString(n.Value) && pkg != "internal/code" {
					t.Errorf("%s: write the constant of %s", fset.Position(n.Pos()), n.Value)
				}
			case *ast.SelectorExpr:
				x, ok := n.X.(*ast.Ident)
				id := ids[n.Sel.Name]
				if !ok || x.Name != "code" || id == "" {
					return true
				}
				used[n.Sel.Name] = true
				if !support(pkg) && !slices.Contains(ranges[id[:3]], pkg) && !slices.Contains(recognise[pkg],
					n.Sel.Name) {
					t.Errorf("%s: %s is not a code of %s, but of %q", fset.Position(n.Pos()), id, pkg, ranges[id[:3]])
				}
			}
			return true
		})
	})
	for name, id := range ids {
		if !used[name] {
			t.Errorf("nothing reports %s, %s", id, name)
		}
	}
}

// TestCodesTested: a test, or its data, names each code.
func TestCodesTested(t *testing.T) {
	t.Parallel()
	id := regexp.MustCompile(`\bR[0-9]{4}\b`)
	named := map[string]bool{}
	root := filepath.Join("..", "..")
	err := filepath.WalkDir(root, func(p string, d os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			if p != root && strings.HasPrefix(d.Name(), ".") {
				return filepath.SkipDir
			}
			return nil
		}
		if !strings.HasSuffix(p, "_test.go") && !strings.Contains(filepath.ToSlash(p), "/testdata/") {
			return nil
		}
		src, err := os.ReadFile(p)
		for _, c := range id.FindAllString(string(src), -1) {
			named[c] = true
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range code.All() {
		if !named[string(c.ID)] {
			t.Errorf("no test names %s (%s)", c.ID, c.Title)
		}
	}
}
