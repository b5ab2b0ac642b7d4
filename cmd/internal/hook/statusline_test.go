package hook_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/aside-go/aside/cmd/internal/hook"
	"github.com/aside-go/aside/internal/agent/session"
	"github.com/aside-go/aside/internal/test/testkit"
)

func number(n int64) *int64 { return &n }

// TestStatusWindow: the window that Claude Code shows goes before what is known of its model, as long as it
// is about that model.
func TestStatusWindow(t *testing.T) {
	t.Parallel()
	status := func(model string, window any) string {
		return event("model", map[string]any{"id": model}, "context_window", map[string]any{
			"context_window_size": window, "current_usage": map[string]any{"input_tokens": 5,
				"cache_read_input_tokens": 95, "output_tokens": 9}})
	}
	for name, c := range map[string]struct {
		status []string
		past   session.Facts
		want   string
	}{
		"nothing shown": {nil, session.Facts{}, "? of ?, ?"},
		"nothing but that": {[]string{status("claude-opus-5", 500)}, session.Facts{},
			"100 of 500, claude-opus-5"},
		"the file is newer": {[]string{status("claude-opus-5[1m]", 500)},
			session.Facts{ContextTokens: number(200), ContextWindow: number(400),
				Model: "claude-opus-5"}, "200 of 500, claude-opus-5"},
		"another model": {[]string{status("claude-opus-5", 500)}, session.Facts{ContextTokens: number(200),
			ContextWindow: number(400), Model: "claude-haiku-4-5"}, "200 of 400, claude-haiku-4-5"},
		"a platform's id": {[]string{status("us.anthropic.claude-opus-5-v1:0", 500)},
			session.Facts{ContextTokens: number(200), ContextWindow: number(400),
				Model: "claude-opus-5"}, "200 of 500, claude-opus-5"},
		"more than the window": {[]string{status("claude-opus-5", 500)}, session.Facts{ContextTokens: number(600),
			ContextWindow: nil, Model: "claude-opus-5"}, "600 of 500, claude-opus-5"},
		"the window became small": {[]string{status("claude-opus-5", 500), status("claude-opus-5", 300)},
			session.Facts{}, "100 of 300, claude-opus-5"},
		"the window is not shown": {[]string{status("claude-opus-5", 500), status("claude-opus-5", nil)},
			session.Facts{}, "100 of ?, claude-opus-5"},
		"a long window by its id": {[]string{status("claude-sonnet-4-5[1m]", nil)},
			session.Facts{ContextTokens: number(200), ContextWindow: number(200_000),
				Model: "claude-sonnet-4-5"}, "200 of 1000000, claude-sonnet-4-5"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			rules, state := t.TempDir(), t.TempDir()
			text := `{{if known "context_tokens"}}{{.context_tokens}}{{else}}?{{end}} of {{if known "context_window"}}{{.context_window}}{{else}}?{{end}}, {{if known "model"}}{{.model}}{{else}}?{{end}}`
			if err := os.WriteFile(filepath.Join(rules, "r.md"), []byte("---\nwhile: always\n---\n"+text+"\n"),
				0o600); err != nil {
				t.Fatal(err)
			}
			h := hook.Host{Env: func(string) string { return "" }, Clock: time.Now, Session: func(context.Context,
				session.File) (session.Facts, error) {
				return c.past, nil
			}}
			call := hook.Call{Agent: "claude-code", Event: "StatusLine", Rules: []string{rules}, State: state}
			for _, s := range c.status {
				if out, err := h.Run(t.Context(), call, []byte(s)); err != nil || out != nil {
					t.Errorf("%q %v", out, err)
				}
			}
			call.Event = ""
			here := event("hook_event_name", "UserPromptSubmit", "prompt", "Go.", "transcript_path", rules+"/r.md")
			if out, err := h.Run(t.Context(), call, []byte(here)); err != nil || !strings.Contains(string(out),
				`"`+c.want+`"`) {
				t.Errorf("%s %v, want %s", out, err, c.want)
			}
		})
	}
}

func TestStatusText(t *testing.T) {
	t.Parallel()
	b, err := os.ReadFile(testkit.Data(t, "hook-fixtures", "claude-code", "config", "statusline-input.json"))
	if err != nil {
		t.Fatal(err)
	}
	for stdin, want := range map[string]string{
		string(b): "Opus 5 (1M context) · 6%",
		`{"model":{"id":"claude-opus-5"},"context_window":{"context_window_size":200,"current_usage":{"input_tokens":55}}}`: "claude-opus-5 · 27%",
		`{"model":{"display_name":"a\nb\u001b[31m"},"context_window":{"used_percentage":99.9}}`:                             "a;b [31m · 99%",
		`{"context_window":{"used_percentage":"many"}}`:                                                                     "",
		`{"context_window":{"context_window_size":0,"current_usage":{"input_tokens":1}}}`:                                   "",
		``:       "",
		`[1, 2]`: "",
	} {
		if got := hook.StatusText([]byte(stdin)); got != want {
			t.Errorf("%.60s: %q, want %q", stdin, got, want)
		}
	}
}
