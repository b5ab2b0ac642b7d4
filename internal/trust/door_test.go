package trust_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"slices"
	"strings"
	"testing"
)

// TestOneDoor: files of projects are opened by disk.go alone, which the tests can watch. What store.go and
// change.go name are the store's own files.
func TestOneDoor(t *testing.T) {
	t.Parallel()
	opens := []string{"Open", "OpenFile", "OpenInRoot", "OpenRoot", "ReadFile", "ReadDir", "DirFS",
		"EvalSymlinks", "Glob", "WalkDir", "Walk", "Lstat", "Stat", "Readlink"}
	may := map[string][]string{
		"store.go": {"os.Lstat(s.dir)", "os.Lstat(path)", "os.ReadDir(s.dir)", "filepath.EvalSymlinks(at)"},
		"change.go": {"os.Lstat(s.path(place))", "os.Lstat(to)", "os.Lstat(path)", "os.ReadDir(s.dir)",
			"os.Open(dir)", "lockedfile.OpenFile(filepath.Join(s.dir, lockName), os.O_RDWR|os.O_CREATE, 0o600)"},
	}
	entries, err := os.ReadDir(".")
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		name := e.Name()
		if !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") || name == "disk.go" {
			continue
		}
		src, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		fset := token.NewFileSet()
		f, err := parser.ParseFile(fset, name, src, 0)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(f, func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			if !ok {
				return true
			}
			sel, ok := call.Fun.(*ast.SelectorExpr)
			if !ok {
				return true
			}
			if x, ok := sel.X.(*ast.Ident); !ok || x.Obj != nil || !slices.Contains([]string{"os", "filepath",
				"lockedfile", "ioutil", "fs"}, x.Name) || !slices.Contains(opens, sel.Sel.Name) {
				return true
			}
			if text := string(src[fset.Position(call.Pos()).Offset:fset.Position(
				call.End()).Offset]); !slices.Contains(may[name], text) {
				t.Errorf("%s: %s", fset.Position(call.Pos()), text)
			}
			return true
		})
	}
}
