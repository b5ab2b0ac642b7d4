package load_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/aside-go/aside/compile/load"
)

// TestUnread: what lies in a directory of rules and is not read is named, in a project as well; what editors
// leave there is not, nor what lies beside rules in the directory of a whole project.
func TestUnread(t *testing.T) {
	t.Parallel()
	files := map[string]string{}
	for _, name := range []string{"a.md", "b_test.yaml", "sub/n.md", "x.markdown", "X.MD", "y.Yaml", "x.txt",
		"c.md~", ".hidden", "#d.md#", ".sub/e.md"} {
		files["rules/"+name], files["p/.aside/reminders/"+name], files["p/"+name] = "x", "x", "x"
	}
	root := tree(t, files)
	for dir, want := range map[string]string{"rules": "X.MD sub x.markdown x.txt y.Yaml", "p": ""} {
		r := load.Load([]load.Source{{Path: filepath.Join(root, dir)}}, load.Options{})
		if got := unreadOf(r); got != want {
			t.Errorf("%s: %s, want %s", dir, got, want)
		}
	}
}

func unreadOf(r *load.Result) string {
	var names []string
	for _, d := range r.Diagnostics {
		if d.Code == "R0445" && d.Hint != "" {
			names = append(names, filepath.Base(d.File))
		}
	}
	return strings.Join(names, " ")
}

// TestProject finds projects upward.
func TestProject(t *testing.T) {
	t.Parallel()
	root := tree(t, map[string]string{"h/.aside/reminders/a.md": "x", "h/w/p/.git/HEAD": "x", "h/w/p/src/x": "x",
		"h/w/q/.claude/reminders/a.md": "x", "h/w/q/.git": "gitdir: x", "h/w/r/.agents/x": "x",
		"o/.agents/reminders/a.md": "x",
		"o/x/y/z":                  "x", "h/w/p/inner/.aside/reminders/a.md": "x"})
	for dir, want := range map[string]string{"h": "", "h/w": "", "h/w/p": "h/w/p", "h/w/p/src": "h/w/p",
		"h/w/q/.claude/reminders": "h/w/q", "h/w/r": "", "o": "o", "o/x/y": "o", "h/.aside/reminders": "",
		"h/w/p/inner": "h/w/p/inner", "o/none/at/all": "o"} {
		if want != "" {
			want = filepath.Join(root, want)
		}
		if got := load.Project(filepath.Join(root, dir), filepath.Join(root, "h")); got != want {
			t.Errorf("%s: %q, want %q", dir, got, want)
		}
	}
	if got := load.Project("", root); got != "" {
		t.Errorf("%q", got)
	}
}
