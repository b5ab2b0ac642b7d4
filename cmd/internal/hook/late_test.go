package hook_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/aside-go/aside/cmd/internal/hook"
	"github.com/aside-go/aside/internal/agent/session"
)

// TestLateFile: where the session's file has not yet the answer whose calls an event names, the hook waits
// for it, and no longer where it never comes.
func TestLateFile(t *testing.T) {
	t.Parallel()
	m := newMachine(t)
	m.rule("long", "while: last_response_tokens > 100", "{{.last_response_tokens}} tokens.")
	file, reads, late := m.write("{}\n", "s.jsonl"), 0, 0
	h := hook.Host{Env: func(string) string { return "" }, Clock: time.Now, Home: m.path("home"),
		Session: func(context.Context, session.File) (session.Facts, error) {
			if reads++; reads <= late {
				return session.Facts{}, nil
			}
			n := int64(100 + reads)
			return session.Facts{ResponseTokens: &n, Response: fmt.Sprint("r", reads),
				Calls: []session.Call{{ID: "c1"}, {ID: "c2"}}}, nil
		}}
	for i, c := range []struct {
		id          string
		late, reads int // -1: many
		want        string
	}{
		{"c1", 0, 1, "101 tokens."}, {"c2", 1, 2, "102 tokens."}, {"", 3, 1, ""},
		{"no", 0, -1, ""}, {"no", 0, -1, ""}, {"no", 0, -1, ""}, {"no", 0, 1, ""}, {"c1", 1, 1, ""},
	} {
		reads, late = 0, c.late
		stdin := event("hook_event_name", "PostToolBatch", "transcript_path", file, "tool_calls",
			[]any{map[string]any{"tool_name": "Read", "tool_use_id": c.id}}, "prompt_id", fmt.Sprint("p", i))
		out, err := h.Run(t.Context(), hook.Call{Agent: "claude-code", State: m.path("state", "aside")},
			[]byte(stdin))
		if err != nil || c.reads >= 0 && reads != c.reads || c.reads < 0 && reads < 2 ||
			!strings.Contains(string(out), c.want) {
			t.Errorf("event %d: %d reads, %q, %v", i, reads, out, err)
		}
	}
}
