package layout

import (
	"fmt"
	"go/ast"
	"go/build/constraint"
	"go/parser"
	"go/token"
	"go/types"
	"maps"
	"os"
	"path"
	"path/filepath"
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

// compare holds the offences that a check found to the accepted ones of testdata/exceptions.txt, a line
// "check: offence" each. The list only shrinks: an accepted offence that is mended goes out of it.
func compare(t *testing.T, check string, found []string) {
	t.Helper()
	b, err := os.ReadFile(filepath.Join("testdata", "exceptions.txt"))
	if err != nil {
		t.Fatal(err)
	}
	var accepted []string
	for line := range strings.Lines(string(b)) {
		if rest, ok := strings.CutPrefix(strings.TrimSpace(line), check+": "); ok {
			accepted = append(accepted, rest)
		}
	}
	slices.Sort(found)
	for _, f := range slices.Compact(found) {
		if !slices.Contains(accepted, f) {
			t.Errorf("%s: %s", check, f)
		}
	}
	for _, a := range accepted {
		if !slices.Contains(found, a) {
			t.Logf("%s: %s: mended; take its line out of testdata/exceptions.txt", check, a)
		}
	}
}

// goFiles calls visit with each Go file of the tree, tests too.
func goFiles(t *testing.T, visit func(name string, src []byte, fset *token.FileSet, f *ast.File)) {
	t.Helper()
	walk(t, func(name string, src []byte) {
		if !strings.HasSuffix(name, ".go") {
			return
		}
		fset := token.NewFileSet()
		f, err := parser.ParseFile(fset, name, src, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		visit(name, src, fset, f)
	})
}

// TestColumns: no line of Go has more than 110 columns, a tab counted as one, but for the text of a raw
// string.
func TestColumns(t *testing.T) {
	t.Parallel()
	var found []string
	goFiles(t, func(name string, src []byte, fset *token.FileSet, f *ast.File) {
		raw := map[int]bool{}
		ast.Inspect(f, func(n ast.Node) bool {
			if lit, ok := n.(*ast.BasicLit); ok && strings.HasPrefix(lit.Value, "`") {
				for l := fset.Position(lit.Pos()).Line; l <= fset.Position(lit.End()).Line; l++ {
					raw[l] = true
				}
			}
			return true
		})
		for i, line := range strings.Split(string(src), "\n") {
			if utf8.RuneCountInString(line) > maxColumns && !raw[i+1] && !strings.HasPrefix(line, "//go:") {
				t.Logf("%s:%d", name, i+1)
				found = append(found, fmt.Sprintf("%s has lines over %d columns", name, maxColumns))
			}
		}
	})
	compare(t, "columns", found)
}

// TestSmallFiles: no file of under 40 lines but docs, tables, and files for one system.
func TestSmallFiles(t *testing.T) {
	t.Parallel()
	var found []string
	goFiles(t, func(name string, src []byte, fset *token.FileSet, f *ast.File) {
		lines := strings.Count(string(src), "\n")
		if lines >= minLines || path.Base(name) == "doc.go" || strings.HasSuffix(name, "_test.go") ||
			path.Base(name) == "main.go" || strings.Contains(name, "testdata/") || tagged(name, f) || isTable(f) {
			return
		}
		found = append(found, fmt.Sprintf("%s has fewer than %d lines", name, minLines))
	})
	compare(t, "small", found)
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
	var found []string
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
					found = append(found, fmt.Sprintf("%s: %s takes %d of %s in a row", name, fn.Name.Name, n, kind))
				}
			}
		}
	})
	compare(t, "parameters", found)
}

// TestCase: no two names of a type differ by case alone, the fields and methods of embedded types included. A
// field and the exported method that returns it are one thing and may.
func TestCase(t *testing.T) {
	t.Parallel()
	type named struct {
		names    map[string]bool // true: a method
		embedded []string
	}
	packages := map[string]map[string]*named{}
	goFiles(t, func(name string, src []byte, fset *token.FileSet, f *ast.File) {
		if strings.HasSuffix(name, "_test.go") || strings.Contains(name, "testdata/") {
			return
		}
		pkg := path.Dir(name)
		if packages[pkg] == nil {
			packages[pkg] = map[string]*named{}
		}
		of := func(typ string) *named {
			if packages[pkg][typ] == nil {
				packages[pkg][typ] = &named{names: map[string]bool{}}
			}
			return packages[pkg][typ]
		}
		for _, d := range f.Decls {
			switch d := d.(type) {
			case *ast.FuncDecl:
				if d.Recv != nil {
					of(base(d.Recv.List[0].Type)).names[d.Name.Name] = true
				}
			case *ast.GenDecl:
				for _, spec := range d.Specs {
					ts, ok := spec.(*ast.TypeSpec)
					if !ok {
						continue
					}
					st, ok := ts.Type.(*ast.StructType)
					if !ok {
						continue
					}
					for _, field := range st.Fields.List {
						if len(field.Names) == 0 {
							of(ts.Name.Name).embedded = append(of(ts.Name.Name).embedded, base(field.Type))
						}
						for _, n := range field.Names {
							of(ts.Name.Name).names[n.Name] = false
						}
					}
				}
			}
		}
	})
	var found []string
	for pkg, all := range packages {
		for typ, x := range all {
			names := map[string]bool{}
			maps.Copy(names, x.names)
			for _, e := range x.embedded {
				if all[e] != nil {
					maps.Copy(names, all[e].names)
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
					found = append(found, fmt.Sprintf("%s: type %s has %s", pkg, typ, strings.Join(same, " and ")))
				}
			}
		}
	}
	compare(t, "case", found)
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

// TestPublic prints the public packages and counts the public names of each: what a version 1 would have to
// keep.
func TestPublic(t *testing.T) {
	t.Parallel()
	names, methods := map[string]int{}, map[string]int{}
	goFiles(t, func(name string, src []byte, fset *token.FileSet, f *ast.File) {
		pkg := path.Dir(name)
		if strings.HasSuffix(name, "_test.go") || strings.Contains("/"+pkg+"/", "/internal/") ||
			f.Name.Name == "main" ||
			strings.HasPrefix(pkg, "testdata") || strings.HasPrefix(pkg, "fuzz") {
			return
		}
		for _, d := range f.Decls {
			switch d := d.(type) {
			case *ast.FuncDecl:
				switch {
				case !d.Name.IsExported():
				case d.Recv == nil:
					names[pkg]++
				case ast.IsExported(base(d.Recv.List[0].Type)):
					methods[pkg]++
				}
			case *ast.GenDecl:
				for _, spec := range d.Specs {
					switch s := spec.(type) {
					case *ast.TypeSpec:
						if s.Name.IsExported() {
							names[pkg]++
						}
					case *ast.ValueSpec:
						for _, n := range s.Names {
							if n.IsExported() {
								names[pkg]++
							}
						}
					}
				}
			}
		}
	})
	all, more := 0, 0
	for _, pkg := range slices.Sorted(maps.Keys(names)) {
		t.Logf("%4d names, %4d methods  %s", names[pkg], methods[pkg], pkg)
		all, more = all+names[pkg], more+methods[pkg]
	}
	t.Logf("%4d names, %4d methods  %d public packages", all, more, len(names))
	if len(names) > 12 {
		t.Errorf("%d public packages, at most 12", len(names))
	}
}
