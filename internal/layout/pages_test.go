package layout

import (
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

var (
	citation = regexp.MustCompile(`\b([A-Z]+\.md)((?:,? §[0-9]+(?:\.[0-9]+)*(?: and §[0-9]+(?:\.[0-9]+)*)*)*)`)
	section  = regexp.MustCompile(`§([0-9]+(?:\.[0-9]+)*)`)
	heading  = regexp.MustCompile(`(?m)^#+ ([0-9]+(?:\.[0-9]+)*)\.? `)
	law      = regexp.MustCompile(`(?m)^- \*\*([LSITH][0-9]+)\*\* `)
	lawCited = regexp.MustCompile(`\b(?:[Ll]aws? |Test)([LSITH][0-9]{1,2})(?:[^0-9A-Za-z]|$|[A-Z])`)
)

// foreign are names of files that look like pages of the tree and are files of agents and users.
var foreign = []string{"AGENTS.md", "CLAUDE.md", "GEMINI.md", "NAME.md", "SKILL.md"}

// pages returns the Markdown pages of the tree by their names.
func pages(t *testing.T) map[string]string {
	t.Helper()
	all := map[string]string{}
	walk(t, func(path string, src []byte) {
		if strings.HasSuffix(path, ".md") && !strings.Contains(path, "testdata/") {
			all[filepath.Base(path)] = string(src)
		}
	})
	return all
}

// walk calls visit with the name and the text of each Go file and each Markdown page of the tree.
func walk(t *testing.T, visit func(path string, src []byte)) {
	t.Helper()
	root := filepath.Join("..", "..")
	err := filepath.WalkDir(root, func(p string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			if p != root && strings.HasPrefix(d.Name(), ".") && d.Name() != ".github" {
				return fs.SkipDir
			}
			return nil
		}
		if ext := filepath.Ext(p); ext != ".go" && ext != ".md" {
			return nil
		}
		src, err := os.ReadFile(p)
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(root, p)
		if err != nil {
			return err
		}
		visit(filepath.ToSlash(rel), src)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// TestCitations: each page, each section of a page, and each law that a comment of Go or a page cites exists.
func TestCitations(t *testing.T) {
	t.Parallel()
	all := pages(t)
	sections := map[string]bool{}
	for name, text := range all {
		for _, m := range heading.FindAllStringSubmatch(text, -1) {
			sections[name+" §"+m[1]] = true
		}
	}
	laws := map[string]bool{}
	for _, m := range law.FindAllStringSubmatch(all["RELIABILITY.md"], -1) {
		laws[m[1]] = true
	}
	if len(laws) < 30 || len(sections) < 50 {
		t.Fatalf("only %d laws and %d sections are found", len(laws), len(sections))
	}
	check := func(where, text string) {
		text = strings.Join(strings.Fields(text), " ")
		for _, m := range citation.FindAllStringSubmatch(text, -1) {
			if _, ok := all[m[1]]; !ok && !slices.Contains(foreign, m[1]) {
				t.Errorf("%s: there is no page %s", where, m[1])
			}
			for _, s := range section.FindAllStringSubmatch(m[2], -1) {
				if !sections[m[1]+" §"+s[1]] {
					t.Errorf("%s: %s has no §%s", where, m[1], s[1])
				}
			}
		}
		for _, m := range lawCited.FindAllStringSubmatch(text, -1) {
			if !laws[m[1]] {
				t.Errorf("%s: there is no law %s", where, m[1])
			}
		}
	}
	for name, text := range all {
		check(name, text)
	}
	walk(t, func(path string, src []byte) {
		if !strings.HasSuffix(path, ".go") {
			return
		}
		fset := token.NewFileSet()
		f, err := parser.ParseFile(fset, path, src, parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range f.Comments {
			check(fset.Position(c.Pos()).String(), c.Text())
		}
	})
}

var named = regexp.MustCompile(
	"`((?:grammar|compile|eval|state|inject|cmd|fuzz|internal|testdata|\\.github|\\.ci)/[A-Za-z0-9_./-]*)`")

// elsewhere are paths that look like files of the tree and are files of others.
var elsewhere = []string{".github/copilot/settings.json", "internal/hooks", "testdata/fuzz"}

// TestPaths: each file and folder of the tree that a page names exists.
func TestPaths(t *testing.T) {
	t.Parallel()
	found := 0
	for name, text := range pages(t) {
		for _, m := range named.FindAllStringSubmatch(text, -1) {
			if slices.Contains(elsewhere, m[1]) {
				continue
			}
			found++
			if _, err := os.Stat(filepath.Join("..", "..", filepath.FromSlash(m[1]))); err != nil {
				t.Errorf("%s names %s: %v", name, m[1], err)
			}
		}
	}
	if found < 50 {
		t.Errorf("only %d names are found", found)
	}
}

// TestDependencies: DESIGN.md §5 names each library that a module of the workspace requires.
func TestDependencies(t *testing.T) {
	t.Parallel()
	_, table, _ := strings.Cut(pages(t)["DESIGN.md"], "\n## 5. ")
	table, _, _ = strings.Cut(table, "\n## 6. ")
	for _, dir := range []string{"", "cmd", "inject/transport/telemetry", "state/pgstore", "state/redisstore"} {
		mod, err := os.ReadFile(filepath.Join("..", "..", filepath.FromSlash(dir), "go.mod"))
		if err != nil {
			t.Fatal(err)
		}
		direct, _, _ := strings.Cut(string(mod), "// indirect")
		for _, m := range regexp.MustCompile(`(?m)^\t(\S+) v.*[0-9a-f]$`).FindAllStringSubmatch(direct, -1) {
			if !strings.HasPrefix(m[1], module) && !strings.Contains(table, m[1]+"`") &&
				!strings.Contains(table, strings.TrimPrefix(m[1], "github.com/")+"`") {
				t.Errorf("DESIGN.md §5 does not say what %s is for, which module %q requires", m[1], dir)
			}
		}
	}
}

var testNamed = regexp.MustCompile("`(Test[A-Za-z0-9]+)`|\\^(Fuzz[A-Za-z0-9]+)\\$")

// TestTestNames: each test and each fuzz target that a page names exists.
func TestTestNames(t *testing.T) {
	t.Parallel()
	exist := map[string]bool{}
	walk(t, func(name string, src []byte) {
		if !strings.HasSuffix(name, "_test.go") {
			return
		}
		for _, m := range regexp.MustCompile(`(?m)^func ((?:Test|Fuzz)[A-Za-z0-9]+)\(`).FindAllSubmatch(src, -1) {
			exist[string(m[1])] = true
		}
	})
	for name, text := range pages(t) {
		for _, m := range testNamed.FindAllStringSubmatch(text, -1) {
			if test := m[1] + m[2]; !exist[test] {
				t.Errorf("%s names %s, which is no test", name, test)
			}
		}
	}
}

// nested reports whether a package is one of those in modules of their own that import what others made: the
// tests of SDKs, and the adapters for frameworks.
func nested(pkg string) bool {
	return strings.HasPrefix(pkg, "inject/transport/adapters/sdktest") || strings.HasPrefix(pkg,
		"inject/transport/adapters/")
}

var row = regexp.MustCompile("(?m)^\\| `([a-z0-9/-]+)` \\|")

// TestTable: the packages that exist stand in the tables of DESIGN.md §1, and but for the packages of
// commands in the import map; nothing else stands there.
func TestTable(t *testing.T) {
	t.Parallel()
	_, text, _ := strings.Cut(pages(t)["DESIGN.md"], "\n## 1. ")
	text, _, _ = strings.Cut(text, "\n## 2. ")
	table := map[string]bool{}
	for _, m := range row.FindAllStringSubmatch(text, -1) {
		table[m[1]] = true
	}
	exist := map[string]bool{}
	walk(t, func(name string, _ []byte) {
		dir := path.Dir(name)
		if strings.HasSuffix(name, ".go") && !strings.Contains("/"+dir+"/", "/testdata/") &&
			!nested(dir) {
			exist[dir] = true
		}
	})
	for p := range exist {
		if !table[p] {
			t.Errorf("DESIGN.md §1 has no row for package %s; add one: what it owns, what it must not know", p)
		}
		if _, ok := may[p]; !ok && !strings.HasPrefix(p, "cmd/") && !support(p) {
			t.Errorf("the import map has no row for package %s", p)
		}
	}
	for p := range table {
		if !exist[p] {
			t.Errorf("DESIGN.md §1 has a row for %s, which is no package", p)
		}
	}
	for p := range may {
		if !exist[p] {
			t.Errorf("the import map has a row for %s, which is no package", p)
		}
	}
}
