package hook_test

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/aside-go/aside/cmd/internal/hook"
	"github.com/aside-go/aside/internal/test/testkit"
)

// TestBesideServe: the hooks of an agent that sends its requests through an aside serve say nothing of its
// rules, and what else there is; they say all once it has ended, in whatever way.
func TestBesideServe(t *testing.T) {
	t.Parallel()
	m := newMachine(t)
	m.rule("own", "while: always", "Own.")
	m.write("---\nwhile: always\n---\nTheirs.\n", "project", ".aside", "reminders", "theirs.md")
	trusted(t, m, m.path("project"))
	codex := func(text string) { m.write(text, "home", ".codex", "config.toml") }
	const base = "base_url = \"http://127.0.0.1:7717/v1\"\n"
	const own = "openai_" + base
	codex(own)
	n := 0
	says := func(name, want, agent string, env ...string) {
		t.Helper()
		n++
		r := m.exec(slices.Concat(m.env, env), []byte(event("session_id", "s"+agent, "cwd", m.path("project"),
			"hook_event_name", "UserPromptSubmit", "prompt_id", fmt.Sprint("p", n), "turn_id", fmt.Sprint("p", n),
			"prompt", "go")), "--agent", agent, "--timeout", "60s")
		if want == "" {
			r.quiet(t)
		} else if got := said(t, r); got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
	const here = "ANTHROPIC_BASE_URL=http://127.0.0.1:7717"
	const all = "Own.\n\nTheirs."
	rules := m.path("home", ".aside", "reminders")
	says("no server", all, "claude-code", here)
	for _, killed := range []bool{false, true} {
		end := m.serve(hook.Server{Address: "127.0.0.1:7717", Rules: []string{rules}})
		says("through it", "Theirs.", "claude-code", here)
		says("by another name", "Theirs.", "claude-code", "ANTHROPIC_BASE_URL=http://localhost:7717/")
		says("by its file", "Theirs.", "codex")
		for text, want := range map[string]string{
			"model_provider = \"here\" # ours\n[model_providers.here]\n" + base:                     "Theirs.",
			"model_provider = 'a'\nmodel_providers.a = { base_url = 'http://localhost:7717/v1' }\n": "Theirs.",
			"model_provider = \"else\"\n" + own + "[model_providers.else]\nbase_url = 'else'\n":     all,
			"[model_providers.here]\n" + base:                                                       all,
			"[profiles.x]\n" + own:                                                                  all,
		} {
			codex(text)
			says(text, want, "codex", "OPENAI_BASE_URL=http://127.0.0.1:7717/v1") // which Codex does not read
		}
		codex(own)
		says("to another port", all, "claude-code", here+"1")
		says("straight to the model", all, "claude-code")
		says("another agent's address", all, "gemini", here)
		end(killed)
		says("after its end", all, "claude-code", here)
	}
	end := m.serve(hook.Server{Address: "[::1]:7717",
		Rules: []string{rules, m.path("project", ".aside", "reminders")}})
	says("all its rules", "", "claude-code", here)
	end(false)
	says("in the end", all, "claude-code", here)
	if left, _ := filepath.Glob(m.path("state", "aside", "serve")); len(left) > 0 {
		t.Errorf("%q stays", left)
	}
}

// serve runs a process that has announced a server, and returns how to end it.
func (m *machine) serve(s hook.Server) (end func(killed bool)) {
	m.t.Helper()
	b, err := json.Marshal(s)
	if err != nil {
		m.t.Fatal(err)
	}
	p := testkit.NewProcess(m.t, append(m.env, "HOOK_TEST_SERVE=1"), os.Args[0], m.path("state", "aside"),
		string(b))
	if err := p.Start(); err != nil {
		m.t.Fatal(err)
	}
	if _, err := io.ReadFull(p.Out, make([]byte, 1)); err != nil {
		m.t.Fatal(err)
	}
	return func(killed bool) {
		if killed {
			_ = p.Process.Kill()
		}
		_ = p.In.Close()
		if err := p.Wait(); err != nil && !killed {
			m.t.Error(err)
		}
	}
}

// announce is the process of machine.serve.
func announce() {
	var s hook.Server
	end, err := func() (func(), error) {
		if err := json.Unmarshal([]byte(os.Args[2]), &s); err != nil {
			return nil, err
		}
		return hook.Announce(os.Args[1], s)
	}()
	if err != nil {
		panic(err)
	}
	fmt.Print(".")
	_, _ = io.Copy(io.Discard, os.Stdin)
	end()
}
