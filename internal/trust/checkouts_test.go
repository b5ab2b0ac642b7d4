//go:build unix

package trust_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/aside-go/aside/compile/load"
	"github.com/aside-go/aside/internal/trust"
	"github.com/google/go-cmp/cmp"
)

// statuses is what a review of a directory says of its files.
func (w *world) statuses(name string) map[string]string {
	w.t.Helper()
	r, err := w.store.Review(w.at(name))
	w.try(err)
	all := map[string]string{}
	for _, f := range r.Files {
		all[filepath.Base(f.Name)] = f.Status.String()
	}
	return all
}

func (w *world) same(name string, want map[string]string) {
	w.t.Helper()
	if diff := cmp.Diff(want, w.statuses(name)); diff != "" {
		w.t.Error(name, diff)
	}
}

// TestTextsOfCheckouts: a text is trusted in all checkouts as long as one of them has it; another one does
// not take its place there.
func TestTextsOfCheckouts(t *testing.T) {
	t.Parallel()
	w := repositories(t)
	w.put("wt/"+rule, "second")
	w.put("wt/"+dir+"/more.md", "more")
	w.same("wt", map[string]string{"rule.md": "changed", "more.md": "new"})
	w.trust(w.at("wt"))
	w.same("wt", map[string]string{"rule.md": "trusted", "more.md": "trusted"})
	w.same("p", map[string]string{"rule.md": "trusted"}) // that more.md is not here is no news
	texts, why := loaded(w.store, w.at("wt"))
	if texts["rule"] != "second" || len(why) > 0 {
		t.Error(texts, why)
	}
	ps, err := w.store.Projects()
	if diff := cmp.Diff([]trust.Project{{Path: w.at("p"), At: when, Files: []string{dir + "/more.md", rule}}},
		ps); diff != "" || err != nil {
		t.Error(diff, err)
	}

	w.put("p/"+rule, "third")
	w.trust(w.at("p"))
	w.same("wt", map[string]string{"rule.md": "trusted", "more.md": "trusted"})
	w.put("p/"+rule, "rule") // which no checkout had when the third took its place
	w.same("p", map[string]string{"rule.md": "changed"})
	w.put("p/"+rule, "second")
	w.same("p", map[string]string{"rule.md": "trusted"})

	w.try(os.RemoveAll(w.at("wt/.aside")))
	w.put("wt/"+dir+"/other.md", "other")
	w.trust(w.at("wt"))
	w.same("p", map[string]string{"rule.md": "trusted"})
	w.put("p/"+dir+"/more.md", "more") // no checkout had it when its last one was approved without it
	w.same("p", map[string]string{"rule.md": "trusted", "more.md": "new"})
}

// TestKeepInCheckouts: what this program writes over a text in one checkout leaves it trusted in the others.
func TestKeepInCheckouts(t *testing.T) {
	t.Parallel()
	w := repositories(t)
	w.put("wt/"+rule, "written")
	if kept, err := w.store.Keep(w.at("wt"), rule, []byte("rule"), []byte("written")); !kept || err != nil {
		t.Error(kept, err)
	}
	w.same("wt", map[string]string{"rule.md": "trusted"})
	w.same("p", map[string]string{"rule.md": "trusted"})
	w.put("p/"+rule, "written")
	if kept, err := w.store.Keep(w.at("p"), rule, []byte("rule"), []byte("written")); !kept || err != nil {
		t.Error(kept, err)
	}
	w.put("wt/"+rule, "rule")
	w.same("wt", map[string]string{"rule.md": "changed"})
}

// TestRecordsByPath: what was approved of a linked worktree by its path goes on being trusted, and becomes a
// part of the repository's record with the next approval.
func TestRecordsByPath(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"approved again", "revoked there", "revoked in p"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := repositories(t)
			w.try(os.Rename(w.at("p/.git/worktrees/wt"), w.at("aside"))) // so that it is a project of its own
			w.put("wt/"+rule, "second")
			w.trust(w.at("wt"))
			w.try(os.Rename(w.at("aside"), w.at("p/.git/worktrees/wt")))
			w.linked("p/.git", "third", "third")
			w.same("wt", map[string]string{"rule.md": "trusted"})
			w.same("third", map[string]string{"rule.md": "trusted"})
			left := map[string]bool{w.store.Path(w.at("p")): true}
			switch name {
			case "approved again":
				w.put("third/"+rule, "second")
				w.same("third", map[string]string{"rule.md": "changed"})
				w.put("wt/"+dir+"/more.md", "more")
				w.trust(w.at("wt"))
				w.same("third", map[string]string{"rule.md": "trusted"})
				w.same("p", map[string]string{"rule.md": "trusted"})
				w.put("wt/"+rule, "other")
				if r, err := w.store.Review(w.at("wt")); err != nil || string(r.Files[1].Old) != "second" {
					t.Errorf("%v %q", err, r.Files[1].Old)
				}
			default:
				from := map[string]string{"revoked there": "wt", "revoked in p": "p"}[name]
				if was, err := w.store.Revoke(w.at(from)); !was || err != nil {
					t.Error(was, err)
				}
				for _, top := range []string{"p", "wt", "third"} {
					w.same(top, map[string]string{"rule.md": "new"})
				}
				left = map[string]bool{}
			}
			records, err := filepath.Glob(filepath.Join(w.state, "*.json"))
			w.try(err)
			for _, r := range records {
				if !left[r] {
					t.Errorf("%s is left", r)
				}
			}
			if len(records) != len(left) {
				t.Error(records)
			}
		})
	}
}

// TestRevokeBare: a bare repository can be named by its own directory, as --list shows it.
func TestRevokeBare(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.repository("bare.git")
	w.linked("bare.git", "one", "one")
	w.trust(w.at("one"))
	ps, err := w.store.Projects()
	if len(ps) != 1 || ps[0].Path != w.at("bare.git") || err != nil {
		t.Fatal(ps, err)
	}
	if was, err := w.store.Revoke(ps[0].Path); !was || err != nil {
		t.Error(was, err)
	}
	if got := w.answer("one"); got != "not trusted" {
		t.Error(got)
	}
}

// TestApprovalsOfCheckouts: whoever watches the rules of a checkout watches the record of its repository.
func TestApprovalsOfCheckouts(t *testing.T) {
	t.Parallel()
	w := repositories(t)
	for _, top := range []string{"p", "wt"} {
		src := load.Source{Project: w.at(top), Path: w.at(top + "/" + dir)}
		if got := w.store.Approvals(src); got != w.store.Path(w.at("p")) || !w.store.Covers(src) {
			t.Error(top, got, w.store.Covers(src))
		}
	}
}
