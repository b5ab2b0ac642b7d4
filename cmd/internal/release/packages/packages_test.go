//go:build unix

package packages

import (
	"bytes"
	"debug/elf"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"gopkg.in/yaml.v3"

	"github.com/aside-go/aside/internal/test/testkit"
)

const root = "../../../.."

// flags are those with which .goreleaser.yaml builds the version 1.2.3.
func flags(t *testing.T) []string {
	t.Helper()
	var config struct {
		Builds []struct{ Flags, Ldflags []string }
	}
	b, err := os.ReadFile(filepath.Join(root, ".goreleaser.yaml"))
	if err == nil {
		err = yaml.Unmarshal(b, &config)
	}
	if err != nil || len(config.Builds) < len(programs) {
		t.Fatalf("%v: %+v", err, config)
	}
	for _, of := range config.Builds { // 16 MB packed in place of 38
		ld := strings.Fields(strings.Join(of.Ldflags, " "))
		if !slices.Contains(ld, "-s") || !slices.Contains(ld, "-w") {
			t.Errorf("a program is not stripped: %q", ld)
		}
	}
	of := config.Builds[0]
	return append(of.Flags, "-ldflags", strings.ReplaceAll(of.Ldflags[0], "{{ .Version }}", "1.2.3"))
}

// build builds the programs as a release does, and returns where they are.
func build(t *testing.T, sources string) (binaries string) {
	t.Helper()
	binaries = t.TempDir()
	dir := filepath.Join(binaries, "aside_"+runtime.GOOS+"_"+runtime.GOARCH) + string(filepath.Separator)
	c := exec.Command("go", slices.Concat([]string{"build", "-C", sources, "-o", dir}, flags(t),
		[]string{"./cmd/aside", "./cmd/aside-hook"})...)
	if out, err := c.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	if f, err := elf.Open(dir + "aside"); err == nil { // else the system has another format
		defer f.Close()
		if f.Section(".symtab") != nil || f.Section(".debug_info") != nil {
			t.Error("the program is not stripped")
		}
	}
	return binaries
}

// copied is a copy of the workspace without its tests' data.
func copied(t *testing.T) (dir string) {
	t.Helper()
	dir = t.TempDir()
	for _, name := range strings.Fields("go.mod go.sum go.work go.work.sum cmd compile eval grammar inject " +
		"internal state") {
		from := filepath.Join(root, name)
		err := filepath.WalkDir(from, func(p string, d fs.DirEntry, err error) error {
			switch {
			case err != nil:
				return err
			case d.IsDir() && d.Name() == "testdata":
				return fs.SkipDir
			}
			rel, err := filepath.Rel(root, p)
			if err != nil {
				return err
			}
			if d.IsDir() {
				return os.MkdirAll(filepath.Join(dir, rel), 0o700)
			}
			b, err := os.ReadFile(p)
			if err != nil {
				return err
			}
			return os.WriteFile(filepath.Join(dir, rel), b, 0o600)
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// TestNames: what names a package in the registries says the names of names.json.
func TestNames(t *testing.T) {
	t.Parallel()
	n, err := readNames()
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range [][2]string{
		{"cmd/aside/client/typescript/index.js", "('" + n.NPM.CLI + "')"},
		{"cmd/aside/client/typescript/package.json", `"` + n.NPM.Client + `"`},
		{"cmd/aside/client/python/src/aside/__init__.py", "from " + module(n.PyPI.CLI) + " import"},
		{"cmd/aside/client/python/pyproject.toml", `name = "` + n.PyPI.Client + `"`},
		{"cmd/aside/editors/claude-code/bin/aside", " " + n.NPM.CLI + " "},
		{".github/actions/check/check.sh", n.NPM.CLI + "@$VERSION"},
		{"cmd/aside/internal/setup/setup.go", "npm install -g " + n.NPM.CLI + `"`},
		{"cmd/aside/internal/setup/setup.go", "uv tool install " + n.PyPI.CLI + `"`},
		{".goreleaser.yaml", "homepage: " + n.Repository},
	} {
		if b, err := os.ReadFile(filepath.Join(root, c[0])); err != nil || !strings.Contains(string(b), c[1]) {
			t.Errorf("%s does not say %q (%v)", c[0], c[1], err)
		}
	}
}

// TestPackages: two builds in two places make the same programs and packages; npm and pip install them into
// an empty home without a network, and they run.
func TestPackages(t *testing.T) {
	t.Parallel()
	if !testkit.Thorough() {
		t.Skip("without -long: it links the programs twice")
	}
	var outs []string
	for _, sources := range []string{root, copied(t)} {
		out := t.TempDir()
		if err := Write(os.DirFS(sources), "1.2.3", build(t, sources), out); err != nil {
			t.Fatal(err)
		}
		outs = append(outs, out)
	}
	made, err := filepath.Glob(filepath.Join(outs[0], "*"))
	if err != nil || len(made) != 5 {
		t.Fatalf("%q, %v", made, err)
	}
	for _, f := range made {
		a, _ := os.ReadFile(f)
		b, err := os.ReadFile(filepath.Join(outs[1], filepath.Base(f)))
		if err != nil || !bytes.Equal(a, b) {
			t.Errorf("%s is another one when it is built elsewhere (%v)", filepath.Base(f), err)
		}
	}
	tarballs, _ := filepath.Glob(filepath.Join(outs[0], "*.tgz"))
	wheels, _ := filepath.Glob(filepath.Join(outs[0], "*.whl"))
	t.Run("npm", func(t *testing.T) {
		home := t.TempDir()
		do(t, home, testkit.Program(t, "npm"), slices.Concat([]string{"install", "--offline",
			"--no-audit", "--no-fund",
			"--no-update-notifier", "--ignore-scripts"}, tarballs)...)
		npx := testkit.Program(t, "npx")
		if got := do(t, home, npx, "--offline", "aside", "version"); !strings.HasPrefix(got, "aside 1.2.3 ") {
			t.Error(got)
		}
		if got := do(t, home, npx, "--offline", "@aside/cli", "replay"); !strings.Contains(got,
			"reminders fired 6 times") {
			t.Error(got)
		}
		if got := do(t, home, testkit.Program(t, "node"), "--input-type=module", "-e",
			`import { Aside } from "@aside/client"; const a = new Aside({ state: "memory" });
console.log((await a.decide("r")).fired.length); await a.close();`); got != "0\n" {
			t.Error(got)
		}
		b, err := os.ReadFile(filepath.Join(home, "node_modules/@aside/client/package.json"))
		if types, code := bytes.Index(b, []byte(`"types"`)), bytes.Index(b, []byte(`"default"`)); err != nil ||
			types < 0 || code < types { // else a compiler finds the code first, and no types
			t.Errorf("%s: %v", b, err)
		}
	})
	t.Run("pip", func(t *testing.T) {
		home := t.TempDir()
		do(t, home, testkit.Program(t, "python3"), "-m", "venv", "v")
		bin := filepath.Join(home, "v", "bin")
		do(t, home, filepath.Join(bin, "pip"), append([]string{"install", "-q", "--no-index",
			"--disable-pip-version-check"}, wheels...)...)
		for _, name := range []string{"aside", "aside-cli"} {
			if got := do(t, home, filepath.Join(bin, name), "version"); !strings.HasPrefix(got, "aside 1.2.3 ") {
				t.Error(got)
			}
		}
		if got := do(t, home, filepath.Join(bin, "python"), "-c", "from aside import Aside\n"+
			"with Aside(state='memory') as a: print(len(a.decide('r')['fired']))"); got != "0\n" {
			t.Error(got)
		}
	})
}

// do runs a program in a home that has nothing else, and returns what it writes.
func do(t *testing.T, home, name string, args ...string) string {
	t.Helper()
	c := exec.Command(name, args...)
	c.Dir, c.Env = home, []string{"HOME=" + home, "PATH=" + filepath.Dir(testkit.Program(t, "node")) +
		":/usr/bin:/bin"}
	var errs bytes.Buffer
	c.Stderr = &errs
	out, err := c.Output()
	if err != nil {
		t.Fatalf("%s %q: %v\n%s%s", name, args, err, out, &errs)
	}
	return string(out)
}
