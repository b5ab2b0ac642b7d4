package hook_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/lockedfile"
)

// TestSpooledEvents: what happened at events whose hooks could not finish is told by the next one, each turn
// counted, nothing twice; no text of them is written meanwhile.
func TestSpooledEvents(t *testing.T) {
	t.Parallel()
	m := newMachine(t)
	m.rule("asked", "when: user_message", "Asked on turn {{.turn_count}}.")
	m.rule("failed", "when: tool_failed:Bash", "Failed on turn {{.turn_count}}.")
	m.rule("now", "while: turn_count >= 3", "Turn {{.turn_count}}.")
	brief := []string{"--agent", "claude-code", "--timeout", "150ms"}
	m.run(event("session_id", "s1", "hook_event_name", "PostToolBatch", "tool_calls", []any{}), claude...)
	locks, _ := filepath.Glob(m.path("state", "aside", "lock", "*"))
	if len(locks) != 1 {
		t.Fatal(locks)
	}
	lock, err := lockedfile.OpenFile(locks[0], os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	for _, late := range []string{
		prompt("s1", "p1", "SECRET words"),
		event("session_id", "s1", "hook_event_name", "PostToolUseFailure", "prompt_id", "p1", "tool_name", "Bash",
			"tool_use_id", "c1", "tool_input", map[string]any{"command": "SECRET"}, "error", "SECRET"),
		event("session_id", "s1", "hook_event_name", "PostToolBatch", "prompt_id", "p1", "tool_calls",
			[]any{map[string]any{"tool_name": "Bash", "tool_use_id": "c1",
				"tool_input": map[string]any{"command": "SECRET"}, "tool_response": "SECRET"}}),
	} {
		m.exec(m.env, []byte(late), brief...).quiet(t)
	}
	silent(t, m.path("state"))
	if log := m.log(); len(log) != 3 {
		t.Errorf("the log: %q", log)
	}
	if err := lock.Close(); err != nil {
		t.Fatal(err)
	}
	next := event("session_id", "s1", "hook_event_name", "PostToolBatch", "prompt_id", "p1", "tool_calls",
		[]any{map[string]any{"tool_name": "Read", "tool_use_id": "c2"}})
	got := said(t, m.run(next, claude...))
	if want := "Asked on turn 1.\n\nFailed on turn 2.\n\nTurn 3."; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	if left, _ := filepath.Glob(m.path("state", "aside", "spool", "*")); len(left) > 0 {
		t.Errorf("they stay: %q", left)
	}
}

// TestSpoolIsBounded: of more events than may wait, the oldest are left out, whatever runs they are of, and a
// line of the log says so.
func TestSpoolIsBounded(t *testing.T) {
	t.Parallel()
	m := newMachine(t)
	m.rule("r", "while: always", "Here.")
	const most = 512
	spool := m.path("state", "aside", "spool")
	begun := time.Now().UTC().Add(-time.Hour)
	name := func(n int) string {
		at := begun.Add(time.Duration(n) * time.Second)
		return "0123456789abcdef-" + at.Format("20060102T150405") + ".000000000-AAAAAAAA"
	}
	for n := range most + 5 {
		m.write("null\n", "state", "aside", "spool", name(n))
	}
	if got := said(t, m.run(batch("s1", "c1"), claude...)); got != "Here." {
		t.Errorf("%q", got)
	}
	left, err := os.ReadDir(spool)
	if err != nil || len(left) != most || left[0].Name() != name(5) {
		t.Errorf("%d records, %v: %v", len(left), left[:min(len(left), 1)], err)
	}
	if log := m.log(); len(log) != 1 || !strings.Contains(log[0],
		"5 events are left out: more than 512 waited") {
		t.Errorf("the log: %q", log)
	}
}
