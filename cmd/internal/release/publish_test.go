package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	xmod "golang.org/x/mod/module"

	"github.com/aside-go/aside/internal/test/testkit"
)

// prepared returns a repository with a copy of the tree, with a version written into it.
func prepared(t *testing.T, version string) (copied *tree, published []module) {
	t.Helper()
	copied, err := here(t).copied(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	published, err = copied.publish(t.TempDir(), version)
	if err != nil {
		t.Fatal(err)
	}
	return copied, published
}

// modFiles returns the files of a tree that a version is written into.
func modFiles(t *testing.T, tree *tree) map[string]string {
	t.Helper()
	all := map[string]string{}
	for _, name := range tree.files {
		if base := filepath.Base(name); base == "go.mod" || base == "go.sum" || base == "go.work" {
			all[name] = read(t, tree.at(name))
		}
	}
	return all
}

// TestPrepare: a version takes the place of another without a trace, and leaves the modules tidy.
func TestPrepare(t *testing.T) {
	if !testkit.Thorough() {
		t.Skip("with -long: it makes several releases of a copy of the tree")
	}
	t.Parallel()
	tree, published := prepared(t, "v1.2.3")
	first := modFiles(t, tree)
	for _, version := range []string{"v1.3.0", "v1.2.3"} {
		if _, err := tree.publish(t.TempDir(), version); err != nil {
			t.Fatal(err)
		}
		for name, text := range modFiles(t, tree) {
			if strings.Contains(text, "github.com/aside-go/aside v0.1.0") {
				t.Errorf("%s at %s:\n%s", name, version, text)
			}
		}
	}
	if diff := cmp.Diff(first, modFiles(t, tree)); diff != "" {
		t.Error(diff)
	}
	for name, want := range map[string]string{"go.work": "replace (\n\tgithub.com/aside-go/aside v1.2.3 => .\n",
		"cmd/go.mod": "\tgithub.com/aside-go/aside v1.2.3\n", "cmd/go.sum": "aside v1.2.3/go.mod h1:"} {
		if !strings.Contains(first[name], want) {
			t.Errorf("%s does not say %q:\n%s", name, want, first[name])
		}
	}
	for _, m := range published {
		mod, _, err := tree.tidied(m)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(first[m.file("go.mod")], string(mod)); diff != "" {
			t.Errorf("%s: %s", m.path, diff)
		}
	}
	if got := published[0].tag("v1.2.3"); got != "v1.2.3" {
		t.Error(got)
	}
}

// TestTags: what the go command makes of the tags has the sums that were written before there were tags.
func TestTags(t *testing.T) {
	t.Parallel()
	if !testkit.Thorough() {
		t.Skip("without -long: it fetches each module from git")
	}
	tree, published := prepared(t, "v1.2.3")
	git := func(args ...string) {
		t.Helper()
		do(t, tree.root, []string{"GIT_CONFIG_GLOBAL=" + os.DevNull}, "git",
			append([]string{"-c", "user.name=x", "-c", "user.email=x", "-c", "gc.auto=0"}, args...)...)
	}
	git("init", "-q")
	git("add", "-A", "-f") // what was listed is not ignored
	git("commit", "-q", "-m", "release")
	for _, m := range published {
		git("tag", m.tag("v1.2.3"))
	}
	env := []string{"GOWORK=off", "GOFLAGS=-modcacherw", "GOMODCACHE=" + t.TempDir(),
		"GOPRIVATE=github.com/aside-go/*", "GIT_ALLOW_PROTOCOL=file:https", "GIT_CONFIG_COUNT=1",
		"GIT_CONFIG_KEY_0=url." + fileURL(tree.root) + ".insteadOf",
		"GIT_CONFIG_VALUE_0=https://github.com/aside-go/aside"}
	last, err := readSums(tree.at("cmd/go.sum"))
	if err != nil {
		t.Fatal(err)
	}
	seen := 0
	for _, m := range published {
		var got struct{ Sum, GoModSum string }
		out := do(t, t.TempDir(), env, "go", "mod", "download", "-json", m.path+"@v1.2.3")
		if err := json.Unmarshal([]byte(out), &got); err != nil {
			t.Fatal(err)
		}
		v := xmod.Version{Path: m.path, Version: "v1.2.3"}
		if last[v] == "" {
			continue // cmd does not need it
		}
		seen++
		if got.Sum != last[v] || got.GoModSum != last[goModOf(v)] {
			t.Errorf("%s is %+v, and %s %s was written", v, got, last[v], last[goModOf(v)])
		}
	}
	if seen != 4 {
		t.Errorf("cmd has the sums of %d modules", seen)
	}
}

// TestPages: the pages have the help of each command, and the site has a sample.
func TestPages(t *testing.T) {
	t.Parallel()
	if !testkit.Thorough() {
		t.Skip("without -long: it builds the programs")
	}
	tree, dir := here(t), t.TempDir()
	if err := (&siteCmd{Dir: dir}).Run(tree); err != nil {
		t.Fatal(err)
	}
	if err := (&manCmd{Dir: dir}).Run(tree); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{
		"aside-check.1":  "Find mistakes in rule files",
		"aside-replay.1": "aside replay [<transcript",
		"aside.1":        "Say why each reminder fired",
		"asided-serve.1": "asided serve",
		"aside-faq.7":    ".TH",
		"commands.html":  "Find mistakes in rule files",
		"replay.html":    "Shell",
	} {
		if got := strings.ReplaceAll(read(t, filepath.Join(dir, name)), `\-`, "-"); !strings.Contains(got, want) {
			t.Errorf("%s does not say %q:\n%.600s", name, want, got)
		}
	}
	if got := read(t, filepath.Join(dir, "commands.html")); !strings.Contains(got, "&lt;transcript&gt; ...") {
		t.Errorf("%.600s", got)
	}
}
