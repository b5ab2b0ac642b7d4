package install_test

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/pelletier/go-toml/v2"

	"github.com/aside-go/aside/cmd/aside/internal/install"
	"github.com/aside-go/aside/internal/test/testkit"
)

// TestPlaces: where each agent has its configuration.
func TestPlaces(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		agent string
		scope install.Scope
		env   string
		want  string // below the root
	}{
		{"claude-code", install.User, "", "home/.claude/commands/remind.md home/.claude/settings.json"},
		{"claude-code", install.User, "CLAUDE_CONFIG_DIR=/home/cc",
			"home/cc/commands/remind.md home/cc/settings.json"},
		{"claude-code", install.User, "CLAUDE_CONFIG_DIR=rel",
			"project/rel/commands/remind.md project/rel/settings.json"},
		{"claude-code", install.Project, "CLAUDE_CONFIG_DIR=/home/cc",
			"project/.claude/commands/remind.md project/.claude/settings.json"},
		{"codex", install.User, "CODEX_HOME=/home/cx", "home/cx/hooks.json"},
		{"codex", install.Project, "", "project/.codex/hooks.json"},
		{"gemini", install.User, "GEMINI_CLI_HOME=/home/g",
			"home/g/.gemini/commands/remind.toml home/g/.gemini/settings.json"},
		{"gemini", install.Project, "", "project/.gemini/commands/remind.toml project/.gemini/settings.json"},
		{"qwen", install.User, "QWEN_HOME=/home/q", "home/q/commands/remind.md home/q/settings.json"},
		{"cursor", install.Project, "", "project/.cursor/commands/remind.md project/.cursor/hooks.json"},
		{"copilot", install.User, "COPILOT_HOME=/home/cp", "home/cp/hooks/aside.json"},
		{"copilot", install.Project, "", "project/.github/hooks/aside.json"},
		{"vscode", install.User, "", "home/.copilot/hooks/aside-vscode.json"},
		{"vscode", install.Project, "", "project/.github/hooks/aside-vscode.json"},
		{"droid", install.Project, "", "project/.factory/hooks.json"},
		{"cline", install.User, "",
			"home/Documents/Cline/Hooks/PostToolUse home/Documents/Cline/Hooks/TaskResume " +
				"home/Documents/Cline/Hooks/TaskStart home/Documents/Cline/Hooks/UserPromptSubmit"},
		{"cline", install.Project, "",
			"project/.clinerules/hooks/PostToolUse project/.clinerules/hooks/TaskResume " +
				"project/.clinerules/hooks/TaskStart project/.clinerules/hooks/UserPromptSubmit"},
		{"crush", install.User, "XDG_CONFIG_HOME=/home/xdg", "home/xdg/crush/crush.json"},
		{"crush", install.Project, "", "project/crush.json"},
		{"kimi-code", install.User, "KIMI_CODE_HOME=/home/k", "home/k/config.toml"},
		{"opencode", install.User, "OPENCODE_CONFIG_DIR=/home/oc",
			"home/oc/commands/remind.md home/oc/plugins/aside.js"},
		{"opencode", install.Project, "",
			"project/.opencode/commands/remind.md project/.opencode/plugins/aside.js"},
		{"goose", install.Project, "",
			"project/.agents/plugins/aside/hooks/hooks.json project/.agents/plugins/aside/plugin.json"},
	} {
		t.Run(c.agent+"/"+string(c.scope), func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			if name, value, ok := strings.Cut(c.env, "="); ok {
				if rest, abs := strings.CutPrefix(value, "/"); abs {
					value = filepath.Join(w.root, rest)
				}
				w.env[name] = value
			}
			r := request(t, c.agent, c.scope)
			w.install(t, r)
			if d := cmp.Diff(strings.Fields(c.want), sorted(w.files(t))); d != "" {
				t.Error(d)
			}
			w.uninstall(t, r)
			if files := w.files(t); len(files) > 0 {
				t.Errorf("left: %q", sorted(files))
			}
			for _, dir := range []string{w.Home, w.Project} {
				if entries, err := os.ReadDir(dir); err != nil || len(entries) > 0 && c.env == "" && c.agent != "cline" &&
					c.agent != "crush" && c.agent != "opencode" && c.agent != "goose" {
					t.Errorf("%v; directories are left: %v", err, entries)
				}
			}
		})
	}
}

// TestCannot: agents that cannot be reminded, and scopes that they have not, are refused, and nothing is
// made.
func TestCannot(t *testing.T) {
	t.Parallel()
	for name, scope := range map[string]install.Scope{"windsurf": install.User, "kiro": install.User,
		"kimi-cli": install.User, "kimi-code": install.Project} {
		w := newWorld(t)
		if _, err := w.Install(request(t, name, scope)); !errors.Is(err, install.ErrCannot) {
			t.Errorf("%s: %v", name, err)
		}
		if len(w.files(t)) > 0 {
			t.Errorf("%s: files were made", name)
		}
	}
}

// TestGooseFile: a text that Goose reads already is not written over.
func TestGooseFile(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.write(t, "home/mine.md", "be brief\n")
	w.env["GOOSE_MOIM_MESSAGE_FILE"] = filepath.Join(w.Home, "mine.md")
	r := request(t, "goose", install.User)
	if _, err := w.Install(r); !errors.Is(err, install.ErrForeign) || !strings.Contains(err.Error(), "mine.md") {
		t.Errorf("got %v", err)
	}
	for _, file := range []string{"", filepath.Join(w.State, "goose.md"), filepath.Join(w.Home, "none.md")} {
		w.env["GOOSE_MOIM_MESSAGE_FILE"] = file
		if res := w.install(t, r); !strings.HasSuffix(res.After[1], filepath.Join(w.State, "goose.md")) {
			t.Errorf("%q", res.After)
		}
	}
}

// TestOutOfTheProject: links in a project that lead out of it are not followed.
func TestOutOfTheProject(t *testing.T) {
	t.Parallel()
	for _, link := range []string{".claude", ".claude/settings.json", ".claude/commands"} {
		w := newWorld(t)
		w.write(t, "home/precious/settings.json", "{}")
		path := filepath.Join(w.Project, filepath.FromSlash(link))
		target := filepath.Join(w.Home, "precious")
		if strings.HasSuffix(link, ".json") {
			target = filepath.Join(target, "settings.json")
		}
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.Symlink(target, path)); err != nil {
			t.Fatal(err)
		}
		if _, err := w.Install(request(t, "claude-code", install.Project)); !errors.Is(err, install.ErrOutside) ||
			!strings.Contains(err.Error(), "it leads out of the project, to ") || !strings.Contains(err.Error(),
			filepath.Join("home", "precious")) {
			t.Errorf("%s: %v", link, err)
		}
		entries, err := os.ReadDir(filepath.Join(w.Home, "precious"))
		if b, rerr := os.ReadFile(filepath.Join(w.Home, "precious", "settings.json")); err != nil || rerr != nil ||
			len(entries) != 1 || string(b) != "{}" {
			t.Errorf("%s: %v: %s", link, entries, b)
		}
	}
}

// TestOlderClaudeCode: what an older version does not know is not relied on.
func TestOlderClaudeCode(t *testing.T) {
	t.Parallel()
	for version, args := range map[string]bool{"": true, "2.1.329": true, "2.1.139": true, "2.1.99": false,
		"1.0.120": false, "3.0": true} {
		w := newWorld(t)
		w.Version = func(string) string { return version }
		w.install(t, request(t, "claude-code", install.User))
		text := w.files(t)[settings]
		if strings.Contains(text, `"args"`) != args {
			t.Errorf("%q: %s", version, text)
		}
	}
}

// TestFixtures: what is registered is what the protocol's description has, and perhaps further events.
func TestFixtures(t *testing.T) {
	t.Parallel()
	for agent, file := range map[string]string{
		"claude-code": "settings.json", "codex": "hooks.json", "gemini": "settings.json", "qwen": "settings.json",
		"cursor": "hooks.json", "copilot": "aside.json",
		"vscode": "aside.json", "droid": "hooks.json", "crush": "crush.json", "kimi-code": "config.toml",
	} {
		t.Run(agent, func(t *testing.T) {
			t.Parallel()
			b, err := os.ReadFile(testkit.Data(t, "hook-fixtures", agent, "config", file))
			if err != nil {
				t.Fatal(err)
			}
			w := newWorld(t)
			w.Program = install.Program{Aside: "aside"}
			res := w.install(t, request(t, agent, install.User))
			if filepath.Ext(file) == ".toml" {
				var want, got struct{ Hooks []map[string]any }
				if err := errors.Join(toml.Unmarshal(b, &want), toml.Unmarshal(res.Files[0].Is, &got)); err != nil {
					t.Fatal(err)
				}
				for _, h := range want.Hooks {
					if !slices.ContainsFunc(got.Hooks, func(g map[string]any) bool { return cmp.Equal(g, h) }) {
						t.Errorf("not registered: %v", h)
					}
				}
				return
			}
			var want, got map[string]any
			if err := errors.Join(json.Unmarshal(b, &want), json.Unmarshal(res.Files[0].Is, &got)); err != nil {
				t.Fatal(err)
			}
			delete(want, "statusLine") // only if it is asked for
			if !holds(got, want) {
				t.Errorf("got %s", res.Files[0].Is)
			}
		})
	}
}

// TestOpencodeCommand: the plugin runs the program that was installed.
func TestOpencodeCommand(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.Program = install.Program{Aside: `/a "b"/aside`}
	r := request(t, "opencode", install.User)
	w.install(t, r)
	text := w.files(t)["home/.config/opencode/plugins/aside.js"]
	if !strings.Contains(text,
		"\nconst command = [\"/a \\\"b\\\"/aside\",\"hook\",\"--agent\",\"opencode\"]\n") ||
		strings.Contains(text, `"aside-hook"`) {
		t.Error(text)
	}
	if !strings.Contains(text, "; sum ") {
		t.Error("it has no mark")
	}
	if f := found(t, w, r); len(f.Hooks) != 1 || f.Hooks[0].Command.Program() != w.Program.Aside {
		t.Errorf("%+v", f)
	}
}
