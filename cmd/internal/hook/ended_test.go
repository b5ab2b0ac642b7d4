package hook

import (
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/aside-go/aside/internal/agent"
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
			s, err := filestore.Open(dir+"/state", filestore.Options{Keep: -1})
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

// TestSubagentEnds: the end of a subagent ends its run, and not the session's.
func TestSubagentEnds(t *testing.T) {
	t.Parallel()
	type told struct{ event, stdin string }
	for name, events := range map[string][3]told{
		"claude-code": {
			{"", `{"session_id":"s","hook_event_name":"UserPromptSubmit","prompt":"go","prompt_id":"p"}`},
			{"", `{"session_id":"s","hook_event_name":"SubagentStart","agent_id":"a","agent_type":"b"}`},
			{"", `{"session_id":"s","hook_event_name":"SubagentStop","agent_id":"a","agent_type":"b"}`},
		},
		"qwen": {
			{"", `{"session_id":"s","hook_event_name":"UserPromptSubmit","prompt":"go","submitted_prompt":"go"}`},
			{"", `{"session_id":"s","hook_event_name":"SubagentStart","agent_id":"a","agent_type":"b"}`},
			{"", `{"session_id":"s","hook_event_name":"SubagentStop","stop_hook_active":false,"agent_id":"a",` +
				`"agent_type":"b"}`},
		},
		"copilot": {
			{"userPromptSubmitted", `{"sessionId":"s","timestamp":1,"cwd":"/","prompt":"go"}`},
			{"userPromptSubmitted", `{"sessionId":"a","timestamp":2,"cwd":"/","prompt":"task","agentId":"a",` +
				`"agentType":"b","parentAgentId":"s"}`},
			{"subagentStop", `{"sessionId":"s","timestamp":3,"cwd":"/","agentId":"a","agentType":"b",` +
				`"agentName":"b","response":"r","stopReason":"end_turn","stop_hook_active":false,"parentAgentId":"s"}`},
		},
	} {
		a, _ := agent.Named(name)
		registered := slices.ContainsFunc(a.Config.Files, func(f agent.File) bool {
			return f.JSON != nil && slices.ContainsFunc(f.JSON.Events, func(r agent.Registration) bool {
				return strings.EqualFold(r.Event, "SubagentStop")
			})
		})
		if !registered {
			t.Errorf("%s: the event is not registered", name)
		}
		dir := t.TempDir()
		if err := os.WriteFile(dir+"/r.md", []byte("---\nwhen: turn_count > 99\n---\nText.\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		for i, e := range events {
			h := &Host{Env: func(string) string { return "" }, Home: dir,
				Clock: func() time.Time { return time.Unix(int64(i), 0) }}
			call := Call{Agent: name, Event: e.event, State: dir + "/state", Rules: []string{dir + "/r.md"}}
			if _, err := h.Run(t.Context(), call, []byte(e.stdin)); err != nil {
				t.Fatal(name, i, err)
			}
		}
		s, err := filestore.Open(dir+"/state", filestore.Options{Keep: -1})
		if err != nil {
			t.Fatal(err)
		}
		for thread, over := range map[string]bool{"": false, "a": true} {
			snap, _, err := s.Load(t.Context(), RunOf(name, "s", thread))
			if err != nil || snap == nil || Over(snap.Notes()) != over {
				t.Errorf("%s, thread %q: %v, %v, want over %t", name, thread, snap, err, over)
			}
		}
	}
}

// TestEndedOpen: with the session, and with a subagent, what nobody has answered ends open, in the run of the
// session.
func TestEndedOpen(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	rule := "---\nwhen: user_message or started\nexpect: after_tool:Read\nwithin: 9 turns\n---\nText.\n"
	if err := os.WriteFile(dir+"/r.md", []byte(rule), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, e := range []string{
		`{"session_id":"s","hook_event_name":"UserPromptSubmit","prompt":"go","prompt_id":"p"}`,
		`{"session_id":"s","hook_event_name":"SubagentStart","agent_id":"a","agent_type":"b"}`,
		`{"session_id":"s","hook_event_name":"SubagentStop","agent_id":"a","agent_type":"b"}`,
		`{"session_id":"s","hook_event_name":"SessionEnd","reason":"other"}`,
		`{"session_id":"s","hook_event_name":"SessionEnd","reason":"other"}`,
	} {
		h := &Host{Env: func(string) string { return "" }, Clock: func() time.Time { return time.Unix(9, 0) },
			Home: dir}
		call := Call{Agent: "claude-code", State: dir + "/state", Rules: []string{dir + "/r.md"}}
		if _, err := h.Run(t.Context(), call, []byte(e)); err != nil {
			t.Fatal(e, err)
		}
	}
	s, err := filestore.Open(dir+"/state", filestore.Options{Keep: -1})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	runs := map[string]bool{}
	for r, err := range s.Records(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, r.Outcome)
		runs[r.Run] = true
	}
	if want := []string{"fired", "fired", "open", "open"}; !slices.Equal(got, want) || len(runs) != 1 {
		t.Errorf("%q in %d runs, want %q in one", got, len(runs), want)
	}
}
