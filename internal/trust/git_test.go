package trust_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/aside-go/aside/internal/checkout"
	"github.com/aside-go/aside/internal/test/testkit"
)

// TestWithGit: checkouts that git itself makes, moves and removes are known as git knows them.
func TestWithGit(t *testing.T) {
	t.Parallel()
	program := testkit.Program(t, "git")
	w := newWorld(t)
	git := func(in string, args ...string) string {
		t.Helper()
		cmd := exec.Command(program, args...)
		cmd.Dir = w.at(in)
		cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + w.base, "GIT_CONFIG_NOSYSTEM=1",
			"GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@b", "GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@b"}
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("git %q: %s%v", args, out, err)
		}
		return strings.TrimSpace(string(out))
	}
	const name = dir + "/rule.md"
	w.put("p/"+name, "rule")
	git("p", "init", "-q", "-b", "main")
	git("p", "add", "-A")
	git("p", "commit", "-q", "-m", "rule")
	w.trust(w.at("p"))
	git("p", "worktree", "add", "-q", "../wt")
	git("p", "worktree", "add", "-q", "-b", "other", "in/side")
	git("", "clone", "-q", "p", "clone")
	git("", "clone", "-q", "--bare", "p", "bare.git")
	git("bare.git", "worktree", "add", "-q", "../one")
	git("bare.git", "worktree", "add", "-q", "-b", "second", "../two")
	git("clone", "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", w.at("p"), "mod")
	git("clone/mod", "worktree", "add", "-q", "-b", "third", w.at("modwt"))

	agree := func(tops ...string) {
		t.Helper()
		for _, top := range tops {
			want := git(top, "rev-parse", "--path-format=absolute", "--git-common-dir")
			if c := checkout.Of(w.at(top)); c.Common != want || c.Doubt != nil {
				t.Errorf("%s: %+v, and git says %s", top, c, want)
			}
		}
	}
	trusted := func(want bool, tops ...string) {
		t.Helper()
		for _, top := range tops {
			texts, why := loaded(w.store, w.at(top))
			if (texts["rule"] == "rule") != want {
				t.Errorf("%s: %q %q", top, texts, why)
			}
		}
	}
	agree("p", "wt", "p/in/side", "clone", "one", "two", "modwt")
	trusted(true, "p", "wt", "p/in/side")
	trusted(false, "clone", "clone/mod", "modwt", "one", "two")
	w.trust(w.at("two"))
	trusted(true, "one", "two")
	trusted(false, "clone", "clone/mod", "modwt")

	w.put("wt/"+name, "another")
	git("wt", "commit", "-q", "-a", "-m", "another")
	trusted(false, "wt")
	w.trust(w.at("wt"))
	git("p", "merge", "-q", "wt")
	if texts, why := loaded(w.store, w.at("p")); texts["rule"] != "another" {
		t.Error("what was trusted in a worktree is not, once it is merged:", texts, why)
	}
	trusted(true, "p/in/side")

	git("p", "worktree", "move", "in/side", w.at("moved"))
	agree("moved")
	trusted(true, "moved")
	w.try(os.Rename(w.at("moved"), w.at("by hand")))
	trusted(false, "by hand")
	git("by hand", "worktree", "repair")
	agree("by hand")
	trusted(true, "by hand")
	w.try(os.CopyFS(w.at("copy"), os.DirFS(w.at("by hand"))))
	trusted(false, "copy")
	git("p", "worktree", "remove", "--force", w.at("by hand"))
	w.put("by hand/"+name, "rule")
	trusted(false, "by hand")
	if got := checkout.Others(w.at("p")); len(got) != 1 || got[0] != filepath.Join(w.base, "wt") {
		t.Error(got)
	}
}
