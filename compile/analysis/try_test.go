package analysis_test

import (
	"fmt"
	"testing"

	"github.com/aside-go/aside/compile"
	"github.com/aside-go/aside/compile/analysis"
)

func TestTry(t *testing.T) {
	for _, src := range []string{
		"turn_count > 10 and turn_count < 11", "turn_count > 10 and turn_count < 5", "context_usage > 100%", "context_usage >= 0%", "context_usage > 75% and context_usage > 50%",
		"thread == plan and thread:learn", "thread_type == plan and thread_type == learn", "user_message or not user_message", "user_message and (user_message or compacted)",
		"after_tool:Edit and tool_used in [Edit, Write]", "after_tool:mcp__fs__*,mcp__*", "after_tool:mcp__* and tool_used != mcp__fs__read", "turn_count >= 10", "turn_count == 10",
		"after_tool:TodoWrite and turns_since_tool(\"TodoWrite\") > 3", "tool_failed:Bash and not after_tool:Bash", "tool_failed:Bash and last_tool_call_failed", "failures_in_row >= 2 and not last_tool_call_failed",
		"used(\"Bash\") and tool_count(\"Bash\") >= 1", "tool_count(\"Bash\") > 3 and not used(\"Ba*\")", "len(tool_used) == 0 and after_tool:Edit", "context_tokens > context_window and context_tokens < context_window",
		"turn_count > 5 and turn_count < vars.x", "context_usage > 0.75 and turn_count > 10", "every 1 turn", "every 5 turns and user_message", "prompt matches \"deploy|release\" and turn_count > 3",
		"elapsed > 5m and idle < 90s", "never or user_message", "manual and user_message", "always and user_message", "(context_usage > 75% or user_message) and (context_usage > 50% or user_message)",
		"turn_count in [1, 2, 2, 3]", "thread_type in [plan, learn] and thread_type != learn", "turns_since_tool(\"X\") >= 1", "not (turn_count > 3 or turn_count > 5)",
		"turn_count > 3 and not turn_count <= 3", "model == x and model != y",
		`any(tool_used, # startsWith "mcp__") and not any(tool_used, # startsWith "mcp__")`,
	} {
		set, ds := compile.New([]compile.Reminder{{ID: "r", Trigger: src, Text: "x"}}, compile.Options{})
		fmt.Println("==", src)
		if ds.HasErrors() {
			fmt.Println(ds)
			continue
		}
		for _, d := range analysis.Set(set) {
			fmt.Println("  ", d, d.Range.Start.Offset, d.Range.End.Offset)
			if d.Fix != nil {
				fmt.Printf("     fix: %q\n", src[:d.Fix.Range.Start.Offset]+d.Fix.Text+src[d.Fix.Range.End.Offset:])
			}
		}
		for _, l := range analysis.Describe(set, 0).Lines {
			fmt.Println("     ", l)
		}
	}
}
