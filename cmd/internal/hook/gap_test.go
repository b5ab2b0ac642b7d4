package hook_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// recording is a session's file that grows while hooks run.
type recording struct {
	t    *testing.T
	path string
}

func (r recording) add(lines ...string) {
	r.t.Helper()
	f, err := os.OpenFile(r.path, os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		r.t.Fatal(err)
	}
	if _, err := f.WriteString(strings.Join(lines, "\n") + "\n"); err != nil {
		r.t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		r.t.Fatal(err)
	}
}

// TestGaps: a model call of which no event tells is a turn all the same, with the calls and the outcomes that
// the session's file has; what fires in it goes out with the next event. Which calls failed is known from the
// file, too.
func TestGaps(t *testing.T) {
	t.Parallel()
	m := newMachine(t)
	m.rule("turn", "while: always", "Turn {{.turn_count}}.")
	m.rule("push", "when: after_tool:@shell(git push*)", "Pushed before {{.turn_count}}.")
	m.rule("row", "when: failures_in_row >= 2", "Two in a row before {{.turn_count}}.")
	m.rule("three", "when: tool_calls >= 4", "{{.tool_calls}} calls.")
	file := recording{t, m.write(`{"type":"session_meta","payload":{"id":"s","cwd":"/p","source":"exec"}}`+"\n",
		"rollout-s.jsonl")}
	call := func(id, command string) string {
		return fmt.Sprintf(`{"type":"response_item","payload":{"type":"function_call","name":"exec_command",`+
			`"arguments":"{\"cmd\":\"%s\"}","call_id":%q}}`, command, id)
	}
	over := func(id, text string) string {
		return fmt.Sprintf(`{"type":"response_item","payload":{"type":"function_call_output",`+
			`"call_id":%q,"output":%q}}`, id, text)
	}
	ended := func(id, status string) string {
		return fmt.Sprintf(`{"type":"event_msg","payload":{"type":"item_completed","item":`+
			`{"type":"CommandExecution","id":%q,"status":%q}}}`, id, status)
	}
	hook := func(name, id, want string) {
		t.Helper()
		stdin := event("hook_event_name", name, "prompt", "Go.", "turn_id", "u", "transcript_path", file.path)
		if id != "" {
			stdin = event("hook_event_name", name, "tool_name", "Bash", "tool_use_id", id, "tool_input",
				map[string]any{"command": "ls"}, "tool_response", "", "turn_id", "u", "transcript_path", file.path)
		}
		if got := strings.ReplaceAll(said(t, m.run(stdin, "--agent", "codex")), "\n\n", " "); got != want {
			t.Errorf("%s %s: %q, want %q", name, id, got, want)
		}
	}
	hook("UserPromptSubmit", "", "Turn 1.")
	file.add(call("c1", "ls"), ended("c1", "failed"))
	hook("PostToolUse", "c1", "Turn 2.")
	file.add(over("c1", "Process exited with code 1\nOutput:\n"),
		call("c2", "git push"), over("c2", "Command blocked"), // of which no event tells
		call("c3", "ls"), over("c3", "Process exited with code 0\nOutput:\n"), // nor of this one
		call("c4", "ls"), ended("c4", "completed"))
	hook("PostToolUse", "c4", "Pushed before 3. 4 calls. Turn 5.")
	file.add(over("c4", ""), call("c5", "ls"), ended("c5", "failed"), call("c6", "ls"), ended("c6", "failed"))
	hook("PostToolUse", "c6", "Turn 6.") // the same answer as c5
	hook("PostToolUse", "c5", "")
	file.add(over("c5", "Process exited with code 1\nOutput:\n"),
		over("c6", "Process exited with code 1\nOutput:\n"),
		call("c7", "x"), ended("c7", "failed"))
	hook("PostToolUse", "c7", "Two in a row before 7. Turn 7.")
}

// TestNested: the calls of a subagent of Gemini CLI, whose events look like the session's own, are not turns,
// until the session's file has an answer after the one that asked it.
func TestNested(t *testing.T) {
	t.Parallel()
	m := newMachine(t)
	m.rule("turn", "while: always", "Turn {{.turn_count}}, {{join .tool_used \" \"}}.")
	m.rule("hold", "when: before_tool:@shell\npause: true", "Held.")
	file := recording{t, m.write(`{"sessionId":"s","projectHash":"0","kind":"main"}`+"\n", "session-s.jsonl")}
	hook := func(name, tool, want string) {
		t.Helper()
		stdin := event("hook_event_name", name, "transcript_path", file.path, "prompt", "Go.")
		if tool != "" {
			stdin = event("hook_event_name", name, "transcript_path", file.path, "tool_name", tool, "tool_input",
				map[string]any{"command": "ls"}, "tool_response", map[string]any{"llmContent": "x"})
		}
		r := m.run(stdin, "--agent", "gemini")
		if got := r.stdout; want == "" && got != "" || !strings.Contains(got, want) {
			t.Errorf("%s %s: %q, want %q", name, tool, got, want)
		}
	}
	answer := func(id string) {
		file.add(`{"id":"` + id + `","type":"gemini","content":"","model":"m"}`)
	}
	hook("BeforeAgent", "", "Turn 1, .")
	answer("a1")
	hook("BeforeTool", "invoke_agent", "")
	hook("BeforeTool", "run_shell_command", "") // of the subagent
	hook("AfterTool", "run_shell_command", "")
	hook("AfterTool", "invoke_agent", "Turn 2, invoke_agent.")
	answer("a2")
	hook("BeforeTool", "run_shell_command", "Held.")
	answer("a3")
	hook("AfterTool", "run_shell_command", "Turn 4, run_shell_command.")
}

// TestPersonInSubagent: of the prompts in a thread of a subagent of Codex those are a person's whose turn no
// other thread has led to, as the session's file tells. A prompt of which it does not tell is nobody's.
func TestPersonInSubagent(t *testing.T) {
	t.Parallel()
	b, err := os.ReadFile(filepath.Join("..", "transcript", "testdata", "codex-subagent-resumed.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(string(b)), "\n")
	const thread = "00000002-0000-7000-8000-000000000002"
	m := newMachine(t)
	m.rule("user", "while: always", "Turn {{.turn_count}}: {{.user_turn_count}} {{.user_message}}"+
		`{{if known "prompt"}} {{.prompt}}{{end}}.`)
	m.rule("asked", "when: manual", "Asked for.")
	file := recording{t, m.write(lines[0]+"\n", "rollout-"+thread+".jsonl")}
	has := 1
	for i, step := range []struct {
		upTo               int // lines of the file
		turn, prompt, want string
	}{
		{7, "00000003-0000-7000-8000-000000000003", "Look around.", "Turn 1: 0 false."},
		{19, "00000009-0000-7000-8000-000000000009", "Not told.",
			"Turn 3: 0 false."}, // no event told of the second
		{22, "00000020-0000-7000-8000-000000000020", "/remind asked",
			"Asked for. Turn 4: 1 true /remind asked."},
	} {
		file.add(lines[has:step.upTo]...)
		has = step.upTo
		got := said(t, m.run(event("session_id", "00000001-0000-7000-8000-000000000001", "agent_id", thread,
			"hook_event_name", "UserPromptSubmit", "turn_id", step.turn, "prompt", step.prompt,
			"transcript_path", file.path), "--agent", "codex"))
		if got = strings.ReplaceAll(got, "\n\n", " "); got != step.want {
			t.Errorf("step %d: %q, want %q", i, got, step.want)
		}
	}
}

// TestRoundsOfQwen: each empty prompt of Qwen Code ends a round of calls, however many there are in one user
// turn; the start of a subagent is its first turn, in which nothing can be said.
func TestRoundsOfQwen(t *testing.T) {
	t.Parallel()
	m := newMachine(t)
	m.rule("turn", "while: always", "Turn {{.turn_count}}.")
	m.rule("started", "when: started", "Started.")
	result := func(id, subagent string) string {
		return event("hook_event_name", "PostToolUse", "tool_name", "edit", "tool_call_id", id, "prompt_id", "p",
			"agent_id", subagent)
	}
	empty := event("hook_event_name", "UserPromptSubmit", "prompt", "", "prompt_id", "p")
	for i, step := range []struct{ stdin, want string }{
		{event("hook_event_name", "UserPromptSubmit", "prompt", "a", "submitted_prompt", "a", "prompt_id", "p"),
			"Started. Turn 1."},
		{result("c1", ""), "Turn 2."}, {result("c2", ""), ""}, {empty, ""},
		{result("c3", ""), "Turn 3."}, {empty, ""},
		{result("c4", ""), "Turn 4."},
		{event("hook_event_name", "SubagentStart", "agent_id", "x", "agent_type", "y", "prompt_id", "p"), ""},
		{result("c5", "x"), "Started. Turn 2."},
	} {
		got := strings.ReplaceAll(said(t, m.run(step.stdin, "--agent", "qwen")), "\n\n", " ")
		if got != step.want {
			t.Errorf("step %d: %q, want %q", i, got, step.want)
		}
	}
}

// TestFirstBatch: of a new run it is not known whether Claude Code tells results in batches. Failures are
// silent until one result was told by itself, so that the first batch ever is one turn.
func TestFirstBatch(t *testing.T) {
	t.Parallel()
	m := newMachine(t)
	m.rule("failed", "while: last_tool_call_failed", "Turn {{.turn_count}} failed.")
	run := func(want string, pairs ...any) {
		t.Helper()
		if got := said(t, m.run(event(append(pairs, "prompt_id", "p")...), "--agent", "claude-code")); got != want {
			t.Errorf("%v: %q, want %q", pairs, got, want)
		}
	}
	run("", "hook_event_name", "UserPromptSubmit", "prompt", "a")
	var calls []any
	for i := range 8 {
		id := fmt.Sprint("toolu_", i)
		run("", "hook_event_name", "PostToolUseFailure", "tool_name", "Bash", "tool_use_id", id, "error", "x")
		calls = append(calls, map[string]any{"tool_name": "Bash", "tool_use_id": id})
	}
	run("Turn 2 failed.", "hook_event_name", "PostToolBatch", "tool_calls", calls)
}

// TestOlderBatches: a Claude Code that tells results one by one is spoken to at a failure as well, from its
// first other result on.
func TestOlderBatches(t *testing.T) {
	t.Parallel()
	m := newMachine(t)
	m.rule("failed", "when: last_tool_call_failed", "Failed.")
	for i, want := range []string{"", "Failed.", "Failed."} {
		name := []string{"PostToolUseFailure", "PostToolUse", "PostToolUseFailure"}[i]
		stdin := event("hook_event_name", name, "tool_name", "Bash", "tool_use_id", fmt.Sprint("c", i),
			"prompt_id", "p")
		if got := said(t, m.run(stdin, "--agent", "claude-code")); got != want {
			t.Errorf("%s %d: %q, want %q", name, i, got, want)
		}
	}
}

// TestPromptsAlone: where prompts alone can speak, each takes the turns since the one before from the
// session's file, which the session's id tells, and says what fired in them; events of results matter where
// there is no such file.
func TestPromptsAlone(t *testing.T) {
	t.Parallel()
	for _, there := range []bool{true, false} {
		m := newMachine(t)
		m.rule("turn", "while: always", "Turn {{.turn_count}}.")
		m.rule("failed", "when: last_tool_call_failed", "Failed before {{.turn_count}}.")
		m.rule("push", "when: after_tool:@shell(git push*)", "Pushed before {{.turn_count}}.")
		at := "elsewhere.jsonl"
		if there {
			at = "home/.kimi-code/sessions/p/session_s/agents/main/wire.jsonl"
		}
		file := recording{t, m.write(`{"type":"metadata","protocol_version":"1.5"}`+"\n", at)}
		step := func(n int, command string, failed bool) {
			file.add(fmt.Sprintf(`{"type":"llm.request","kind":"loop","model":"k","turnStep":"0.%d"}`, n))
			if command != "" {
				const begin = `{"type":"context.append_loop_event","event":{`
				file.add(fmt.Sprintf(begin+`"type":"tool.call","toolCallId":"c%d","name":"Bash",`+
					`"args":{"command":%q}}}`, n, command), fmt.Sprintf(begin+`"type":"tool.result",`+
					`"toolCallId":"c%d","result":{"output":"x","isError":%t}}}`, n, failed))
			}
		}
		hook := func(want string, pairs ...any) {
			t.Helper()
			r := m.run(event(append([]any{"session_id", "session_s", "transcript_path", nil}, pairs...)...), "--agent",
				"kimi-code")
			if got := strings.ReplaceAll(strings.TrimSpace(r.stdout), "\n\n", " "); got != want || r.code != 0 {
				t.Errorf("a file is there: %t: %+v, want %q", there, r, want)
			}
		}
		hook("Turn 1.", "hook_event_name", "UserPromptSubmit", "prompt", "Go.")
		step(1, "git push", true)
		step(2, "ls", false)
		hook("", "hook_event_name", "PostToolUseFailure", "tool_name", "Bash", "tool_call_id", "c1")
		step(3, "", false)
		if there {
			hook("Failed before 2. Pushed before 2. Turn 4.", "hook_event_name", "UserPromptSubmit",
				"prompt", "And now?")
		} else {
			hook("Failed before 2. Turn 2.", "hook_event_name", "UserPromptSubmit", "prompt", "And now?")
		}
	}
}
