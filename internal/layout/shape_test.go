package layout

import (
	"go/ast"
	"go/build/constraint"
	"go/token"
	"go/types"
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

const (
	maxColumns = 110 // of a line of Go
	minLines   = 40  // of a file, unless it is a doc, a table or build-tagged
	maxSame    = 4   // parameters of one type in a row
)

// goFiles calls visit with each Go file of the tree, tests too.
func goFiles(t *testing.T, visit func(name string, src []byte, fset *token.FileSet, f *ast.File)) {
	t.Helper()
	for _, f := range tree(t) {
		if !strings.HasSuffix(f.name, ".go") {
			continue
		}
		syntax, err := f.parsed()
		if err != nil {
			t.Fatal(err)
		}
		visit(f.name, f.src, f.fset, syntax)
	}
}

// TestColumns: no line of Go has more than 110 columns, a tab counted as one. The text of raw strings and the
// expected output of Examples do not count: they are as long as they are.
func TestColumns(t *testing.T) {
	t.Parallel()
	goFiles(t, func(name string, src []byte, fset *token.FileSet, f *ast.File) {
		spare := map[int]int{} // by line, the columns that do not count
		note := func(from, to token.Pos) {
			first, last := fset.Position(from), fset.Position(to)
			if first.Line == last.Line {
				spare[first.Line] += last.Column - first.Column
				return
			}
			for l := first.Line; l <= last.Line; l++ {
				spare[l] += 1 << 20
			}
		}
		ast.Inspect(f, func(n ast.Node) bool {
			if lit, ok := n.(*ast.BasicLit); ok && strings.HasPrefix(lit.Value, "`") {
				note(lit.Pos(), lit.End())
			}
			return true
		})
		for _, g := range f.Comments {
			if strings.Contains(strings.ToLower(g.Text()), "output:") && strings.HasSuffix(name, "_test.go") {
				for _, c := range g.List {
					note(c.Pos(), c.End())
				}
			}
		}
		for i, line := range strings.Split(string(src), "\n") {
			n := utf8.RuneCountInString(line)
			if n-spare[i+1] > maxColumns && !strings.HasPrefix(line, "//go:") {
				t.Errorf("%s:%d has %d columns, and %d are enough", name, i+1, n, maxColumns)
			}
		}
	})
}

// TestSmallFiles: no file of under 40 lines but docs, tables, and files for one system.
func TestSmallFiles(t *testing.T) {
	t.Parallel()
	goFiles(t, func(name string, src []byte, fset *token.FileSet, f *ast.File) {
		lines := strings.Count(string(src), "\n")
		if lines >= minLines || path.Base(name) == "doc.go" || strings.HasSuffix(name, "_test.go") ||
			path.Base(name) == "main.go" || strings.Contains(name, "testdata/") || tagged(name, f) || isTable(f) {
			return
		}
		t.Errorf("%s has %d lines, which belong to a neighbour", name, lines)
	})
}

// tagged reports whether a file is built on some systems only.
func tagged(name string, f *ast.File) bool {
	for _, g := range f.Comments {
		for _, c := range g.List {
			if constraint.IsGoBuild(c.Text) {
				return true
			}
		}
	}
	stem := strings.TrimSuffix(path.Base(name), ".go")
	for _, system := range []string{"linux", "windows", "darwin", "js", "wasm", "386", "amd64", "arm64"} {
		if strings.HasSuffix(stem, "_"+system) {
			return true
		}
	}
	return false
}

// isTable reports whether a file declares constants and variables only.
func isTable(f *ast.File) bool {
	for _, d := range f.Decls {
		if g, ok := d.(*ast.GenDecl); !ok || g.Tok == token.TYPE {
			return false
		}
	}
	return true
}

// TestParameters: no function takes more than four parameters of one type in a row.
func TestParameters(t *testing.T) {
	t.Parallel()
	goFiles(t, func(name string, src []byte, fset *token.FileSet, f *ast.File) {
		for _, d := range f.Decls {
			fn, ok := d.(*ast.FuncDecl)
			if !ok {
				continue
			}
			last, n := "", 0
			for _, field := range fn.Type.Params.List {
				kind := types.ExprString(field.Type)
				if kind != last {
					last, n = kind, 0
				}
				if n += max(1, len(field.Names)); n > maxSame {
					t.Errorf("%s: %s takes %d of %s in a row", name, fn.Name.Name, n, kind)
				}
			}
		}
	})
}

// TestCase: no two names of a type differ by case alone, the fields and methods of embedded types included. A
// field and the exported method that returns it are one thing and may.
func TestCase(t *testing.T) {
	t.Parallel()
	for dir, p := range declared(t) {
		for typ, x := range p.types {
			names := map[string]bool{}
			maps.Copy(names, x.names)
			for _, e := range x.embedded {
				if e.dir == dir && p.types[e.name] != nil {
					maps.Copy(names, p.types[e.name].names)
				}
			}
			delete(names, "_")
			lower := map[string][]string{}
			for n := range names {
				lower[strings.ToLower(n)] = append(lower[strings.ToLower(n)], n)
			}
			for _, same := range lower {
				slices.Sort(same) // the exported one first
				if len(same) > 1 && !(names[same[0]] && !names[same[1]]) {
					t.Errorf("%s: type %s has %s", dir, typ, strings.Join(same, " and "))
				}
			}
		}
	}
}

// base returns the name of the type that an expression names, without package, pointer and type arguments.
func base(x ast.Expr) string {
	switch x := x.(type) {
	case *ast.StarExpr:
		return base(x.X)
	case *ast.IndexExpr:
		return base(x.X)
	case *ast.IndexListExpr:
		return base(x.X)
	case *ast.Ident:
		return x.Name
	}
	return ""
}

// TestConstructors: what is made and opened is so everywhere alike. New and Open return a type of the package
// by pointer, an error or diagnostics alone beside it; options come last, by value, in a struct of the name
// Options.
func TestConstructors(t *testing.T) {
	t.Parallel()
	public := append([]string{"inject/transport/telemetry", "inject/wire"}, front...)
	goFiles(t, func(name string, _ []byte, _ *token.FileSet, file *ast.File) {
		if strings.HasSuffix(name, "_test.go") || !slices.Contains(public, path.Dir(name)) {
			return
		}
		for _, d := range file.Decls {
			if f, ok := d.(*ast.FuncDecl); ok && f.Name.IsExported() {
				for _, fault := range unlike(f) {
					t.Errorf("%s, %s: %s", name, f.Name.Name, fault)
				}
			}
		}
	})
}

var constructor = regexp.MustCompile(`^(New|Open)($|[A-Z])`)

// unlike returns in what a function differs from all others.
func unlike(f *ast.FuncDecl) (faults []string) {
	var params []ast.Expr
	for _, p := range f.Type.Params.List {
		params = append(params, slices.Repeat([]ast.Expr{p.Type}, max(1, len(p.Names)))...)
	}
	last := len(params) - 1
	if last > 0 {
		if _, calls := params[last].(*ast.FuncType); calls { // what is called stands last, as it is the longest
			last--
		}
	}
	for i, p := range params {
		star, pointer := p.(*ast.StarExpr)
		if pointer {
			p = star.X
		}
		name := strings.ToLower(types.ExprString(p))
		switch {
		case strings.HasSuffix(name, "option"), strings.HasPrefix(name, "...func("):
			faults = append(faults, "options are a struct, not functions")
		case strings.HasSuffix(name, "options") && (i < last || pointer):
			faults = append(faults, "Options are the last parameter, by value")
		case strings.HasSuffix(name, "options") && name != "options" && !strings.HasSuffix(name, ".options"):
			faults = append(faults, "its options are named otherwise")
		}
	}
	if f.Recv != nil || !constructor.MatchString(f.Name.Name) || f.Type.Results == nil {
		return faults
	}
	if _, pointer := f.Type.Results.List[0].Type.(*ast.StarExpr); !pointer {
		faults = append(faults, "it does not return a pointer")
	}
	for _, r := range f.Type.Results.List[1:] {
		if name := types.ExprString(r.Type); name != "error" && !strings.HasSuffix(name, "Diagnostics") {
			faults = append(faults, "it returns "+name)
		}
	}
	return faults
}

// front are the packages that an embedder meets, beside the words of reminders, facts and triggers.
var front = []string{"compile", "compile/load", "eval", "eval/engine", "inject", "inject/transport", "state",
	"state/filestore", "state/pgstore", "state/redisstore"}

// TestPublic prints the public packages and counts the public names of each: what a version 1 would have to
// keep.
func TestPublic(t *testing.T) {
	t.Parallel()
	names, methods := map[string]int{}, map[string]int{}
	for dir, p := range declared(t) {
		if strings.Contains("/"+dir+"/", "/internal/") || p.name == "main" || strings.HasPrefix(dir, "fuzz") ||
			strings.HasPrefix(dir, "inject/transport/adapters") { // another module
			continue
		}
		for name := range p.names {
			if !ast.IsExported(name) {
				continue
			}
			names[dir]++
			if typ := p.types[name]; typ != nil {
				for n, method := range typ.names {
					if method && ast.IsExported(n) {
						methods[dir]++
					}
				}
			}
		}
	}
	all, more, seen, called := 0, 0, 0, 0
	for _, pkg := range front {
		seen, called = seen+names[pkg], called+methods[pkg]
	}
	if seen > 150 || called > 150 {
		t.Errorf("an embedder sees %d names and %d methods, 150 of each are enough", seen, called)
	}
	for _, pkg := range slices.Sorted(maps.Keys(names)) {
		t.Logf("%4d names, %4d methods  %s", names[pkg], methods[pkg], pkg)
		all, more = all+names[pkg], more+methods[pkg]
	}
	t.Logf("%4d names, %4d methods  %d public packages", all, more, len(names))
	if len(names) > 17 { // what embedders see, the stores, and eval/engine in front of them
		t.Errorf("%d public packages, at most 17", len(names))
	}
}
