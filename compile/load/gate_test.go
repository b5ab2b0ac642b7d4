package load_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/aside-go/aside/compile/load"
)

var errNotYet = errors.New("not yet trusted")

// gate reads what is there, but for the files whose names are refused.
type gate struct {
	mu      sync.Mutex // guards what follows
	refuse  []string
	covered bool // Covers says no otherwise
	record  string
	asked   []string
}

func (g *gate) Approvals(load.Source) string { return g.record }

func (g *gate) set(refuse ...string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.refuse = refuse
}

func (g *gate) Covers(load.Source) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.covered
}

func (g *gate) Read(s load.Source) (files []load.File) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.asked = append(g.asked, strings.TrimPrefix(s.Path, s.Project))
	entries, err := os.ReadDir(s.Path)
	if err != nil {
		return nil
	}
	for _, e := range entries {
		f := load.File{Path: filepath.Join(s.Path, e.Name())}
		if !load.IsRuleFile(f.Path) {
			continue
		}
		for _, r := range g.refuse {
			if r == e.Name() {
				f.Err = errNotYet
			}
		}
		if f.Err == nil {
			f.Src, f.Err = os.ReadFile(f.Path)
		}
		files = append(files, f)
	}
	return files
}

// untrusted is what a result says was not used, below root.
func untrusted(root string, r *load.Result) []string {
	var all []string
	for _, u := range r.Untrusted {
		all = append(all, strings.TrimPrefix(u.Path, root+"/")+": "+u.Why.Error())
	}
	return all
}

// TestT1NoGateNoProject: who does not say whom he trusts, trusts nobody.
func TestT1NoGateNoProject(t *testing.T) {
	t.Parallel()
	root := tree(t, map[string]string{"h/.aside/reminders/a.md": "home", "p/.aside/reminders/a.md": "project"})
	// A directory of that name that cannot be opened would be told, were it looked at.
	if err := os.Symlink("nothing", filepath.Join(root, "p", ".claude")); err != nil {
		t.Fatal(err)
	}
	r := load.Load(load.Standard(filepath.Join(root, "h"), filepath.Join(root, "p")), load.Options{})
	if diff := cmp.Diff(map[string]string{"a": "home"}, texts(r)); diff != "" {
		t.Error(diff)
	}
	if len(r.Files) != 1 || len(r.Diagnostics) > 0 || len(r.Untrusted) > 0 {
		t.Errorf("%d files, %v, %v", len(r.Files), r.Diagnostics, r.Untrusted)
	}
}

func TestT2ThroughTheGate(t *testing.T) {
	t.Parallel()
	root := tree(t, map[string]string{"h/.aside/reminders/a.md": "home", "p/.aside/reminders/a.md": "project",
		"p/.claude/reminders/b.md": "b"})
	g := &gate{refuse: []string{"a.md"}}
	sources := load.Standard(filepath.Join(root, "h"), filepath.Join(root, "p"))
	r := load.Load(sources, load.Options{Trusted: g})
	if diff := cmp.Diff(map[string]string{"a": "home", "b": "b"}, texts(r)); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]string{"p/.aside/reminders/a.md: not yet trusted"}, untrusted(root, r)); diff != "" {
		t.Error(diff)
	}
	if len(r.Files) != 2 || len(r.Diagnostics) > 0 {
		t.Errorf("read %d files, %v", len(r.Files), r.Diagnostics)
	}
	if diff := cmp.Diff([]string{"/.agents/reminders", "/.claude/reminders", "/.aside/reminders"},
		g.asked); diff != "" {
		t.Error(diff)
	}
	// A file that a person names is read, whatever a gate said of it before.
	r = load.Load(append(sources, load.Source{Path: filepath.Join(root, "p/.aside/reminders/a.md")}),
		load.Options{Trusted: g})
	if diff := cmp.Diff(map[string]string{"a": "project", "b": "b"}, texts(r)); diff != "" {
		t.Error(diff)
	}
}

// TestT2GateBytes: what the gate gave is what is parsed, whatever the file holds.
func TestT2GateBytes(t *testing.T) {
	t.Parallel()
	r := load.Load([]load.Source{{Path: "/p/r", Project: "/p"}},
		load.Options{Trusted: fixed{{Path: "/p/r/x.md", Src: []byte("there is no such file")}}})
	if diff := cmp.Diff(map[string]string{"x": "there is no such file"}, texts(r)); diff != "" {
		t.Error(diff, r.Diagnostics)
	}
}

type fixed []load.File

func (fixed) Covers(load.Source) bool        { return true }
func (fixed) Approvals(load.Source) string   { return "" }
func (f fixed) Read(load.Source) []load.File { return f }

// TestT7 says what a project's reminders come to beside the user's own.
func TestT7(t *testing.T) {
	t.Parallel()
	const safe = "---\ntier: safety\npriority: 5\n---\nmine"
	for _, c := range []struct {
		name          string
		home, project map[string]string
		want          map[string]string // texts
		priorities    map[string]int
		disabled      string // an id that is switched off all the same
		told          []string
	}{
		{
			name: "replaced", home: map[string]string{"a.md": safe}, project: map[string]string{"a.md": "theirs"},
			want: map[string]string{"a": "mine"},
			told: []string{`p/.aside/reminders/a.md:1:1: warning[R0443]: a project cannot replace "a", a safety reminder of your own: this one is left out`},
		},
		{
			name: "switched off", home: map[string]string{"a.md": safe}, project: map[string]string{
				"z.md": "---\nid: a\nenabled: false\n---\n"},
			want: map[string]string{"a": "mine"},
			told: []string{`p/.aside/reminders/z.md:2:5: warning[R0443]: a project cannot switch off "a", a safety reminder of your own: this one is left out`},
		},
		{
			name: "replaced by one that calls itself safety", home: map[string]string{
				"a.md": safe}, project: map[string]string{"a.md": safe + " not"},
			want: map[string]string{"a": "mine"},
			told: []string{`p/.aside/reminders/a.md:2:1: warning[R0443]: a project cannot replace "a", a safety reminder of your own: this one is left out`},
		},
		{
			name: "one among others of a file", home: map[string]string{"a.md": safe},
			project: map[string]string{
				"r.yaml": "reminders:\n- {id: a, enabled: false, content: x}\n- {id: b, content: theirs}\n"},
			want: map[string]string{"a": "mine", "b": "theirs"}, priorities: map[string]int{"a": 5, "b": 0},
			told: []string{`p/.aside/reminders/r.yaml:2:8: warning[R0443]: a project cannot switch off "a", a safety reminder of your own: this one is left out`},
		},
		{
			name: "outranked", home: map[string]string{"a.md": safe}, project: map[string]string{
				"b.md": "---\ntier: safety\npriority: 6\n---\ntheirs"},
			want: map[string]string{"a": "mine", "b": "theirs"}, priorities: map[string]int{"a": 5, "b": 4},
			told: []string{`p/.aside/reminders/b.md:3:11: warning[R0444]: a project cannot outrank your own safety reminders: priority 6 counts as 4`},
		},
		{
			name: "the lowest counts", home: map[string]string{"a.md": safe,
				"low.md": "---\ntier: safety\npriority: -7\n---\nlow"}, project: map[string]string{
				"b.md": "---\npriority: -6\n---\ntheirs"},
			want: map[string]string{"a": "mine", "low": "low", "b": "theirs"}, priorities: map[string]int{"a": 5,
				"low": -7, "b": -8},
			told: []string{`p/.aside/reminders/b.md:2:11: warning[R0444]: a project cannot outrank your own safety reminders: priority -6 counts as -8`},
		},
		{
			name: "equal stands below, and is not told", home: map[string]string{
				"a.md": "---\ntier: safety\n---\nmine"}, project: map[string]string{
				"b.md": "theirs", "c.md": "---\npriority: -1\n---\nc"},
			want: map[string]string{"a": "mine", "b": "theirs", "c": "c"}, priorities: map[string]int{"a": 0,
				"b": -1, "c": -1},
		},
		{
			name: "guidance of the user's own may be replaced", home: map[string]string{
				"a.md": "mine"}, project: map[string]string{"a.md": "---\npriority: 100\n---\ntheirs"},
			want: map[string]string{"a": "theirs"}, priorities: map[string]int{"a": 100},
		},
		{
			name: "what the user has switched off stays off, and protects nothing", home: map[string]string{
				"a.md": "---\ntier: safety\nenabled: false\n---\nmine"}, project: map[string]string{
				"a.md": "---\npriority: 100\n---\ntheirs"},
			want: map[string]string{"a": "theirs"}, priorities: map[string]int{"a": 100},
		},
		{
			name: "another safety reminder of the project does not count", home: map[string]string{
				"a.md": "mine"}, project: map[string]string{"b.md": safe, "c.md": "---\npriority: 9\n---\nc"},
			want: map[string]string{"a": "mine", "b": "mine", "c": "c"}, priorities: map[string]int{"a": 0,
				"b": 5, "c": 9},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			files := map[string]string{}
			for name, text := range c.home {
				files["h/.claude/reminders/"+name] = text
			}
			for name, text := range c.project {
				files["p/.aside/reminders/"+name] = text
			}
			root := tree(t, files)
			r := load.Load(load.Standard(filepath.Join(root, "h"), filepath.Join(root, "p")),
				load.Options{Trusted: &gate{}})
			if diff := cmp.Diff(c.want, texts(r)); diff != "" {
				t.Error(diff)
			}
			for id, want := range c.priorities {
				if i, ok := r.Set.Index(id); !ok || r.Set.Reminder(i).Priority != want {
					t.Errorf("%s: not priority %d", id, want)
				}
			}
			if len(c.told) != len(r.Diagnostics) {
				t.Fatalf("%q", told(root, r.Diagnostics))
			}
			for i, want := range c.told {
				if got := told(root, r.Diagnostics)[i]; !strings.HasPrefix(got, want) {
					t.Errorf("told\n%s\nwant\n%s", got, want)
				}
			}
		})
	}
}

// TestWatchUntrusted tells nothing of a project that is not trusted.
func TestWatchUntrusted(t *testing.T) {
	t.Parallel()
	root := tree(t, map[string]string{"r/a.md": "one", "p/b.md": "two"})
	g := &gate{refuse: []string{"b.md"}}
	w := watch(t, false, load.Options{Trusted: g}, load.Source{Path: filepath.Join(root, "r")},
		load.Source{Path: filepath.Join(root, "p"), Project: root})
	w.until(ids{"a": "one"})
	write(t, filepath.Join(root, "p", "b.md"), "three")
	write(t, filepath.Join(root, "r", "a.md"), "four")
	if r := w.until(ids{"a": "four"}); len(r.Files) != 1 {
		t.Errorf("read %v", len(r.Files))
	}
}

// TestT4WatchForgets: a file that is no longer trusted has no last good form, nor has one whose new form is
// wrong.
func TestT4WatchForgets(t *testing.T) {
	t.Parallel()
	root := tree(t, map[string]string{"p/a.md": "one", "p/b.md": "two"})
	g := &gate{covered: true}
	w := watch(t, false, load.Options{Trusted: g}, load.Source{Path: filepath.Join(root, "p"), Project: root})
	w.until(ids{"a": "one", "b": "two"})
	g.set("b.md")
	write(t, filepath.Join(root, "p", "b.md"), "three")
	r := w.until(ids{"a": "one"})
	if diff := cmp.Diff([]string{"p/b.md: not yet trusted"}, untrusted(root, r)); diff != "" ||
		len(r.Stale) > 0 {
		t.Error(diff, r.Stale)
	}
	g.set()
	write(t, filepath.Join(root, "p", "b.md"), "four")
	w.until(ids{"a": "one", "b": "four"})
	write(t, filepath.Join(root, "p", "b.md"), "---\nwhen: turn_count > abc\n---\nfive")
	if r := w.until(ids{"a": "one"}); len(r.Stale) > 0 || !r.Diagnostics.HasErrors() {
		t.Error(r.Stale, r.Diagnostics)
	}
}
