package hook_test

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
	"unicode/utf16"

	"github.com/aside-go/aside/cmd/internal/hook"
	"github.com/aside-go/aside/internal/agent"
)

// said returns the text that a hook printed, and "" for nothing.
func said(t testing.TB, r result) string {
	t.Helper()
	if r.code != 0 || r.stderr != "" {
		t.Errorf("it ended with %d, stderr %q", r.code, r.stderr)
	}
	if r.stdout == "" {
		return ""
	}
	var out struct {
		HookSpecificOutput struct{ AdditionalContext string }
	}
	if err := json.Unmarshal([]byte(r.stdout), &out); err != nil {
		t.Fatalf("%v: %q", err, r.stdout)
	}
	return out.HookSpecificOutput.AdditionalContext
}

// event is JSON of members in pairs.
func event(pairs ...any) string {
	m := map[string]any{"session_id": "s1", "transcript_path": "/nonexistent", "cwd": "/nonexistent"}
	for i := 0; i < len(pairs); i += 2 {
		m[pairs[i].(string)] = pairs[i+1]
	}
	b, err := json.Marshal(m)
	if err != nil {
		panic(err)
	}
	return string(b)
}

// TestEightAtOnce: hooks of one batch run at the same time, and each reminder is said once.
func TestEightAtOnce(t *testing.T) {
	t.Parallel()
	m := newMachine(t)
	for i := range 5 {
		m.rule(fmt.Sprintf("r%d", i), `when: used("Bash")`, fmt.Sprintf("Text %d.", i))
	}
	for round := range 4 {
		var all []string
		var mu sync.Mutex
		var wg sync.WaitGroup
		for i := range 8 {
			wg.Go(func() {
				r := m.run(event("session_id", fmt.Sprint("s", round), "turn_id", "u1", "hook_event_name", "PostToolUse",
					"tool_name", "Bash", "tool_use_id", fmt.Sprint("c", i)), "--agent", "codex")
				mu.Lock()
				defer mu.Unlock()
				all = append(all, said(t, r))
			})
		}
		wg.Wait()
		text := strings.Join(all, "\n")
		for i := range 5 {
			if n := strings.Count(text, fmt.Sprintf("Text %d.", i)); n != 1 {
				t.Errorf("round %d: reminder %d was said %d times", round, i, n)
			}
		}
	}
	if log := m.log(); len(log) > 0 {
		t.Errorf("the log: %q", log)
	}
}

// TestSameEventAtOnce: the same hook may stand in two configurations; one answers.
func TestSameEventAtOnce(t *testing.T) {
	t.Parallel()
	m := newMachine(t)
	m.rule("r", "while: always", "Said.")
	for round := range 5 {
		var mu sync.Mutex
		var wg sync.WaitGroup
		n := 0
		for range 4 {
			wg.Go(func() {
				r := m.run(prompt("s1", fmt.Sprint("p", round), "x"), claude...)
				mu.Lock()
				defer mu.Unlock()
				n += strings.Count(said(t, r), "Said.")
			})
		}
		if wg.Wait(); n != 1 {
			t.Errorf("round %d: said %d times", round, n)
		}
	}
}

// TestRemindAtOnce: /remind is answered once, whichever of its two events comes first.
func TestRemindAtOnce(t *testing.T) {
	t.Parallel()
	m := newMachine(t)
	m.rule("run-tests", "when: turn_count > 1000", "Said.")
	for round := range 5 {
		id := fmt.Sprint("p", round)
		var got [2]string
		var wg sync.WaitGroup
		wg.Go(func() { got[0] = said(t, m.run(prompt("s1", id, "/remind run-tests"), claude...)) })
		wg.Go(func() {
			got[1] = said(t, m.run(event("prompt_id", id, "hook_event_name", "UserPromptExpansion", "command_name",
				"remind", "command_args", "run-tests", "prompt", "/remind run-tests"), claude...))
		})
		if wg.Wait(); got[0]+got[1] != "Said." {
			t.Errorf("round %d: %q", round, got)
		}
	}
}

// TestRoom: at most 8,000 characters go out at a time, the weakest reminders later, and of one that is too
// long the rest later.
func TestRoom(t *testing.T) {
	t.Parallel()
	m := newMachine(t)
	long := func(c string, n int) string { return strings.Repeat(c+" ", n/2) + "end-" + c }
	m.rule("a-low", "when: user_message\npriority: 1", long("a", 5000))
	m.rule("b-high", "when: user_message\npriority: 9", long("b", 5000))
	m.rule("c-safe", "when: user_message\ntier: safety\npriority: 0", long("c", 2000))
	m.rule("d-endless", "when: turn_count >= 4", long("ü", 10000))
	var all []string
	next := func(i int) string {
		s := said(t, m.run(event("prompt_id", "p1", "hook_event_name", "PostToolBatch", "tool_calls",
			[]any{map[string]any{"tool_name": "Read", "tool_use_id": fmt.Sprint("t", i)}}), claude...))
		if n := len(utf16.Encode([]rune(s))); n > 8000 {
			t.Errorf("%d characters", n)
		}
		all = append(all, s)
		return s
	}
	s := said(t, m.run(prompt("s1", "p1", "x"), claude...))
	all = append(all, s)
	if !strings.Contains(s, "end-b") || !strings.Contains(s, "end-c") || strings.Contains(s, "end-a") {
		t.Errorf("first: the strongest do not stand in %.40q…", s)
	}
	if s := next(1); !strings.Contains(s, "end-a") {
		t.Errorf("second: %.40q…", s)
	}
	if s := next(2); s != "" {
		t.Errorf("third: %.40q…", s)
	}
	if s := next(3); s == "" || strings.Contains(s, "end-") {
		t.Errorf("the first part: %.40q…", s)
	}
	if s := next(4); !strings.HasSuffix(s, "end-ü") {
		t.Errorf("the second part: %.40q…", s)
	}
	if s := next(5); s != "" {
		t.Errorf("after all: %.40q…", s)
	}
	text := strings.Join(all, "|")
	for c, n := range map[string]int{"a ": 2500, "b ": 2500, "c ": 1000, "ü": 5001, "end-": 4} {
		if got := strings.Count(text, c); got != n {
			t.Errorf("%q came %d times, want %d", c, got, n)
		}
	}
}

// TestWaits: what an agent shows on events that can carry no text is told on the next that can.
func TestWaits(t *testing.T) {
	t.Parallel()
	m := newMachine(t)
	m.rule("usage", "when: context_usage > 40%",
		"Much is used: {{.context_usage | percent}} of {{.context_window}}.")
	m.rule("model", "when: model == \"gemini-3-pro\" and context_tokens > 15000 and last_response_tokens == 220",
		"That model.")
	stop := event("hook_event_name", "Stop", "context_usage", 0.41, "context_limit", 131072,
		"input_tokens", 53740)
	m.run(stop, "--agent", "qwen").quiet(t)
	ask := event("hook_event_name", "UserPromptSubmit", "prompt", "x", "submitted_prompt", "x")
	if got := said(t, m.run(ask, "--agent", "qwen")); got != "Much is used: 41% of 131072." {
		t.Errorf("got %q", got)
	}
	m.run(event("hook_event_name", "AfterModel", "llm_request", map[string]any{"model": "gemini-3-pro"},
		"llm_response", map[string]any{"usageMetadata": map[string]any{"promptTokenCount": 15321,
			"candidatesTokenCount": 220}}), "--agent", "gemini").quiet(t)
	if got := said(t, m.run(event("hook_event_name", "BeforeAgent", "prompt", "x"), "--agent",
		"gemini")); got != "That model." {
		t.Errorf("got %q", got)
	}
}

// TestStaleUsage: after a compaction the figures from before it count no more.
func TestStaleUsage(t *testing.T) {
	t.Parallel()
	m := newMachine(t)
	m.rule("usage", "while: context_tokens > 100", "Much.")
	m.rule("unknown", "while: always", "{{if known \"context_tokens\"}}known{{else}}unknown{{end}}")
	m.run(event("hook_event_name", "Stop", "input_tokens", 53740), "--agent", "qwen")
	ask := event("hook_event_name", "UserPromptSubmit", "prompt", "x", "submitted_prompt", "x")
	if got := said(t, m.run(ask, "--agent", "qwen")); got != "known\n\nMuch." {
		t.Errorf("before: %q", got)
	}
	m.run(event("hook_event_name", "SessionStart", "source", "compact"), "--agent", "qwen").quiet(t)
	if got := said(t, m.run(ask, "--agent", "qwen")); got != "unknown" {
		t.Errorf("after: %q", got)
	}
}

// TestToolEventsWithoutBatches: an agent that shows no batches speaks on the events of the tools themselves;
// one that does, on those.
func TestToolEventsWithoutBatches(t *testing.T) {
	t.Parallel()
	m := newMachine(t)
	m.rule("r", "while: after_tool:Edit", "Said.")
	used := func(session, id string) string {
		return said(t, m.run(event("session_id", session, "prompt_id", "p1", "hook_event_name", "PostToolUse",
			"tool_name", "Edit", "tool_use_id", id), claude...))
	}
	if got := used("s1", "t1"); got != "Said." {
		t.Errorf("without batches: %q", got)
	}
	batch := event("prompt_id", "p1", "hook_event_name", "PostToolBatch", "tool_calls",
		[]any{map[string]any{"tool_name": "Edit", "tool_use_id": "t1"}})
	if got := said(t, m.run(batch, claude...)); got != "" {
		t.Errorf("a use was told twice: %q", got)
	}
	if got := used("s1", "t2"); got != "" {
		t.Errorf("with batches: %q", got)
	}
	if got := used("s2", "t3"); got != "" {
		t.Errorf("in another session: %q", got)
	}
	batch = strings.Replace(batch, `"t1"`, `"t2"`, 1)
	if got := said(t, m.run(batch, claude...)); got != "Said." {
		t.Errorf("the batch: %q", got)
	}
}

// TestZeroTurn: "/remind NAME" goes no further, and the text comes with the next event.
func TestZeroTurn(t *testing.T) {
	t.Parallel()
	m := newMachine(t)
	m.rule("run-tests", "when: turn_count > 1000", "Said.")
	zero := append([]string{"--mode", agent.ModeZeroTurn}, claude...)
	r := m.run(prompt("s1", "p1", "/remind run-tests"), zero...)
	if want := `{"decision":"block","reason":"Reminder \"run-tests\" is armed for the next step.","hookSpecificOutput":{"hookEventName":"UserPromptSubmit","suppressOriginalPrompt":true}}`; r.stdout != want {
		t.Errorf("got %s", r.stdout)
	}
	if r := m.run(prompt("s1", "p2", "/remind run-test"), zero...); !strings.Contains(r.stdout,
		"There is no reminder named") || !strings.Contains(r.stdout, `"decision":"block"`) {
		t.Errorf("an unknown name: %s", r.stdout)
	}
	if got := said(t, m.run(prompt("s1", "p3", "Go on."), zero...)); got != "Said." {
		t.Errorf("the next prompt: %q", got)
	}
	if got := said(t, m.run(prompt("s1", "p4", "Go on."), zero...)); got != "" {
		t.Errorf("once more: %q", got)
	}
}

// TestBeforeModel: what goes into each request anew is there as long as it is kept.
func TestBeforeModel(t *testing.T) {
	t.Parallel()
	m := newMachine(t)
	m.rule("kept", "when: user_message\nkeep: user turn", "Kept.")
	m.rule("once", "when: tool_used == edit\nkeep: 1 turn", "Once.")
	args := []string{"--agent", "gemini", "--mode", agent.ModeBeforeModel}
	request := func() string {
		r := m.run(event("hook_event_name", "BeforeModel", "llm_request",
			map[string]any{"messages": []any{map[string]any{"role": "user", "content": "x"}}}), args...)
		var out struct {
			HookSpecificOutput struct {
				LLMRequest struct {
					Messages []struct{ Content string }
				} `json:"llm_request"`
			}
		}
		if r.stdout == "" {
			return ""
		}
		if err := json.Unmarshal([]byte(r.stdout), &out); err != nil {
			t.Fatal(err)
		}
		ms := out.HookSpecificOutput.LLMRequest.Messages
		return ms[len(ms)-1].Content
	}
	wrap := func(s string) string { return "<system-reminder>\n" + s + "\n</system-reminder>" }
	m.run(event("hook_event_name", "BeforeAgent", "prompt", "x"), args...).quiet(t)
	if got := request(); got != wrap("Kept.") {
		t.Errorf("first: %q", got)
	}
	m.run(event("hook_event_name", "AfterTool", "tool_name", "edit", "tool_response", map[string]any{}),
		args...).quiet(t)
	if got := request(); got != wrap("Kept.\n\nOnce.") {
		t.Errorf("second: %q", got)
	}
	if got := request(); got != wrap("Kept.") {
		t.Errorf("third: %q", got)
	}
}

// TestUserTurns: only persons' prompts count, each once.
func TestUserTurns(t *testing.T) {
	t.Parallel()
	m := newMachine(t)
	m.rule("n", "while: always", "{{.user_turn_count}} {{.user_message}}")
	for i, step := range []struct{ agent, stdin, want string }{
		{"codex", event("turn_id", "u1", "hook_event_name", "UserPromptSubmit", "prompt", "a"), "1 true"},
		// while the turn lasts
		{"codex", event("turn_id", "u1", "hook_event_name", "UserPromptSubmit", "prompt", "and b"), "1 true"},
		// the same once more
		{"codex", event("turn_id", "u1", "hook_event_name", "UserPromptSubmit", "prompt", "a"), ""},
		{"codex", event("turn_id", "u2", "hook_event_name", "UserPromptSubmit", "prompt",
			"<subagent_notification>"), "1 false"},
		{"codex", event("turn_id", "u3", "hook_event_name", "UserPromptSubmit", "prompt", "a"), "2 true"},
		{"gemini", event("hook_event_name", "BeforeAgent", "prompt", "a"), "1 true"},
		{"gemini", event("hook_event_name", "BeforeAgent", "prompt", "a"), "2 true"},
		{"qwen", event("hook_event_name", "UserPromptSubmit", "prompt", "a", "submitted_prompt", "a"), "1 true"},
		{"qwen", event("hook_event_name", "UserPromptSubmit", "prompt", ""), ""},
		{"qwen", event("hook_event_name", "UserPromptSubmit", "prompt", "b", "submitted_prompt", "b"), "2 true"},
	} {
		if got := said(t, m.run(step.stdin, "--agent", step.agent)); got != step.want {
			t.Errorf("step %d: %q, want %q", i, got, step.want)
		}
	}
}

// TestFailures: what is not known to have failed is not known to have gone well.
func TestFailures(t *testing.T) {
	t.Parallel()
	m := newMachine(t)
	m.rule("f", "while: always",
		`{{if known "last_tool_call_failed"}}{{.last_tool_call_failed}}{{else}}unknown{{end}} {{join .tool_used ","}}`)
	for i, step := range []struct{ agent, stdin, want string }{
		{"codex", event("turn_id", "u1", "hook_event_name", "UserPromptSubmit", "prompt", "a"), "false "},
		{"codex", event("turn_id", "u1", "hook_event_name", "PostToolUse", "tool_name", "Bash", "tool_use_id",
			"c1"), "unknown Bash"},
		{"claude-code", event("prompt_id", "p1", "hook_event_name", "UserPromptSubmit", "prompt", "a"), "false "},
		{"claude-code", event("prompt_id", "p1", "hook_event_name", "PostToolBatch", "tool_calls",
			[]any{map[string]any{"tool_name": "Bash", "tool_use_id": "c1"}}), "false Bash"},
		{"claude-code", event("prompt_id", "p1", "hook_event_name", "PostToolUseFailure", "tool_name", "Bash",
			"tool_use_id", "c2"), ""},
		{"claude-code", event("prompt_id", "p1", "hook_event_name", "PostToolBatch", "tool_calls",
			[]any{map[string]any{"tool_name": "Read", "tool_use_id": "c3"}, map[string]any{"tool_name": "Bash",
				"tool_use_id": "c2"}}), "true Read,Bash"},
		{"qwen", event("hook_event_name", "PostToolUseFailure", "tool_name", "edit", "tool_call_id", "c1"),
			"true edit"},
		{"qwen", event("hook_event_name", "PostToolBatch", "tool_calls",
			[]any{map[string]any{"tool_name": "edit", "tool_use_id": "other", "tool_call_id": "c1"}}), ""},
		{"qwen", event("hook_event_name", "UserPromptSubmit", "prompt", ""), ""}, // the round is over
		{"qwen", event("hook_event_name", "PostToolUse", "tool_name", "edit", "tool_call_id", "c2"), "false edit"},
	} {
		if got := said(t, m.run(step.stdin, "--agent", step.agent)); got != step.want {
			t.Errorf("step %d: %q, want %q", i, got, step.want)
		}
	}
}

// TestRunsApart: agents, sessions and subagents are runs of their own.
func TestRunsApart(t *testing.T) {
	t.Parallel()
	m := newMachine(t)
	m.rule("r", "when: always", "Said to {{.thread_type}}.")
	for _, step := range []struct{ agent, session, subagent, want string }{
		{"claude-code", "s1", "", "Said to root."},
		{"claude-code", "s1", "", ""},
		{"claude-code", "s2", "", "Said to root."},
		{"claude-code", "s1", "a1", "Said to Plan."},
		{"claude-code", "s1", "a2", "Said to Plan."},
		{"claude-code", "s1", "a1", ""},
		{"codex", "s1", "", "Said to root."},
	} {
		args := []any{"session_id", step.session, "hook_event_name", "SessionStart", "source", "startup"}
		if step.subagent != "" {
			args = append(args, "hook_event_name", "SubagentStart", "agent_id", step.subagent, "agent_type", "Plan")
		}
		if got := said(t, m.run(event(args...), "--agent", step.agent)); got != step.want {
			t.Errorf("%+v: %q", step, got)
		}
	}
	runs, _ := filepath.Glob(m.path("state", "aside", "*.run"))
	for i := range runs {
		runs[i] = filepath.Base(runs[i])
	}
	slices.Sort(runs)
	if want := []string{"run-claude-code%3as1%2fa1.run", "run-claude-code%3as1%2fa2.run",
		"run-claude-code%3as1.run", "run-claude-code%3as2.run", "run-codex%3as1.run"}; !slices.Equal(runs, want) {
		t.Errorf("runs %q", runs)
	}
}

// TestProjectRules: of a project only what is trusted is read.
func TestProjectRules(t *testing.T) {
	t.Parallel()
	m := newMachine(t)
	m.write("---\nwhile: always\n---\nThe project's.\n", "project", ".aside", "reminders", "p.md")
	m.env = append(m.env, "CLAUDE_PROJECT_DIR="+m.path("project"))
	m.rule("mine", "while: always", "Mine.")
	if got := said(t, m.run(prompt("s1", "p1", "x"), claude...)); got != "Mine." {
		t.Errorf("not trusted: %q", got)
	}
	trusted(t, m, m.path("project"))
	if got := said(t, m.run(prompt("s1", "p2", "x"), claude...)); got != "Mine.\n\nThe project's." {
		t.Errorf("trusted: %q", got)
	}
	m.write("---\nwhile: always\n---\nAnother text.\n", "project", ".aside", "reminders", "p.md")
	if got := said(t, m.run(prompt("s1", "p3", "x"), claude...)); got != "Mine." {
		t.Errorf("changed since: %q", got)
	}
}

// TestChangedRule: a rule that was changed says the new text at once.
func TestChangedRule(t *testing.T) {
	t.Parallel()
	m := newMachine(t)
	for i, text := range []string{"One.", "Two.", "One.", "Six."} {
		m.rule("r", "while: always", text)
		if got := said(t, m.run(prompt("s1", fmt.Sprint("p", i), "x"), claude...)); got != text {
			t.Errorf("%q, want %q", got, text)
		}
	}
}

// TestClockJumps: a clock that goes back or far ahead breaks nothing.
func TestClockJumps(t *testing.T) {
	t.Parallel()
	m := newMachine(t)
	m.rule("r", "while: always\ncooldown: 1h", "Said.")
	env := map[string]string{"XDG_STATE_HOME": m.path("state")}
	at := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	h := &hook.Host{Env: func(k string) string { return env[k] }, Home: m.path("home"),
		Clock: func() time.Time { return at }}
	for i, step := range []struct {
		by   time.Duration
		want bool
	}{{0, true}, {-48 * time.Hour, false}, {time.Minute, false}, {100 * 365 * 24 * time.Hour,
		true}, {-200 * 365 * 24 * time.Hour, false}} {
		at = at.Add(step.by)
		out, err := h.Run(t.Context(), hook.Call{Agent: "claude-code"},
			[]byte(prompt("s1", fmt.Sprint("p", i), "x")))
		if err != nil || (len(out) > 0) != step.want {
			t.Errorf("step %d: %q, %v", i, out, err)
		}
	}
}
