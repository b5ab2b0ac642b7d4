package trigger_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/aside-go/aside/compile/fact"
	"github.com/aside-go/aside/compile/trigger"
)

func TestWhy(t *testing.T) {
	t.Parallel()
	f := fact.Builtin().NewFrame()
	f.SetSet(fact.ToolUsed, []string{"Edit"})
	f.SetRatio(fact.ContextUsage, 0.8)
	f.SetBool(fact.UserMessage, false)
	f.SetText(fact.ThreadType, "plan")
	for src, want := range map[string]string{
		"after_tool:Edit,Write":                                      "after_tool:Edit",
		"tool_used in [Read, Edit]":                                  "tool_used == Edit",
		"thread:learn,plan and context_usage > 75%":                  "thread:plan and context_usage > 75%",
		"context_usage > 75% or user_message":                        "context_usage > 75%",
		"context_usage > 75% or after_tool:Edit":                     "context_usage > 75% and after_tool:Edit",
		"not user_message":                                           "not user_message",
		"not (user_message or turn_count > 3) or context_usage > 1%": "context_usage > 1%",
		"always": "always",
		"(user_message or after_tool:Edit) and always": "after_tool:Edit and always",
		"len(tool_used) == 1":                          "len(tool_used) == 1",
	} {
		p := mustCompile(t, src, nil)
		part := p.Explain(f)
		if part.Truth != fact.True {
			t.Errorf("%s is %v", src, part.Truth)
		}
		if got := part.Why(); got != want {
			t.Errorf("%s is true because of %q, want %q", src, got, want)
		}
	}
}

func TestExplain(t *testing.T) {
	t.Parallel()
	f := fact.Builtin().NewFrame()
	f.SetRatio(fact.ContextUsage, 0.71)
	f.SetText(fact.Prompt, "my secret")
	f.SetSet(fact.ToolUsed, []string{"Edit", "Bash"})
	got := mustCompile(t, `context_usage>75% or turn_count>3 or !(prompt=="x") or after_tool:Edit,Read or every 3 turns or used("Edit") or turns_since_tool("Edit") > turn_count or 5 % (len(tool_used) - 2) == 0`, nil).Explain(f)
	want := trigger.Part{
		Text:  `context_usage > 75% or turn_count > 3 or not prompt == "x" or after_tool:Edit,Read or every 3 turns or used("Edit") or turns_since_tool("Edit") > turn_count or 5 % (len(tool_used) - 2) == 0`,
		Truth: fact.True,
		Parts: []trigger.Part{
			{Text: "context_usage > 75%", Value: "context_usage is 71%"},
			{Text: "turn_count > 3", Truth: fact.Unknown, Value: "turn_count is unknown"},
			{Text: `not prompt == "x"`, Truth: fact.True, Parts: []trigger.Part{{Text: `prompt == "x"`,
				Value: "prompt is 9 bytes long"}}},
			{Text: "after_tool:Edit,Read", Truth: fact.True, Value: "tool_used is [Edit, Bash]", Parts: []trigger.Part{
				{Text: "after_tool:Edit", Truth: fact.True, Value: "tool_used is [Edit, Bash]"},
				{Text: "after_tool:Read", Value: "tool_used is [Edit, Bash]"},
			}},
			{Text: "every 3 turns", Truth: fact.Unknown, Value: "the run's past is unknown"},
			{Text: `used("Edit")`, Truth: fact.Unknown, Value: `used("Edit") is unknown`},
			{Text: `turns_since_tool("Edit") > turn_count`, Truth: fact.Unknown,
				Value: `turns_since_tool("Edit") is unknown, turn_count is unknown`},
			{Text: "5 % (len(tool_used) - 2) == 0", Truth: fact.Unknown,
				Value: "len(tool_used) is 2, division by zero"},
		},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestErr(t *testing.T) {
	t.Parallel()
	p := mustCompile(t, "turn_count % message_count == 0 or user_message", nil)
	f := fact.Builtin().NewFrame()
	if err := p.Err(f); err != nil || p.Eval(f) != fact.Unknown {
		t.Errorf("unknown facts: %v, %v", p.Eval(f), err)
	}
	f.SetInt(fact.TurnCount, 4)
	f.SetInt(fact.MessageCount, 0)
	if err := p.Err(f); err == nil || err.Error() != "division by zero" || p.Eval(f) != fact.Unknown {
		t.Errorf("by zero: %v, %v", p.Eval(f), err)
	}
	f.SetInt(fact.MessageCount, 2)
	if err := p.Err(f); err != nil || p.Eval(f) != fact.True {
		t.Errorf("by two: %v, %v", p.Eval(f), err)
	}
}

func TestFacts(t *testing.T) {
	t.Parallel()
	p := mustCompile(t, `turn_count > 3 and (len(tool_used) + turn_count > 4 or context_usage < 3% or tool_failed:Edit)`, nil)
	want := []fact.ID{fact.ContextUsage, fact.TurnCount, fact.ToolUsed, fact.LastToolCallFailed}
	if diff := cmp.Diff(want, p.Facts()); diff != "" {
		t.Error(diff)
	}
}

// TestErrOfMembers: a condition on a member that cannot be computed is an error where no other one decides.
func TestErrOfMembers(t *testing.T) {
	t.Parallel()
	for trigger, want := range map[string]string{
		`any(tool_used, # == "Bash" and message_count % turn_count == 0)`:           "division by zero",
		`all(tool_used, # == "x" or not (message_count % turn_count == 0))`:         "division by zero",
		`count(tool_used, message_count % turn_count == 0) > 1`:                     "division by zero",
		`any(tool_used, message_count % turn_count == 0) == true`:                   "division by zero",
		`any(tool_used, # == "Edit" or message_count % turn_count == 0)`:            "",
		`any(tool_used, # == "Read" and message_count % turn_count == 0)`:           "",
		`any(tool_used, message_count % context_tokens == 0)`:                       "",
		`any(tool_used, # == "Bash" and message_count % turn_count == 0) or always`: "division by zero",
	} {
		f := fact.Builtin().NewFrame()
		f.SetSet(fact.ToolUsed, []string{"Bash", "Edit"})
		f.SetInt(fact.MessageCount, 4)
		f.SetInt(fact.TurnCount, 0)
		p := mustCompile(t, trigger, nil)
		err := p.Err(f)
		switch {
		case want == "" && err != nil, want != "" && (err == nil || err.Error() != want):
			t.Errorf("%s: %v, want %q", trigger, err, want)
		case err != nil && !strings.Contains(fmt.Sprint(p.Explain(f)), want):
			t.Errorf("%s: %+v", trigger, p.Explain(f))
		}
	}
}
