package install_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"github.com/aside-go/aside/cmd/aside/internal/install"
	"github.com/aside-go/aside/internal/agent"
	"github.com/aside-go/aside/internal/test/testkit"
)

// world is a machine in a directory: home, project and state.
type world struct {
	*install.Machine
	root string
	env  map[string]string
}

// tester is what a test and a property check have in common.
type tester interface {
	Helper()
	Fatal(...any)
	Fatalf(string, ...any)
	Error(...any)
	Errorf(string, ...any)
}

func newWorld(t testing.TB) *world { return newWorldAt(t, t.TempDir()) }

func newWorldAt(t tester, root string) *world {
	t.Helper()
	w := &world{root: root, env: map[string]string{}}
	w.Machine = &install.Machine{
		Home: filepath.Join(root, "home"), Project: filepath.Join(root,
			"project"), State: filepath.Join(root, "state"),
		Env:     func(name string) string { return w.env[name] },
		Program: install.Program{Aside: "/opt/aside/bin/aside", Hook: "/opt/aside/bin/aside-hook"},
	}
	for _, dir := range []string{w.Home, w.Project} {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	return w
}

func (w *world) write(t tester, name, text string) {
	t.Helper()
	path := filepath.Join(w.root, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// files are all files of home and project, by their paths below the root.
func (w *world) files(t tester) map[string]string {
	t.Helper()
	all := map[string]string{}
	for _, dir := range []string{w.Home, w.Project} {
		err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() {
				return err
			}
			b, err := os.ReadFile(path)
			rel, _ := filepath.Rel(w.root, path)
			all[filepath.ToSlash(rel)] = string(b)
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return all
}

// visible are files without backups.
func visible(files map[string]string) map[string]string {
	all := map[string]string{}
	for name, text := range files {
		if !strings.Contains(name, ".aside-backup-") {
			all[name] = text
		}
	}
	return all
}

func request(t tester, name string, scope install.Scope) install.Request {
	t.Helper()
	a, ok := agent.Named(name)
	if !ok {
		t.Fatalf("no agent %q", name)
	}
	return install.Request{Agent: a, Scope: scope}
}

func (w *world) install(t tester, r install.Request) *install.Result {
	t.Helper()
	res, err := w.Install(r)
	if err != nil {
		t.Fatal(err)
	}
	return res
}

func (w *world) uninstall(t tester, r install.Request) *install.Result {
	t.Helper()
	res, err := w.Uninstall(r)
	if err != nil {
		t.Fatal(err)
	}
	return res
}

// TestGolden: what an installation makes of a configuration; twice is once; and what uninstalling leaves is
// what was there, byte for byte, or where a golden has files without/, what was there without what was ours
// already.
func TestGolden(t *testing.T) {
	t.Parallel()
	names, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(names) == 0 {
		t.Fatal(err)
	}
	for _, name := range names {
		t.Run(strings.TrimSuffix(filepath.Base(name), ".txtar"), func(t *testing.T) {
			t.Parallel()
			ar, err := txtar.ParseFile(name)
			if err != nil {
				t.Fatal(err)
			}
			want := map[string]map[string]string{"before": {}, "after": {}, "without": {}}
			for _, f := range ar.Files {
				dir, rest, _ := strings.Cut(f.Name, "/")
				want[dir][rest] = string(f.Data)
			}
			w := newWorld(t)
			for name, text := range want["before"] {
				w.write(t, name, text)
			}
			args := strings.Fields(string(ar.Comment))
			r := request(t, args[0], install.Scope(args[1]))
			for i, a := range args {
				switch a {
				case "--statusline":
					r.StatusLine = true
				case "--mode":
					r.Mode = &args[i+1]
				}
			}
			dry := r
			dry.DryRun = true
			w.install(t, dry)
			if d := cmp.Diff(want["before"], w.files(t)); d != "" {
				t.Fatalf("a dry run has written:\n%s", d)
			}
			if res := w.install(t, r); !res.Changed() {
				t.Error("nothing is said to have changed")
			}
			installed := w.files(t)
			if testkit.Update() {
				ar.Files = slices.DeleteFunc(ar.Files, func(f txtar.File) bool {
					return strings.HasPrefix(f.Name,
						"after/")
				})
				for _, name := range sorted(visible(installed)) {
					ar.Files = append(ar.Files, txtar.File{Name: "after/" + name, Data: []byte(installed[name])})
				}
				if err := os.WriteFile(name, txtar.Format(ar), 0o644); err != nil {
					t.Fatal(err)
				}
			} else if d := cmp.Diff(want["after"], visible(installed)); d != "" {
				t.Errorf("installed (-want +got):\n%s", d)
			}
			if res := w.install(t, r); res.Changed() {
				t.Error("a second installation changes something")
			}
			if d := cmp.Diff(installed, w.files(t)); d != "" {
				t.Errorf("after a second installation:\n%s", d)
			}
			w.uninstall(t, r)
			before := want["before"]
			if len(want["without"]) > 0 {
				before = want["without"]
			}
			if testkit.Update() && len(want["without"]) > 0 {
				ar.Files = slices.DeleteFunc(ar.Files, func(f txtar.File) bool {
					return strings.HasPrefix(f.Name,
						"without/")
				})
				for name, text := range w.files(t) {
					ar.Files = append(ar.Files, txtar.File{Name: "without/" + name, Data: []byte(text)})
				}
				if err := os.WriteFile(name, txtar.Format(ar), 0o644); err != nil {
					t.Fatal(err)
				}
				return
			}
			if d := cmp.Diff(before, w.files(t)); d != "" {
				t.Errorf("after uninstalling (-want +got):\n%s", d)
			}
			if res := w.uninstall(t, r); res.Changed() {
				t.Error("uninstalling a second time changes something")
			}
		})
	}
}

func sorted(files map[string]string) (names []string) {
	for n := range files {
		names = append(names, n)
	}
	slices.Sort(names)
	return names
}

// TestEachAgentHasGolden: the installation of each agent is held to a golden file; a plugin is run by the
// tests of package agent.
func TestEachAgentHasGolden(t *testing.T) {
	t.Parallel()
	for _, a := range agent.All() {
		if len(a.Config.Files) == 0 || a.Config.Files[0].Plugin != nil {
			continue
		}
		if _, err := os.Stat(filepath.Join("testdata", a.Name+".txtar")); err != nil {
			t.Errorf("%s: %v", a.Name, err)
		}
	}
}
