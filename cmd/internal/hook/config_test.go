package hook_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/aside-go/aside/cmd/internal/hook"
	"github.com/aside-go/aside/state/filestore"
)

// TestConfiguredState: hooks remember their runs in the directory that the configuration names, unless their
// flag names another one, and in the standard one where it names a database.
func TestConfiguredState(t *testing.T) {
	t.Parallel()
	m := newMachine(t)
	m.rule("own", "when: user_message", "Own.")
	standard := m.path("state", "aside")
	for i, c := range []struct{ state, flag, want string }{
		{m.path("there"), "", m.path("there")},
		{m.path("there"), m.path("flag"), m.path("flag")},
		{"redis://localhost", "", standard},
	} {
		m.write("state: "+c.state+"\n", "home", ".config", "aside", "config.yaml")
		args := []string{"--agent", "claude-code", "--timeout", "60s"}
		if c.flag != "" {
			args = append(args, "--state", c.flag)
		}
		id := fmt.Sprint("s", i)
		if got := said(t, m.exec(m.env, []byte(event("session_id", id, "cwd", m.path("home"),
			"hook_event_name", "UserPromptSubmit", "prompt_id", "p", "prompt", "go")), args...)); got != "Own." {
			t.Errorf("%v: %q", c, got)
		}
		store, err := filestore.Open(c.want, filestore.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if s, _, err := store.Load(t.Context(), hook.RunOf("claude-code", id, "")); s == nil || err != nil {
			t.Errorf("%v: the run is not there: %v", c, err)
		}
	}
}

// TestConfiguration: the facts that the user's configuration declares, and that of a trusted project, are
// known, also where the file has mistakes, which the log tells; and a project changes none of the user's.
func TestConfiguration(t *testing.T) {
	t.Parallel()
	m := newMachine(t)
	m.rule("own", "while: user_message or vars.own > 3", "Own.")
	m.write("---\nwhile: user_message or vars.theirs > 3\n---\nTheirs.\n", "project", ".aside",
		"reminders", "a.md")
	m.write("vars: {own: string, theirs: int}\n", "project", ".aside", "config.yaml")
	n := 0
	says := func(want string) {
		t.Helper()
		n++
		if got := said(t, m.exec(m.env, []byte(event("session_id", "s"+strings.Repeat("1", n), "cwd",
			m.path("project"), "hook_event_name", "UserPromptSubmit", "prompt_id", "p", "prompt", "go")),
			"--agent", "claude-code", "--timeout", "60s")); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
	m.write("vars: {own: int}\nkeep: soon\n", "home", ".config", "aside", "config.yaml")
	says("Own.")
	trusted(t, m, m.path("project"))
	says("Theirs.\n\nOwn.")
	if log := strings.Join(m.log(), "\n"); !strings.Contains(log, "soon") {
		t.Errorf("the log: %q", log)
	}
	m.write("vars: {own: int, other: integer}\n", "home", ".config", "aside", "config.yaml")
	says("Theirs.\n\nOwn.")
	if log := m.log(); len(log) == 0 || !strings.Contains(log[len(log)-1], "config.yaml has mistakes") {
		t.Errorf("the log: %q", log)
	}
	m.write("vars: {theirs: string}\n", "project", ".aside", "config.yaml") // not as it was trusted
	says("Own.")
}
