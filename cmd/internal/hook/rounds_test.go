package hook_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
)

// TestRoundsOfCopilot: Copilot asks for all calls of an answer before it runs the first of them, so that
// results between which it asks for no call are of one turn, whatever the order and the time in which they
// come. A session's start is no turn, also where the session goes on, and a subagent is one run, whose task
// is nobody's message.
func TestRoundsOfCopilot(t *testing.T) {
	t.Parallel()
	m := newMachine(t)
	m.rule("turn", "while: always", "turn {{.turn_count}}, {{.thread_type}}.")
	m.rule("user", "when: user_message", "A person wrote.")
	m.rule("twice", "when: last_tool_call_failed and failures_in_row >= 2", "Failed twice.")
	const sub = `"agentId":"A","agentType":"explore","parentAgentId":"S",`
	result := func(who, text string) [2]string {
		session := "S"
		if who != "" {
			session = "A"
		}
		return [2]string{"postToolUse", fmt.Sprintf(`{"sessionId":%q,%s"toolName":"bash","toolArgs":{"command":"x"},
			"toolResult":{"resultType":"success","textResultForLlm":%q}}`, session, who, text)}
	}
	asked := [2]string{"preToolUse", `{"sessionId":"S","toolName":"bash","toolArgs":{"command":"x"}}`}
	subAsked := [2]string{"preToolUse", `{"sessionId":"A",` + sub +
		`"toolName":"bash","toolArgs":{"command":"x"}}`}
	prompt := [2]string{"userPromptSubmitted", `{"sessionId":"S","prompt":"go"}`}
	start := [2]string{"sessionStart", `{"sessionId":"S","source":"resume"}`}
	const ok, failed = "<shellId: 1 completed with exit code 0>", "<shellId: 1 completed with exit code 3>"
	for i, step := range []struct {
		event [2]string
		want  string
	}{
		{start, ""}, {prompt, "turn 1, root. A person wrote."},
		{asked, ""}, {asked, ""}, {asked, ""},
		{result("", failed), "turn 2, root."}, {result("", ok), ""}, {result("", failed), ""},
		{asked, ""}, {asked, ""}, {result("", ok), "turn 3, root."}, {result("", failed), "Failed twice."},
		{asked, ""},
		{[2]string{"subagentStart", `{"sessionId":"S",` + sub + `"agentName":"explore"}`}, ""},
		{[2]string{"userPromptSubmitted", `{"sessionId":"A",` + sub + `"prompt":"/remind user"}`},
			"turn 1, explore."},
		{subAsked, ""}, {result(sub, failed), "turn 2, explore."},
		{[2]string{"agentStop", `{"sessionId":"A",` + sub + `"stop_hook_active":false}`}, ""},
		{result("", failed), "turn 4, root. Failed twice."},
		{[2]string{"agentStop", `{"sessionId":"S","stop_hook_active":false}`}, ""},
		{start, ""}, {prompt, "turn 5, root. A person wrote."}, {prompt, "turn 6, root. A person wrote."},
	} {
		r := m.run(step.event[1], "--agent", "copilot", "--event", step.event[0])
		var out struct{ AdditionalContext string }
		if r.stdout != "" {
			if err := json.Unmarshal([]byte(r.stdout), &out); err != nil {
				t.Fatal(err)
			}
		}
		if got := strings.ReplaceAll(out.AdditionalContext, "\n\n", " "); got != step.want {
			t.Errorf("event %d, %s: %q, want %q", i, step.event[0], got, step.want)
		}
	}
}

// TestRunByCopilot: Copilot runs the hooks of Claude Code without their arguments, and its own ones besides.
// That is not an error, while a call without an agent is one.
func TestRunByCopilot(t *testing.T) {
	t.Parallel()
	m := newMachine(t)
	m.rule("always", "while: always", "Said.")
	for _, stdin := range []string{
		`{"hook_event_name":"PreToolUse","session_id":"S","timestamp":"2026-09-20T09:00:00Z","cwd":"/p",
			"tool_name":"Bash","tool_input":{"command":"x"}}`,
		`{"hook_event_name":"Stop","session_id":"S","timestamp":"2026-09-20T09:00:00Z","cwd":"/p",
			"transcript_path":"/x","stop_hook_active":false}`,
		`{"sessionId":"S","timestamp":1,"cwd":"/p","transcriptPath":"/x","agent_id":"A"}`,
	} {
		if r := m.run(stdin); r.code != 0 || r.stdout != "" || r.stderr != "" || len(m.log()) > 0 {
			t.Errorf("%s: %+v, the log %q", stdin, r, m.log())
		}
	}
	m.run(`{"hook_event_name":"PreToolUse","session_id":"S","transcript_path":"/x","cwd":"/p"}`)
	if len(m.log()) == 0 {
		t.Error("a call without an agent is not logged")
	}
}
