package layout

import (
	"bytes"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
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

// pages returns the Markdown pages of the tree by their paths, of testdata those alone that say what it is.
func pages(t *testing.T) map[string]string {
	t.Helper()
	all := map[string]string{}
	walk(t, func(path string, src []byte) {
		if strings.HasSuffix(path, ".md") &&
			(!strings.Contains(path, "testdata/") || filepath.Base(path) == "README.md") {
			all[path] = string(src)
		}
	})
	return all
}

// ofOthers reports whether a page is about programs of others: what they are called with, and the packages of
// their SDKs.
func ofOthers(page string) bool {
	return page == "internal/agent/HOOKS.md" || page == "inject/wire/WIRE.md" ||
		strings.HasPrefix(page, "testdata/")
}

// paragraphs returns the paragraphs of a page; each row of a table, each item of a list, and of a block each
// line with a command of ours, which then stands in backticks, is one.
func paragraphs(text string) []string {
	var all []string
	block, ends := false, true
	for line := range strings.Lines(text) {
		fence := strings.HasPrefix(line, "```")
		block = block != fence
		trimmed := strings.TrimSpace(line)
		if fence || trimmed == "" {
			ends = true
			continue
		}
		if block {
			m := blockCommand.FindStringSubmatch(trimmed)
			if m == nil {
				continue
			}
			trimmed = "`" + m[1] + "`"
		}
		if ends || block || strings.HasPrefix(trimmed, "|") || strings.HasPrefix(trimmed, "- ") {
			all = append(all, "")
		}
		all[len(all)-1] += trimmed + " "
		ends = block
	}
	return all
}

var (
	blockCommand = regexp.MustCompile(`(?:^|^[A-Z_]+=\S+ |\| )(asided? .*)`)
	codeSpan     = regexp.MustCompile("`([^`]+)`")
	ofAnother    = regexp.MustCompile(` (?:--|\||#) `) // behind it stands another command, or a remark
)

// spans returns what stands in backticks in a paragraph, each of several commands by itself.
func spans(paragraph string) (all []string) {
	for _, m := range codeSpan.FindAllStringSubmatch(paragraph, -1) {
		for _, s := range ofAnother.Split(strings.ReplaceAll(m[1], `\|`, "|"), -1) {
			if strings.TrimSpace(s) != "" {
				all = append(all, strings.TrimSpace(s))
			}
		}
	}
	return all
}

// comments calls visit with each comment of Go.
func comments(t *testing.T, visit func(where, text string)) {
	t.Helper()
	goFiles(t, func(_ string, _ []byte, fset *token.FileSet, f *ast.File) {
		for _, c := range f.Comments {
			visit(fset.Position(c.Pos()).String(), c.Text())
		}
	})
}

// file is a Go file or a Markdown page of the tree.
type file struct {
	name   string // from the root, with slashes
	src    []byte
	fset   *token.FileSet
	parsed func() (*ast.File, error)
}

// walk calls visit with the name and the text of each Go file and each Markdown page of the tree.
func walk(t *testing.T, visit func(path string, src []byte)) {
	t.Helper()
	for _, f := range tree(t) {
		visit(f.name, f.src)
	}
}

// tree returns the files of the tree. It reads them once for all tests.
func tree(t *testing.T) []file {
	t.Helper()
	files, err := readTree()
	if err != nil {
		t.Fatal(err)
	}
	return files
}

var readTree = sync.OnceValues(func() (files []file, err error) {
	root := filepath.Join("..", "..")
	err = filepath.WalkDir(root, func(p string, d fs.DirEntry, err error) error {
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
		f := file{name: filepath.ToSlash(rel), src: src, fset: token.NewFileSet()}
		f.parsed = sync.OnceValues(func() (*ast.File, error) {
			return parser.ParseFile(f.fset, f.name, src, parser.ParseComments)
		})
		files = append(files, f)
		return nil
	})
	return files, err
})

// TestCitations: each page, each section of a page, and each law that a comment of Go or a page cites exists.
func TestCitations(t *testing.T) {
	t.Parallel()
	all := map[string]string{} // by the name of the file
	for name, text := range pages(t) {
		all[filepath.Base(name)] += text
	}
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
	comments(t, check)
}

// elsewhere are how paths begin that look like paths of the tree and are not: those of Copilot, of the source
// of Crush, and where Go keeps what fuzzing finds.
var elsewhere = []string{".github/copilot", ".github/hooks", "internal/hooks", "testdata/fuzz"}

// TestPaths: each file and folder of the tree that a page or a comment names exists. Its path begins with a
// folder at the top of the tree; in a comment testdata may also be the one beside the file. The files of Go
// that a package comment names stand in the package.
func TestPaths(t *testing.T) {
	t.Parallel()
	root := filepath.Join("..", "..")
	entries, err := os.ReadDir(root)
	if err != nil {
		t.Fatal(err)
	}
	var top []string
	for _, e := range entries {
		if e.IsDir() && e.Name() != ".git" {
			top = append(top, regexp.QuoteMeta(e.Name()))
		}
	}
	inTree := regexp.MustCompile(`(?:^|[\s"(]|\./)((?:` + strings.Join(top, "|") + `)/[\w./*-]*\w)`)
	found := 0
	check := func(where, text string, dirs ...string) {
		for _, m := range inTree.FindAllStringSubmatch(text, -1) {
			found++
			foreign := slices.ContainsFunc(elsewhere, func(p string) bool { return strings.HasPrefix(m[1], p) })
			if !foreign && !exists(m[1], append(dirs, root)...) {
				t.Errorf("%s names %s, which does not exist", where, m[1])
			}
		}
	}
	for name, text := range pages(t) {
		for _, par := range paragraphs(text) {
			for _, span := range spans(par) {
				check(name, span)
			}
		}
	}
	file := regexp.MustCompile(`(?:^|[\s(])(\w+\.go)\b`)
	goFiles(t, func(name string, _ []byte, fset *token.FileSet, f *ast.File) {
		dir := filepath.Join(root, filepath.Dir(name))
		for _, c := range f.Comments {
			check(fset.Position(c.Pos()).String(), c.Text(), dir)
		}
		for _, m := range file.FindAllStringSubmatch(f.Doc.Text(), -1) {
			found++
			if !exists(m[1], dir) {
				t.Errorf("%s names %s, which its package lacks", name, m[1])
			}
		}
	})
	if found < 250 {
		t.Errorf("only %d names are found", found)
	}
}

// exists reports whether one of the folders has a path, which may have wildcards.
func exists(path string, dirs ...string) bool {
	return slices.ContainsFunc(dirs, func(dir string) bool {
		matches, _ := filepath.Glob(filepath.Join(dir, filepath.FromSlash(path)))
		return len(matches) > 0
	})
}

// TestDependencies: DESIGN.md §5 has, for each library that a module of the workspace requires, a row that
// names the module, and no other library.
func TestDependencies(t *testing.T) {
	t.Parallel()
	_, table, _ := strings.Cut(pages(t)["internal/layout/DESIGN.md"], "\n## 5. ")
	table, _, _ = strings.Cut(table, "\n## 6. ")
	dirs := map[string]string{"engine": "", "cmd": "cmd", "telemetry": "inject/transport/telemetry",
		"pgstore": "state/pgstore", "redisstore": "state/redisstore"}
	told := map[string][]string{} // the modules of each library
	for _, row := range strings.Split(table, "\n| ")[2:] {
		cells := strings.Split(row, " | ")
		for _, lib := range libraryNamed.FindAllStringSubmatch(cells[1], -1) {
			told[lib[1]] = strings.Split(cells[2], ", ")
		}
	}
	required := map[string]bool{}
	for name, dir := range dirs {
		mod, err := os.ReadFile(filepath.Join("..", "..", filepath.FromSlash(dir), "go.mod"))
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range regexp.MustCompile(`(?m)^\t(\S+) v\S+$`).FindAllStringSubmatch(string(mod), -1) {
			lib := strings.TrimPrefix(m[1], "github.com/")
			required[lib] = true
			if !strings.HasPrefix(m[1], module) && !slices.Contains(told[lib], name) {
				t.Errorf("DESIGN.md §5 does not say what %s is for in the module %s", lib, name)
			}
		}
	}
	for lib := range told {
		if !required[lib] && !strings.HasPrefix(lib, "net/") {
			t.Errorf("DESIGN.md §5 has %s, which no module requires", lib)
		}
	}
}

var libraryNamed = regexp.MustCompile("`([a-z][^`/]*/[^`]+)`")

var (
	testNamed  = regexp.MustCompile("`(Test[A-Za-z0-9]+)`|\\^(Fuzz[A-Za-z0-9]+)\\$")
	benchNamed = regexp.MustCompile(`\b(Aim[A-Za-z0-9]+) \./([a-z/]+)`)
	testFunc   = regexp.MustCompile(`(?m)^func ((?:Test|Fuzz|Benchmark)[A-Za-z0-9]+)\(`)
)

// TestTestNames: each test, each fuzz target and each benchmark that a page names exists, the benchmark in
// the package that stands beside it.
func TestTestNames(t *testing.T) {
	t.Parallel()
	exist := map[string]bool{}
	walk(t, func(name string, src []byte) {
		if !strings.HasSuffix(name, "_test.go") {
			return
		}
		for _, m := range testFunc.FindAllSubmatch(src, -1) {
			exist[string(m[1])], exist[path.Dir(name)+"."+string(m[1])] = true, true
		}
	})
	benchmarks := 0
	for name, text := range pages(t) {
		for _, m := range testNamed.FindAllStringSubmatch(text, -1) {
			if test := m[1] + m[2]; !exist[test] {
				t.Errorf("%s names %s, which is no test", name, test)
			}
		}
		for _, m := range benchNamed.FindAllStringSubmatch(text, -1) {
			benchmarks++
			if !exist[m[2]+".Benchmark"+m[1]] {
				t.Errorf("%s names %s of %s, which is no benchmark", name, m[1], m[2])
			}
		}
	}
	if benchmarks < 9 {
		t.Errorf("only %d benchmarks are found", benchmarks)
	}
}

// nested reports whether a package is one of those in modules of their own that import what others made: the
// tests of SDKs, and the adapters for frameworks.
func nested(pkg string) bool {
	return strings.HasPrefix(pkg, "inject/transport/adapters/sdktest") || strings.HasPrefix(pkg,
		"inject/transport/adapters/")
}

var row = regexp.MustCompile("(?m)^\\| `([a-z0-9/-]+)` \\|")

// TestLarge: DESIGN.md §8 says of each package with more than 2,000 lines of product why it must be so large.
func TestLarge(t *testing.T) {
	t.Parallel()
	_, text, _ := strings.Cut(pages(t)["internal/layout/DESIGN.md"], "\n## 8. ")
	said := map[string]bool{}
	for _, m := range row.FindAllStringSubmatch(text, -1) {
		said[m[1]] = true
	}
	lines := map[string]int{}
	walk(t, func(name string, src []byte) {
		dir := path.Dir(name)
		if strings.HasSuffix(name, ".go") && !strings.HasSuffix(name, "_test.go") && !support(dir) && !nested(dir) {
			lines[dir] += bytes.Count(src, []byte("\n"))
		}
	})
	for dir, n := range lines {
		if n > 2000 && !said[dir] {
			t.Errorf("%s has %d lines, and DESIGN.md §8 does not say why", dir, n)
		}
	}
	for dir := range said {
		if lines[dir] == 0 {
			t.Errorf("DESIGN.md §8 has a row for %s, which is not a package", dir)
		}
	}
	if len(lines) < 100 {
		t.Errorf("only %d packages", len(lines))
	}
}

// TestTable: the packages that exist stand in the tables of DESIGN.md §1, and but for the packages of
// commands in the import map; nothing else stands there.
func TestTable(t *testing.T) {
	t.Parallel()
	_, text, _ := strings.Cut(pages(t)["internal/layout/DESIGN.md"], "\n## 1. ")
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
