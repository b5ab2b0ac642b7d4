package hook_test

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/aside-go/aside/cmd/internal/hook"
	"github.com/aside-go/aside/compile/fact"
	"github.com/aside-go/aside/internal/agent"
)

// The payloads of the calls of a turn in which each agent, in its own form, runs a command that fails with an
// output, and writes a file.
var callEvents = map[string][]string{
	"claude-code": {`{"session_id":"s","cwd":"/p/sub","hook_event_name":"PostToolBatch","tool_calls":[
		{"tool_name":"Bash","tool_use_id":"1","tool_input":{"command":"go test ./SECRET"},
		"tool_response":"FAIL SECRET"},
		{"tool_name":"Write","tool_use_id":"2","tool_input":{"file_path":"/p/SECRET/.env"},
		"tool_response":[{"type":"text","text":"ok"}]}]}`},
	"codex": {`{"session_id":"s","turn_id":"t","cwd":"/p/sub","hook_event_name":"PostToolUse","tool_name":"Bash",
		"tool_use_id":"1","tool_input":{"command":"go test ./SECRET"},"tool_response":"FAIL SECRET"}`,
		`{"session_id":"s","turn_id":"t","cwd":"/p","hook_event_name":"PostToolUse",
		"tool_name":"apply_patch",
		"tool_use_id":"2",
		"tool_input":{"command":"*** Begin Patch\n*** Add File: SECRET/.env\n+x\n*** End Patch"},
		"tool_response":"ok"}`},
	"gemini": {`{"session_id":"s","cwd":"/p/sub","hook_event_name":"AfterTool","tool_name":"run_shell_command",
		"tool_input":{"command":"go test ./SECRET"},"tool_response":{"llmContent":"FAIL SECRET",
		"returnDisplay":""}}`,
		`{"session_id":"s","cwd":"/p","hook_event_name":"AfterTool","tool_name":"write_file",
		"tool_input":{"file_path":"SECRET/.env"},"tool_response":{"llmContent":[{"text":"ok"}]}}`},
	"qwen": {`{"session_id":"s","cwd":"/p","hook_event_name":"PostToolUseFailure","tool_name":"run_shell_command",
		"tool_use_id":"1","tool_input":{"command":"go test ./SECRET"},"error":"FAIL SECRET"}`,
		`{"session_id":"s","cwd":"/p","hook_event_name":"PostToolUse","tool_name":"write_file",
		"tool_use_id":"2","tool_input":{"file_path":"/p/SECRET/.env"},
		"tool_response":{"llmContent":"ok"}}`},
	"cursor": {`{"conversation_id":"s","cursor_version":"1","hook_event_name":"postToolUse","cwd":"/p","tool_name":"Shell",
		"tool_use_id":"1","tool_input":{"command":"go test ./SECRET"},
		"tool_output":"{\"exitCode\":1,\"stdout\":\"FAIL SECRET\"}"}`,
		`{"conversation_id":"s","cursor_version":"1","hook_event_name":"postToolUse",
		"workspace_roots":["/p"],"tool_name":"Write",
		"tool_use_id":"2","tool_input":{"file_path":"SECRET/.env"},"tool_output":"ok"}`},
	"copilot": {`{"hook_event_name":"PostToolUse","session_id":"s","timestamp":"2026-09-20T09:00:00.000Z","cwd":"/p",
		"tool_name":"bash","tool_input":{"command":"go test ./SECRET"},
		"tool_result":{"result_type":"success",
		"text_result_for_llm":"FAIL SECRET\n<exited with exit code 1>"}}`,
		`{"hook_event_name":"PostToolUse","session_id":"s","timestamp":"2026-09-20T09:00:01.000Z",
		"cwd":"/p",
		"tool_name":"create","tool_input":{"path":"/p/SECRET/.env"},
		"tool_result":{"result_type":"success","text_result_for_llm":"ok"}}`},
	"vscode": {`{"timestamp":"2026-09-20T09:00:00.000Z","cwd":"/p","sessionId":"s","hookEventName":"PostToolUse",
		"transcript_path":"/x","tool_name":"run_in_terminal","tool_use_id":"1",
		"tool_input":{"command":"go test ./SECRET"},"tool_response":"FAIL SECRET"}`,
		`{"timestamp":"2026-09-20T09:00:00.000Z","cwd":"/p","sessionId":"s","hookEventName":"PostToolUse",
		"transcript_path":"/x","tool_name":"create_file","tool_use_id":"2",
		"tool_input":{"filePath":"/p/SECRET/.env"},"tool_response":"ok"}`},
	"droid": {`{"session_id":"s","cwd":"/p","hook_event_name":"PostToolUse","tool_name":"Execute",
		"tool_input":{"command":"go test ./SECRET"},"tool_response":{"stdout":"FAIL SECRET"}}`,
		`{"session_id":"s","cwd":"/p","hook_event_name":"PostToolUse","tool_name":"Create",
		"tool_input":{"file_path":"/p/SECRET/.env"},"tool_response":"ok"}`},
	"cline": {`{"taskId":"s","workspaceRoots":["/p"],"hookName":"tool_result","tool_result":{"id":"1","name":"run_commands",
		"input":{"commands":["cd x","go test ./SECRET"]},"output":["FAIL SECRET"]}}`,
		`{"taskId":"s","workspaceRoots":["/p"],"hookName":"PostToolUse",
		"postToolUse":{"toolName":"write_to_file",
		"parameters":{"path":"SECRET/.env"},"result":"ok","success":true}}`},
	"crush": {`{"event":"PreToolUse","session_id":"s","cwd":"/p","tool_name":"bash","tool_input":{"command":"go test ./SECRET"}}`,
		`{"event":"PreToolUse","session_id":"s","cwd":"/p","tool_name":"write",
		"tool_input":{"file_path":"SECRET/.env"}}`},
	"goose": {`{"event":"PostToolUse","session_id":"s","working_dir":"/p","tool_name":"developer__shell","tool_call_id":"1",
		"tool_input":{"command":"go test ./SECRET"}}`,
		`{"event":"PostToolUse","session_id":"s","working_dir":"/p",
		"tool_name":"developer__text_editor","tool_call_id":"2",
		"tool_input":{"path":"SECRET/.env"}}`},
	"kilo": {`{"protocol":"aside-shim/1","event":"model_request","session_id":"s","cwd":"/p","prompt_id":"m","tools":[
		{"name":"bash","id":"1","failed":true,"input":{"command":"go test ./SECRET"},
		"output":"FAIL SECRET"},
		{"name":"write","id":"2","failed":false,"input":{"filePath":"/p/SECRET/.env"},"output":"ok"}]}`},
	"pi": {`{"protocol":"aside-shim/1","event":"model_request","session_id":"s","cwd":"/p","prompt_id":"m","tools":[
		{"name":"bash","id":"1","failed":true,"input":{"command":"go test ./SECRET"},
		"output":"FAIL SECRET"},
		{"name":"write","id":"2","failed":false,"input":{"path":"/p/SECRET/.env"},"output":"ok"}]}`},
	"grok": {`{"hook_event_name":"PreToolUse","session_id":"s","cwd":"/p","tool_name":"run_terminal_command",
		"tool_use_id":"1","tool_input":{"command":"go test ./SECRET"}}`,
		`{"hook_event_name":"PostToolUse","session_id":"s","cwd":"/p","tool_name":"run_terminal_command",
		"tool_use_id":"1","tool_input":{"command":"go test ./SECRET"},
		"tool_result":{"type":"Bash","output_for_prompt":"exit: 1\nFAIL SECRET","exit_code":1}}`,
		`{"hook_event_name":"PostToolUse","session_id":"s","cwd":"/p","tool_name":"write",
		"tool_use_id":"2","tool_input":{"file_path":"/p/SECRET/.env"},"tool_result":{"type":"Write"}}`},
	"auggie": {`{"hook_event_name":"PostToolUse","conversation_id":"s","workspace_roots":["/p"],
		"tool_name":"launch-process","tool_input":{"command":"go test ./SECRET"},
		"tool_output":"FAIL SECRET","tool_error":"FAIL SECRET"}`,
		`{"hook_event_name":"PostToolUse","conversation_id":"s","workspace_roots":["/p"],"tool_name":"save-file",
		"tool_input":{"path":"SECRET/.env"},"tool_output":"ok","tool_error":null}`},
	"amp": {`{"protocol":"aside-shim/1","event":"tool_result","session_id":"s","cwd":"/p","tool_name":"Bash",
		"tool_use_id":"1","tool_input":{"cmd":"go test ./SECRET"},"tool_output":"FAIL SECRET"}`,
		`{"protocol":"aside-shim/1","event":"user_prompt","session_id":"s","cwd":"/p","prompt":"Go on."}`},
	"antigravity": {`{"event":"PreInvocation","conversationId":"s","workspacePaths":["/p"],"invocationNum":0}`},
	"kiro":        {`{"hook_event_name":"UserPromptSubmit","session_id":"s","cwd":"/p","prompt":"Go on."}`},
	"qoder": {`{"hook_event_name":"PostToolUse","session_id":"s","cwd":"/p","tool_name":"Bash",
		"tool_input":{"command":"go test ./SECRET"},"tool_response":"FAIL SECRET"}`,
		`{"hook_event_name":"PostToolUse","session_id":"s","cwd":"/p","tool_name":"Write",
		"tool_input":{"file_path":"/p/SECRET/.env"},"tool_response":"ok"}`,
		`{"hook_event_name":"UserPromptSubmit","session_id":"s","cwd":"/p","prompt":"Go on."}`},
	"opencode": {`{"protocol":"aside-shim/1","event":"model_request","session_id":"s","cwd":"/p","prompt_id":"m","tools":[
		{"name":"bash","id":"1","failed":true,"input":{"command":"go test ./SECRET"},
		"output":"FAIL SECRET"},
		{"name":"write","id":"2","failed":false,"input":{"filePath":"/p/SECRET/.env"},"output":"ok"}]}`},
	"kimi-code": {`{"hook_event_name":"PostToolUse","session_id":"s","cwd":"/p","tool_name":"Bash","tool_call_id":"1",
		"tool_input":{"command":"go test ./SECRET"},"tool_output":"FAIL SECRET"}`,
		`{"hook_event_name":"PostToolUse","session_id":"s","cwd":"/p","tool_name":"Edit","tool_call_id":"2",
		"tool_input":{"path":"/p/SECRET/.env"},"tool_output":"ok"}`,
		`{"hook_event_name":"UserPromptSubmit","session_id":"s","cwd":"/p","prompt":"Go on."}`},
}

// callRules are rules over calls: each is named for the fact that it reads.
var callRules = map[fact.ID]string{
	fact.Command: `after_tool:@shell(go test ./SECRET)`,
	fact.Path:    `after_tool:@edit(SECRET/.env) and path == "SECRET/.env"`,
	fact.Output:  `output contains "FAIL SECRET"`,
}

// TestCallsOfAgents: each agent tells of calls what Never does not deny it, rules see it, and nothing of a
// command, a path or an output is stored or logged.
func TestCallsOfAgents(t *testing.T) {
	t.Parallel()
	for _, a := range agent.WithHooks() {
		if a.Name == "windsurf" { // it takes no text
			continue
		}
		t.Run(a.Name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			for id, when := range callRules {
				text := "---\nwhile: '" + when + "'\n---\nRead " + fact.Builtin().Fact(id).Name + ".\n"
				name := filepath.Join(dir, "rules", fact.Builtin().Fact(id).Name+".md")
				if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			file := filepath.Join(dir, "texts")
			h := hook.Host{Clock: time.Now, Env: func(name string) string {
				return map[string]string{"GOOSE_MOIM_MESSAGE_FILE": file, "CLAUDECODE": "1",
					"CLAUDE_PROJECT_DIR": "/p"}[name]
			}}
			call := hook.Call{Agent: a.Name, Rules: []string{filepath.Join(dir, "rules")},
				State: filepath.Join(dir, "state")}
			var said bytes.Buffer
			for _, e := range callEvents[a.Name] {
				out, err := h.Run(t.Context(), call, []byte(e))
				if err != nil {
					t.Fatal(err)
				}
				said.Write(out)
				b, _ := os.ReadFile(file)
				said.Write(b)
			}
			for id := range callRules {
				name := fact.Builtin().Fact(id).Name
				told := strings.Contains(said.String(), "Read "+name+".")
				if want := !slices.Contains(a.Never, id); told != want {
					t.Errorf("%s: told %t, want %t; said %q", name, told, want, said.String())
				}
			}
			silent(t, filepath.Join(dir, "state"))
		})
	}
}

// silent fails if a file of a directory holds the secret of the payloads.
func silent(t *testing.T, dir string) {
	t.Helper()
	files := 0
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		b, err := os.ReadFile(path)
		if files++; bytes.Contains(b, []byte("SECRET")) {
			t.Errorf("%s holds the secret: %.400s", path, b)
		}
		return err
	})
	if err != nil || files == 0 {
		t.Errorf("%d files, %v", files, err)
	}
}

// TestCallsThatWait: of a call that was told to another process, the tool, the outcome and the duration alone
// are known. A later event that tells the call again tells the rest of it.
func TestCallsThatWait(t *testing.T) {
	t.Parallel()
	m := newMachine(t)
	m.env = append(m.env, "CLAUDECODE=1")
	m.rule("told", `while: after_tool:Bash(make) and output contains "no rule"`, "Told.")
	m.rule("failed", "while: tool_failed:Bash", "Failed.")
	m.rule("slow", `while: any(calls, .command == "make" and .duration > 3s)`, "Slow.")
	m.rule("not", "while: not after_tool:Bash(make) and not after_tool:Bash", "Not.")
	fail := func(id string) {
		t.Helper()
		m.run(event("hook_event_name", "PostToolUseFailure", "tool_name", "Bash", "tool_use_id", id,
			"tool_input", map[string]any{"command": "make"}, "error", "no rule", "duration_ms", 4000), claude...)
	}
	m.run(event("hook_event_name", "PostToolBatch", "tool_calls", []any{}), claude...)
	fail("c1")
	if got := said(t, m.run(event("hook_event_name", "UserPromptSubmit", "prompt", "x"),
		claude...)); got != "Failed." {
		t.Errorf("the call waits: %q", got)
	}
	fail("c2")
	batch := []any{map[string]any{"tool_name": "Bash", "tool_use_id": "c2",
		"tool_input": map[string]any{"command": "make"}, "tool_response": "no rule"}}
	got := said(t, m.run(event("hook_event_name", "PostToolBatch", "tool_calls", batch), claude...))
	if got != "Failed.\n\nSlow.\n\nTold." {
		t.Errorf("the call is told again: %q", got)
	}
	silentOf := m.path("state")
	err := filepath.WalkDir(silentOf, func(path string, d fs.DirEntry, err error) error {
		if b, _ := os.ReadFile(path); d.Type().IsRegular() && bytes.Contains(b, []byte("no rule")) {
			t.Errorf("%s holds an output", path)
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
}
