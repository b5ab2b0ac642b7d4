package layout

import (
	"go/ast"
	"go/token"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// pkg is what a package declares.
type pkg struct {
	name  string
	names map[string]bool   // of functions, constants, variables and types
	types map[string]*named // the types among them
}

// named is a type with its fields and methods.
type named struct {
	names    map[string]bool // true: a method
	embedded []typeName      // also the type whose other name it is
}

// typeName is a type by its name and the folder of its package; that is "" for a package of others.
type typeName struct{ dir, name string }

// declared returns the packages of the tree by their folders, tests left out.
func declared(t *testing.T) map[string]*pkg {
	t.Helper()
	all := map[string]*pkg{}
	goFiles(t, func(name string, _ []byte, _ *token.FileSet, f *ast.File) {
		if strings.HasSuffix(name, "_test.go") || strings.Contains(name, "testdata/") {
			return
		}
		dir := path.Dir(name)
		if all[dir] == nil {
			all[dir] = &pkg{f.Name.Name, map[string]bool{}, map[string]*named{}}
		}
		all[dir].declare(dir, f)
	})
	return all
}

// of returns a type of p, which may be declared later.
func (p *pkg) of(typ string) *named {
	if p.types[typ] == nil {
		p.types[typ] = &named{names: map[string]bool{}}
	}
	return p.types[typ]
}

// declare takes in the declarations of a file.
func (p *pkg) declare(dir string, f *ast.File) {
	ref := func(x ast.Expr) typeName {
		if star, ok := x.(*ast.StarExpr); ok {
			x = star.X
		}
		sel, ok := x.(*ast.SelectorExpr)
		if !ok {
			return typeName{dir, base(x)}
		}
		return typeName{imports(f)[sel.X.(*ast.Ident).Name], sel.Sel.Name}
	}
	for _, d := range f.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			if d.Recv != nil {
				p.of(base(d.Recv.List[0].Type)).names[d.Name.Name] = true
			} else {
				p.names[d.Name.Name] = true
			}
		case *ast.GenDecl:
			for _, spec := range d.Specs {
				switch s := spec.(type) {
				case *ast.ValueSpec:
					for _, n := range s.Names {
						p.names[n.Name] = true
					}
				case *ast.TypeSpec:
					p.names[s.Name.Name] = true
					typ, members := p.of(s.Name.Name), &ast.FieldList{}
					_, isInterface := s.Type.(*ast.InterfaceType)
					switch x := s.Type.(type) {
					case *ast.StructType:
						members = x.Fields
					case *ast.InterfaceType:
						members = x.Methods
					case *ast.SelectorExpr, *ast.Ident:
						typ.embedded = append(typ.embedded, ref(x))
					}
					for _, m := range members.List {
						if len(m.Names) == 0 {
							typ.embedded = append(typ.embedded, ref(m.Type))
						}
						for _, n := range m.Names {
							typ.names[n.Name] = isInterface
						}
					}
				}
			}
		}
	}
}

// imports returns the packages that a file imports by the names that they have in it: the folder of one of
// ours, and "" for one of others.
func imports(f *ast.File) map[string]string {
	all := map[string]string{}
	for _, im := range f.Imports {
		p, _ := strconv.Unquote(im.Path.Value)
		dir, ours := strings.CutPrefix(p, module+"/")
		name := path.Base(p)
		if major.MatchString(name) {
			name = path.Base(path.Dir(p))
		}
		if im.Name != nil {
			name = im.Name.Name
		}
		if !ours {
			dir = ""
		}
		all[name] = dir
	}
	return all
}

var major = regexp.MustCompile(`^v[0-9]+$`)

// member reports whether a type has a field or a method.
func member(all map[string]*pkg, typ typeName, name string) bool {
	p := all[typ.dir]
	if p == nil {
		return typ.dir == "" // of others: nobody knows
	}
	x := p.types[typ.name]
	if x == nil {
		return false
	}
	_, ok := x.names[name]
	return ok || slices.ContainsFunc(x.embedded, func(e typeName) bool {
		return e.name == name || e != typ && member(all, e, name)
	})
}

// declares reports whether a package has a name, which may have a field or method of its behind a dot.
func declares(all map[string]*pkg, dir, name string) bool {
	first, rest, deeper := strings.Cut(name, ".")
	rest, _, _ = strings.Cut(rest, ".") // deeper ones belong to the types of fields
	return all[dir].names[first] && (!deeper || member(all, typeName{dir, first}, rest))
}

var qualified = regexp.MustCompile(`(?:^|[^\w./$-])([A-Za-z]\w*)\.([A-Z]\w*(?:\.[A-Z]\w*)?)`)

// foreignNames are first parts of names in pages that are no Go.
var foreignNames = map[string]string{
	"httpx": "a library of Python",
	"vars":  "facts of users",
}

// TestNames: each qualified name of Go, such as eval.New or Evaluator.Add, that a page or a comment of Go
// writes exists, where its first part is a package or a type of the tree. In a comment that is what its file
// means by it: another package that it imports, and a variable, are not ours. In a page a first part that is
// neither ours nor a package that the tree imports, nor a variable of one letter, is a mistake.
func TestNames(t *testing.T) {
	t.Parallel()
	all := declared(t)
	byName, ofType := map[string][]string{}, map[string][]string{} // folders
	for dir, p := range all {
		byName[p.name] = append(byName[p.name], dir)
		for typ := range p.types {
			ofType[typ] = append(ofType[typ], dir)
		}
	}
	imported := map[string]bool{}
	found := 0
	// known reports whether one of the packages has the name.
	known := func(dirs []string, name string) bool {
		found++
		return slices.ContainsFunc(dirs, func(dir string) bool { return declares(all, dir, name) })
	}
	goFiles(t, func(file string, _ []byte, fset *token.FileSet, f *ast.File) {
		dir, from := path.Dir(file), imports(f)
		for name := range from {
			imported[name] = true
		}
		own := map[string]bool{} // names of the file that are no package
		ast.Inspect(f, func(n ast.Node) bool {
			if id, ok := n.(*ast.Ident); ok {
				own[id.Name] = true
			}
			if sel, ok := n.(*ast.SelectorExpr); ok {
				_, isIdent := sel.X.(*ast.Ident)
				return !isIdent // not the name of a package
			}
			return true
		})
		for _, c := range f.Comments {
			for _, m := range qualified.FindAllStringSubmatch(c.Text(), -1) {
				first, name := m[1], m[2]
				of, isImported := from[first]
				var ok bool
				switch {
				case isImported && of == "", first == f.Name.Name && nested(dir): // the framework that it adapts
					continue
				case isImported:
					ok = known([]string{of}, name)
				case all[dir] != nil && all[dir].types[first] != nil:
					ok = known([]string{dir}, first+"."+name)
				case ast.IsExported(first) && ofType[first] != nil:
					ok = known(ofType[first], first+"."+name)
				case byName[first] != nil && (first == f.Name.Name || !own[first]):
					ok = known(byName[first], name)
				default:
					continue
				}
				if !ok {
					t.Errorf("%s: there is no %s.%s", fset.Position(c.Pos()), first, name)
				}
			}
		}
	})
	for page, text := range pages(t) {
		if ofOthers(page) {
			continue
		}
		for _, par := range paragraphs(text) {
			for _, span := range spans(par) {
				for _, m := range qualified.FindAllStringSubmatch(span, -1) {
					first, name := m[1], m[2]
					switch {
					case len(first) == 1 || foreignNames[first] != "":
					case byName[first] != nil && known(byName[first], name):
					case ofType[first] != nil && known(ofType[first], first+"."+name):
					case byName[first] == nil && imported[first]:
					default:
						t.Errorf("%s: there is no %s.%s", page, first, name)
					}
				}
			}
		}
	}
	if found < 150 {
		t.Errorf("only %d names are found", found)
	}
}
