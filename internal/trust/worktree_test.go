//go:build unix

package trust_test

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/aside-go/aside/internal/trust"
)

const rule = dir + "/rule.md"

// rules puts a rule into a directory of the world, the same everywhere.
func (w *world) rules(names ...string) {
	for _, name := range names {
		w.put(name+"/"+rule, "rule")
	}
}

// repository puts what git puts into a git directory.
func (w *world) repository(gitDir string) {
	w.put(gitDir+"/HEAD", "ref: refs/heads/main\n")
	w.put(gitDir+"/config", "[core]\n\trepositoryformatversion = 0\n")
	w.try(os.MkdirAll(w.at(gitDir+"/objects"), 0o755))
	w.try(os.MkdirAll(w.at(gitDir+"/refs"), 0o755))
}

// entry puts what "git worktree add" puts into a common directory, for a worktree at top.
func (w *world) entry(common, name, top string) {
	w.put(common+"/worktrees/"+name+"/HEAD", "ref: refs/heads/"+name+"\n")
	w.put(common+"/worktrees/"+name+"/commondir", "../..\n")
	w.put(common+"/worktrees/"+name+"/gitdir", w.at(top)+"/.git\n")
}

// names has the .git of a directory name a git directory of the world.
func (w *world) names(top, gitDir string) { w.put(top+"/.git", "gitdir: "+w.at(gitDir)+"\n") }

// linked adds a linked worktree as git does.
func (w *world) linked(common, name, top string) {
	w.entry(common, name, top)
	w.names(top, common+"/worktrees/"+name)
	w.rules(top)
}

// repositories is a world with a trusted repository p, and wt, a linked worktree of it. evil has the rules of
// p, and no .git.
func repositories(t testing.TB) *world {
	w := newWorld(t)
	w.repository("p/.git")
	w.rules("p", "evil")
	w.linked("p/.git", "wt", "wt")
	w.trust(w.at("p"))
	return w
}

// answer says what becomes of the rule of a project: "trusted", or why it is not used.
func (w *world) answer(project string) string {
	if !filepath.IsAbs(project) {
		project = w.at(project)
	}
	return answerOf(loaded(w.store, project))
}

func answerOf(texts, why map[string]string) string {
	switch {
	case texts["rule"] == "rule":
		return "trusted"
	case why[rule] != "":
		return why[rule]
	}
	for _, reason := range why {
		return reason
	}
	return "no rule"
}

// TestWorktrees: what is trusted in one checkout of a repository is trusted in the others, and nowhere else.
func TestWorktrees(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name  string
		make  func(w *world) // in a world with p and wt
		trust string         // where a person looks at the rules; "": in p alone
		ask   string
		want  string
	}{
		{name: "the main worktree", ask: "p", want: "trusted"},
		{name: "a linked worktree", ask: "wt", want: "trusted"},
		{name: "a linked worktree inside the main one", ask: "p/.claude/worktrees/task",
			make: func(w *world) { w.linked("p/.git", "task", "p/.claude/worktrees/task") }, want: "trusted"},
		{name: "trust that was given in a linked worktree", trust: "other", ask: "third", make: func(w *world) {
			w.repository("q/.git")
			w.linked("q/.git", "other", "other")
			w.linked("q/.git", "third", "third")
		}, want: "trusted"},
		{name: "the main worktree of that", trust: "other", ask: "q", make: func(w *world) {
			w.repository("q/.git")
			w.rules("q")
			w.linked("q/.git", "other", "other")
		}, want: "trusted"},
		{name: "a project below the top", trust: "p/sub", ask: "wt/sub",
			make: func(w *world) { w.rules("p/sub", "wt/sub") }, want: "trusted"},
		{name: "the top, where one below it is trusted", trust: "q/sub", ask: "other", make: func(w *world) {
			w.repository("q/.git")
			w.rules("q", "q/sub")
			w.linked("q/.git", "other", "other")
		}, want: "not trusted"},
		{name: "one below the top, where that is trusted", ask: "wt/sub",
			make: func(w *world) { w.rules("p/sub", "wt/sub") }, want: "not trusted"},
		{name: "paths in git's files that are relative", ask: "rel", make: func(w *world) {
			w.linked("p/.git", "rel", "rel")
			w.put("rel/.git", "gitdir: ../p/.git/worktrees/rel\n")
			w.put("p/.git/worktrees/rel/gitdir", "../../../../rel/.git\n")
		}, want: "trusted"},
		{name: "a common directory by its whole path", ask: "wt",
			make: func(w *world) { w.put("p/.git/worktrees/wt/commondir", w.at("p/.git")+"\n") }, want: "trusted"},
		{name: "lines as Windows ends them", ask: "wt",
			make: func(w *world) { w.put("wt/.git", "gitdir: "+w.at("p/.git/worktrees/wt")+"\r\n") },
			want: "trusted"},
		{name: "files without a line break", ask: "wt", make: func(w *world) {
			w.put("wt/.git", "gitdir: "+w.at("p/.git/worktrees/wt"))
			w.put("p/.git/worktrees/wt/gitdir", w.at("wt/.git"))
			w.put("p/.git/worktrees/wt/commondir", "../..")
		}, want: "trusted"},
		{name: "a link to a linked worktree", ask: "link",
			make: func(w *world) { w.try(os.Symlink("wt", w.at("link"))) }, want: "trusted"},
		{name: "a link to the main worktree", ask: "link",
			make: func(w *world) { w.try(os.Symlink("p", w.at("link"))) }, want: "trusted"},
		{name: "a worktree that git's files name through links", ask: "linked", make: func(w *world) {
			w.try(os.Symlink("p", w.at("lp")))
			w.linked("p/.git", "linked", "linked")
			w.try(os.Symlink("linked", w.at("ll")))
			w.put("linked/.git", "gitdir: "+w.at("lp/.git/worktrees/linked")+"\n")
			w.put("p/.git/worktrees/linked/gitdir", w.at("ll/.git")+"\n")
		}, want: "trusted"},
		{name: "worktrees of a bare repository", trust: "one", ask: "two", make: func(w *world) {
			w.repository("bare.git")
			w.linked("bare.git", "one", "one")
			w.linked("bare.git", "two", "two")
		}, want: "trusted"},
		{name: "below the top of those", trust: "one/sub", ask: "two/sub", make: func(w *world) {
			w.repository("bare.git")
			w.linked("bare.git", "one", "one")
			w.linked("bare.git", "two", "two")
			w.rules("one/sub", "two/sub")
		}, want: "trusted"},
		{name: "the directory of that bare repository", trust: "one", ask: "bare.git", make: func(w *world) {
			w.repository("bare.git")
			w.linked("bare.git", "one", "one")
			w.rules("bare.git")
		}, want: "not trusted"},
		{name: "a bare repository beside its worktrees", trust: "proj/one", ask: "proj/two",
			make: func(w *world) {
				w.repository("proj/.bare")
				w.put("proj/.git", "gitdir: ./.bare\n")
				w.linked("proj/.bare", "one", "proj/one")
				w.linked("proj/.bare", "two", "proj/two")
			}, want: "trusted"},
		{name: "the directory around that", trust: "proj/one", ask: "proj", make: func(w *world) {
			w.repository("proj/.bare")
			w.put("proj/.git", "gitdir: ./.bare\n")
			w.rules("proj")
			w.linked("proj/.bare", "one", "proj/one")
		}, want: "not trusted"},
		{name: "a clone", ask: "clone", make: func(w *world) {
			w.repository("clone/.git")
			w.rules("clone")
		}, want: "not trusted"},
		{name: "no repository", ask: "evil", want: "not trusted"},
		{name: "no repository, trusted by itself", trust: "evil", ask: "evil", want: "trusted"},
		{name: "a submodule", ask: "p/mod", make: func(w *world) {
			w.repository("p/.git/modules/mod")
			w.names("p/mod", "p/.git/modules/mod")
			w.rules("p/mod")
		}, want: "not trusted"},
		{name: "a submodule, trusted by itself", trust: "p/mod", ask: "p/mod", make: func(w *world) {
			w.repository("p/.git/modules/mod")
			w.names("p/mod", "p/.git/modules/mod")
			w.rules("p/mod")
		}, want: "trusted"},
		{name: "a submodule in a linked worktree", trust: "p/mod", ask: "wt/mod", make: func(w *world) {
			w.repository("p/.git/modules/mod")
			w.names("p/mod", "p/.git/modules/mod")
			w.repository("p/.git/worktrees/wt/modules/mod")
			w.names("wt/mod", "p/.git/worktrees/wt/modules/mod")
			w.rules("p/mod", "wt/mod")
		}, want: "not trusted"},
		{name: "worktrees of a submodule", trust: "one", ask: "two", make: func(w *world) {
			w.repository("p/.git/modules/mod")
			w.linked("p/.git/modules/mod", "one", "one")
			w.linked("p/.git/modules/mod", "two", "two")
		}, want: "trusted"},
		{name: "a repository inside a linked worktree", trust: "p/in", ask: "wt/in", make: func(w *world) {
			w.repository("wt/in/.git")
			w.rules("p/in", "wt/in")
		}, want: "not trusted"},
		{name: "a worktree that was moved by hand", ask: "moved",
			make: func(w *world) { w.try(os.Rename(w.at("wt"), w.at("moved"))) }, want: "not trusted"},
		{name: "the same, after git worktree repair", ask: "moved", make: func(w *world) {
			w.try(os.Rename(w.at("wt"), w.at("moved")))
			w.entry("p/.git", "wt", "moved")
		}, want: "trusted"},
		{name: "a repository that was moved", ask: "moved",
			make: func(w *world) { w.try(os.Rename(w.at("p"), w.at("moved"))) }, want: "not trusted"},
		{name: "a worktree of that", ask: "wt",
			make: func(w *world) { w.try(os.Rename(w.at("p"), w.at("moved"))) }, want: "not trusted"},
		{name: "the same, after git worktree repair, where the new place is trusted", trust: "moved", ask: "wt",
			make: func(w *world) {
				w.try(os.Rename(w.at("p"), w.at("moved")))
				w.names("wt", "moved/.git/worktrees/wt")
			}, want: "trusted"},
		{name: "other bytes", ask: "wt", make: func(w *world) { w.put("wt/"+rule, "Rule") },
			want: "changed since it was trusted: its text is another"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			w := repositories(t)
			if tt.make != nil {
				tt.make(w)
			}
			if tt.trust != "" {
				w.trust(w.at(tt.trust))
			}
			if got := w.answer(tt.ask); got != tt.want {
				t.Errorf("%s: %s, want %s", tt.ask, got, tt.want)
			}
		})
	}
}

// TestForgedWorktrees tries to have a directory pass for a checkout of p, which is trusted. It has the rules
// of p, as whoever attacks knows them. ask is "evil" where it is not said.
func TestForgedWorktrees(t *testing.T) {
	t.Parallel()
	const no = "not trusted"
	text := func(name, text string) func(*world) {
		return func(w *world) { w.put(name, strings.ReplaceAll(text, "BASE", w.base)) }
	}
	link := func(to, name string) func(*world) {
		return func(w *world) {
			w.try(os.MkdirAll(filepath.Dir(w.at(name)), 0o755))
			w.try(os.Symlink(strings.ReplaceAll(to, "BASE", w.base), w.at(name)))
		}
	}
	all := func(steps ...func(*world)) func(*world) {
		return func(w *world) {
			for _, do := range steps {
				do(w)
			}
		}
	}
	remove := func(name string) func(*world) { return func(w *world) { w.try(os.RemoveAll(w.at(name))) } }
	copied := func(from, to string) func(*world) {
		return func(w *world) {
			w.try(os.CopyFS(w.at("copy"), os.DirFS(w.at(from)))) // which to may lie in
			w.try(os.RemoveAll(w.at(to)))
			w.try(os.Rename(w.at("copy"), w.at(to)))
		}
	}
	given := func(name string) func(*world) {
		return func(w *world) {
			w.try(os.Chown(w.at(name), 12345, 12345))
		}
	}
	// own has evil bring an entry of its own, in that directory
	own := func(entry, common string) func(*world) {
		return all(text(entry+"/commondir", common+"\n"), text(entry+"/gitdir", "BASE/evil/.git\n"),
			text(entry+"/HEAD", "ref: refs/heads/main\n"), text("evil/.git", "gitdir: BASE/"+entry+"\n"))
	}
	named := func(entry string) func(*world) { return text("evil/.git", "gitdir: BASE/"+entry+"\n") }
	for _, tt := range []struct {
		name string
		do   func(w *world)
		ask  string
		want string
		root bool // only the superuser can do it
	}{
		// the .git of evil names something of p's
		{name: "the git directory of p", do: named("p/.git"), want: no},
		{name: "the entry of another worktree", do: named("p/.git/worktrees/wt"), want: no},
		{name: "that by a relative path", do: text("evil/.git", "gitdir: ../p/.git/worktrees/wt\n"), want: no},
		{name: "that with a slash", do: named("p/.git/worktrees/wt/"), want: no},
		{name: "that with a dot", do: named("p/.git/worktrees/wt/."), want: no},
		{name: "that and back", do: named("p/.git/worktrees/wt/../wt"), want: no},
		{name: "that through a link of evil's", do: all(link("BASE/p", "evil/x"),
			named("evil/x/.git/worktrees/wt")), want: no},
		{name: "that in other letters", do: named("p/.GIT/worktrees/wt"), want: no},
		{name: "all entries", do: named("p/.git/worktrees"), want: no},
		{name: "an entry that is not there", do: named("p/.git/worktrees/evil"), want: no},
		{name: "the main worktree", do: named("p"), want: no},
		{name: "the other worktree's .git", do: named("wt/.git"), want: no},
		{name: "a submodule's git directory", do: all(func(w *world) { w.repository("p/.git/modules/evil") },
			text("p/.git/modules/evil/config", "[core]\n\tworktree = BASE/evil\n"), named("p/.git/modules/evil")),
			want: no},
		{name: "a submodule that is called as an entry is", do: all(
			func(w *world) { w.repository("p/.git/modules/worktrees/x") }, named("p/.git/modules/worktrees/x")),
			want: no},
		{name: "a submodule of the other worktree", do: all(
			func(w *world) { w.repository("p/.git/worktrees/wt/modules/x") }, named("p/.git/worktrees/wt/modules/x")),
			want: no},
		{name: "a core.worktree in p", do: all(text("p/.git/config", "[core]\n\tworktree = BASE/evil\n"),
			named("p/.git")), want: no},
		// entries that evil brings
		{name: "an entry of its own with p's common directory", do: own("evil/entry", "BASE/p/.git"), want: no},
		{name: "one in a directory worktrees", do: own("evil/worktrees/x", "BASE/p/.git"), want: no},
		{name: "one in a git directory of its own", do: own("evil/fake/.git/worktrees/x", "BASE/p/.git"), want: no},
		{name: "one whose common directory is a link to p's", do: all(link("BASE/p/.git", "evil/common"),
			own("evil/worktrees/x", "../../common")), want: no},
		{name: "a repository of its own with a linked worktree", do: own("evil/fake/.git/worktrees/x", "../.."),
			want: no},
		{name: "a bare one", do: own("evil/fake/worktrees/x", "../.."), want: no},
		{name: "a git directory that is a link to p's", do: all(link("BASE/p/.git", "evil/fake/.git"),
			named("evil/fake/.git/worktrees/wt")), want: no},
		{name: "entries that are a link to p's", do: all(link("BASE/p/.git/worktrees", "evil/fake/.git/worktrees"),
			named("evil/fake/.git/worktrees/wt")), want: no},
		{name: "an entry that is a link to p's", do: all(link("BASE/p/.git/worktrees/wt",
			"evil/fake/.git/worktrees/x"), named("evil/fake/.git/worktrees/x")), want: no},
		{name: "a project of p's that plays a bare repository", do: own("p/worktrees/x", "../.."), want: no},
		{name: "one that plays its git directory", do: own("p/git/worktrees/x", "../.."), want: no},
		{name: "one of p's git directory that plays an entry", do: own("p/.git/hooks/x", "../.."), want: no},
		{name: "a trusted directory that plays a bare repository", do: all(
			func(w *world) { w.rules("plain"); w.trust(w.at("plain")) }, own("plain/worktrees/x", "../..")), want: no},
		{name: "a trusted directory below another, that plays one", do: all(
			func(w *world) { w.rules("p/sub", "evil/sub"); w.trust(w.at("p/sub")) },
			own("p/worktrees/x", "../..")), ask: "evil/sub", want: no},
		{name: "a back-link through a link", do: all(own("evil/fake/.git/worktrees/x", "BASE/p/.git"),
			remove("evil/fake/.git/worktrees/x/gitdir"),
			link("BASE/p/.git/worktrees/wt/gitdir", "evil/fake/.git/worktrees/x/gitdir")), want: no},
		// a .git that is something else
		{name: "a link to p's git directory", do: link("BASE/p/.git", "evil/.git"), want: no},
		{name: "a link to the other worktree's .git", do: link("BASE/wt/.git", "evil/.git"), want: no},
		{name: "a hard link to the other worktree's .git",
			do: func(w *world) { w.try(os.Link(w.at("wt/.git"), w.at("evil/.git"))) }, want: no},
		{name: "a directory that speaks of p's", do: all(text("evil/.git/commondir", "BASE/p/.git\n"),
			text("evil/.git/gitdir", "BASE/evil/.git\n"), text("evil/.git/HEAD", "ref: refs/heads/main\n")), want: no},
		{name: "a directory of links to p's", do: all(link("BASE/p/.git/objects", "evil/.git/objects"),
			link("BASE/p/.git/refs", "evil/.git/refs"), link("BASE/p/.git/worktrees", "evil/.git/worktrees")),
			want: no},
		{name: "a named pipe",
			do: func(w *world) { w.try(syscall.Mkfifo(w.at("evil/.git"), 0o644)) }, want: no},
		{name: "a socket", do: func(w *world) { w.try(socket(w.at("evil/.git"))) }, want: no},
		{name: "10 GB", do: all(text("evil/.git", "gitdir: "),
			func(w *world) { w.try(os.Truncate(w.at("evil/.git"), 10<<30)) }), want: no},
		{name: "an empty file", do: text("evil/.git", ""), want: no},
		{name: "no name", do: text("evil/.git", "gitdir: \n"), want: no},
		{name: "names of two entries", do: text("evil/.git",
			"gitdir: BASE/p/.git/worktrees/wt\ngitdir: BASE/p/.git/worktrees/wt\n"), want: no},
		{name: "a byte that ends it", do: text("evil/.git", "gitdir: BASE/p/.git/worktrees/wt\x00x\n"), want: no},
		{name: "an entry that is a named pipe's neighbour", do: all(own("evil/fake/.git/worktrees/x", "../.."),
			remove("evil/fake/.git/worktrees/x/gitdir"), func(w *world) {
				w.try(syscall.Mkfifo(w.at("evil/fake/.git/worktrees/x/gitdir"), 0o644))
			}), want: no},
		// copies of what is trusted
		{name: "a copy of the other worktree", do: copied("wt", "evil"), want: no},
		{name: "one whose path begins as that", do: copied("wt", "wt-evil"), ask: "wt-evil", want: no},
		{name: "one inside it", do: copied("wt", "wt/evil"), ask: "wt/evil", want: no},
		{name: "a copy of p, as an archive has it", do: copied("p", "evil"), want: no},
		{name: "that, which lists the other worktree", do: copied("p", "evil"), ask: "wt", want: "trusted"},
		// worktrees that are none any longer
		{name: "one that was pruned", do: remove("p/.git/worktrees/wt"), ask: "wt", want: no},
		{name: "one without a common directory", do: remove("p/.git/worktrees/wt/commondir"), ask: "wt", want: no},
		{name: "one of another common directory", do: text("p/.git/worktrees/wt/commondir", "BASE/evil\n"),
			ask: "wt", want: no},
		{name: "one without a back-link", do: remove("p/.git/worktrees/wt/gitdir"), ask: "wt", want: no},
		{name: "one whose entry is another's now", do: text("p/.git/worktrees/wt/gitdir", "BASE/third/.git\n"),
			ask: "wt", want: no},
		{name: "one that has become a directory", do: all(remove("wt"), copied("evil", "wt")), ask: "wt", want: no},
		{name: "one that has become a clone", do: all(remove("wt/.git"),
			func(w *world) { w.repository("wt/.git") }), ask: "wt", want: no},
		{name: "one whose place is a link to evil now", do: all(copied("wt", "evil"), remove("wt"),
			link("evil", "wt")), ask: "evil", want: "trusted"}, // git lists it at this place
		{name: "one of which .git is somebody else's", do: given("wt/.git"),
			ask: "wt", want: no, root: true},
		{name: "one of which the entry is somebody else's", do: given("p/.git/worktrees/wt"),
			ask: "wt", want: no, root: true},
		{name: "one that somebody else lists", do: given("p/.git/worktrees/wt/gitdir"),
			ask: "wt", want: no, root: true},
		{name: "one whose common directory somebody else names", do: given("p/.git/worktrees/wt/commondir"),
			ask: "wt", want: no, root: true},
		{name: "one whose entry has a second name", do: func(w *world) {
			w.try(os.Link(w.at("p/.git/worktrees/wt/gitdir"), w.at("evil/gitdir")))
		}, ask: "wt", want: no},
		// what evil says of others changes nothing
		{name: "evil lists p", do: all(func(w *world) { w.repository("evil/.git") },
			func(w *world) { w.entry("evil/.git", "p", "p") }), ask: "p", want: "trusted"},
		{name: "evil lists the other worktree", do: all(func(w *world) { w.repository("evil/.git") },
			func(w *world) { w.entry("evil/.git", "wt", "wt") }), ask: "wt", want: "trusted"},
		{name: "evil lists itself among p's", do: all(func(w *world) { w.repository("evil/.git") },
			func(w *world) { w.entry("evil/.git", "evil", "evil") }), want: no},
		// directories below
		{name: "evil below wt", do: func(w *world) { w.rules("wt/evil") }, ask: "wt/evil", want: no},
		{name: "evil below p", do: func(w *world) { w.rules("p/evil") }, ask: "p/evil", want: no},
		{name: "a repository below the other worktree, where p has a trusted directory", do: func(w *world) {
			w.rules("p/in", "wt/in")
			w.trust(w.at("p/in"))
			w.put("wt/in/.git", "")
		}, ask: "wt/in", want: no},
		{name: "a directory of the other worktree, where p has a trusted repository", do: func(w *world) {
			w.repository("p/in/.git")
			w.rules("p/in", "wt/in")
			w.trust(w.at("p/in"))
		}, ask: "wt/in", want: no},
		{name: "a directory of the other worktree, where p has a trusted submodule", do: func(w *world) {
			w.repository("p/.git/modules/in")
			w.names("p/in", "p/.git/modules/in")
			w.rules("p/in", "wt/in")
			w.trust(w.at("p/in"))
		}, ask: "wt/in", want: no},
		{name: "the entry of the other worktree as a project", do: func(w *world) {
			w.rules("p/.git/worktrees/wt")
		}, ask: "p/.git/worktrees/wt", want: no},
		// the bytes are the same, and not where they belong
		{name: "rules of the other worktree that are a link to p's", do: all(remove("wt/.aside"),
			link("BASE/p/.aside", "wt/.aside")), ask: "wt", want: "refused: it lies outside of the project"},
		{name: "a rule that is a link to p's", do: all(remove("wt/"+rule), link("BASE/p/"+rule, "wt/"+rule)),
			ask: "wt", want: "refused: it lies outside of the project"},
		{name: "a link to the same text", do: all(remove("wt/"+rule), text("wt/docs/rule.md", "rule"),
			link("../../docs/rule.md", "wt/"+rule)), ask: "wt",
			want: `changed since it was trusted: it is another file now, "docs/rule.md"`},
		{name: "a rule under another name", do: func(w *world) {
			w.try(os.Rename(w.at("wt/"+rule), w.at("wt/"+dir+"/rule2.md")))
		}, ask: "wt", want: no},
		{name: "other bytes of the same length", do: text("wt/"+rule, "Rule"), ask: "wt",
			want: "changed since it was trusted: its text is another"},
		{name: "more bytes", do: text("wt/"+rule, "rules"), ask: "wt",
			want: "changed since it was trusted: 4 bytes then, 5 now"},
		// the store
		{name: "a store in the main worktree", do: func(w *world) {
			w.try(os.Rename(w.at("state"), w.at("p/state")))
			*w.store = *trust.Open(w.at("p/state/aside/trust"))
		}, ask: "wt", want: "lies inside the project"},
		{name: "a store in the linked worktree", do: func(w *world) {
			w.try(os.Rename(w.at("state"), w.at("wt/state")))
			*w.store = *trust.Open(w.at("wt/state/aside/trust"))
		}, ask: "wt", want: "lies inside the project"},
	} {
		if tt.root && os.Geteuid() != 0 {
			continue
		}
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			w := repositories(t)
			if got := w.answer("wt"); got != "trusted" {
				t.Fatal("before:", got)
			}
			tt.do(w)
			ask := "evil"
			if tt.ask != "" {
				ask = tt.ask
			}
			if got := w.answer(ask); got != tt.want && (tt.want == no || !strings.HasSuffix(got, tt.want)) {
				t.Errorf("%s: %s, want %s", ask, got, tt.want)
			}
		})
	}
}

// TestGitsEnvironment: variables that lead git elsewhere lead nobody here.
func TestGitsEnvironment(t *testing.T) {
	w := repositories(t)
	for name, value := range map[string]string{"GIT_DIR": "p/.git", "GIT_COMMON_DIR": "p/.git",
		"GIT_WORK_TREE":           "p",
		"GIT_CEILING_DIRECTORIES": "wt", "GIT_INDEX_FILE": "p/.git/index"} {
		t.Setenv(name, w.at(value))
	}
	for ask, want := range map[string]string{"p": "trusted", "wt": "trusted", "evil": "not trusted"} {
		if got := w.answer(ask); got != want {
			t.Errorf("%s: %s, want %s", ask, got, want)
		}
	}
}
