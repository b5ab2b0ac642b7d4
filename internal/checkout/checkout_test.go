package checkout_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/aside-go/aside/internal/checkout"
)

// tree is a main worktree main with a linked one, a bare repository with two, and a submodule.
func tree(t *testing.T) string {
	t.Helper()
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	linked := func(common, name, top string) {
		dotGit, entry := filepath.Join(root, top, ".git"), filepath.Join(root, common, "worktrees", name)
		writeFile(t, dotGit, "gitdir: "+entry+"\n")
		writeFile(t, filepath.Join(entry, "gitdir"), dotGit+"\n")
		writeFile(t, filepath.Join(entry, "commondir"), "../..\n")
	}
	writeFile(t, filepath.Join(root, "main/.git/HEAD"), "ref: refs/heads/main\n")
	writeFile(t, filepath.Join(root, "main/sub/file"), "")
	linked("main/.git", "task", "task")
	writeFile(t, filepath.Join(root, "task/sub/file"), "")
	linked("bare.git", "one", "one")
	linked("bare.git", "two", "two")
	writeFile(t, filepath.Join(root, "main/.git/modules/mod/HEAD"), "ref: refs/heads/main\n")
	writeFile(t, filepath.Join(root, "main/mod/.git"), "gitdir: ../.git/modules/mod\n")
	return root
}

// TestOf: the checkout, the place and the other checkouts of directories.
func TestOf(t *testing.T) {
	t.Parallel()
	root := tree(t)
	for dir, want := range map[string]string{
		"main":      "top main, common main/.git, place main, others [task]",
		"main/sub":  "top main, common main/.git, place main/sub, others [task/sub]",
		"main/none": "top main, common main/.git, place main/none, others [task/none]",
		"task":      "linked top task, common main/.git, place main, others [main]",
		"task/sub":  "linked top task, common main/.git, place main/sub, others [main/sub]",
		"one":       "linked top one, common bare.git, place bare.git/., others [two]",
		"one/sub":   "linked top one, common bare.git, place bare.git/./sub, others [two/sub]",
		"bare.git":  "place bare.git, others []",
		"main/mod":  "top main/mod, place main/mod, others []",
		"task/mod":  "linked top task, common main/.git, place task/mod, others []",
	} {
		c := checkout.Of(filepath.Join(root, dir))
		if c.Doubt != nil {
			t.Errorf("%s: %v", dir, c.Doubt)
		}
		got := ""
		if c.Linked {
			got += "linked "
		}
		if c.Top != "" {
			got += "top " + c.Top + ", "
		}
		if c.Common != "" {
			got += "common " + c.Common + ", "
		}
		got += fmt.Sprintf("place %s, others %v", checkout.Place(filepath.Join(root, dir)),
			checkout.Others(filepath.Join(root, dir)))
		got = filepath.ToSlash(strings.ReplaceAll(got, root+string(filepath.Separator), ""))
		if diff := cmp.Diff(want, got); diff != "" {
			t.Error(dir, diff)
		}
	}
}

// TestDoubt: it is said why a .git that speaks of a linked worktree is not believed.
func TestDoubt(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, file, text string // a file that holds something else
		want             string // "": nothing is said
	}{
		{"another worktree's entry", "task/.git", "gitdir: ROOT/bare.git/worktrees/one\n",
			"ROOT/bare.git/worktrees/one is the entry of ROOT/one"},
		{"an entry of another worktree by now", "main/.git/worktrees/task/gitdir", "ROOT/one/.git\n",
			"ROOT/main/.git/worktrees/task is the entry of ROOT/one"},
		{"another common directory", "main/.git/worktrees/task/commondir", "ROOT/bare.git\n",
			"ROOT/main/.git/worktrees/task is not an entry of ROOT/bare.git"},
		{"nothing", "task/.git", "", "ROOT/task/.git names no directory"},
		{"too much", "task/.git", "gitdir: " + strings.Repeat("x", 9000),
			"ROOT/task/.git has more than 8192 bytes"},
		{"a submodule", "task/.git", "gitdir: ROOT/main/.git/modules/mod\n", ""},
		{"a git directory elsewhere", "task/.git", "gitdir: ROOT/bare.git\n", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			root := tree(t)
			writeFile(t, filepath.Join(root, tt.file), strings.ReplaceAll(tt.text, "ROOT", root))
			c := checkout.Of(filepath.Join(root, "task"))
			got := ""
			if c.Doubt != nil {
				got = filepath.ToSlash(strings.ReplaceAll(c.Doubt.Error(), root, "ROOT"))
			}
			if c.Linked || c.Common != "" || got != tt.want {
				t.Errorf("%+v: %s", c, got)
			}
		})
	}
	root := tree(t)
	back := filepath.Join(root, "main/.git/worktrees/task/gitdir")
	if err := os.Remove(back); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(back, 0o700); err != nil {
		t.Fatal(err)
	}
	if c := checkout.Of(filepath.Join(root, "task")); c.Linked || c.Doubt == nil ||
		!strings.HasSuffix(c.Doubt.Error(), "gitdir is not a regular file") {
		t.Error(c)
	}
}
