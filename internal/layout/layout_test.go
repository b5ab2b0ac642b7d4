// Package layout holds the project to its own map: which package may import which, and which stay free of
// I/O. It holds prose to the tree: what pages and comments name exists.
package layout

import (
	"go/ast"
	"go/token"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

const module = "github.com/aside-go/aside"

// may lists, for each package, the packages of this module that it may import. Arrows run one way: a package
// stands below all that import it. "cmd/…" stands at the top and may import everything, and so may the
// support of tests, which no product imports.
var may = map[string][]string{
	"grammar": {"internal/code", "internal/duration", "internal/excerpt", "internal/lines", "internal/near",
		"internal/vocabulary", "internal/words"},
	"compile/fact":     {"internal/duration", "internal/excerpt", "internal/jsonscan"},
	"compile/reminder": {"compile/fact"},
	"compile/trigger": {"internal/code", "grammar", "compile/fact", "compile/reminder",
		"internal/callpattern", "internal/condition", "internal/duration", "internal/excerpt", "internal/near",
		"internal/vocabulary", "internal/words"},
	"internal/text": {"internal/code", "grammar", "compile/fact", "internal/duration",
		"internal/mark", "internal/vocabulary"},
	"compile": {"internal/code", "grammar", "compile/fact", "internal/text", "compile/reminder",
		"compile/trigger", "internal/condition", "internal/mark", "internal/near"},
	"internal/analysis": {"internal/code", "grammar", "compile", "compile/fact", "compile/reminder",
		"compile/trigger", "internal/callpattern", "internal/duration", "internal/excerpt", "internal/near",
		"internal/condition"},
	"internal/callpattern": {"compile/fact", "internal/excerpt", "internal/near", "internal/patch",
		"internal/words"},
	"internal/document": {"internal/code", "grammar", "compile", "compile/reminder", "compile/trigger",
		"internal/duration", "internal/excerpt", "internal/lines", "internal/near", "internal/vocabulary",
		"internal/words"},
	"internal/lint": {"internal/agent", "internal/callpattern", "internal/code", "internal/condition",
		"grammar", "compile", "compile/trigger", "internal/analysis", "internal/document", "internal/duration",
		"compile/fact", "compile/reminder", "internal/mark", "internal/near", "internal/text", "internal/words"},
	"compile/load":     {"internal/code", "grammar", "compile", "internal/document", "compile/reminder"},
	"internal/trust":   {"compile/load", "internal/atomicfile", "internal/checkout"},
	"internal/lines":   {},
	"internal/firing":  {"compile/fact", "compile/reminder", "internal/jsonscan"},
	"state":            {"compile/reminder", "internal/firing"},
	"state/filestore":  {"compile/reminder", "internal/readset", "state"},
	"state/pgstore":    {"compile/reminder", "internal/readset", "state"},
	"state/redisstore": {"compile/reminder", "internal/readset", "state"},
	"state/storetest":  {"compile/fact", "compile/reminder", "internal/firing", "internal/readset", "state"},
	"internal/readset": {"compile/reminder", "state"},
	"eval": {"grammar", "compile", "compile/fact", "compile/reminder", "compile/trigger", "state",
		"internal/callpattern", "internal/firing", "internal/near", "internal/readset"},
	"eval/engine": {"grammar", "compile", "compile/fact", "compile/load", "compile/reminder", "eval", "inject",
		"inject/transport", "internal/near", "state", "state/filestore"},
	"inject": {"internal/mark"},
	"inject/wire": {"compile/reminder", "inject", "internal/api", "internal/body", "internal/mark",
		"internal/model"},
	"internal/body": {"compile/fact", "compile/reminder", "internal/agent", "internal/evidence",
		"internal/jsonscan", "internal/mark", "internal/model", "internal/response"},
	"internal/response": {"internal/evidence", "internal/jsonscan", "internal/model"},
	"internal/api": {"compile/fact", "compile/reminder", "internal/agent", "internal/body", "internal/jsonscan",
		"internal/mark", "internal/model", "internal/response"},
	"internal/request": {"compile/fact", "internal/agent", "internal/api", "internal/body",
		"internal/jsonscan", "internal/response"},
	"internal/agent":         {"compile/fact", "internal/callpattern", "internal/jsonscan", "internal/patch"},
	"internal/evidence":      {},
	"internal/patch":         {},
	"internal/agent/session": {"compile/fact", "internal/agent", "internal/jsonscan", "internal/model"},
	"internal/jsonscan":      {},
	"internal/promptcache":   {"compile/reminder", "internal/model"},
	"inject/internal/ledger": {"compile/reminder", "internal/body"},
	"inject/transport": {"compile", "compile/fact", "compile/reminder", "eval", "inject",
		"inject/internal/ledger",
		"inject/wire", "internal/api", "internal/body", "internal/evidence", "internal/firing",
		"internal/jsonscan", "internal/mark", "internal/model", "internal/near", "internal/readset",
		"internal/request", "internal/response", "state"},
	"inject/transport/telemetry": {"compile/reminder", "eval", "eval/engine", "inject/transport", "inject/wire"},
	"inject/transport/adapters":  {"eval", "inject/transport"},
	"fuzz":                       {},
	"internal/checkout":          {},
	"internal/code":              {},
	"internal/condition": {"grammar", "compile/fact", "internal/callpattern",
		"internal/vocabulary"},
	"internal/duration":   {},
	"internal/excerpt":    {},
	"internal/near":       {},
	"internal/vocabulary": {"internal/near", "internal/words"},
	"internal/words":      {},
	"internal/model":      {},
	"internal/atomicfile": {},
	"internal/mark":       {"compile/reminder"},
	"internal/layout":     {},
}

// pure are the packages that do no I/O, read no clock and start no goroutine; what they may name all the same
// is said here.
var pure = map[string][]string{
	"grammar":              nil,
	"compile":              nil,
	"internal/text":        nil,
	"compile/trigger":      nil,
	"internal/analysis":    nil,
	"internal/document":    nil,
	"compile/fact":         nil,
	"compile/reminder":     nil,
	"internal/firing":      nil,
	"state":                nil,
	"eval":                 {"time.Now"}, // the default of Options.Clock
	"inject":               nil,
	"internal/callpattern": nil,
	"internal/agent":       {"path/filepath"}, // whether a path is absolute
	"internal/jsonscan":    nil,
	"internal/promptcache": nil,
	"internal/code":        nil,
	"internal/condition":   nil,
	"internal/duration":    nil,
	"internal/excerpt":     nil,
	"internal/vocabulary":  nil,
	"internal/words":       nil,
	"internal/model":       nil,
	"internal/mark":        nil,
	"internal/api":         nil,
	"internal/evidence":    nil,
	"internal/readset":     nil,
	"internal/request":     nil,
	"internal/response":    nil,
}

// impure are the imports and calls that a pure package must not have.
var impure = []string{"os", "os/exec", "os/signal", "net", "net/http", "io/fs", "io/ioutil", "path/filepath",
	"syscall", "math/rand", "math/rand/v2", "log", "log/slog",
	"time.Now", "time.Since", "time.Until", "time.Sleep", "time.After", "time.AfterFunc",
	"time.NewTimer", "time.NewTicker", "time.Tick", "go"}

// use is one import, one call of package time, or one go statement.
type use struct{ pkg, what, at string }

// sources calls visit with each file of the module's own code but its tests.
func sources(t *testing.T, visit func(pkg string, fset *token.FileSet, f *ast.File)) {
	t.Helper()
	goFiles(t, func(name string, _ []byte, fset *token.FileSet, f *ast.File) {
		if !strings.HasSuffix(name, "_test.go") && !strings.Contains(name, "testdata/") {
			visit(path.Dir(name), fset, f)
		}
	})
}

// uses reads what sources use.
func uses(t *testing.T) (packages []string, all []use) {
	t.Helper()
	sources(t, func(pkg string, fset *token.FileSet, f *ast.File) {
		if nested(pkg) {
			return
		}
		if !slices.Contains(packages, pkg) {
			packages = append(packages, pkg)
		}
		for _, im := range f.Imports {
			all = append(all, use{pkg, strings.Trim(im.Path.Value, `"`), fset.Position(im.Pos()).String()})
		}
		ast.Inspect(f, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.GoStmt:
				all = append(all, use{pkg, "go", fset.Position(n.Pos()).String()})
			case *ast.SelectorExpr:
				if x, ok := n.X.(*ast.Ident); ok && x.Name == "time" && x.Obj == nil {
					all = append(all, use{pkg, "time." + n.Sel.Name, fset.Position(n.Pos()).String()})
				}
			}
			return true
		})
	})
	return packages, all
}

func TestImports(t *testing.T) {
	t.Parallel()
	packages, all := uses(t)
	for _, p := range packages {
		if _, ok := may[p]; !ok && !strings.HasPrefix(p, "cmd/") && !support(p) {
			t.Errorf("package %s is not on the map", p)
		}
	}
	for _, u := range all {
		to, ours := strings.CutPrefix(u.what, module+"/")
		if ours && support(to) && !support(u.pkg) {
			t.Errorf("%s: %s is no test, and imports %s", u.at, u.pkg, to)
		}
		if !ours || strings.HasPrefix(u.pkg, "cmd/") || support(u.pkg) {
			continue
		}
		if !slices.Contains(may[u.pkg], to) {
			t.Errorf("%s: %s may not import %s", u.at, u.pkg, to)
		}
	}
}

// support reports whether a package is there for tests alone.
func support(pkg string) bool { return strings.Contains("/"+pkg+"/", "/internal/test/") }

func TestPure(t *testing.T) {
	t.Parallel()
	_, all := uses(t)
	for _, u := range all {
		except, held := pure[u.pkg]
		if held && slices.Contains(impure, u.what) && !slices.Contains(except, u.what) {
			t.Errorf("%s: %s does no I/O, reads no clock and starts no goroutine, but uses %s", u.at, u.pkg, u.what)
		}
	}
}

// TestTopLevel holds the list of what may stand at the top of the repository; "go build ./cmd/aside" leaves
// its binary there.
func TestTopLevel(t *testing.T) {
	t.Parallel()
	allowed := strings.Fields("go.mod go.sum go.work go.work.sum grammar compile eval state inject cmd fuzz " +
		"testdata internal " +
		"README.md LICENSE aside aside.exe asided asided.exe")
	entries, err := os.ReadDir(filepath.Join("..", ".."))
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if name := e.Name(); !strings.HasPrefix(name, ".") && !slices.Contains(allowed, name) {
			t.Errorf("%s does not belong at the top level", path.Base(name))
		}
	}
}
