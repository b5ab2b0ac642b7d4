package hook_test

import (
	"testing"
	"time"

	"github.com/aside-go/aside/cmd/internal/hook"
)

func TestKeep(t *testing.T) {
	t.Parallel()
	for value, want := range map[string]time.Duration{"": 0, "forever": -1, "72h": 72 * time.Hour,
		"14d": 14 * 24 * time.Hour, "1.5d": 36 * time.Hour, "1d12h": 36 * time.Hour, "90m": 90 * time.Minute} {
		if got, err := hook.Keep(value); got != want || err != nil {
			t.Errorf("%q: %v, %v", value, got, err)
		}
	}
	for _, value := range []string{"0", "0d", "-1h", "-3d", "d", "3", "1e9d", "999999999d", "soon"} {
		if got, err := hook.Keep(value); err == nil {
			t.Errorf("%q is %v", value, got)
		}
	}
}

// TestKeepIsASetting: what is no setting is for the log, and nothing else changes.
func TestKeepIsASetting(t *testing.T) {
	t.Parallel()
	m := newMachine(t)
	m.env = append(m.env, "ASIDE_KEEP=soon")
	m.rule("a", "when: always", "It is so.")
	if r := m.run(event("session_id", "s", "prompt_id", "p", "hook_event_name", "UserPromptSubmit", "prompt",
		"Go."), claude...); r.stdout == "" || r.code != 0 {
		t.Errorf("%+v", r)
	}
	if log := m.log(); len(log) != 1 {
		t.Errorf("%q", log)
	}
}
