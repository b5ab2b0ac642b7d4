package lsp_test

import (
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/aside-go/aside/cmd/aside/internal/lsp"
	"github.com/aside-go/aside/cmd/internal/config"
	"github.com/aside-go/aside/compile/fact"
	"github.com/aside-go/aside/compile/load"
	"github.com/aside-go/aside/grammar"
)

// gate lets all files of projects through, and notes which directories it was asked for.
type gate struct {
	mu    sync.Mutex
	asked []string
}

func (g *gate) Covers(load.Source) bool { return true }

func (g *gate) Approvals(load.Source) string { return "" }

func (g *gate) Read(s load.Source) (files []load.File) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.asked = append(g.asked, s.Path)
	entries, _ := os.ReadDir(s.Path)
	for _, en := range entries {
		path := filepath.Join(s.Path, en.Name())
		src, err := os.ReadFile(path)
		files = append(files, load.File{Path: path, Src: src, Err: err})
	}
	return files
}

func trusting(g load.Gate) with { return with{options: func(o *lsp.Options) { o.Trusted = g }} }

// TestForeign: of files that hold no rules nothing is said.
func TestForeign(t *testing.T) {
	t.Parallel()
	e := open(t)
	const wrongs = "---\nwhen: [\n---\nx"
	texts := map[string]string{
		"README.md":                     wrongs,
		"docs/a.md":                     wrongs,
		"reminders.md":                  wrongs,
		"reminders/README.md":           "# Reminders\n\nwhen: [\n",
		"reminders/sub/a.md":            wrongs,
		".aside/a.md":                   wrongs,
		".aside/reminders/.#a.md":       wrongs,
		".aside/reminders/a.txt":        wrongs,
		".aside/reminders/sub/a.md":     wrongs,
		".github/workflows/ci.yaml":     "on: [\n",
		"chart/templates_test.yaml":     "suite: x\ntests:\n  - it: works\n    asserts: []\n",
		"deploy_test.yaml":              "kind: Deployment\n",
		"deep/reminders/notes/list.yml": "- a\n",
	}
	var uris []string
	for name, text := range texts {
		u := e.show(name, text)
		uris = append(uris, u)
		e.retype(u, 2, text+"\n")
		at := m{"textDocument": m{"uri": u}, "position": m{"line": 1, "character": 2}}
		for _, method := range []string{"hover", "completion", "definition", "documentSymbol", "formatting"} {
			var got any
			e.ask("textDocument/"+method, at, &got)
			if got != nil {
				t.Errorf("%s of %s: %v", method, name, got)
			}
		}
		if list := e.actions(u, span{}); len(list) > 0 {
			t.Errorf("actions of %s: %v", name, list)
		}
	}
	last := e.show(".aside/reminders/ours.md", wrongs)
	e.wrong(last, 1)
	e.until("quiet", func() bool { return true })
	for _, u := range append(uris, "untitled:Untitled-1") {
		if e.times[u] > 0 {
			t.Errorf("%s was told of: %v", u, e.told[u])
		}
	}
}

// TestOurs: the files that are served beside the standard directories.
func TestOurs(t *testing.T) {
	t.Parallel()
	e := open(t, settings(m{"rules": []string{"my/*.md", "other"}}))
	e.write("my/a.md", "x")
	e.write("other/b.yaml", "x")
	for name, text := range map[string]string{
		".claude/reminders/a.md":     "---\nwhen: [\n---\nx",
		"~/.agents/reminders/a.yaml": "when: [\n",
		".aside/reminders/plain.md":  "a text {{.nothing}}", // everything there is a reminder
		"some/reminders/a.md":        "---\nwhen: [\n---\nx",
		"some/reminders/a.yml":       "when: [\n",
		"my/a.md":                    "---\nwhen: [\n---\nx",
		"other/b.yaml":               "when: [\n",
		"tests/a_test.yaml":          "tests:\n  - steps: [{fires: [x]}]\n",
	} {
		if ws := e.wrong(e.show(name, text), 1); len(ws) == 0 {
			t.Errorf("of %s nothing is said", name)
		}
	}
}

// TestBeside: reminders are looked at among the others that they are loaded with, as the editor has them.
func TestBeside(t *testing.T) {
	t.Parallel()
	e := open(t)
	e.write(".aside/reminders/a.md", "---\nid: same\nwhen: user_turn_count > 30\n---\nfrom the disk")
	b := e.show(".aside/reminders/b.md", "---\nid: same\nwhen: turn_count > 4\n---\nsecond")
	if ws := e.wrong(b, 1); codes(ws) != "R0421" || !strings.Contains(ws[0].Message, "a.md") {
		t.Errorf("got %v", ws)
	}
	a := e.show(".aside/reminders/a.md", "---\nid: other\nwhen: user_turn_count > 30\n---\nin the editor")
	e.until("b, that has become right", func() bool { return len(e.told[b].Diagnostics) == 0 })
	c := e.show(".aside/reminders/c.md",
		"---\nwhen: turns_since(\"other\") > 3\ncooldown: 3 turns\n---\nnot saved yet")
	if ws := e.wrong(c, 1); len(ws) != 0 {
		t.Errorf("got %v", ws)
	}
	e.hide(a) // the disk's text counts again
	e.until("b, that is wrong again", func() bool { return codes(e.told[b].Diagnostics) == "R0421" })
	e.until("c, that is wrong now", func() bool { return codes(e.told[c].Diagnostics) == "R0614" })
	e.hide(b)
	e.until("b, that is closed", func() bool {
		return e.told[b].Version == nil &&
			len(e.told[b].Diagnostics) == 0
	})
}

// TestHidden: a reminder that another one overrides has its diagnostics all the same.
func TestHidden(t *testing.T) {
	t.Parallel()
	e := open(t)
	top := e.show(".aside/reminders/a.md", "---\nwhen: user_turn_count > 30\n---\ntop")
	e.wrong(top, 1)
	low := e.show(".agents/reminders/a.md", "---\nwhen: turn_cuont > 4\n---\nlow")
	if ws := e.wrong(low, 1); codes(ws) != "R0201" {
		t.Errorf("got %v", ws)
	}
}

// TestWatched: a change on the disk is seen when the editor reports it, when a text is saved, and when
// nothing was typed for a while.
func TestWatched(t *testing.T) {
	t.Parallel()
	e := open(t, with{params: func(p m) {
		p["capabilities"].(m)["workspace"].(m)["didChangeWatchedFiles"] = m{"dynamicRegistration": true}
	}})
	e.until("the wish to be told of changes", func() bool {
		return len(e.asked) == 1 &&
			e.asked[0] == "client/registerCapability"
	})
	u := e.show(".aside/reminders/b.md", "---\nid: same\nwhen: user_turn_count > 30\n---\nx")
	if ws := e.wrong(u, 1); len(ws) != 0 {
		t.Fatalf("got %v", ws)
	}
	same := func() bool { return codes(e.told[u].Diagnostics) == "R0421" }
	fine := func() bool { return len(e.told[u].Diagnostics) == 0 }
	path := e.write(".aside/reminders/a.md", "---\nid: same\n---\nx")
	e.tell("workspace/didChangeWatchedFiles", m{"changes": []m{{"uri": uri(path), "type": 1}}})
	e.until("a file that has come", same)
	e.write(".aside/reminders/a.md", "---\nid: not-the-same\n---\nx")
	e.tell("textDocument/didSave", m{"textDocument": m{"uri": u}})
	e.until("a file that has changed", fine)
	e.write(".aside/reminders/a.md", "---\nid: same\n---\nlonger")
	e.tick <- time.Time{}
	e.until("a file that has changed again", same)
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	e.retype(u, 2, "---\nid: same\nwhen: user_turn_count > 31\n---\nx")
	e.wrong(u, 2)
	e.tick <- time.Time{}
	e.until("a file that has gone", fine)
}

// TestConfigured: facts that configurations declare are known, and are read again when a file has changed or
// nothing was typed for a while; rule tests know them; a setting of the editor goes over them.
func TestConfigured(t *testing.T) {
	t.Parallel()
	var facts atomic.Pointer[[]fact.Fact]
	of := func(list ...fact.Fact) { facts.Store(&list) }
	todos := fact.Fact{Name: "vars.todos", Type: fact.Int}
	of(todos)
	asked := atomic.Value{}
	e := open(t, settings(m{"vars": m{"branch": "string"}}), with{options: func(o *lsp.Options) {
		o.Config = filepath.Join(o.Home, "config.yaml")
		o.Declared = func(dir string) []fact.Fact { asked.Store(dir); return *facts.Load() }
	}})
	u := e.show(".aside/reminders/a.md",
		"---\nwhile: vars.todos > 3 and vars.branch == main\nmax_fires: 3\n---\nx")
	if ws := e.wrong(u, 1); len(ws) != 0 || asked.Load() != e.root {
		t.Fatalf("got %v, asked for %v", ws, asked.Load())
	}
	test := e.show(".aside/tests/a_test.yaml",
		"reminders: [{id: a, when: vars.todos > 3, content: x}]\n"+
			"tests: [{name: a, steps: [{facts: {vars.todos: 1}, fires: []}]}]")
	if ws := e.wrong(test, 1); len(ws) != 0 {
		t.Errorf("the test: got %v", ws)
	}
	of()
	e.tell("workspace/didChangeWatchedFiles", m{"changes": []m{{"uri": uri("/config.yaml"), "type": 2}}})
	e.until("a fact that is gone", func() bool { return codes(e.told[u].Diagnostics) == "R0201" })
	e.until("a fact that is gone from tests", func() bool { return len(e.told[test].Diagnostics) > 0 })
	of(todos, fact.Fact{Name: "vars.branch", Type: fact.Int})
	e.tick <- time.Time{}
	e.until("a fact that is back", func() bool { return len(e.told[u].Diagnostics) == 0 })
}

// TestConfigurationFile: the configurations of the user and of the project have diagnostics, each of its own
// kind, and nothing else; other files of the name are not served.
func TestConfigurationFile(t *testing.T) {
	t.Parallel()
	var own string
	e := open(t, with{options: func(o *lsp.Options) {
		o.Config = filepath.Join(o.Home, "own", "config.yaml")
		own = o.Config
		o.Findings = func(path string, src []byte) grammar.Diagnostics {
			if path == own {
				return config.Own(path, src, nil).Diagnostics
			}
			return config.Project(path, src).Diagnostics
		}
	}})
	for _, c := range []struct{ name, text, want string }{
		{"~/own/config.yaml", "state: memory\nvars: {a: strin}\n", "R1103"},
		{".aside/config.yaml", "state: memory\n", "R1102"},
		{"sub/.aside/config.yaml", "vars: [\n", "R1101"},
	} {
		u := e.show(c.name, c.text)
		if ws := e.wrong(u, 1); codes(ws) != c.want {
			t.Errorf("%s: got %v, want %s", c.name, ws, c.want)
		}
		var items any
		e.ask("textDocument/hover", m{"textDocument": m{"uri": u},
			"position": m{"line": 0, "character": 1}}, &items)
		if items != nil {
			t.Errorf("%s: %v", c.name, items)
		}
		e.retype(u, 2, "vars: {a: string}\n")
		if ws := e.wrong(u, 2); len(ws) != 0 {
			t.Errorf("%s, mended: %v", c.name, ws)
		}
	}
}

// TestT1Untrusted: of a project no file is opened that nobody has opened or trusts, but those beside one that
// is open.
func TestT1Untrusted(t *testing.T) {
	t.Parallel()
	g := &gate{}
	e := open(t, trusting(g))
	e.write(".claude/reminders/theirs.md", "---\nid: theirs\n---\nx")
	e.write(".aside/reminders/beside.md", "---\nid: beside\n---\nx")
	u := e.show(".aside/reminders/a.md",
		"---\nwhen: turns_since(\"theirs\") > 3 or turns_since(\"beside\") > 3\ncooldown: 3 turns\n---\nx")
	if ws := e.wrong(u, 1); len(ws) != 0 {
		t.Errorf("trusted: got %v", ws)
	}
	for _, dir := range g.asked {
		if filepath.Base(filepath.Dir(dir)) == ".aside" {
			t.Errorf("the gate was asked for %s, which is open", dir)
		}
	}
	n := open(t)
	n.write(".claude/reminders/theirs.md", "---\nid: theirs\n---\nx")
	n.write(".aside/reminders/beside.md", "---\nid: beside\n---\nx")
	u = n.show(".aside/reminders/a.md",
		"---\nwhen: turns_since(\"theirs\") > 3 or turns_since(\"beside\") > 3\ncooldown: 3 turns\n---\nx")
	if ws := n.wrong(u, 1); codes(ws) != "R0614" {
		t.Errorf("not trusted: got %v", ws)
	}
}

// TestSettings: settings of the editor change the diagnostics, also later.
func TestSettings(t *testing.T) {
	t.Parallel()
	e := open(t, settings(m{"vars": m{"todos": "int"}}))
	u := e.show(".aside/reminders/a.md",
		"---\nwhile: vars.todos > 3 and vars.branch == main\nmax_fires: 3\n---\nx")
	if ws := e.wrong(u, 1); codes(ws) != "R0201" {
		t.Errorf("got %v", ws)
	}
	e.tell("workspace/didChangeConfiguration", m{"settings": m{"aside": m{"vars": m{"todos": "int",
		"branch": "string"}}}})
	e.until("no mistake", func() bool { return len(e.told[u].Diagnostics) == 0 })
	e.tell("workspace/didChangeConfiguration", m{"settings": m{"aside": m{"vars": m{"todos": "integer"}}}})
	e.until("a complaint", func() bool { return len(e.logged) == 1 && strings.Contains(e.logged[0], "integer") })
	e.tell("workspace/didChangeConfiguration", m{"settings": nil})
	e.tell("workspace/didChangeConfiguration", m{"settings": []string{"x"}})
	e.retype(u, 2, "---\nwhile: vars.todos > 3\nmax_fires: 3\n---\nx")
	if ws := e.wrong(u, 2); len(ws) != 0 {
		t.Errorf("got %v", ws)
	}
}
