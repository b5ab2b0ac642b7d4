package hook_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/aside-go/aside/cmd/internal/hook"
	"github.com/aside-go/aside/compile/fact"
	"github.com/aside-go/aside/internal/agent"
	"github.com/aside-go/aside/internal/agent/session"
)

// TestToldOrNever: Claude Code, which tells most, tells a built-in fact or has it under Never.
func TestToldOrNever(t *testing.T) {
	t.Parallel()
	var text strings.Builder
	for _, name := range fact.Builtin().Names() {
		fmt.Fprintf(&text, "{{if known %q}}[%s]{{end}}", name, name)
	}
	rules := t.TempDir()
	if err := os.WriteFile(filepath.Join(rules, "r.md"), []byte("---\nwhile: always\n---\n"+text.String()+"\n"),
		0o600); err != nil {
		t.Fatal(err)
	}
	answers := 0
	h := hook.Host{Env: func(string) string { return "" }, Clock: time.Now,
		Session: func(context.Context, session.File) (session.Facts, error) {
			answers++
			return session.Facts{ContextTokens: number(200), ContextWindow: number(400), Model: "claude-opus-5",
				ResponseTokens: number(7), Response: fmt.Sprint(answers), Cost: new(float64)}, nil
		}}
	work := t.TempDir()
	if err := os.Mkdir(filepath.Join(work, ".git"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(work, ".git", "HEAD"), []byte("ref: refs/heads/main\n"),
		0o600); err != nil {
		t.Fatal(err)
	}
	call := hook.Call{Agent: "claude-code", Rules: []string{rules}, State: t.TempDir()}
	var said strings.Builder
	for _, e := range []string{
		event("hook_event_name", "SessionStart", "source", "resume", "cwd", work),
		event("hook_event_name", "UserPromptSubmit", "permission_mode", "plan", "prompt", "Go.",
			"transcript_path", rules+"/r.md"),
		event("hook_event_name", "PostToolBatch", "cwd", work, "transcript_path", rules+"/r.md", "tool_calls",
			[]any{map[string]any{"tool_name": "Bash",
				"tool_use_id": "c1", "tool_input": map[string]any{"command": "ls"}, "tool_response": "no"}}),
		event("hook_event_name", "SessionStart", "source", "compact"),
		event("hook_event_name", "Stop"),
		event("hook_event_name", "UserPromptSubmit", "prompt", "Go on.", "transcript_path", rules+"/r.md"),
	} {
		out, err := h.Run(t.Context(), call, []byte(e))
		if err != nil {
			t.Fatal(err)
		}
		said.Write(out)
	}
	claude, _ := agent.Named("claude-code")
	for id, name := range fact.Builtin().Names() {
		told, never := strings.Contains(said.String(), "["+name+"]"), slices.Contains(claude.Never, fact.ID(id))
		if told == never {
			t.Errorf("%s: told by a hook: %v; under Never: %v", name, told, never)
		}
	}
}

// lengths finds the members of events that say how long a call took.
var lengths = regexp.MustCompile(`"(duration|duration_ms|durationMs|executionTimeMs)":`)

// TestNeverTold: what "aside check --agent" says that an agent can never tell, no event of it tells.
func TestNeverTold(t *testing.T) {
	t.Parallel()
	eachCase(t, 1, func(t *testing.T, f *fixture) {
		d, _ := agent.Named(f.agent())
		e := d.Decode(f.input(t))
		told := map[string]bool{
			"context_tokens":       e.ContextTokens != nil,
			"context_window":       e.ContextWindow != nil,
			"context_usage":        e.ContextUsage != nil || e.ContextTokens != nil && e.ContextWindow != nil,
			"last_response_tokens": e.ResponseTokens != nil,
			"output_tokens":        e.ResponseTokens != nil,
			"model":                e.Model != "",
			"prompt":               e.Prompt != "" && e.Human == fact.True,
			"user_turn_count":      e.Human == fact.True,
		}
		for _, tool := range e.Calls {
			if tool.Failed != fact.Unknown {
				told["last_tool_call_failed"], told["failures_in_row"] = true, true
			}
			says := lengths.Match(f.stdin(t)) // of an event with one call
			if says != (tool.Took > 0) || says && !d.Times {
				t.Errorf("the event says how long the call took: %v; it is read as %v; under Times: %v", says, tool.Took,
					d.Times)
			}
		}
		for _, id := range d.Never {
			if name := fact.Builtin().Fact(id).Name; told[name] {
				t.Errorf("%s tells %s, and Never says that it never does", f.agent(), name)
			}
		}
		if d.Failures && slices.Contains(d.Never, fact.LastToolCallFailed) {
			t.Errorf("%s tells of failures", f.agent())
		}
	})
}
