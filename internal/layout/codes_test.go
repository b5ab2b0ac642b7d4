package layout

import (
	"go/ast"
	"go/token"
	"regexp"
	"slices"
	"testing"
)

// ranges says whose the codes of diagnostics are, by their first digits. A code means one thing wherever it is read.
var ranges = map[string][]string{
	"R01": {"grammar"},
	"R02": {"compile"}, // types
	"R03": {"compile"}, // general expressions
	"R04": {"internal/document", "compile/load"},
	"R05": {"compile"}, // texts
	"R06": {"compile"}, // sets
	"R07": {"cmd/aside/internal/ruletest"},
	"R08": {"cmd/aside/internal/transcript", "cmd/aside/internal/replay"},
	"R10": {"internal/lint", "cmd/aside", "cmd/aside/internal/lsp"}, // the last two show how to allow one
	"R09": {"internal/analysis", "internal/lint"},                   // lint leaves out what these make idle
}

var code = regexp.MustCompile(`\bR[0-9]{4}\b`)

// TestCodes: every code stands in a package whose range it is of.
func TestCodes(t *testing.T) {
	t.Parallel()
	used := map[string]bool{}
	sources(t, func(pkg string, fset *token.FileSet, f *ast.File) {
		ast.Inspect(f, func(n ast.Node) bool {
			lit, ok := n.(*ast.BasicLit)
			if !ok || lit.Kind != token.STRING {
				return true
			}
			for _, c := range code.FindAllString(lit.Value, -1) {
				used[c[:3]] = true
				if !slices.Contains(ranges[c[:3]], pkg) {
					t.Errorf("%s: %s is not a code of %s, but of %q", fset.Position(lit.Pos()), c, pkg, ranges[c[:3]])
				}
			}
			return true
		})
	})
	for r := range ranges {
		if !used[r] {
			t.Errorf("nothing uses %s", r)
		}
	}
}
