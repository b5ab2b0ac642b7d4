package load_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/aside-go/aside/compile/load"
)

// TestGiven: files that were read by somebody else come to what Load makes of them, duplicates and overriding
// included.
func TestGiven(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	files := []struct{ path, src string }{
		{"low/a.md", "---\nwhen: turn_count > 3\n---\nlow"},
		{"low/b.md", "---\nid: a\nwhen: turn_count > 4\n---\ntwice"},
		{"low/c.md", "---\nwhen: turn_cuont > 4\n---\nwrong"},
		{"up/a.yaml", "when: turns_since(\"c\") > 3\ncontent: up"},
		{"up/d.md", "---\nwhen: [\n---\nwrong"},
	}
	var docs []load.Document
	for _, f := range files {
		path := filepath.Join(root, f.path)
		write(t, path, f.src)
		docs = append(docs, load.Document{Path: path, Dir: filepath.Dir(path), Src: []byte(f.src)})
	}
	want := load.Load([]load.Source{{Path: filepath.Join(root, "low")}, {Path: filepath.Join(root, "up")}},
		load.Options{})
	if err := os.RemoveAll(root); err != nil {
		t.Fatal(err)
	}
	got := load.Given(docs, load.Options{})
	if diff := cmp.Diff(want.Diagnostics, got.Diagnostics); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(want.Overrides, got.Overrides); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(want.Files, got.Files); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(want.Set.IDs(), got.Set.IDs()); diff != "" {
		t.Error(diff)
	}
	if len(want.Diagnostics) < 3 || len(want.Overrides) != 1 {
		t.Errorf("the case says too little: %v, %v", want.Diagnostics, want.Overrides)
	}
}
