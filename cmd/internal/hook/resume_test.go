package hook_test

import "testing"

// TestResumedSteps: where hooks have seen a session, nothing is unknown of the step before it was resumed;
// where they have not, no tool is known to have been used or not.
func TestResumedSteps(t *testing.T) {
	t.Parallel()
	start := func(session string) string {
		return event("session_id", session, "hook_event_name", "SessionStart", "source", "resume")
	}
	prompt := func(session, text string) string {
		return event("session_id", session, "hook_event_name", "UserPromptSubmit", "prompt", text,
			"submitted_prompt", text)
	}
	used := event("session_id", "s1", "hook_event_name", "PostToolUse", "tool_name", "edit",
		"tool_call_id", "c1")
	m := newMachine(t)
	m.rule("r", "while: always", `{{if known "tool_used"}}used {{join .tool_used ","}}{{else}}unknown{{end}}`)
	for i, step := range []struct{ stdin, want string }{
		{prompt("s1", "a"), "used "},
		{used, "used edit"},
		{event("session_id", "s1", "hook_event_name", "Stop"), ""},
		{start("s1"), ""},
		{prompt("s1", "b"), "used "},
		{start("s2"), ""},
		{prompt("s2", "a"), "unknown"},
	} {
		if got := said(t, m.run(step.stdin, "--agent", "qwen")); got != step.want {
			t.Errorf("step %d: %q, want %q", i, got, step.want)
		}
	}
}

// TestGeminiErrors: Gemini CLI drops what is put to the result of a call that it calls failed itself, so it
// waits.
func TestGeminiErrors(t *testing.T) {
	t.Parallel()
	m := newMachine(t)
	m.rule("r", "when: last_tool_call_failed", "Failed.")
	after := func(response map[string]any) string {
		return event("hook_event_name", "AfterTool", "tool_name", "read_file", "tool_response", response)
	}
	for i, step := range []struct{ stdin, want string }{
		{after(map[string]any{"llmContent": "File not found", "error": map[string]any{
			"message": "File not found"}}), ""},
		{after(map[string]any{"llmContent": "text"}), "Failed."},
	} {
		if got := said(t, m.run(step.stdin, "--agent", "gemini")); got != step.want {
			t.Errorf("step %d: %q, want %q", i, got, step.want)
		}
	}
}
