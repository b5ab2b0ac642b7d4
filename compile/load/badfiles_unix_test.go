//go:build unix

package load_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/aside-go/aside/compile/load"
	"github.com/aside-go/aside/grammar"
)

// TestL5BadFilesStopNothing loads one good file among everything that can be wrong with a file.
func TestL5BadFilesStopNothing(t *testing.T) {
	t.Parallel()
	root := tree(t, map[string]string{
		"d/good.md":     "fine",
		"d/bad.md":      "---\nwehn: x\n---\nx",
		"d/trigger.md":  "---\nwhen: turn_count > abc\n---\nx",
		"d/template.md": "{{.nothing}}",
		"d/same.md":     "---\nid: good\n---\nx",
		"d/huge.md":     strings.Repeat("x", 256<<10+1),
		"d/bytes.yaml":  "content: \xff",
		"elsewhere.md":  "linked",
		"d/sub/x.md":    "x",
		"d/sub/y":       "linked",
	})
	d := filepath.Join(root, "d")
	for name, to := range map[string]string{"link.md": "../elsewhere.md", "nothing.md": "gone",
		"zero.md": "/dev/zero", "dir.md": "sub", "loop.md": "loop.md",
		"inner.md": "sub/y"} {
		if err := os.Symlink(to, filepath.Join(d, name)); err != nil {
			t.Fatal(err)
		}
	}
	if err := syscall.Mkfifo(filepath.Join(d, "pipe.md"), 0o600); err != nil {
		t.Fatal(err)
	}
	r := load.Load([]load.Source{{Path: d}, {Path: filepath.Join(root, "missing")},
		{Path: filepath.Join(d, "good.md", "below")}}, load.Options{})
	if diff := cmp.Diff(map[string]string{"good": "fine", "inner": "linked"}, texts(r)); diff != "" {
		t.Error(diff)
	}
	var got []string
	for _, s := range told(root, r.Diagnostics) {
		got = append(got, s[:strings.Index(s, "]")+1])
	}
	want := []string{
		"d/bad.md:2:1: error[R0410]", "d/bytes.yaml:1:10: error[R0402]", "d/dir.md:0:0: info[R0445]",
		"d/huge.md:0:0: error[R0401]", "d/link.md:0:0: error[R0446]",
		"d/loop.md:0:0: error[R0440]", "d/nothing.md:0:0: error[R0440]",
		"d/pipe.md:0:0: error[R0441]", "d/same.md:2:5: error[R0421]", "d/sub:0:0: info[R0445]",
		"d/template.md:1:3: error[", "d/trigger.md:2:20: error[", "d/zero.md:0:0: error[R0446]",
	}
	for i := range want {
		if i >= len(got) || !strings.HasPrefix(got[i], want[i]) {
			t.Fatalf("got\n%s\nwant\n%s", strings.Join(told(root, r.Diagnostics), "\n"), strings.Join(want, "\n"))
		}
	}
	same := r.Diagnostics[slices.IndexFunc(r.Diagnostics,
		func(d grammar.Diagnostic) bool { return d.Code == "R0421" })]
	if !strings.HasSuffix(same.File, "d/same.md") || !strings.Contains(same.Hint, "d/good.md") {
		t.Errorf("not both files: %v", same)
	}
}
