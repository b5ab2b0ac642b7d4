package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"golang.org/x/mod/modfile"
	"golang.org/x/mod/semver"

	"github.com/aside-go/aside/internal/test/testkit"
)

// offered is the version that strangers get.
const offered = vetted

// unoptimised is how the frameworks of others are compiled: little of them runs, and .ci/run compiles them so
// for the adapters, too, whose step finds here what it needs.
const unoptimised = "-gcflags=all=-N -l -dwarf=false"

// market returns the environment of a stranger, who gets all modules of the tree from a proxy.
var market = sync.OnceValues(func() (env []string, err error) {
	root, err := filepath.Abs("../../..")
	if err != nil {
		return nil, err
	}
	tree, err := readTree(root)
	if err != nil {
		return nil, err
	}
	proxy := filepath.Join(testkit.Scratch(), "proxy")
	copied, err := tree.publishedCopy(proxy, offered)
	if err != nil {
		return nil, err
	}
	if err := os.RemoveAll(copied); err != nil {
		return nil, err
	}
	return alone(proxy, filepath.Join(testkit.Scratch(), "modules"))
})

// stranger returns the environment of a stranger. What only a stranger tells takes minutes.
func stranger(t *testing.T) []string {
	t.Helper()
	if !testkit.Thorough() {
		t.Skip("without -long: it builds what strangers build")
	}
	env, err := market()
	if err != nil {
		t.Fatal(err)
	}
	return env
}

// before is the go.mod file of a program that stands for years.
const before = `module example.com/stranger

go 1.26.0

require (
	github.com/klauspost/compress v1.17.0
	go.opentelemetry.io/otel v1.35.0
	golang.org/x/sync v0.10.0
)
`

// fresh is that of a new one.
const fresh = "module example.com/stranger\n\ngo 1.26.0\n"

// years is what a program that stands for years uses.
const years = `package main

import (
	_ "github.com/klauspost/compress/zstd"
	_ "go.opentelemetry.io/otel"
	_ "golang.org/x/sync/errgroup"
)
`

// agent is a program that embeds the engine.
const agent = `package main

import (
	"context"
	"fmt"
	"net/http"
	"os"

	"github.com/aside-go/aside/compile"
	"github.com/aside-go/aside/compile/load"
	"github.com/aside-go/aside/eval"
	"github.com/aside-go/aside/inject/transport"
)

func main() {
	rules := load.Load([]load.Source{{Path: "rules"}}, load.Options{Options: compile.Options{}})
	if rules.Diagnostics.HasErrors() {
		fmt.Println(rules.Diagnostics)
		os.Exit(1)
	}
	ev := eval.New(rules.Set, eval.Options{})
	_ = &http.Client{Transport: transport.New(ev, transport.Options{})}
	decision, err := ev.Decide(context.Background(), "run", ev.Observe("run").Turn())
	fmt.Println(len(decision.Fired), err)
}
`

// embedded builds a stranger's program of files, with modules of ours. It returns its folder and
// its go.mod afterwards.
func embedded(t *testing.T, files map[string]string, modules ...string) (dir string, after *modfile.File) {
	t.Helper()
	env, dir := stranger(t), t.TempDir()
	for name, text := range files {
		file := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, m := range modules {
		do(t, dir, env, "go", "get", m+"@"+offered)
	}
	do(t, dir, env, "go", "mod", "tidy")
	do(t, dir, env, "go", "build", unoptimised, "-o", "program.exe", ".")
	file := filepath.Join(dir, "go.mod")
	t.Logf("before:\n%s\nafter:\n%s", files["go.mod"], read(t, file))
	after, err := readMod(file)
	if err != nil {
		t.Fatal(err)
	}
	ours := 0
	for _, r := range after.Require {
		if strings.HasPrefix(r.Mod.Path, "github.com/aside-go/aside") {
			ours++
			if r.Mod.Version != offered {
				t.Errorf("%s", r.Mod)
			}
		}
	}
	if ours < len(modules) || len(after.Replace) > 0 {
		t.Errorf("%d modules of ours, %d replacements", ours, len(after.Replace))
	}
	return dir, after
}

// TestStranger: a stranger's program embeds the engine, and another one each library beside it. The engine
// raises only the versions of modules that it requires.
func TestStranger(t *testing.T) {
	t.Parallel()
	stranger(t)
	tree := here(t)
	for _, m := range tree.modules {
		if m.dir == "." || m.dir == "cmd" || m.tests {
			continue
		}
		t.Run(m.dir, func(t *testing.T) {
			embedded(t, map[string]string{"go.mod": fresh,
				"main.go": "package main\n\nimport _ \"" + m.path + "\"\n\nfunc main() {}\n"}, m.path)
		})
	}
	t.Run("engine", func(t *testing.T) {
		dir, after := embedded(t, map[string]string{"go.mod": before, "years.go": years, "main.go": agent,
			"rules/brief.md": "---\nwhen: always\n---\nBe brief.\n"}, "github.com/aside-go/aside")
		if got := do(t, dir, nil, filepath.Join(dir, "program.exe")); got != "1 <nil>\n" {
			t.Error(got)
		}
		old, err := modfile.Parse("go.mod", []byte(before), nil)
		if err != nil {
			t.Fatal(err)
		}
		built := do(t, tree.root, []string{"GOWORK=off"}, "go", "list", "-m", "all") // the engine by itself
		raised := 0
		for _, r := range old.Require {
			now := after.Require[slices.IndexFunc(after.Require, func(o *modfile.Require) bool {
				return o.Mod.Path == r.Mod.Path
			})].Mod
			if semver.Compare(now.Version, r.Mod.Version) <= 0 {
				continue
			}
			raised++
			if !strings.Contains(built, "\n"+now.Path+" "+now.Version+"\n") {
				t.Errorf("%s was raised to %s, which the engine does not require", r.Mod, now.Version)
			}
		}
		if raised == 0 {
			t.Error("no version was raised, though the engine requires a newer one")
		}
	})
}

// TestEngineRequires: the engine requires little, and nothing of databases, telemetry, and programs.
func TestEngineRequires(t *testing.T) {
	t.Parallel()
	tree := here(t)
	f, err := tree.goMod(tree.modules[0])
	if err != nil {
		t.Fatal(err)
	}
	const most = 18
	direct := 0
	for _, r := range f.Require {
		if !r.Indirect {
			direct++
		}
		for _, foreign := range []string{"jackc/pgx", "redis/", "go.opentelemetry.io/", "prometheus", "bubbletea",
			"kong", "grpc", "aside-go"} {
			if strings.Contains(r.Mod.Path, foreign) {
				t.Errorf("the engine requires %s", r.Mod)
			}
		}
	}
	if direct == 0 || direct > most {
		t.Errorf("the engine requires %d modules", direct)
	}
}

// TestInstall: the program that the go command installs knows its version.
func TestInstall(t *testing.T) {
	t.Parallel()
	env, bin := append(stranger(t), "GOBIN="+t.TempDir()), ""
	_, bin, _ = strings.Cut(env[len(env)-1], "=")
	for _, name := range []string{"aside", "aside-hook"} {
		do(t, t.TempDir(), env, "go", "install", "github.com/aside-go/aside/cmd/"+name+"@"+offered)
		if name == "aside-hook" {
			continue // it has no command version
		}
		got := do(t, bin, nil, filepath.Join(bin, name), "version")
		if !strings.HasPrefix(got, "aside "+offered+" ") {
			t.Error(got)
		}
	}
}
