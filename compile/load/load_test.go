package load_test

import (
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	"github.com/aside-go/aside/compile"
	"github.com/aside-go/aside/compile/load"
	"github.com/aside-go/aside/grammar"
	"github.com/aside-go/aside/internal/document"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// tree writes files below a new directory, their names as given.
func tree(t testing.TB, files map[string]string) string {
	t.Helper()
	root := t.TempDir()
	for name, text := range files {
		write(t, filepath.Join(root, name), text)
	}
	return root
}

func write(t testing.TB, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// told is each diagnostic on a line, the directory root left out.
func told(root string, ds grammar.Diagnostics) []string {
	var all []string
	for _, d := range ds {
		all = append(all, strings.ReplaceAll(d.String(), root+string(filepath.Separator), ""))
	}
	return all
}

// texts is the text of each reminder by id.
func texts(r *load.Result) map[string]string {
	m := map[string]string{}
	for i := range r.Set.Len() {
		m[r.Set.Reminder(i).ID] = r.Set.Reminder(i).Text
	}
	return m
}

func TestStandard(t *testing.T) {
	t.Parallel()
	var got []string
	for _, s := range load.Standard("/h", "/p") {
		got = append(got, strings.TrimSpace(filepath.ToSlash(s.Path)+" "+s.Project))
	}
	want := []string{"/h/.agents/reminders", "/h/.claude/reminders", "/h/.aside/reminders",
		"/p/.agents/reminders /p", "/p/.claude/reminders /p", "/p/.aside/reminders /p"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if s := load.Standard("", "/p"); len(s) != 3 || s[0].Project != "/p" {
		t.Errorf("without a home: %v", s)
	}
	if s := load.Standard("/h", ""); len(s) != 3 || s[0].Project != "" {
		t.Errorf("without a project: %v", s)
	}
}

func TestPrecedence(t *testing.T) {
	t.Parallel()
	root := tree(t, map[string]string{
		"h/.agents/reminders/a.md":       "agents",
		"h/.agents/reminders/low.md":     "low",
		"h/.claude/reminders/a.md":       "claude",
		"h/.aside/reminders/a.md":        "home",
		"h/.aside/reminders/hidden.md":   "hidden",
		"p/.agents/reminders/x.yaml":     "reminders:\n- {id: a, content: project}\n- {id: new, content: new}\n",
		"p/.aside/reminders/hidden.md":   "---\nenabled: false\n---\n",
		"p/.aside/reminders/sub/deep.md": "not recursive",
		"p/.aside/reminders/notes.txt":   "no rule file",
		"p/.aside/reminders/.a.md.swp":   "an editor's",
		"p/.aside/reminders/.#a.md":      "an editor's",
	})
	r := load.Load(load.Standard(filepath.Join(root, "h"), filepath.Join(root, "p")),
		load.Options{Trusted: &gate{}})
	if len(r.Diagnostics) > 0 {
		t.Fatal(r.Diagnostics)
	}
	if diff := cmp.Diff(map[string]string{"a": "project", "low": "low", "new": "new"}, texts(r)); diff != "" {
		t.Error(diff)
	}
	over := map[string][]string{
		"a": {root + "/h/.agents/reminders/a.md", root + "/h/.claude/reminders/a.md",
			root + "/h/.aside/reminders/a.md"},
		"hidden": {root + "/h/.aside/reminders/hidden.md"},
	}
	if diff := cmp.Diff(over, r.Overrides); diff != "" {
		t.Error(diff)
	}
	if len(r.Files) != 7 || string(r.Files[root+"/h/.agents/reminders/low.md"]) != "low" {
		t.Errorf("files: %v", len(r.Files))
	}
	if len(r.Reminders) != 4 || !r.Reminders[1].Disabled {
		t.Errorf("reminders: %v", r.Reminders)
	}
}

func TestBadOverrideHidesNothing(t *testing.T) {
	t.Parallel()
	root := tree(t, map[string]string{"1/a.md": "low", "2/a.md": "---\nwhen: turn_count > abc\n---\nhigh",
		"3/a.md": "---\nwehn: x\n---\nhigher"})
	r := load.Load([]load.Source{{Path: filepath.Join(root, "1")}, {Path: filepath.Join(root, "2")},
		{Path: filepath.Join(root, "3")}}, load.Options{})
	if diff := cmp.Diff(map[string]string{"a": "low"}, texts(r)); diff != "" {
		t.Error(diff)
	}
	if len(r.Diagnostics) != 2 || len(r.Overrides) > 0 {
		t.Errorf("%v %v", r.Diagnostics, r.Overrides)
	}
}

func TestPaths(t *testing.T) {
	t.Parallel()
	root := tree(t, map[string]string{"r/b.md": "b", "r/a.md": "a", "r/x.txt": "x", "s/[1].md": "one",
		"t.yaml": "content: t"})
	in := func(parts ...string) string { return filepath.Join(append([]string{root}, parts...)...) }
	for _, c := range []struct {
		name     string
		patterns []string
		want     []string
		missing  bool
	}{
		{"a directory and a file", []string{in("r"), in("t.yaml")}, []string{"r", "t.yaml"}, false},
		{"a pattern", []string{in("r", "*.md")}, []string{"r/a.md", "r/b.md"}, false},
		{"a pattern matches what is not a rule file too", []string{
			in("r", "*")}, []string{"r/a.md", "r/b.md"}, false},
		{"a file by two names", []string{in("r", "b.md"), in("r", "*.md"), in("r", ".", "b.md")},
			[]string{"r/b.md", "r/a.md"}, false},
		{"a name that looks like a pattern", []string{in("s", "[1].md")}, []string{"s/[1].md"}, false},
		{"nothing", []string{in("r", "*.yml")}, nil, true},
		{"no rule file", []string{in("r", "*.txt")}, nil, true},
		{"no such file, others stay", []string{in("none.md"), in("t.yaml")}, []string{"t.yaml"}, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			sources, err := load.Paths("", c.patterns...)
			if (err != nil) != c.missing || err != nil && !errors.Is(err, fs.ErrNotExist) {
				t.Fatal(err)
			}
			var got []string
			for _, s := range sources {
				got = append(got, strings.TrimPrefix(s.Path, root+"/"))
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
	if _, err := load.Paths("", "["+root); err == nil {
		t.Error("a broken pattern is fine")
	}
}

func TestFilesOfOneDirectory(t *testing.T) {
	t.Parallel()
	root := tree(t, map[string]string{"r/a.md": "a", "r/b.md": "---\nid: a\n---\nb"})
	sources, err := load.Paths("", filepath.Join(root, "r", "*.md"))
	if err != nil {
		t.Fatal(err)
	}
	r := load.Load(sources, load.Options{})
	if len(r.Diagnostics) != 1 || r.Diagnostics[0].Code != "R0421" || texts(r)["a"] != "a" {
		t.Errorf("%v %v", r.Diagnostics, texts(r))
	}
	dir := func(path string) *load.Result {
		return load.Load([]load.Source{{Path: filepath.Join(root, path)}}, load.Options{})
	}
	if r := dir("r"); r.Set.Len() != 1 || len(r.Diagnostics) != 1 {
		t.Errorf("%d %v", r.Set.Len(), r.Diagnostics)
	}
	if r := load.Load([]load.Source{{Path: filepath.Join(root, "r")}, {Path: filepath.Join(root, "r", "a.md")}},
		load.Options{}); len(r.Diagnostics) != 1 || len(r.Files) != 2 {
		t.Errorf("a file that is named twice: %v", r.Diagnostics)
	}
	if r := dir("none"); r.Set.Len() != 0 || len(r.Diagnostics) != 0 {
		t.Errorf("%d %v", r.Set.Len(), r.Diagnostics)
	}
}

// TestL8LoadOrder writes the same files in many orders and loads them fifty times.
func TestL8LoadOrder(t *testing.T) {
	t.Parallel()
	files := map[string]string{}
	for i := range 40 {
		files[fmt.Sprintf("r/f%02d.md", i)] = fmt.Sprintf("---\nid: i%d\nwhen: turn_count > %d\n---\ntext %d",
			(i*7)%30, i, i)
	}
	files["r/bad.md"], files["r/worse.yaml"] = "---\nx: 1\ny: 2\n---\n", "reminders:\n- {id: i1, "+
		"content: x}\n- "+
		"{id: q, tier: z, content: x}\n"
	names := slices.Sorted(func(yield func(string) bool) {
		for n := range files {
			if !yield(n) {
				return
			}
		}
	})
	var first string
	for seed := range uint64(10) {
		root := t.TempDir()
		rand.New(rand.NewPCG(seed, 1)).Shuffle(len(names), func(i, j int) {
			names[i],
				names[j] = names[j], names[i]
		})
		for _, n := range names {
			write(t, filepath.Join(root, n), files[n])
		}
		for range 5 {
			r := load.Load([]load.Source{{Path: filepath.Join(root, "r")}}, load.Options{})
			got := fmt.Sprint(told(root, r.Diagnostics), r.Set.IDs())
			for i := range r.Set.Len() {
				got += r.Set.Reminder(i).Text + r.Set.Trigger(i).String()
			}
			if first == "" {
				first = got
			}
			if got != first {
				t.Fatal(cmp.Diff(first, got))
			}
		}
	}
}

func TestTooManyReminders(t *testing.T) {
	t.Parallel()
	files := map[string]string{}
	id := 0
	for f := range 11 {
		s := "reminders:\n"
		for range 1000 {
			s += fmt.Sprintf("- {id: r%05d, content: x}\n", id)
			id++
		}
		files[fmt.Sprintf("f%02d.yaml", f)] = s
	}
	r := load.Load([]load.Source{{Path: tree(t, files)}}, load.Options{})
	if r.Set.Len() != 10_000 || len(r.Diagnostics) != 1 || r.Diagnostics[0].Code != "R0442" ||
		r.Diagnostics[0].Range.Start.Line != 2 {
		t.Errorf("%d reminders, %v", r.Set.Len(), r.Diagnostics)
	}
}

// TestPanicOfOneFile: what panics over one of many files panics where Load was called, and not in a goroutine
// that nobody can guard.
func TestPanicOfOneFile(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for i := range 200 {
		write(t, filepath.Join(dir, fmt.Sprintf("r%03d.md", i)), rule(i))
	}
	defer func() {
		if p := recover(); p != "over r150" {
			t.Errorf("recovered %v", p)
		}
	}()
	read := func(path string, src []byte) ([]compile.Source, grammar.Diagnostics) {
		if filepath.Base(path) == "r150.md" {
			panic("over r150")
		}
		return document.Read(path, src)
	}
	load.Load([]load.Source{{Path: dir}}, load.Options{Read: read})
	t.Error("nothing panicked")
}

// TestRemovedWhileReading: a file that was listed and is gone when its turn comes is no file, and no mistake.
// A link to nothing is one.
func TestRemovedWhileReading(t *testing.T) {
	t.Parallel()
	root := tree(t, map[string]string{"a.md": "one", "b.md": "two"})
	if err := os.Symlink(filepath.Join(root, "nothing"), filepath.Join(root, "c.md")); err != nil {
		t.Fatal(err)
	}
	read := func(path string, src []byte) ([]compile.Source, grammar.Diagnostics) {
		if err := os.RemoveAll(filepath.Join(root, "b.md")); err != nil {
			t.Error(err)
		}
		return document.Read(path, src)
	}
	r := load.Load([]load.Source{{Path: root}}, load.Options{Read: read})
	if got := r.Set.IDs(); !slices.Equal(got, []string{"a"}) {
		t.Error(got)
	}
	if len(r.Diagnostics) != 1 || r.Diagnostics[0].File != filepath.Join(root, "c.md") {
		t.Error(r.Diagnostics)
	}
}

// TestRuleTests: a rule test among the rule files has no reminders and no diagnostics. Its name and its key
// tests make it one.
func TestRuleTests(t *testing.T) {
	t.Parallel()
	dir := tree(t, map[string]string{
		"a.yaml":      "id: a\ncontent: A\n",
		"b_test.yaml": "reminders: [a.yaml]\ntests:\n  - name: n\n    steps: [{fires: [a]}]\n",
		"c_test.yml":  "\"tests\": []\n",
		"d.yaml":      "tests: []\n",
		"e_test.yaml": "tasks: []\n",
	})
	check := func(r *load.Result) {
		t.Helper()
		want := []string{filepath.Join(dir, "b_test.yaml"), filepath.Join(dir, "c_test.yml")}
		if d := cmp.Diff(want, r.Tests); d != "" {
			t.Errorf("tests (-want +got):\n%s", d)
		}
		if d := cmp.Diff(map[string]string{"a": "A"}, texts(r)); d != "" {
			t.Errorf("reminders (-want +got):\n%s", d)
		}
		var wrong []string
		for _, d := range r.Diagnostics {
			wrong = append(wrong, filepath.Base(d.File))
		}
		if got := slices.Compact(wrong); !slices.Equal(got, []string{"d.yaml", "e_test.yaml"}) {
			t.Errorf("diagnostics of %v", got)
		}
		if len(r.Files) != 5 {
			t.Errorf("%d files", len(r.Files))
		}
	}
	check(load.Load([]load.Source{{Path: dir}}, load.Options{}))
	var docs []load.Document
	for _, name := range []string{"a.yaml", "b_test.yaml", "c_test.yml", "d.yaml", "e_test.yaml"} {
		src, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		docs = append(docs, load.Document{Path: filepath.Join(dir, name), Dir: dir, Src: src})
	}
	check(load.Given(docs, load.Options{}))
}
