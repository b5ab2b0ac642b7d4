package hook_test

import (
	"strings"
	"testing"
)

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
