package hook_test

import (
	"slices"
	"testing"

	"github.com/aside-go/aside/compile/fact"
	"github.com/aside-go/aside/internal/agent"
)

// TestNeverTold: what "aside check --agent" says that an agent can never tell, no event of it tells.
func TestNeverTold(t *testing.T) {
	t.Parallel()
	eachCase(t, func(t *testing.T, f *fixture) {
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
