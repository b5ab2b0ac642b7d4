package main

import (
	"fmt"
	"maps"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/aside-go/aside/cmd/internal/test/process"
	"github.com/aside-go/aside/internal/test/testkit"
)

// secret is what stands in files outside of the directory that a command is given.
const secret = "TOPSECRET"

// outsiders are files that no command may show: as a rule, one whose mistake would be shown with its line,
// and one that is not a rule at all.
var outsiders = map[string]string{
	"rule":    secret + "\n",
	"mistake": "---\nwehn: " + secret + "\n---\n" + secret + "\n",
	"keys":    secret + "=abc\n",
}

// readers are the commands that read rules, each with the path behind it, or with %s in its place.
var readers = map[string][]string{
	"check":       {"check", "%s"},
	"check json":  {"check", "--json", "%s"},
	"check sarif": {"check", "--sarif", "%s"},
	"check fix":   {"check", "--fix", "-d", "%s"},
	"check rules": {"check", "--rules", "%s"},
	"fmt":         {"fmt", "%s"},
	"fmt diff":    {"fmt", "-d", "%s"},
	"fmt list":    {"fmt", "-l", "%s"},
	"list":        {"list", "--json", "--rules", "%s"},
	"show":        {"show", "a", "--rules", "%s"},
	"eval":        {"eval", "--state", "memory", "--rules", "%s"},
	"inject":      {"inject", "--api", "messages", "--rules", "%s"},
	"replay":      {"replay", "-v", "--rules", "%s"},
	"replay diff": {"replay", "--diff", "%s"},
	"why":         {"why", "--rules", "%s"},
	"remind":      {"remind", "--rules", "%s"},
	"test":        {"test", "%s"},
	"hook":        {"hook", "--timeout", "10s", "--agent", "claude-code", "--rules", "%s"},
}

// stdins are what the commands read besides.
var stdins = map[string]string{
	"eval":   `{"facts":{"tools":["Edit"]},"remind":["a"]}` + "\n",
	"inject": `{"messages":[{"role":"user","content":"hi"}]}`,
	"hook":   `{"session_id":"s1","hook_event_name":"UserPromptSubmit","prompt":"hi","cwd":"/"}`,
}

// links is an attack that makes links, each with its name and where it leads, and gives the path rules.
func links(rules string, pairs ...string) func(*testing.T, string) string {
	return func(t *testing.T, dir string) string {
		for i := 0; i < len(pairs); i += 2 {
			process.Link(t, dir, pairs[i], pairs[i+1])
		}
		return rules
	}
}

// attacks put something into the directory rules of dir that leads to the file outside/secret, and return the
// path that a command is given.
var attacks = map[string]func(t *testing.T, dir string) string{
	"relative link": links("rules", "rules/a.md", "../outside/secret"),
	"absolute link": func(t *testing.T, dir string) string {
		process.Link(t, dir, "rules/a.md", filepath.Join(dir, "outside/secret"))
		return "rules"
	},
	"link that is named": links("rules/a.md", "rules/a.md", "../outside/secret"),
	"pattern":            links("rules/*.md", "rules/a.md", "../outside/secret"),
	"pattern over directories": links("rules/*/a.md", "outside/a.md", "secret", "rules/sub",
		"../outside"),
	"link to a link":                    links("rules", "rules/b", "../outside/secret", "rules/a.md", "b"),
	"link behind a link to a directory": links("rules", "rules/sub", "../outside", "rules/a.md", "sub/secret"),
	"long way": links("rules", "rules/a.md",
		"./../rules/.././rules/../outside/../outside/secret"),
	"far above": func(t *testing.T, dir string) string {
		process.Link(t, dir, "rules/a.md", strings.Repeat("../", 60)+filepath.Join(dir, "outside/secret")[1:])
		return "rules"
	},
	"through the kernel":        links("rules", "rules/a.md", "/proc/self/cwd/outside/secret"),
	"environment":               links("rules", "rules/a.md", "/proc/self/environ"),
	"a directory of the kernel": links("rules", "rules/sub", "/proc/self", "rules/a.md", "sub/environ"),
	"the environment itself":    func(*testing.T, string) string { return "/proc/self/environ" },
	"the file by another name": links("rules", "rules/A.MD", "../outside/secret", "rules/a.markdown",
		"../outside/secret", "rules/a.md.", "../outside/secret", "rules/a.md ", "../outside/secret"),
	"a name that hides":   links("rules", "rules/a\u202e\u200b.md", "../outside/secret"),
	"a rule test":         links("rules", "rules/a_test.yaml", "../outside/secret"),
	"a rule test by name": links("rules/a_test.yaml", "rules/a_test.yaml", "../outside/secret"),
	"a directory out of a project": func(t *testing.T, dir string) string {
		process.Link(t, dir, "outside/a.md", "secret")
		process.Put(t, dir, "project/.git/HEAD", "")
		process.Link(t, dir, "project/rules", "../outside")
		return "project/rules"
	},
	"a file behind it": func(t *testing.T, dir string) string {
		process.Put(t, dir, "project/.git", "gitdir: /somewhere\n") // as in a worktree
		b, err := os.ReadFile(filepath.Join(dir, "outside/secret"))
		if err != nil {
			t.Fatal(err)
		}
		process.Put(t, dir, "outside/a.md", string(b))
		process.Link(t, dir, "project/rules", "../outside")
		return "project/rules/a.md"
	},
	"reminders of a project out of it": links("project/.aside/reminders", "outside/a.md", "secret",
		"project/.aside/reminders", "../../outside"),
	"the directory of the agent out of it": links("project/.claude/reminders", "outside/reminders/a.md",
		"../secret", "project/.claude", "../outside"),
	"dangling": links("rules", "rules/a.md", "nothing"),
	"loop":     links("rules", "rules/a.md", "b.md", "rules/b.md", "a.md"),
	"a device": links("rules", "rules/a.md", "/dev/zero"),
	"stdin":    links("rules", "rules/a.md", "/dev/stdin"),
	"a pipe": func(t *testing.T, dir string) string {
		process.Put(t, dir, "rules/b.md", "b\n")
		if err := syscall.Mkfifo(filepath.Join(dir, "rules/a.md"), 0o644); err != nil {
			t.Fatal(err)
		}
		return "rules"
	},
	"a socket": func(t *testing.T, dir string) string {
		process.Put(t, dir, "rules/b.md", "b\n")
		l, err := net.Listen("unix", filepath.Join(dir, "rules/a.md"))
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { l.Close() })
		return "rules"
	},
	"a directory": links("rules", "rules/a.md/a.md", "../../outside/secret"),
	"deeper":      links("rules", "rules/sub/a.md", "../../outside/secret"),
	"too large": func(t *testing.T, dir string) string {
		process.Put(t, dir, "rules/a.md", secret+strings.Repeat("x", 1<<20))
		return "rules"
	},
	"a test of the environment": testOf("/proc/self/environ"),
	"a test of a file above":    testOf("../outside/secret"),
	"a test of a rule above":    testOf("../outside/a.md"),
	"a test of all above":       testOf("../outside/*.md"),
	"a test of a pattern above": testOf("../o*/a.md"),
	"a test of a way out":       testOf("sub/../../outside/a.md"),
	"a test of a link":          testOf("l.md"),
	"a test of a linked directory": func(t *testing.T, dir string) string {
		process.Link(t, dir, "rules/sub", "../outside")
		return testOf("sub/a.md")(t, dir)
	},
	"a test of a whole directory": func(t *testing.T, dir string) string {
		process.Link(t, dir, "rules/sub", "../outside")
		return testOf("sub")(t, dir)
	},
}

// testOf puts a rule test into the directory that names a path.
func testOf(path string) func(t *testing.T, dir string) string {
	return func(t *testing.T, dir string) string {
		b, err := os.ReadFile(filepath.Join(dir, "outside/secret"))
		if err != nil {
			t.Fatal(err)
		}
		process.Put(t, dir, "outside/a.md", string(b))
		process.Link(t, dir, "rules/l.md", "../outside/a.md")
		process.Put(t, dir, "rules/x_test.yaml", fmt.Sprintf(
			"reminders: [%q]\ntests:\n  - {name: n, steps: [{fires: [other]}]}\n", path))
		return "rules"
	}
}

// excerpts are the commands that show lines of the files that they read.
var excerpts = []string{"check", "check fix", "fmt", "list", "test", "eval"}

// TestNoWayOut: no command shows a byte of a file outside of the directory that it was given, nor waits for
// one.
func TestNoWayOut(t *testing.T) {
	t.Parallel()
	names := slices.Sorted(maps.Keys(readers))
	for i, attack := range slices.Sorted(maps.Keys(testkit.Few(attacks, 1))) {
		prepare := attacks[attack]
		t.Run(attack, func(t *testing.T) {
			t.Parallel()
			for kind, text := range outsiders {
				if !testkit.Thorough() && kind != "rule" {
					continue
				}
				dir := t.TempDir()
				process.Put(t, dir, "outside/secret", text)
				process.Put(t, dir, "home/.x", "")
				path := prepare(t, dir)
				for k, name := range names {
					if kind != "rule" && !slices.Contains(excerpts, name) || testkit.Thorough() && (k+i)%2 == 0 {
						continue // by turns: each attack meets half of the commands, each command half of the attacks
					}
					r := invokeWith(t, dir, stdins[name], path, readers[name])
					// invoke sets NO_COLOR: it stands for the environment
					if said := r.Out + r.Err; strings.Contains(said, secret) || strings.Contains(said, "NO_COLOR=") {
						t.Errorf("%s: %s\n%s\n%s", kind, name, r.Out, r.Err)
					}
					if r.Code > 3 || r.Code < 0 {
						t.Errorf("%s: %s: exit code %d", kind, name, r.Code)
					}
				}
			}
		})
	}
}

// TestWayIn shows that TestNoWayOut can fail: what lies in the directory is shown by these very commands.
func TestWayIn(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	process.Put(t, dir, "rules/real", outsiders["rule"])
	process.Link(t, dir, "rules/a.md", "real")
	process.Put(t, dir, "wrong/a.md", outsiders["mistake"])
	if err := os.Mkdir(filepath.Join(dir, "hard"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Link(filepath.Join(dir, "rules/real"), filepath.Join(dir, "hard/a.md")); err != nil {
		t.Fatal(err)
	}
	for name, path := range map[string]string{"fmt": "rules", "list": "rules", "show": "rules", "eval": "rules",
		"inject": "rules", "remind": "hard", "hook": "rules", "check": "wrong", "check fix": "wrong"} {
		if r := invokeWith(t, dir, stdins[name], path, readers[name]); !strings.Contains(r.Out+r.Err, secret) {
			t.Errorf("%s: %s%s", name, r.Out, r.Err)
		}
	}
}

// invokeWith runs a command with a path in the place of %s.
func invokeWith(t *testing.T, dir, stdin, path string, words []string) process.Result {
	t.Helper()
	args := make([]string, len(words))
	for i, w := range words {
		args[i] = strings.ReplaceAll(w, "%s", path)
	}
	return exe.Invoke(t, dir, strings.NewReader(stdin), args...)
}

// TestT1NamedPaths: no path to the reminders of a project leads around trust, and each leads to them once
// they are trusted.
func TestT1NamedPaths(t *testing.T) {
	t.Parallel()
	for _, config := range []string{".aside", ".claude", ".agents"}[:testkit.Repeat(1, 3)] {
		dir := t.TempDir()
		at := filepath.Join("p", config, "reminders")
		process.Put(t, dir, filepath.Join(at, "a.md"), outsiders["rule"])
		process.Put(t, dir, "p/src/x", "")
		process.Put(t, dir, "home/.x", "")
		process.Link(t, dir, "root", "p")
		process.Link(t, dir, "l", at)
		process.Link(t, dir, "ll", "l")
		process.Link(t, dir, "config", filepath.Join("p", config))
		paths := []string{at, "./" + at + "/", filepath.Join(dir, at), at + "/a.md", at + "/*.md", at + "/*",
			"p/" + config + "/rem*", "p/*/reminders", "p/src/../" + config + "/reminders",
			at + "/../reminders", "root/" + config + "/reminders", "l", "ll", "ll/a.md", "config/reminders",
			"/proc/self/cwd/" + at}
		readers := testkit.Few(map[string][]string{"eval": readers["eval"], "inject": readers["inject"],
			"list": readers["list"], "show": readers["show"], "remind": readers["remind"],
			"hook": readers["hook"], "replay": readers["replay"]}, 2)
		for _, path := range paths {
			for name, words := range readers {
				r := invokeWith(t, dir, stdins[name], path, words)
				if strings.Contains(r.Out+r.Err, secret) {
					t.Errorf("%s %s: %s%s", name, path, r.Out, r.Err)
				}
				if name != "hook" && !strings.Contains(r.Err, "aside trust") {
					t.Errorf("%s %s does not say how to trust: %s%s", name, path, r.Out, r.Err)
				}
			}
		}
		if r := exe.Invoke(t, dir, nil, "trust", "p", "--yes"); r.Code != 0 {
			t.Fatal(r.Err)
		}
		for _, path := range paths {
			if strings.HasPrefix(path, "/proc") {
				continue
			}
			r := invokeWith(t, dir, stdins["eval"], path, readers["eval"])
			if !strings.Contains(r.Out, secret) {
				t.Errorf("trusted, %s: %s%s", path, r.Out, r.Err)
			}
		}
	}
}

// TestHomeIsTrusted: the reminders of a home are the user's own by any path, links of theirs included.
func TestHomeIsTrusted(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	process.Put(t, dir, "dotfiles/a.md", outsiders["rule"])
	process.Link(t, dir, "home/.aside/reminders/a.md", "../../../dotfiles/a.md")
	process.Link(t, dir, "l", "home")
	process.Put(t, dir, "home/work/x", "")
	for _, args := range [][]string{{"eval"}, {"eval", "--rules", "home/.aside/reminders"},
		{"eval", "--rules", "l/.aside/reminders"}, {"eval", "--project", "home/work"}, {"eval",
			"--project", "home"}} {
		if r := exe.Invoke(t, dir, strings.NewReader(stdins["eval"]), args...); !strings.Contains(r.Out, secret) ||
			strings.Contains(r.Err, "trust") {
			t.Errorf("%q: %s%s", args, r.Out, r.Err)
		}
	}
}

// TestProjectUpward: the project is the nearest directory upward with rules or .git, and never the home.
func TestProjectUpward(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	process.Put(t, dir, "p/.aside/reminders/a.md", "Outer.\n")
	process.Put(t, dir, "p/src/deep/x", "")
	process.Put(t, dir, "p/inner/.git", "gitdir: elsewhere\n")
	process.Put(t, dir, "p/inner/src/x", "")
	process.Put(t, dir, "home/.x", "")
	if r := exe.Invoke(t, dir, nil, "trust", "p/src/deep", "--yes"); r.Code != 0 {
		t.Fatal(r.Err)
	}
	for project, found := range map[string]bool{"p": true, "p/src": true, "p/src/deep": true,
		"p/.aside/reminders": true, "p/inner": false, "p/inner/src": false, "home": false, ".": false} {
		r := exe.Invoke(t, dir, strings.NewReader(stdins["eval"]), "eval", "--project", project)
		if strings.Contains(r.Out, "Outer.") != found {
			t.Errorf("%s: %s%s", project, r.Out, r.Err)
		}
	}
}

// TestNotReadIsNamed: what lies among rules and is not read is named, trusted or not.
func TestNotReadIsNamed(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for _, name := range []string{"a.md", "sub/n.md", "x.markdown", "X.MD", "x.txt"} {
		process.Put(t, dir, "p/.aside/reminders/"+name, "Be kind.\n")
	}
	process.Put(t, dir, "out.md", outsiders["rule"])
	process.Link(t, dir, "p/.aside/reminders/l.md", "../../../out.md")
	process.Put(t, dir, "home/.x", "")
	named := func(args ...string) {
		t.Helper()
		r := exe.Invoke(t, dir, nil, args...)
		for _, name := range []string{"sub", "x.markdown", "X.MD", "x.txt", "l.md"} {
			if !strings.Contains(r.Out+r.Err, ".aside/reminders/"+name) {
				t.Errorf("%q does not name %s: %s%s", args, name, r.Out, r.Err)
			}
		}
	}
	named("check", "--json", "p/.aside/reminders")
	if r := exe.Invoke(t, dir, nil, "trust", "p", "--yes"); r.Code != 0 {
		t.Fatal(r.Err)
	}
	named("list", "--project", "p")
}

// TestTrustShowsAll: every line of every file stands above the question.
func TestTrustShowsAll(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	var want []string
	for i := range 400 {
		want = append(want, fmt.Sprintf("line %d %s.", i, strings.Repeat("x", 3*i)))
	}
	text := strings.Join(want, "\n")
	process.Put(t, dir, "p/.aside/reminders/a.md", "---\nwhen: stopping\nmax_fires: 3 # a note\n---\n"+text)
	process.Put(t, dir, "p/.aside/reminders/b.yaml", "content: \"\\x42e e\\x76il.\"\ndescription: shown\n")
	process.Put(t, dir, "p/.aside/reminders/c.md", "---\nwehn: mistaken\n---\nNot used yet.\n")
	process.Put(t, dir, "home/.x", "")
	r := exe.Invoke(t, dir, nil, "trust", "p")
	for _, l := range append(want, "max_fires: 3 # a note", "│ Be evil.", "description: shown", "wehn: mistaken",
		"Not used yet.") {
		if !strings.Contains(r.Out, l+"\n") {
			t.Errorf("not shown: %.60s", l)
		}
	}
}
