package hook

import (
	"os"
	"testing"
	"time"

	"github.com/aside-go/aside/state/filestore"
)

// TestResumedAtOnce: a session that has ended and begins again with an equal event, in the same second, goes
// on as any other.
func TestResumedAtOnce(t *testing.T) {
	t.Parallel()
	for name, events := range map[string][3]string{
		"claude-code": {`{"session_id":"s","hook_event_name":"SessionStart","source":"resume"}`,
			`{"session_id":"s","hook_event_name":"UserPromptSubmit","prompt":"go","prompt_id":"p"}`,
			`{"session_id":"s","hook_event_name":"SessionEnd","reason":"other"}`},
		"gemini": {`{"session_id":"s","timestamp":"1","hook_event_name":"SessionStart","source":"resume"}`,
			`{"session_id":"s","timestamp":"2","hook_event_name":"BeforeAgent","prompt":"go"}`,
			`{"session_id":"s","timestamp":"1","hook_event_name":"SessionEnd","reason":"exit"}`},
	} {
		dir := t.TempDir()
		if err := os.WriteFile(dir+"/r.md", []byte("---\nwhen: turn_count > 99\n---\nText.\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		at := time.Now()
		over := []bool{false, false, true, false, true, false}
		for i, e := range []string{events[0], events[1], events[2], events[0], events[2], events[0]} {
			h := &Host{Env: func(string) string { return "" }, Clock: func() time.Time { return at }, Home: dir}
			call := Call{Agent: name, State: dir + "/state", Rules: []string{dir + "/r.md"}}
			if _, err := h.Run(t.Context(), call, []byte(e)); err != nil {
				t.Fatal(name, i, err)
			}
			s, err := filestore.Options{Keep: -1}.Open(dir + "/state")
			if err != nil {
				t.Fatal(err)
			}
			snap, _, err := s.Load(t.Context(), RunOf(name, "s", ""))
			if err != nil || Over(snap.Notes()) != over[i] {
				t.Errorf("%s, event %d: over is %t, %v", name, i, Over(snap.Notes()), err)
			}
		}
	}
}
