package hook_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/aside-go/aside/cmd/internal/hook"
	"github.com/aside-go/aside/internal/agent/session"
)

// flow is a person's machine with one rule, for hooks in this process.
type flow struct {
	t    *testing.T
	host hook.Host
	call hook.Call
}

func newFlow(t *testing.T, agent, when string) *flow {
	rules := filepath.Join(t.TempDir(), "rules")
	if err := os.MkdirAll(rules, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(rules, "told.md"), []byte("---\n"+when+"\n---\nIt is so.\n"),
		0o600); err != nil {
		t.Fatal(err)
	}
	return &flow{t,
		hook.Host{Env: func(string) string { return "" }, Clock: time.Now, Session: session.Read},
		hook.Call{Agent: agent, Rules: []string{rules}, State: filepath.Join(t.TempDir(), "state")}}
}

// said reports whether an event brings the reminder.
func (f *flow) said(stdin string) bool {
	f.t.Helper()
	out, err := f.host.Run(f.t.Context(), f.call, []byte(stdin))
	if err != nil {
		f.t.Fatal(err)
	}
	return strings.Contains(string(out), "It is so.")
}

// TestFactsOfFiles: what a file tells comes to the rules.
func TestFactsOfFiles(t *testing.T) {
	t.Parallel()
	claude := func(file string) string {
		return fmt.Sprintf(`{"hook_event_name":"UserPromptSubmit","session_id":"s","cwd":"/p","prompt":"Go on.","prompt_id":"p9","transcript_path":%q}`, file)
	}
	codex := func(file string) string {
		return fmt.Sprintf(`{"hook_event_name":"UserPromptSubmit","session_id":"s","cwd":"/p","prompt":"Go on.","turn_id":"p9","model":"gpt-5.4","transcript_path":%q}`, file)
	}
	for _, c := range []struct {
		agent, file, when string
		said              bool
	}{
		{"claude-code", "iterations", "while: context_usage > 25%", true},
		{"claude-code", "iterations", "while: context_usage > 26%", false},
		{"claude-code", "iterations", "while: last_response_tokens == 333", true},
		{"claude-code", "streaming", "while: last_response_tokens >= 0", false},
		{"claude-code", "large-window", "while: context_usage >= 0%", false},
		{"claude-code", "large-window", "while: context_tokens > 200k", true},
		{"claude-code", "persons", "while: user_turn_count == 5", true},
		{"claude-code", "compacted-older", "while: context_tokens >= 0", false},
		{"claude-code", "empty", "while: context_tokens >= 0", false},
		{"gemini", "session", "while: context_tokens == 1500 and last_response_tokens == 30", true},
		{"gemini", "replaced", "while: context_tokens >= 0", false},
		{"codex", "events", "while: context_tokens == 1800", true},
		{"codex", "events", "while: user_turn_count == 2", true},
		{"codex", "compacted", "while: context_tokens >= 0", false},
	} {
		path, err := filepath.Abs(filepath.Join("..", "..", "..", "internal", "agent", "session", "testdata",
			c.agent, c.file+".jsonl"))
		if err != nil {
			t.Fatal(err)
		}
		stdin := claude(path)
		switch c.agent {
		case "codex":
			stdin = codex(path)
		case "gemini":
			stdin = strings.Replace(stdin, "UserPromptSubmit", "BeforeAgent", 1)
		}
		if got := newFlow(t, c.agent, c.when).said(stdin); got != c.said {
			t.Errorf("%s %s, %s: said %v", c.agent, c.file, c.when, got)
		}
	}
}

// TestFailuresInFile: a call that was denied is one of which only the file tells.
func TestFailuresInFile(t *testing.T) {
	t.Parallel()
	path, err := filepath.Abs(filepath.Join("..", "..", "..", "internal", "agent", "session", "testdata",
		"claude-code", "parallel.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	for call, said := range map[string]bool{"t3": true, "t2": false} {
		f := newFlow(t, "claude-code", "while: last_tool_call_failed")
		stdin := fmt.Sprintf(`{"hook_event_name":"PostToolBatch","session_id":"s","prompt_id":"p1","transcript_path":%q,"tool_calls":[{"tool_name":"Bash","tool_use_id":%q,"tool_response":"x"}]}`, path, call)
		if f.said(stdin) != said {
			t.Errorf("%s: said %v", call, !said)
		}
	}
}
