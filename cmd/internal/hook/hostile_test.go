package hook_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"
)

// hostile is a host that gives its calls ids in its own way, and one that sends its events in its own way.
var (
	ids = map[string]func(round, call int) string{
		"unique":         func(r, c int) string { return fmt.Sprintf("toolu_%d_%d", r, c) },
		"in each answer": func(_, c int) string { return fmt.Sprintf("Bash_%d", c) },
		"one for all":    func(int, int) string { return "call_0" },
		"renamed": func(r, c int) string {
			return fmt.Sprintf("%s_%d_%d", []string{"toolu", "resumed"}[r/2%2], r, c)
		},
	}
	orders = map[string]func(events []string) []string{
		"in order": func(e []string) []string { return e },
		"twice": func(e []string) (all []string) {
			for _, x := range e {
				all = append(all, x, x)
			}
			return all
		},
		"results out of order": func(e []string) []string { e[2], e[3] = e[3], e[2]; return e },
		"a result late":        func(e []string) []string { return append(slices.Delete(e, 2, 3), e[2]) },
		"results dropped":      func(e []string) []string { return slices.Delete(e, 2, 4) },
		"questions dropped":    func(e []string) []string { return slices.Delete(e, 0, 2) },
	}
)

// TestHostileClaudeCode: whatever ids and events come, each answer is a turn, each call counts once, and what
// is held back is held back.
func TestHostileClaudeCode(t *testing.T) {
	t.Parallel()
	for ways, id := range ids {
		for order, arrange := range orders {
			t.Run("ids "+ways+", events "+order, func(t *testing.T) {
				t.Parallel()
				m := newMachine(t)
				// in this process: the law is about events, of which there are some six hundred
				m.now, m.gap = time.Now(), time.Millisecond
				m.rule("counts", "while: always", "Turn {{.turn_count}}, calls {{.tool_calls}}.")
				m.rule("hold", "when: before_tool:@shell(git push*)\nrearm: always\npause: true", "Held.")
				file := recording{t, m.write(`{"type":"summary","leafUuid":"x"}`+"\n", "s.jsonl")}
				hook := func(name string, pairs ...any) string {
					return event(append([]any{"hook_event_name", name, "prompt_id", "p", "transcript_path", file.path},
						pairs...)...)
				}
				var said []string
				hear := func(stdin string) {
					out := m.run(stdin, claude...).stdout
					for _, word := range []string{"Turn ", "Held."} {
						if i := strings.Index(out, word); i >= 0 {
							said = append(said, out[i:i+strings.IndexByte(out[i:], '.')+1])
						}
					}
				}
				// the first batch of a machine shows that this version sends them
				m.run(event("session_id", "other", "hook_event_name", "PostToolBatch", "tool_calls", []any{
					map[string]any{"tool_name": "Read", "tool_use_id": "t"}}), claude...)
				hear(hook("UserPromptSubmit", "prompt", "go"))
				var want = []string{"Turn 1, calls 0."}
				for round := range 4 {
					var asked, ended []string
					var batch []any
					var blocks []string
					for c := range 2 { // the second call is the same in each answer
						command := []string{fmt.Sprint("ls ", round), "go test"}[c]
						call := []any{"tool_name", "Bash", "tool_use_id", id(round, c), "tool_input",
							map[string]any{"command": command}}
						asked = append(asked, hook("PreToolUse", call...))
						ended = append(ended, hook("PostToolUse", append(call, "tool_response", "ok")...))
						batch = append(batch, map[string]any{"tool_name": "Bash", "tool_use_id": id(round, c),
							"tool_input": map[string]any{"command": command}, "tool_response": "ok"})
						blocks = append(blocks, fmt.Sprintf(`{"type":"tool_use","id":%q,"name":"Bash","input":{"command":%q}}`,
							id(round, c), command))
					}
					file.add(fmt.Sprintf(`{"parentUuid":null,"isSidechain":false,"sessionId":"s1","type":"assistant",`+
						`"requestId":"r%d","message":{"id":"msg","model":"m","role":"assistant","content":[%s],`+
						`"usage":{"input_tokens":%d,"output_tokens":1},"stop_reason":"tool_use"}}`,
						round, strings.Join(blocks, ","), 10+round))
					for _, e := range arrange(append(append(asked, ended...), hook("PostToolBatch", "tool_calls", batch))) {
						hear(e)
					}
					want = append(want, fmt.Sprintf("Turn %d, calls %d.", round+2, 2*(round+1)))
				}
				for i, command := range []string{"git push --force", "git push --force origin x"} {
					hear(hook("PreToolUse", "tool_name", "Bash", "tool_use_id", id(i, 0), "tool_input",
						map[string]any{"command": command}))
				}
				if want = append(want, "Held.", "Held."); !slices.Equal(said, want) {
					t.Errorf("said %q\nwant %q\n%q", said, want, m.log())
				}
			})
		}
	}
}

// TestHostileNoFile: without a session's file, events tell answers apart by what the calls were given.
func TestHostileNoFile(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		agent, id string
		stdin     func(round int, id string) []string
		want      string
	}{
		"claude code": {"claude-code", "Bash_0", func(r int, id string) []string {
			call := map[string]any{"tool_name": "Bash", "tool_use_id": id,
				"tool_input": map[string]any{"command": fmt.Sprint("ls ", r)}, "tool_response": "x"}
			return []string{event("hook_event_name", "PostToolBatch", "prompt_id", "p", "tool_calls", []any{call})}
		}, "1 2 3 4"},
		"codex": {"codex", "call_0", func(r int, id string) []string {
			return []string{event("hook_event_name", "PostToolUse", "turn_id", "u", "tool_name", "Bash",
				"tool_use_id", id, "tool_input", map[string]any{"command": fmt.Sprint("ls ", r)}, "tool_response", "x")}
		}, "1 2 3 4"},
		"cline": {"cline", "call_0", func(r int, id string) []string {
			return []string{fmt.Sprintf(`{"hookName":"tool_result","taskId":"s","iteration":%d,"tool_result":{"id":%q,`+
				`"name":"run_commands","input":{"commands":["ls"]},"output":[{"success":true}]},"postToolUse":{"toolName":`+
				`"run_commands","parameters":{"commands":["ls"]},"result":"x","success":true}}`, r+1, id)}
		}, "1 2 3 4"},
		"claude code, no ids": {"claude-code", "", func(r int, _ string) []string {
			return []string{event("hook_event_name", "PostToolBatch", "prompt_id", "p", "tool_calls", []any{
				map[string]any{"tool_name": "Bash", "tool_input": map[string]any{"command": "ls"}}})}
		}, "1 2 3 4"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m := newMachine(t)
			m.rule("counts", "while: always", "Turn {{.turn_count}}.")
			var got []string
			for round := range 4 {
				for _, stdin := range c.stdin(round, c.id) {
					out := m.run(stdin, "--agent", c.agent).stdout
					if i := strings.Index(out, "Turn "); i >= 0 {
						got = append(got, out[i+5:i+6])
					}
				}
			}
			if strings.Join(got, " ") != c.want {
				t.Errorf("turns %q, want %s; %q", got, c.want, m.log())
			}
		})
	}
}

// TestHostileFailure: a call that fails in each answer, under one id and with the same input, fails anew each
// time, and an answer in which it did not fail has no failure of the one before.
func TestHostileFailure(t *testing.T) {
	t.Parallel()
	m := newMachine(t)
	m.now, m.gap = time.Now(), time.Second
	m.rule("failed", "while: last_tool_call_failed", "It failed.")
	input := map[string]any{"command": "go test"}
	call := []any{"tool_name", "Bash", "tool_use_id", "call_0", "tool_input", input}
	batch := func(output string) string {
		return event("hook_event_name", "PostToolBatch", "tool_calls", []any{map[string]any{"tool_name": "Bash",
			"tool_use_id": "call_0", "tool_input": input, "tool_response": output}})
	}
	m.run(batch("first"), claude...)
	for i, fails := range []bool{true, true, false, true} {
		output := fmt.Sprint("output ", i)
		if fails {
			m.run(event(append([]any{"hook_event_name", "PostToolUseFailure", "error", output}, call...)...),
				claude...)
		}
		r := m.run(batch(output), claude...)
		if strings.Contains(r.stdout, "It failed.") != fails {
			t.Errorf("answer %d: %+v, want the failure: %t", i, r, fails)
		}
	}
}
