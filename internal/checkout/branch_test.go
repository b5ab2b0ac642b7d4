package checkout_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/aside-go/aside/internal/checkout"
)

// TestBranch: the branch is read as git's own files say it, in clones, worktrees and submodules.
func TestBranch(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	for name, text := range map[string]string{
		"clone/.git/HEAD":                 "ref: refs/heads/fix/a-b\n",
		"clone/deep/in/it/file":           "",
		"clone/.git/worktrees/tree/HEAD":  "ref: refs/heads/side\r\n",
		"tree/.git":                       "gitdir: " + filepath.Join(root, "clone/.git/worktrees/tree") + "\n",
		"clone/sub/.git":                  "gitdir: ../.git/modules/sub\n",
		"clone/.git/modules/sub/HEAD":     "ref: refs/heads/module",
		"detached/.git/HEAD":              "8f5fb61c4a5f0a4c1e9c0f4f3e2d1c0b9a8f7e6d\n",
		"reftable/.git/HEAD":              "ref: refs/heads/.invalid\n",
		"broken/.git":                     "nonsense\n",
		"lost/.git":                       "gitdir: /nonexistent\n",
		"empty/.git/config":               "",
		"other/.git/HEAD":                 "ref: refs/remotes/origin/main\n",
		"clone/inner/detached/.git/HEAD":  "8f5fb61c4a5f0a4c1e9c0f4f3e2d1c0b9a8f7e6d\n",
		"project/.aside/reminders/a.yaml": "",
		"project/below/file":              "",
	} {
		writeFile(t, filepath.Join(root, name), text)
	}
	if err := os.MkdirAll(filepath.Join(root, "odd", ".git", "HEAD"), 0o700); err != nil {
		t.Fatal(err)
	}
	for dir, want := range map[string]string{"clone": "fix/a-b", "clone/deep/in/it": "fix/a-b", "tree": "side",
		"clone/sub": "module", "detached": "", "reftable": "", "broken": "", "lost": "", "empty": "", "other": "",
		"clone/inner/detached": "", "odd": "", "nothing": ""} {
		if got := checkout.Branch(filepath.Join(root, dir)); got != want {
			t.Errorf("%s: %q, want %q", dir, got, want)
		}
	}
	if checkout.Branch("") != "" {
		t.Error("no directory has a branch")
	}
}

func writeFile(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}
