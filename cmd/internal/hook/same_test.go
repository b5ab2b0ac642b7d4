package hook_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/aside-go/aside/cmd/internal/hook"
	"github.com/aside-go/aside/cmd/internal/replay"
	"github.com/aside-go/aside/compile/load"
	"github.com/aside-go/aside/internal/test/testkit"
)

// told is a call of a generated session.
type told struct {
	tool   string // as hooks name it
	record string // as the session's file names it
	input  any    // of hooks
	stored any    // of the session's file
	output string
	failed bool
}

// teller writes a session in the two forms in which an agent tells it.
type teller struct {
	batch  int // calls of a response at most
	pick   func(r *rand.Rand, n int) told
	prompt func() (event, record string)
	// calls returns the events of a response's calls with the cwd, and the records of them, the n-th of the
	// session, that stand in its file.
	calls func(n int, cwd string, calls []told) (events []string, records []string)
	end   func(n int) string // the record of an answer without calls
	moves bool               // the file tells where the agent works
}

func js(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return string(b)
}

type m = map[string]any

var outputsOf = []string{"", "ok", "FAIL: a <b> & \"c\"\n\ttab", "Grüße 🙂\nline", "{\"output\": 1}", "[]",
	"Output:\nx", strings.Repeat("long ", 40) + "end"}

var tellers = map[string]teller{
	"claude-code": {
		batch: 4, moves: true,
		pick: func(r *rand.Rand, n int) told {
			in := []told{{tool: "Bash", input: m{"command": fmt.Sprint("git push -f ", n)}},
				{tool: "Edit", input: m{"file_path": "/no/p/a/../b/.env", "old_string": "x"}},
				{tool: "Write", input: m{"file_path": "c.go"}}, {tool: "Read", input: m{"file_path": "/else/x"}},
				{tool: "mcp__a__b", input: m{"z": 1, "a": []int{n}}}, {tool: "TodoWrite", input: m{"todos": []int{}}},
				{tool: "Bash", input: m{}}}[r.IntN(7)]
			in.output, in.failed = outputsOf[r.IntN(len(outputsOf))], r.IntN(3) == 0
			return in
		},
		prompt: func() (string, string) {
			return js(m{"session_id": "s", "cwd": "/no/p", "hook_event_name": "UserPromptSubmit", "prompt": "Go."}),
				js(m{"isSidechain": false, "type": "user", "sessionId": "s", "cwd": "/no/p",
					"message": m{"role": "user", "content": "Go."}})
		},
		calls: func(n int, cwd string, calls []told) (events, records []string) {
			var batch []any
			for i, c := range calls {
				id := fmt.Sprintf("c%d.%d", n, i)
				if c.failed {
					events = append(events, js(m{"session_id": "s", "cwd": cwd, "hook_event_name": "PostToolUseFailure",
						"tool_name": c.tool, "tool_use_id": id, "tool_input": c.input, "error": c.output}))
				}
				batch = append(batch, m{"tool_name": c.tool, "tool_use_id": id, "tool_input": c.input,
					"tool_response": c.output})
				records = append(records, js(m{"isSidechain": false, "type": "assistant", "sessionId": "s", "cwd": cwd,
					"message": m{"model": "claude-opus-5", "id": fmt.Sprint("m", n), "stop_reason": "tool_use",
						"content": []any{m{"type": "tool_use", "id": id, "name": c.tool, "input": c.input}}}}))
			}
			for i, c := range calls {
				records = append(records, js(m{"isSidechain": false, "type": "user", "sessionId": "s", "cwd": cwd,
					"message": m{"role": "user", "content": []any{m{"type": "tool_result",
						"tool_use_id": fmt.Sprintf("c%d.%d", n, i), "content": c.output, "is_error": c.failed}}}}))
			}
			return append(events, js(m{"session_id": "s", "cwd": cwd, "hook_event_name": "PostToolBatch",
				"tool_calls": batch})), records
		},
		end: func(n int) string {
			return js(m{"isSidechain": false, "type": "assistant", "sessionId": "s",
				"message": m{"model": "claude-opus-5",
					"id": fmt.Sprint("m", n), "stop_reason": "end_turn", "content": []any{m{"type": "text",
						"text": "Done."}}}})
		},
	},
	"codex": {
		batch: 1, moves: true,
		pick: func(r *rand.Rand, n int) told {
			patch := fmt.Sprintf("*** Begin Patch\n*** Update File: a%d.go\n+x\n*** End Patch", n)
			in := []told{{tool: "Bash", record: "exec_command", input: m{"command": "git push"},
				stored: m{"cmd": "git push"}},
				{tool: "Bash", record: "shell", input: m{"command": []string{"bash", "-lc", "ls 'x'"}},
					stored: m{"command": []string{"bash", "-lc", "ls 'x'"}}},
				{tool: "apply_patch", record: "apply_patch", input: m{"command": patch}, stored: m{"input": patch}},
				{tool: "mcp__a__b", record: "mcp__a__b", input: m{"z": 1, "a": 2}, stored: m{"a": 2, "z": 1}},
			}[r.IntN(4)]
			in.output = outputsOf[r.IntN(len(outputsOf))]
			return in
		},
		prompt: func() (string, string) {
			return js(m{"session_id": "s", "turn_id": "t", "cwd": "/no/p", "hook_event_name": "UserPromptSubmit",
					"prompt": "Go."}),
				`{"type":"session_meta","payload":{"id":"s","cwd":"/no/p","source":"exec"}}` + "\n" +
					`{"type":"turn_context","payload":{"model":"gpt-5.4","cwd":"/no/p"}}` + "\n" +
					`{"type":"response_item","payload":{"type":"message","role":"user","content":[{"type":"input_text","text":"Go."}]}}`
		},
		calls: func(n int, cwd string, calls []told) (events, records []string) {
			c, id := calls[0], fmt.Sprint("c", n)
			output := c.output
			if c.tool == "Bash" {
				output = "Chunk ID: 1\nWall time: 0.1 seconds\nProcess exited with code 0\nOutput:\n" + output
			}
			return []string{js(m{"session_id": "s", "turn_id": "t", "cwd": cwd, "hook_event_name": "PostToolUse",
					"tool_name": c.tool, "tool_use_id": id, "tool_input": c.input, "tool_response": c.output})},
				[]string{js(m{"type": "turn_context", "payload": m{"model": "gpt-5.4", "cwd": cwd}}),
					js(m{"type": "response_item", "payload": m{"type": "function_call", "name": c.record,
						"arguments": js(c.stored), "call_id": id}}),
					js(m{"type": "response_item", "payload": m{"type": "function_call_output", "call_id": id,
						"output": output}})}
		},
		end: func(int) string {
			return `{"type":"response_item","payload":{"type":"message","role":"assistant","content":[{"type":"output_text","text":"Done."}]}}`
		},
	},
	"gemini": {
		batch: 1,
		pick: func(r *rand.Rand, n int) told {
			in := []told{{tool: "run_shell_command", input: m{"command": "git push"}},
				{tool: "write_file", input: m{"file_path": fmt.Sprintf("a/%d.go", n)}},
				{tool: "glob", input: m{"pattern": "*.go"}}, {tool: "mcp_x", input: m{"b": 1, "a": 2}}}[r.IntN(4)]
			in.output = outputsOf[r.IntN(len(outputsOf))]
			return in
		},
		prompt: func() (string, string) {
			return js(m{"session_id": "s", "cwd": "/no/p", "hook_event_name": "BeforeAgent", "prompt": "Go."}),
				`{"sessionId":"s","projectHash":"0","startTime":"2026-09-20T19:59:48Z","kind":"main"}` + "\n" +
					`{"id":"u","type":"user","timestamp":"2026-09-20T19:59:48Z","content":[{"text":"Go."}]}`
		},
		calls: func(n int, cwd string, calls []told) (events, records []string) {
			c, id := calls[0], fmt.Sprint("c", n)
			return []string{js(m{"session_id": "s", "cwd": cwd, "hook_event_name": "AfterTool", "tool_name": c.tool,
					"tool_input": c.input, "tool_response": m{"llmContent": c.output, "returnDisplay": "shown"}})},
				[]string{js(m{"id": fmt.Sprint("m", n), "type": "gemini", "timestamp": "2026-09-20T19:59:49Z",
					"content": "",
					"model":   "gemini-2.5-flash", "toolCalls": []any{m{"id": id, "name": c.tool, "args": c.input,
						"status": "success", "result": []any{m{"functionResponse": m{"id": id, "name": c.tool,
							"response": m{"output": "<untrusted_context>\n" + c.output + "\n</untrusted_context>"}}}}}}})}
		},
		end: func(n int) string {
			return js(m{"id": fmt.Sprint("m", n), "type": "gemini", "timestamp": "2026-09-20T19:59:50Z",
				"content": "Done.",
				"model":   "gemini-2.5-flash"})
		},
	},
}

// TestSameFacts: a session that is told by hooks gives the same facts of calls on each turn as its file does.
func TestSameFacts(t *testing.T) {
	t.Parallel()
	for name, of := range tellers {
		for seed := range uint64(testkit.Repeat(8, 30)) {
			r := rand.New(rand.NewPCG(seed, 7))
			event, record := of.prompt()
			events, records := [][]string{{event}}, []string{record}
			for n := range 1 + r.IntN(6) {
				var calls []told
				for range 1 + r.IntN(of.batch) {
					calls = append(calls, of.pick(r, n))
				}
				cwd := "/no/p"
				if of.moves && r.IntN(2) == 0 {
					cwd = "/no/p/sub"
				}
				e, rs := of.calls(n, cwd, calls)
				events, records = append(events, e), append(records, rs...)
			}
			records = append(records, of.end(1000))
			project := t.TempDir()
			if err := os.Mkdir(filepath.Join(project, ".git"), 0o700); err != nil {
				t.Fatal(err)
			}
			live := hooked(t, name, project, events)
			replayed := replayed(t, strings.ReplaceAll(strings.Join(records, "\n")+"\n", "/no/p", project))
			if len(live) != len(replayed) {
				t.Fatalf("%s, seed %d: %d turns in hooks, %d in the file:\n%s", name, seed, len(live), len(replayed),
					strings.Join(records, "\n"))
			}
			for i := range live {
				if name == "codex" { // its hooks do not say whether a call failed, and its files do
					replayed[i] = strings.Replace(replayed[i], "\nfailed: false", "\nfailed: ", 1)
				}
				if live[i] != replayed[i] {
					t.Errorf("%s, seed %d, turn %d: hooks tell\n%s\nthe file tells\n%s", name, seed, i+1,
						live[i], replayed[i])
				}
			}
		}
	}
}

// sameDir is a directory with the rule that shows what is told.
func sameDir(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	text := "---\nwhile: always\n---\nT"
	for _, name := range []string{"tool_used", "command", "path", "output"} {
		text += fmt.Sprintf("\n%s: {{if known %q}}[{{join .%s \"|\"}}]{{end}}", name, name, name)
	}
	text += "\nfailed: {{if known \"last_tool_call_failed\"}}{{.last_tool_call_failed}}{{end}}\n"
	for id, body := range map[string]string{"a": text,
		"b": "---\nwhile: after_tool:@shell(git push*)\n---\nPush.\n",
		"c": "---\nwhile: 'after_tool:mcp*(*\"z\":1*)'\n---\nZ.\n",
		"d": "---\nwhile: used(\"@edit(*.go)\")\n---\nGo.\n"} {
		if err := os.WriteFile(filepath.Join(dir, id+".md"), []byte(body), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// hooked returns the texts of the turns that hooks take; the last event of each step takes the turn.
func hooked(t *testing.T, name, project string, steps [][]string) (turns []string) {
	t.Helper()
	h := hook.Host{Clock: time.Now, Env: func(name string) string {
		return map[string]string{"CLAUDECODE": "1"}[name]
	}}
	call := hook.Call{Agent: name, Rules: []string{sameDir(t)}, State: t.TempDir()}
	if name == "claude-code" { // from its first batch on, batches alone take turns
		seen := `{"session_id":"other","cwd":"/no/p","hook_event_name":"PostToolBatch","tool_calls":[]}`
		if _, err := h.Run(t.Context(), call, []byte(seen)); err != nil {
			t.Fatal(err)
		}
	}
	for _, events := range steps {
		var out []byte
		for _, e := range events {
			var err error
			e = strings.ReplaceAll(e, "/no/p", project)
			if out, err = h.Run(t.Context(), call, []byte(e)); err != nil {
				t.Fatal(err)
			}
		}
		var answer struct {
			HookSpecificOutput struct{ AdditionalContext string }
		}
		if err := json.Unmarshal(out, &answer); err != nil {
			t.Fatalf("%s: %v: %q", name, err, out)
		}
		turns = append(turns, answer.HookSpecificOutput.AdditionalContext)
	}
	return turns
}

// replayed returns the texts of the turns of a session's file.
func replayed(t *testing.T, text string) (turns []string) {
	t.Helper()
	set := load.Load([]load.Source{{Path: sameDir(t)}}, load.Options{}).Set
	var out bytes.Buffer
	err := replay.Run(t.Context(), replay.Options{Files: fstest.MapFS{"s.jsonl": {Data: []byte(text)}},
		Paths: []string{"s.jsonl"}, Set: set, Owner: replay.Owner{Project: replay.OwnerOf("").Project},
		JSON: true, Out: &out, Err: os.Stderr})
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(out.String()) {
		var turn struct {
			Turn  int
			Fired []struct{ Text string }
		}
		if err := json.Unmarshal([]byte(line), &turn); err != nil || turn.Turn == 0 {
			continue
		}
		var texts []string
		for _, f := range turn.Fired {
			texts = append(texts, strings.Trim(f.Text, "\r\n"))
		}
		turns = append(turns, strings.Join(texts, "\n\n"))
	}
	return turns
}
