package install_test

import (
	"encoding/json"
	"errors"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/pelletier/go-toml/v2"
	"github.com/tailscale/hujson"

	"github.com/aside-go/aside/cmd/aside/internal/install"
	"github.com/aside-go/aside/internal/test/testkit"
)

// jsonConfigs are configurations as people have them, and some that only a machine would write.
var jsonConfigs = map[string]string{
	"empty":              "",
	"blank":              " \n\t\n",
	"bom alone":          "\ufeff",
	"object":             "{}",
	"object and line":    "{}\n",
	"blank object":       "{ }",
	"open object":        "{\n}\n",
	"bom":                "\ufeff{\n  \"a\": 1\n}\n",
	"crlf":               "{\r\n    \"a\": 1,\r\n    \"b\": [\r\n        true\r\n    ]\r\n}\r\n",
	"crlf comment":       "{\r\n  \"a\": 1 // one\r\n  // two\r\n}\r\n",
	"tabs":               "{\n\t\"a\": {\n\t\t\"b\": []\n\t}\n}",
	"compact":            `{"a":1,"b":{"c":[1,2,3]}}`,
	"compact blanks":     `{"a": 1, "b": 2}`,
	"no last line":       "{\n  \"a\": 1\n}",
	"many last lines":    "{\n  \"a\": 1\n}\n\n\n",
	"trailing comma":     "{\n  \"a\": [1, 2,],\n}\n",
	"trailing and word":  "{\n  \"a\": 1, // why\n}\n",
	"line comment":       "// head\n{\n  // first\n  \"a\": 1 // behind\n  // last\n}\n// foot",
	"block comments":     "/* h */{/* i */\"a\"/* j */:/* k */1/* l */}/* m */",
	"comment only":       "{\n  // nothing yet\n}\n",
	"block comment only": "{ /* nothing yet */ }",
	"comma comment":      "{\n  \"a\": 1 /* , */, /* , */ // ,\n}\n",
	"hooks empty":        "{\"hooks\": {}}",
	"hooks open":         "{\n  \"hooks\": {\n  }\n}\n",
	"event empty":        "{\n  \"hooks\": {\n    \"Stop\": []\n  }\n}\n",
	"event comment":      "{\n  \"hooks\": {\n    \"Stop\": [ // soon\n    ]\n  }\n}\n",
	"others": "{\n  \"hooks\": {\n    \"Stop\": [\n      { \"hooks\": [ { \"type\": \"command\", " +
		"\"command\": \"say aside hook --agent claude-code\" } ] }\n    ]\n  }\n}\n",
	"inline": "{\"hooks\": {\"Stop\": [{\n  \"hooks\": [{\"type\": \"command\", \"command\": " +
		"\"x\"}]\n}]}}\n",
	"array on one line": "{\n  \"hooks\": {\n    \"Stop\": [{\"hooks\": [{\"type\": \"command\", \"command\": " +
		"\"x\"}]}]\n  }\n}\n",
	"first on the line": "{ \"a\": 1,\n  \"b\": 2 }\n",
	"last on the line":  "{\n  \"a\": 1, \"b\": 2\n}\n",
	"escapes":           `{"\u0068ooks": {"Sto\u0070": []}, "a": "\"{[//"}`,
	"twice":             "{\n  \"hooks\": {\"Stop\": []},\n  \"hooks\": {\"Stop\": [], \"Stop\": []}\n}\n",
	"deep":              `{"a":` + strings.Repeat("[", 500) + strings.Repeat("]", 500) + "}",
	"deep objects":      strings.Repeat(`{"a":`, 500) + "1" + strings.Repeat("}", 500),
	"other groups": "{\n  \"hooks\": {\n    \"Stop\": [\n      {},\n      {\"hooks\": 1},\n      " +
		"{\"hooks\": [1, \"x\", null]},\n      3\n    ],\n    \"Other\": 7\n  }\n}\n",
	"null":             "{\"a\": null, \"hooks\": {\"Foo\": null}}\n",
	"unicode":          "{\n  \"größe\": \"日本 \\ud83d\\ude00 \u2028\"\n}\n",
	"eight":            "{\n        \"a\": 1\n}\n",
	"carriage returns": "{\r\"a\": 1\r}\r",
	"empty key":        "{\"\": {\"\": 1}}\n",
}

// jsonAgents are agents whose configuration is one JSON file, each with its own shape.
var jsonAgents = map[string]string{
	"claude-code": "home/.claude/settings.json",
	"gemini":      "home/.gemini/settings.json",
	"cursor":      "home/.cursor/hooks.json",
	"copilot":     "home/.copilot/hooks/aside.json",
	"crush":       "home/.config/crush/crush.json",
	"codex":       "home/.codex/hooks.json",
	"qwen":        "home/.qwen/settings.json",
	"droid":       "home/.factory/hooks.json",
	"vscode":      "home/.copilot/hooks/aside-vscode.json",
	"goose":       "home/.agents/plugins/aside/hooks/hooks.json",
}

// TestRoundTrip: whatever stands in a configuration, it parses after an installation, holds all that it held,
// in its order and with its comments, and is what it was after uninstalling.
func TestRoundTrip(t *testing.T) {
	t.Parallel()
	for agent, path := range jsonAgents {
		for name, text := range testkit.Few(jsonConfigs, 6) {
			t.Run(agent+"/"+name, func(t *testing.T) {
				t.Parallel()
				w := newWorld(t)
				w.write(t, path, text)
				r := request(t, agent, install.User)
				w.install(t, r)
				installed := w.files(t)
				after := installed[path]
				if !subsequence(text, after) {
					t.Errorf("bytes of the file are gone:\n%s", after)
				}
				keeps(t, text, after)
				if res := w.install(t, r); res.Changed() {
					t.Errorf("a second installation changes it:\n%s\n%s", after, w.files(t)[path])
				}
				if f := found(t, w, r); len(f.Missing) > 0 || len(f.Twice) > 0 {
					t.Errorf("missing %q, twice %q", f.Missing, f.Twice)
				}
				w.uninstall(t, r)
				if d := cmp.Diff(map[string]string{path: text}, w.files(t)); d != "" {
					t.Errorf("after uninstalling:\n%s", d)
				}
			})
		}
	}
}

// TestWithoutBackup: also where the backup is gone, what uninstalling leaves means what was there.
func TestWithoutBackup(t *testing.T) {
	t.Parallel()
	for name, text := range jsonConfigs {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			path := jsonAgents["claude-code"]
			w.write(t, path, text)
			r := request(t, "claude-code", install.User)
			for _, f := range w.install(t, r).Files {
				if f.Backup != "" {
					if err := os.Remove(f.Backup); err != nil {
						t.Fatal(err)
					}
				}
			}
			w.uninstall(t, r)
			after := w.files(t)[path]
			if !subsequence(words(after), words(text)) && !subsequence(words(text), words(after)) {
				t.Errorf("left:\n%s", after)
			}
			if strings.Contains(after, "/opt/aside") {
				t.Errorf("something of ours is left:\n%s", after)
			}
			if _, err := hujson.Parse([]byte(strings.TrimPrefix(after, "\ufeff") + "\n")); err != nil &&
				strings.TrimSpace(text) != "" && after != "" {
				t.Errorf("%v:\n%s", err, after)
			}
		})
	}
}

// words is a text without blanks.
func words(s string) string { return strings.Join(strings.Fields(s), "") }

// found is what is registered.
func found(t tester, w *world, r install.Request) install.Found {
	t.Helper()
	for _, f := range w.Inspect(r.Agent, r.Scope) {
		if f.Err != nil {
			t.Error(f.Err)
		}
		if len(f.Hooks) > 0 {
			for _, h := range f.Hooks {
				if !h.Current {
					t.Errorf("%s is not current", h.Event)
				}
			}
			return f
		}
	}
	t.Error("nothing is registered")
	return install.Found{}
}

// subsequence reports whether all bytes of a stand in b, in their order.
func subsequence(a, b string) bool {
	for i := 0; i < len(b) && a != ""; i++ {
		if a[0] == b[i] {
			a = a[1:]
		}
	}
	return a == ""
}

// keeps checks that after holds all that before holds: members and, at the same places, elements.
func keeps(t tester, before, after string) {
	t.Helper()
	b, a := decode(t, before), decode(t, after)
	if b != nil && !holds(a, b) {
		t.Errorf("what it held is gone or changed:\n%s", after)
	}
}

func decode(t tester, s string) (x any) {
	t.Helper()
	s = strings.TrimPrefix(s, "\ufeff")
	if strings.TrimSpace(s) == "" {
		return nil
	}
	b, err := hujson.Standardize([]byte(s + "\n"))
	if err == nil {
		err = json.Unmarshal(b, &x)
	}
	if err != nil {
		t.Fatalf("%v:\n%s", err, s)
	}
	return x
}

func holds(a, b any) bool {
	switch b := b.(type) {
	case map[string]any:
		m, ok := a.(map[string]any)
		for k := range b {
			ok = ok && holds(m[k], b[k])
		}
		return ok
	case []any:
		l, ok := a.([]any)
		ok = ok && len(l) >= len(b)
		for i := range b {
			ok = ok && holds(l[i], b[i])
		}
		return ok
	}
	return cmp.Equal(a, b)
}

// TestEditedSince: what somebody has changed after the installation stays, and ours goes.
func TestEditedSince(t *testing.T) {
	t.Parallel()
	for agent, path := range jsonAgents {
		t.Run(agent, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			before := "{\n  \"a\": 1\n}\n"
			w.write(t, path, before)
			r := request(t, agent, install.User)
			w.install(t, r)
			w.write(t, path, strings.Replace(w.files(t)[path], "\"a\": 1",
				"\"a\": 2,\n  \"b\": {\"c\": 3} /* new */", 1))
			w.install(t, r)
			w.uninstall(t, r)
			want := "{\n  \"a\": 2,\n  \"b\": {\"c\": 3} /* new */\n}\n"
			if agent == "cursor" || agent == "copilot" { // whose file it now is cannot be told
				want = strings.Replace(want, " */\n", " */,\n  \"version\": 1\n", 1)
			}
			files := w.files(t)
			if d := cmp.Diff(want, files[path]); d != "" {
				t.Error(d)
			}
			kept := ""
			for name, text := range files {
				if strings.Contains(name, ".aside-backup-") {
					kept += text
				}
			}
			if kept != before {
				t.Errorf("the backup is %q", kept)
			}
			// Installing anew keeps what is there now.
			w.install(t, r)
			w.uninstall(t, r)
			if d := cmp.Diff(map[string]string{path: want}, w.files(t)); d != "" {
				t.Error(d)
			}
		})
	}
}

var tomlConfigs = map[string]string{
	"empty":        "",
	"blank":        "\n\n",
	"bom":          "\ufeffa = 1\n",
	"no last line": "a = 1",
	"crlf":         "a = 1\r\n\r\n[b]\r\nc = 2\r\n",
	"comments":     "# head\na = 1 # one\n\n# foot\n",
	"tables":       "[[x]]\na = 1\n[[x.y]]\nb = 2\n[[x]]\n# end",
	"others": "[[hooks]]\nevent = \"Stop\"\ncommand = \"say\"\n\n# mine\n[[hooks]]\nevent = " +
		"\"Stop\"\ncommand = 'aside check'\n",
	"strings": "a = \"\"\"\n[[hooks]]\nevent = \"x\"\ncommand = \"aside hook --agent " +
		"kimi-code\"\n\"\"\"\nb = '''\n# aside: end of the hooks\n'''\n",
	"dotted":        "a.b.c = 1\n[x.\"y z\"]\nd = { e = [1, 2] }\n",
	"blanks at end": "a = 1\n\n\n",
	"spaced":        "  [[ hooks ]]  # one\n  event = \"Stop\"\n  command = \"x\"\n",
}

func TestRoundTripTOML(t *testing.T) {
	t.Parallel()
	path := "home/.kimi-code/config.toml"
	for name, text := range tomlConfigs {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			w.write(t, path, text)
			r := request(t, "kimi-code", install.User)
			w.install(t, r)
			after := w.files(t)[path]
			var a, b map[string]any
			if err := errors.Join(toml.Unmarshal([]byte(strings.TrimPrefix(text, "\ufeff")), &b),
				toml.Unmarshal([]byte(strings.TrimPrefix(after, "\ufeff")), &a)); err != nil {
				t.Fatalf("%v:\n%s", err, after)
			}
			if !holds(any(a), any(b)) || !subsequence(text, after) {
				t.Errorf("something is gone:\n%s", after)
			}
			if res := w.install(t, r); res.Changed() {
				t.Error("a second installation changes it")
			}
			found(t, w, r)
			w.uninstall(t, r)
			if d := cmp.Diff(map[string]string{path: text}, w.files(t)); d != "" {
				t.Errorf("after uninstalling:\n%s", d)
			}

			if name == "strings" { // which holds one of the marks
				return
			}
			// An agent that writes the file anew loses comments, marks and all.
			w.install(t, r)
			var bare []string
			for _, line := range strings.Split(w.files(t)[path], "\n") {
				if !strings.HasPrefix(line, "# aside:") {
					bare = append(bare, line)
				}
			}
			w.write(t, path, strings.Join(bare, "\n")+"\n[later]\nz = 1\n")
			if res := w.install(t, r); res.Changed() {
				t.Error("hooks without marks are not known again")
			}
			w.uninstall(t, r)
			after = w.files(t)[path]
			a = nil
			if err := toml.Unmarshal([]byte(strings.TrimPrefix(after, "\ufeff")), &a); err != nil {
				t.Fatalf("%v:\n%s", err, after)
			}
			if strings.Contains(after, "/opt/aside") || !holds(any(a), any(b)) || !strings.Contains(after,
				"[later]\nz = 1\n") {
				t.Errorf("left:\n%s", after)
			}
		})
	}
}

// TestRefused: what cannot be read or has another shape is refused with its place, and nothing is written.
func TestRefused(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		agent, path, text string
		line, column      int
		message, hintSays string
	}{
		"syntax": {"claude-code", "home/.claude/settings.json", "{\n  \"ä\": 1 \"b\": 2\n}", 2, 10,
			"invalid character", "not changed"},
		"torn": {"claude-code", "home/.claude/settings.json", "{\n  \"a\": ", 2, 8, "unexpected EOF",
			"not changed"},
		"array": {"gemini", "home/.gemini/settings.json", "\n []", 2, 2, "not an object", "begin with {"},
		"hooks array": {"gemini", "home/.gemini/settings.json", "{\"hooks\": []}", 1, 11,
			`"hooks" is not an object`, "EVENT"},
		"event object": {"gemini", "home/.gemini/settings.json", "{\"hooks\": {\n\"AfterTool\": {}}}", 2, 14,
			`"AfterTool" of the hooks is not an array`, "take it out"},
		"not text": {"cursor", "home/.cursor/hooks.json", "\x00\x01", 1, 1, "invalid character", "not changed"},
		"utf-16": {"cursor", "home/.cursor/hooks.json", "\xff\xfe{\x00}\x00", 1, 1, "invalid character",
			"not changed"},
		"brackets": {"cursor", "home/.cursor/hooks.json", strings.Repeat("[", 200_000), 1, 1, "too large",
			"right file"},
		"toml": {"kimi-code", "home/.kimi-code/config.toml", "a = 1\nb = = 2\n", 2, 5, "", "not changed"},
		"toml array": {"kimi-code", "home/.kimi-code/config.toml",
			"hooks = [{event = \"Stop\", command = \"x\"}]\n", 1, 1, "another form", "[[hooks]]"},
		"toml table": {"kimi-code", "home/.kimi-code/config.toml", "[hooks]\na = 1\n", 1, 1, "another form",
			"[[hooks]]"},
		"codex toml": {"codex", "home/.codex/config.toml", "a = \n", 1, 5, "", "not changed"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			w.write(t, c.path, c.text)
			r := request(t, c.agent, install.User)
			for _, do := range []func(install.Request) (*install.Result, error){w.Install, w.Uninstall} {
				_, err := do(r)
				var s *install.SyntaxError
				if !errors.As(err, &s) {
					if (c.message == "another form" || strings.Contains(c.message, "is not a")) && err == nil {
						continue // there is nothing to take out
					}
					t.Fatalf("got %v", err)
				}
				if s.Line != c.line || s.Column != c.column || !strings.Contains(s.Message, c.message) ||
					!strings.Contains(s.Hint, c.hintSays) || !strings.HasSuffix(s.File, c.path) {
					t.Errorf("%s:%d:%d: %s (%s)", s.File, s.Line, s.Column, s.Message, s.Hint)
				}
			}
			if d := cmp.Diff(map[string]string{c.path: c.text}, w.files(t)); d != "" {
				t.Errorf("something was written:\n%s", d)
			}
		})
	}
}

// TestRewrittenByTheAgent: agents write their configuration anew, without comments and in their own form.
// Ours is still known, and goes.
func TestRewrittenByTheAgent(t *testing.T) {
	t.Parallel()
	for agent, path := range jsonAgents {
		t.Run(agent, func(t *testing.T) {
			t.Parallel()
			for _, before := range []string{
				"{\n  // mine\n  \"model\": \"m\",\n  \"hooks\": {\"Stop\": [], \"Foo\": []}\n}\n", "{\"a\": [1, 2]}"} {
				w := newWorld(t)
				w.write(t, path, before)
				r := request(t, agent, install.User)
				w.install(t, r)
				anew, err := json.MarshalIndent(decode(t, w.files(t)[path]), "", "    ")
				if err != nil {
					t.Fatal(err)
				}
				w.write(t, path, string(anew))
				if res := w.install(t, r); res.Changed() {
					t.Errorf("it is not known again: %s", res.Files[0].Is)
				}
				w.uninstall(t, r)
				want, got := decode(t, before).(map[string]any), decode(t, w.files(t)[path]).(map[string]any)
				delete(got, "version")
				if d := cmp.Diff(want, got); d != "" {
					t.Error(d)
				}
			}
		})
	}
}

func decoded(b []byte) (x any) {
	if json.Unmarshal(b, &x) != nil {
		return nil
	}
	return x
}
