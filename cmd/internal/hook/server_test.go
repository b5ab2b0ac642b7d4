package hook_test

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/aside-go/aside/cmd/internal/hook"
	"github.com/aside-go/aside/internal/agent"
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
	m.write("openai_base_url = \"http://127.0.0.1:7717/v1\"\n", "home", ".codex", "config.toml")
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
	const all = "Own.\n\nTheirs."
	rules := m.path("home", ".aside", "reminders")
	says("no server", all, "claude-code")
	for _, killed := range []bool{false, true} {
		carry, end := m.serve(hook.Server{Address: "127.0.0.1:7717", Rules: []string{rules}})
		says("of which it has carried nothing", all, "claude-code", "ANTHROPIC_BASE_URL=http://127.0.0.1:7717")
		says("nothing, by its file", all, "codex")
		carry("claude-code:sclaude-code/agent")
		says("through it", "Theirs.", "claude-code")
		says("another agent", all, "codex")
		carry("codex:scodex")
		says("another agent, too", "Theirs.", "codex")
		carry("-claude-code:sclaude-code")
		says("no more", all, "claude-code")
		const here = "GOOGLE_GEMINI_BASE_URL=http://127.0.0.1:7717" // Gemini's requests name no session
		says("by its variable", "Theirs.", "gemini", here)
		says("by another name", "Theirs.", "gemini", "GOOGLE_GEMINI_BASE_URL=http://localhost:7717/")
		says("to another port", all, "gemini", here+"1")
		says("straight to the model", all, "gemini")
		end(killed)
		says("after its end", all, "codex")
		says("after its end", all, "gemini", here)
	}
	carry, end := m.serve(hook.Server{Address: "[::1]:7717",
		Rules: []string{rules, m.path("project", ".aside", "reminders")}})
	carry("claude-code:sclaude-code")
	says("all its rules", "", "claude-code")
	end(false)
	says("in the end", all, "claude-code")
	if left, _ := filepath.Glob(m.path("state", "aside", "serve")); len(left) > 0 {
		t.Errorf("%q stays", left)
	}
}

// TestSendsTo: hooks look for an agent's configuration where setup writes it: a variable may name a directory
// below that in which the agent starts.
func TestSendsTo(t *testing.T) {
	t.Chdir(t.TempDir())
	if err := errors.Join(os.Mkdir("rel", 0o700), os.WriteFile(filepath.Join("rel", "config.toml"),
		[]byte("base_url = \"http://127.0.0.1:7717/v1\"\n"), 0o600)); err != nil {
		t.Fatal(err)
	}
	h := hook.Host{Home: t.TempDir(), Env: func(name string) string {
		return map[string]string{"KIMI_CODE_HOME": "rel"}[name]
	}}
	a, _ := agent.Named("kimi-code")
	if !h.SendsTo(a, hook.Server{Address: "127.0.0.1:7717"}) {
		t.Error("the configuration is not read")
	}
}

// serve runs a process that has announced a server, and returns how to end it.
func (m *machine) serve(s hook.Server) (carry func(run string), end func(killed bool)) {
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
	heard := func() {
		m.t.Helper()
		if _, err := io.ReadFull(p.Out, make([]byte, 1)); err != nil {
			m.t.Fatal(err)
		}
	}
	heard()
	carry = func(run string) {
		if _, err := fmt.Fprintln(p.In, run); err != nil {
			m.t.Fatal(err)
		}
		heard()
	}
	return carry, func(killed bool) {
		if killed {
			_ = p.Process.Kill()
		}
		_ = p.In.Close()
		if err := p.Wait(); err != nil && !killed {
			m.t.Error(err)
		}
	}
}

// announce is the process of machine.serve. Each line of its stdin is a run that it carries, or, behind a
// minus, one that it carries no more.
func announce() {
	var s hook.Server
	if err := json.Unmarshal([]byte(os.Args[2]), &s); err != nil {
		panic(err)
	}
	a, err := hook.Announce(os.Args[1], s)
	if err != nil {
		panic(err)
	}
	fmt.Print(".")
	for lines := bufio.NewScanner(os.Stdin); lines.Scan(); fmt.Print(".") {
		run, no := strings.CutPrefix(lines.Text(), "-")
		a.Carry(run, !no)
	}
	a.End()
}
