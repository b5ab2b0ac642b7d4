package main

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/aside-go/aside/internal/test/testkit"
)

func TestMain(m *testing.M) { testkit.Main(m) }

// here returns the tree of this repository.
func here(t *testing.T) *tree {
	t.Helper()
	root, err := filepath.Abs("../../..")
	if err != nil {
		t.Fatal(err)
	}
	tree, err := readTree(root)
	if err != nil {
		t.Fatal(err)
	}
	return tree
}

// planted returns the tree of a new repository with files of these texts.
func planted(t *testing.T, files map[string]string) *tree {
	t.Helper()
	root := t.TempDir()
	for name, text := range files {
		file := filepath.Join(root, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	do(t, root, nil, "git", "init", "-q")
	tree, err := readTree(root)
	if err != nil {
		t.Fatal(err)
	}
	return tree
}

// do runs a program that must not fail, and returns its output.
func do(t *testing.T, dir string, env []string, name string, args ...string) string {
	t.Helper()
	out, err := run(dir, env, name, args...)
	if err != nil {
		t.Fatal(err)
	}
	return string(out)
}

func read(t *testing.T, file string) string {
	t.Helper()
	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// small is a tree of two modules, of which cmd has not said yet that it requires the other.
var small = map[string]string{
	"LICENSE":       "Free.\n",
	"go.work":       "go 1.26.0\n\nuse (\n\t.\n\t./cmd\n)\n\nreplace example.com/a v0.1.0 => .\n",
	"go.mod":        "module example.com/a\n\ngo 1.26.0\n",
	"a.go":          "package a\n",
	"cmd/go.mod":    "module example.com/a/cmd\n\ngo 1.26.0\n",
	"cmd/main.go":   "package main\n\nimport _ \"example.com/a\"\n\nfunc main() {}\n",
	"law/go.work":   "go 1.26.0\n\nuse .\n\nreplace example.com/a => ..\n",
	"law/go.mod":    "module example.com/a/law\n\ngo 1.26.0\n\nrequire example.com/a v0.1.0\n",
	"law/a_test.go": "package law\n\nimport _ \"example.com/a\"\n",
}

// TestModules: the modules of this repository are those of its workspaces, each behind those that it
// requires; the tests of vendors' SDKs are one that nobody gets. A file belongs to one module.
func TestModules(t *testing.T) {
	t.Parallel()
	tree := here(t)
	order, err := tree.ordered()
	if err != nil {
		t.Fatal(err)
	}
	at := func(dir string) int {
		return slices.IndexFunc(order, func(m module) bool { return m.dir == dir })
	}
	if first := order[0].path; first != "github.com/aside-go/aside" || len(order) != len(tree.modules) {
		t.Errorf("%s is first of %d", first, len(order))
	}
	for _, dir := range []string{"state/pgstore", "state/redisstore", "inject/transport/telemetry"} {
		if at(dir) < 1 || at(dir) > at("cmd") {
			t.Errorf("%s is at %d, cmd at %d", dir, at(dir), at("cmd"))
		}
	}
	files := 0
	for _, m := range order {
		if m.tests != strings.HasSuffix(m.dir, "/sdktest") {
			t.Errorf("%s: tests alone: %v", m.dir, m.tests)
		}
		files += len(tree.filesOf(m))
	}
	if files != len(tree.files) {
		t.Errorf("the modules have %d files, the tree %d", files, len(tree.files))
	}
}

// TestTidy: the tool reports an untidy go.mod, and then mends it, with the version at which modules require
// each other.
func TestTidy(t *testing.T) {
	t.Parallel()
	tree := planted(t, small)
	check := &tidyCmd{Check: true}
	err := check.Run(tree)
	if err == nil || !strings.Contains(err.Error(), "cmd/go.mod is not tidy") ||
		!strings.Contains(err.Error(), "\n+require example.com/a v0.1.0\n") {
		t.Fatal(err)
	}
	if err := (&tidyCmd{}).Run(tree); err != nil {
		t.Fatal(err)
	}
	const want = "module example.com/a/cmd\n\ngo 1.26.0\n\nrequire example.com/a v0.1.0\n"
	if got := read(t, tree.at("cmd/go.mod")); got != want {
		t.Error(got)
	}
	if err := check.Run(tree); err != nil {
		t.Error(err)
	}
}

// TestCircle: modules that require each other cannot be published, nor can a module that replaces another, or
// requires one at a version of nobody.
func TestCircle(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct{ mod, want string }{
		"circle":  {"require example.com/a/cmd v0.1.0\n", "example.com/a, example.com/a/cmd"},
		"replace": {"replace example.com/b => ../b\n", "replaces example.com/b"},
		"zero": {"require example.com/b v0.0.0-00010101000000-000000000000\n",
			"requires example.com/b@v0.0.0-00010101000000-000000000000"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			files := maps.Clone(small)
			files["go.mod"] += "\n" + tt.mod
			files["cmd/go.mod"] += "\nrequire example.com/a v0.1.0\n"
			_, err := planted(t, files).publish(t.TempDir(), "v1.2.3")
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Error(err)
			}
		})
	}
}
