package parsed_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/aside-go/aside/cmd/aside/internal/parsed"
	"github.com/aside-go/aside/compile"
	"github.com/aside-go/aside/compile/load"
	"github.com/aside-go/aside/grammar"
	"github.com/aside-go/aside/internal/document"
)

// TestEveryField: what is remembered of a reminder is all that a file can say.
func TestEveryField(t *testing.T) {
	t.Parallel()
	src := []byte("---\nid: all\ndescription: Everything.\nwhen: context_usage > 0.5\nrearm: context_usage < 0.2\nfor: 3 turns\ncooldown: 5m\nkeep: 4 turns\n" +
		"max_fires: 7\npriority: -2\ntier: correctness\nattach: user_turn\nenabled: false\n---\nText.\n")
	want, ds := document.Read("/x/y.md", src)
	if len(ds) > 0 {
		t.Fatal(ds)
	}
	dir := t.TempDir()
	m := parsed.Open(dir, "b1", time.Now())
	m.Read("/x/y.md", src)
	if err := m.Save(); err != nil {
		t.Fatal(err)
	}
	got, ds := parsed.Open(dir, "b1", time.Now()).Read("/x/y.md", src)
	if len(ds) > 0 || len(got) != 1 {
		t.Fatal(ds, got)
	}
	if got[0].Origin != nil {
		t.Error("it was parsed again")
	}
	v := reflect.ValueOf(want[0])
	for i := range v.NumField() {
		name := v.Type().Field(i).Name
		switch zero := v.Field(i).IsZero(); name {
		case "Mode", "Predicate", "Faulty":
		default:
			if zero {
				t.Errorf("%s is not tested", name)
			}
		}
	}
	want[0].Origin = nil
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

var files = map[string]string{
	"a.md":     "---\nwhen: context_usage > 0.5 and not compacted\n---\nOne.\n",
	"b.md":     "---\nwhile: after_tool:Edit,Bash\nid: bee\n---\nTwo {{.model}}.\n",
	"list.yml": "reminders:\n- {id: c, when: len(tool_used) > 3, content: Three.}\n- {id: d, while: always, content: Four., enabled: false}\n",
	"bad.md":   "---\nwhen: context_usage >\n---\nFive.\n",
	"worse.md": "---\nwhen: [\n---\nSix.\n",
	"odd.md":   "---\nwhen: turn_count > 3\npriority: high\n---\nSeven.\n",
}

func rules(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// told is what a result comes to.
func told(r *load.Result) (all []string) {
	for i := range r.Set.Len() {
		rm := *r.Set.Reminder(i)
		rm.Origin = nil
		all = append(all, fmt.Sprintf("%+v %s", rm, r.Set.Trigger(i)))
	}
	for _, d := range r.Diagnostics { // where is not remembered
		all = append(all, d.File+" "+d.Code+" "+d.Message)
	}
	return all
}

// TestSameResult: rules are loaded as without a memory, mistakes told the same but for their places, whether it is empty, full or changed
// files make it old, and whether files have settled or not.
func TestSameResult(t *testing.T) {
	t.Parallel()
	for _, now := range []time.Time{time.Now(), time.Now().Add(time.Hour)} {
		dir, memory := rules(t), t.TempDir()
		sources := []load.Source{{Path: dir}}
		for _, text := range []string{"", "", "---\nwhen: compacted\n---\nOther.\n", "---\nwhen: compacted\n---\nAnother.\n", ""} {
			if text != "" {
				change(t, filepath.Join(dir, "a.md"), func(path string) error { return os.WriteFile(path, []byte(text), 0o600) })
			}
			want := told(load.Load(sources, load.Options{}))
			m := parsed.Open(memory, "b1", now)
			got := told(load.Load(sources, load.Options{Options: compile.Options{Parse: m.Parse}, Read: m.Read, Memory: m}))
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
			if err := m.Save(); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// TestNothingElse: only the very bytes under the very path, read by the very build, find what was remembered, in a whole file of the
// user's own.
func TestNothingElse(t *testing.T) {
	t.Parallel()
	src := []byte("---\nwhen: compacted\n---\nText.\n")
	knows := func(m *parsed.Memory, path string, src []byte) bool {
		rs, _ := m.Read(path, src)
		return len(rs) == 1 && rs[0].Origin == nil
	}
	remember := func(t *testing.T) (dir, file string) {
		dir = filepath.Join(t.TempDir(), "cache")
		m := parsed.Open(dir, "b1", time.Now())
		m.Read("/x/a.md", src)
		if err := m.Save(); err != nil {
			t.Fatal(err)
		}
		found, _ := filepath.Glob(filepath.Join(dir, "parsed-*"))
		if len(found) != 1 {
			t.Fatal(found)
		}
		if !knows(parsed.Open(dir, "b1", time.Now()), "/x/a.md", src) {
			t.Fatal("it is not remembered at all")
		}
		return dir, found[0]
	}
	dir, file := remember(t)
	if knows(parsed.Open(dir, "b1", time.Now()), "/x/b.md", src) {
		t.Error("another path")
	}
	if knows(parsed.Open(dir, "b1", time.Now()), "/x/a.md", append(bytes.Clone(src), ' ')) {
		t.Error("other bytes")
	}
	if knows(parsed.Open(dir, "b2", time.Now()), "/x/a.md", src) {
		t.Error("another build")
	}
	whole, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for i := range whole {
		changed := bytes.Clone(whole)
		changed[i] ^= 0x10
		for _, b := range [][]byte{changed, whole[:i]} {
			if err := os.WriteFile(file, b, 0o600); err != nil {
				t.Fatal(err)
			}
			if knows(parsed.Open(dir, "b1", time.Now()), "/x/a.md", src) {
				t.Fatalf("byte %d of %d", i, len(whole))
			}
		}
	}
	if runtime.GOOS == "windows" {
		return
	}
	dir, file = remember(t)
	if err := os.Chmod(file, 0o644); err != nil {
		t.Fatal(err)
	}
	if knows(parsed.Open(dir, "b1", time.Now()), "/x/a.md", src) {
		t.Error("others may read it")
	}
	dir, file = remember(t)
	if err := os.Rename(file, file+"x"); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(file+"x", file); err != nil {
		t.Fatal(err)
	}
	if knows(parsed.Open(dir, "b1", time.Now()), "/x/a.md", src) {
		t.Error("a link")
	}
}

// TestParse: a trigger's tree is that of its text, and of no other.
func TestParse(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for range 2 {
		m := parsed.Open(dir, "b1", time.Now())
		for _, src := range []string{"compacted", "compacted ", "context_usage > 75%", "a >", ""} {
			want, ds := grammar.Parse(src)
			got, gotDs := m.Parse(src)
			if diff := cmp.Diff(want, got); diff != "" || len(ds) != len(gotDs) {
				t.Errorf("%q: %v\n%s", src, gotDs, diff)
			}
		}
		if err := m.Save(); err != nil {
			t.Fatal(err)
		}
	}
}

// TestNowhere: without a directory, or with one that cannot be made, all goes as before.
func TestNowhere(t *testing.T) {
	t.Parallel()
	m := parsed.Open("", "b1", time.Now())
	m.Parse("compacted")
	if err := m.Save(); err != nil {
		t.Error(err)
	}
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	m = parsed.Open(filepath.Join(file, "cache"), "b1", time.Now())
	if _, ds := m.Parse("compacted"); len(ds) > 0 {
		t.Error(ds)
	}
	if err := m.Save(); err == nil {
		t.Error("it was saved below a file")
	}
}
