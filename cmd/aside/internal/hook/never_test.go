package hook_test

import (
	"slices"
	"testing"

	"github.com/aside-go/aside/cmd/aside/internal/hook"
	"github.com/aside-go/aside/compile/fact"
	"github.com/aside-go/aside/internal/lint"
)

// TestNeverTold: what "aside check --agent" says that an agent can never tell, no event of it tells.
func TestNeverTold(t *testing.T) {
	t.Parallel()
	eachCase(t, func(t *testing.T, f *fixture) {
		d, _ := hook.For(f.agent())
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
		for _, tool := range e.Tools {
			if tool.Failed != fact.Unknown {
				told["last_tool_call_failed"], told["failures_in_row"] = true, true
			}
		}
		for _, name := range lint.Never(f.agent()) {
			if told[name] {
				t.Errorf("%s tells %s, and check says that it never does", f.agent(), name)
			}
		}
		if d.Failures && slices.Contains(lint.Never(f.agent()), "last_tool_call_failed") {
			t.Errorf("%s tells of failures", f.agent())
		}
	})
}
