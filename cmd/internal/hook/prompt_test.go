package hook_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/aside-go/aside/compile/fact"
	"github.com/aside-go/aside/internal/agent"
)

// TestPromptStands: a condition on the prompt is read at the prompt's event, also where that can carry no
// text, and keeps its truth until the next prompt; nothing of the prompt is stored.
func TestPromptStands(t *testing.T) {
	t.Parallel()
	for _, a := range []struct {
		agent, prompt, step string // step is an event that speaks, after a model call; %s is a number
		early               bool   // the prompt's event speaks
	}{
		{"claude-code", `{"session_id":"s","hook_event_name":"UserPromptSubmit","prompt_id":"p%","prompt":"TEXT"}`,
			`{"session_id":"s","hook_event_name":"PostToolBatch","prompt_id":"p1","tool_calls":[{"tool_name":"Read","tool_use_id":"c%"}]}`,
			true},
		{"cursor", `{"conversation_id":"s","hook_event_name":"beforeSubmitPrompt","generation_id":"p%","prompt":"TEXT"}`,
			`{"conversation_id":"s","hook_event_name":"postToolUse","generation_id":"p1","tool_name":"Read","tool_use_id":"c%"}`,
			true},
		{"vscode", `{"sessionId":"s","hookEventName":"UserPromptSubmit","prompt":"TEXT"}`,
			`{"sessionId":"s","hookEventName":"PostToolUse","tool_name":"read_file","tool_use_id":"c%"}`, false},
		{"cline", `{"taskId":"s","hookName":"prompt_submit","userPromptSubmit":{"prompt":"TEXT"}}`,
			`{"taskId":"s","hookName":"tool_result","iteration":%,"tool_result":{"id":"c%","name":"read_file","output":"x"}}`,
			false},
		{"gemini", `{"session_id":"s","hook_event_name":"BeforeAgent","prompt":"TEXT"}`,
			`{"session_id":"s","hook_event_name":"AfterTool","tool_name":"glob","tool_response":{"llmContent":"x"}}`,
			true},
		{"gemini before-model", `{"session_id":"s","hook_event_name":"BeforeAgent","prompt":"TEXT"}`,
			`{"session_id":"s","hook_event_name":"BeforeModel","llm_request":{"messages":[{"role":"user","content":"x"}]}}`,
			false},
	} {
		t.Run(a.agent, func(t *testing.T) {
			t.Parallel()
			m := newMachine(t)
			m.rule("stands", `while: prompt contains "SECRET" and turn_count > 0`, "It stands.")
			name, mode, _ := strings.Cut(a.agent, " ")
			args := []string{"--agent", name}
			if mode != "" {
				args = append(args, "--mode", mode)
			}
			n := 0
			run := func(stdin, text string) bool {
				n++
				r := m.run(strings.NewReplacer("%", string(rune('0'+n)), "TEXT", text).Replace(stdin), args...)
				silent(t, m.path("state"))
				return strings.Contains(r.stdout, "It stands.")
			}
			var got []bool
			for _, text := range []string{"do SECRET things", "do other things"} {
				got = append(got, run(a.prompt, text), run(a.step, ""), run(a.step, ""))
			}
			for i, want := range []bool{a.early, true, true, false, false, false} {
				if i == 3 && !a.early {
					continue // the text of the turn before may wait for an event that speaks
				}
				if got[i] != want {
					t.Errorf("event %d: said %v; all: %v", i, got[i], got)
				}
			}
		})
	}
}

// TestNothingOfPrompts: after the event of each case, no word of its prompt is in the state directory.
func TestNothingOfPrompts(t *testing.T) {
	t.Parallel()
	eachCase(t, 11, func(t *testing.T, f *fixture) {
		d, _ := agent.Named(f.agent())
		e := d.Decode(f.input(t))
		if len(e.Prompt) < 4 || e.Human != fact.True || e.Manual != "" {
			return // as short a word may stand anywhere, and a reminder's name is no secret
		}
		m := newMachine(t)
		for k, v := range f.Env {
			m.env = append(m.env, k+"="+v)
		}
		m.rule("r", `while: prompt contains "e" or turn_count > 0`, "Said.")
		args := append([]string{}, f.Args...)
		if f.Mode != "" {
			args = append(args, "--mode", f.Mode)
		}
		m.run(string(f.stdin(t)), args...)
		err := filepath.WalkDir(m.path("state"), func(path string, d fs.DirEntry, err error) error {
			if err != nil || !d.Type().IsRegular() {
				return err
			}
			b, err := os.ReadFile(path)
			if strings.Contains(string(b), e.Prompt) {
				t.Errorf("%s holds the prompt %q", path, e.Prompt)
			}
			return err
		})
		if err != nil {
			t.Error(err)
		}
	})
}
