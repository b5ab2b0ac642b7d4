package hook_test

import (
	"fmt"
	"testing"
	"time"
)

// holding is an agent that asks, with its answers, and no more than its prompt says nothing.
type holding struct {
	call, held, stop, back string
	others                 []string // other ends, which are let be
}

var holdings = map[string]holding{
	"vscode": {
		call: `{"sessionId":"s","cwd":"/p","hookEventName":"PreToolUse","transcript_path":"/x",
			"tool_name":"run_in_terminal","tool_input":{"command":%q},"tool_use_id":%q}`,
		held: `{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny",` +
			`"permissionDecisionReason":"Is it agreed?"}}`,
		stop: `{"sessionId":"s","cwd":"/p","hookEventName":"Stop","transcript_path":"/x",
			"stop_hook_active":false}`,
		others: []string{`{"sessionId":"s","cwd":"/p","hookEventName":"Stop","stop_hook_active":true}`},
		back:   `{"hookSpecificOutput":{"hookEventName":"Stop","decision":"block","reason":"Not yet."}}`,
	},
	"cursor": {
		stop: `{"conversation_id":"s","generation_id":"g","hook_event_name":"stop","cursor_version":"1",
			"workspace_roots":["/p"],"status":"completed","loop_count":0}`,
		others: []string{
			`{"conversation_id":"s","hook_event_name":"stop","status":"completed","loop_count":1}`,
			`{"conversation_id":"s","hook_event_name":"stop","status":"completed"}`,
			`{"conversation_id":"s","hook_event_name":"stop","status":"aborted","loop_count":0}`,
		},
		back: `{"followup_message":"Not yet."}`,
	},
	"qoder": {
		call: `{"session_id":"s","hook_event_name":"PreToolUse","cwd":"/p","tool_name":"Bash",
			"tool_input":{"command":%q},"tool_use_id":%q}`,
		held: `{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny",` +
			`"permissionDecisionReason":"Is it agreed?"}}`,
		stop:   `{"session_id":"s","hook_event_name":"Stop","cwd":"/p","stop_hook_active":false}`,
		others: []string{`{"session_id":"s","hook_event_name":"Stop","cwd":"/p","stop_hook_active":true}`},
		back:   `{"decision":"block","reason":"Not yet."}`,
	},
	"auggie": {
		call: `{"conversation_id":"s","hook_event_name":"PreToolUse","workspace_roots":["/p"],
			"tool_name":"launch-process","tool_input":{"command":%q},"tool_use_id":%q}`,
		held: `{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny",` +
			`"permissionDecisionReason":"Is it agreed?"}}`,
	},
	"goose": {
		call: `{"session_id":"s","event":"PreToolUse","working_dir":"/p","tool_name":"developer__shell",
			"tool_input":{"command":%q},"tool_call_id":%q}`,
		held: `{"decision":"block","reason":"Is it agreed?"}`,
	},
	"kimi-code": {
		call: `{"session_id":"s","hook_event_name":"PreToolUse","cwd":"/p","tool_name":"Bash",
			"tool_input":{"command":%q},"tool_call_id":%q}`,
		held: `{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny",` +
			`"permissionDecisionReason":"Is it agreed?"}}`,
	},
	"kilo": {
		call: `{"protocol":"aside-shim/1","event":"tool_call","session_id":"s","cwd":"/p","tool_name":"bash",
			"tool_input":{"command":%q},"tool_use_id":%q}`,
		held: `{"protocol":"aside-shim/1","hold":"Is it agreed?"}`,
	},
	"pi": {
		call: `{"protocol":"aside-shim/1","event":"tool_call","session_id":"s","cwd":"/p","tool_name":"bash",
			"tool_input":{"command":%q},"tool_use_id":%q}`,
		held: `{"protocol":"aside-shim/1","hold":"Is it agreed?"}`,
		stop: `{"protocol":"aside-shim/1","event":"stop","session_id":"s","cwd":"/p","stop_hook_active":false}`,
		others: []string{
			`{"protocol":"aside-shim/1","event":"stop","session_id":"s","cwd":"/p","stop_hook_active":true}`},
		back: `{"protocol":"aside-shim/1","hold":"Not yet."}`,
	},
	"grok": {
		call: `{"session_id":"s","hook_event_name":"PreToolUse","cwd":"/p","tool_name":"run_terminal_command",
			"tool_input":{"command":%q},"tool_use_id":%q}`,
		held: `{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny",` +
			`"permissionDecisionReason":"Is it agreed?"}}`,
		stop: `{"session_id":"s","hook_event_name":"Stop","cwd":"/p","reason":"end_turn","stop_hook_active":false}`,
		others: []string{
			`{"session_id":"s","hook_event_name":"Stop","cwd":"/p","reason":"shutdown","stop_hook_active":false}`},
		back: `{"hookSpecificOutput":{"hookEventName":"Stop","additionalContext":"Not yet."}}`,
	},
	"opencode": {
		call: `{"protocol":"aside-shim/1","event":"tool_call","session_id":"s","cwd":"/p","tool_name":"bash",
			"tool_input":{"command":%q},"tool_use_id":%q}`,
		held: `{"protocol":"aside-shim/1","hold":"Is it agreed?"}`,
	},
}

// TestHolds: a call, and an end, is held back once, in the form that the agent takes; a call that no rule
// reads is let be.
func TestHolds(t *testing.T) {
	t.Parallel()
	for name, a := range holdings {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m := newMachine(t)
			m.now = time.Now()
			m.rule("pause", "when: before_tool:@shell(git push*)\npause: true", "Is it agreed?")
			m.rule("end", "when: stopping", "Not yet.")
			ask := func(stdin, want string) {
				t.Helper()
				if r := m.run(stdin, "--agent", name); r.stdout != want || r.code != 0 || r.stderr != "" {
					t.Errorf("%s: %+v, want %s", stdin, r, want)
				}
			}
			if a.call != "" {
				ask(fmt.Sprintf(a.call, "ls", "c1"), "")
				ask(fmt.Sprintf(a.call, "git push --force", "c2"), a.held)
				ask(fmt.Sprintf(a.call, "git push --force", "c3"), "")
			}
			for _, end := range a.others {
				ask(end, "")
			}
			if a.stop != "" {
				ask(a.stop, a.back)
				ask(a.stop, "")
			}
			if log := m.log(); len(log) > 0 {
				t.Errorf("the log: %q", log)
			}
		})
	}
}
