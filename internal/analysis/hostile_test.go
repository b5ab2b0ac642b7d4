package analysis_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/aside-go/aside/compile"
	"github.com/aside-go/aside/compile/reminder"
	"github.com/aside-go/aside/internal/analysis"
	"github.com/aside-go/aside/internal/test/testkit"
)

// hostile are triggers that would take long if all combinations of cells were gone through.
func hostile() map[string]string {
	repeat := func(n int, sep string, f func(i int) string) string {
		var parts []string
		for i := range n {
			parts = append(parts, f(i))
		}
		return strings.Join(parts, sep)
	}
	numbers := []string{"turn_count", "context_tokens", "context_window", "output_tokens", "message_count",
		"user_turn_count", "tool_calls", "failures_in_row", "last_response_tokens"}
	return map[string]string{
		"many points of one fact": repeat(180, " or ", func(i int) string {
			return fmt.Sprintf("turn_count == %d",
				2*i)
		}),
		"many facts, each twice": repeat(9, " and ", func(i int) string {
			return fmt.Sprintf("(%s > %d or %s < 3)",
				numbers[i], i+5, numbers[(i+1)%9])
		}),
		"all facts compared": repeat(8, " and ", func(i int) string {
			return fmt.Sprintf("%s < %s", numbers[i],
				numbers[i+1])
		}),
		"all facts compared, with limits": repeat(8, " and ", func(i int) string {
			return fmt.Sprintf("(%s < %s or %s > %d)", numbers[i], numbers[i+1], numbers[i], 10*i)
		}),
		"parity": repeat(10, " and ", func(i int) string {
			return fmt.Sprintf("(vars_%d or tool_used == T%d) and (not tool_used == T%d or tool_used == T%d)", i,
				i, i, (i+1)%10)
		}),
		"many tools": "after_tool:" + repeat(30, ",", func(i int) string { return fmt.Sprintf("T%d", i) }) +
			" and not after_tool:T3",
		"tools failed": repeat(5, " or ", func(i int) string { return fmt.Sprintf("tool_failed:T%d", i) }) +
			" and last_tool_call_failed",
		"wildcards": repeat(8, " and ", func(i int) string { return fmt.Sprintf(`tool_used == "*%d*"`, i) }),
		"nested stars": `tool_used == "` + strings.Repeat("a*", 30) + `" and tool_used == "` +
			strings.Repeat("*a", 30) + `"`,
		"tools and past": repeat(6, " and ", func(i int) string {
			return fmt.Sprintf(`(tool_count("T%d*") > 2 or turns_since_tool("*T%d") < 5 or after_tool:T%d)`, i, i, i)
		}),
		"subjects": repeat(12, " or ", func(i int) string {
			return fmt.Sprintf(`tool_used == "T%d(a%d*)" and tool_used != "@edit(*%d.go)"`, i, i, i)
		}),
		"nested": strings.Repeat("not (turn_count > 3 and (user_message or ", 14) + "compacted" +
			strings.Repeat("))", 14),
	}
}

// TestHostile: triggers made to be expensive come to an end.
func TestHostile(t *testing.T) {
	t.Parallel()
	for name, src := range testkit.Few(hostile(), 8) {
		src = strings.ReplaceAll(src, "vars_", "context_tokens > ")
		set, ds := compile.New([]reminder.Reminder{{ID: "r", Trigger: src, Text: "x",
			Rearm: "turn_count > 3 and not (" + src[:min(len(src), 0)] + "user_message)"}, {ID: "q",
			Trigger: src +
				" or resumed", Text: "x"}}, compile.Options{})
		if ds.HasErrors() {
			t.Errorf("%s: %v", name, ds)
			continue
		}
		analysis.Check(set, nil)
		analysis.Describe(set, 0)
		for _, at := range []string{"stopping", `before_tool:"*"`} {
			set, ds := compile.New([]reminder.Reminder{{ID: "r", Trigger: at + " and (" + src + ")", Text: "x"}},
				compile.Options{})
			if ds.HasErrors() {
				t.Errorf("%s at %s: %v", name, at, ds)
				continue
			}
			analysis.Check(set, nil)
			analysis.Describe(set, 0)
		}
	}
}

// BenchmarkHostile: the same one by one.
func BenchmarkHostile(b *testing.B) {
	for name, src := range hostile() {
		b.Run(name, func(b *testing.B) {
			src := strings.ReplaceAll(src, "vars_", "context_tokens > ")
			set, ds := compile.New([]reminder.Reminder{{ID: "r", Trigger: src, Text: "x"}}, compile.Options{})
			if ds.HasErrors() {
				b.Fatal(ds)
			}
			for b.Loop() {
				analysis.Check(set, nil)
			}
		})
	}
}

// TestLargestNumbers: where a float has no next whole number, too, cells are found.
func TestLargestNumbers(t *testing.T) {
	t.Parallel()
	for _, src := range []string{
		"context_tokens >= 9007199254740991", "context_tokens > 9007199254740992",
		"context_tokens == 9007199254740992 and context_window == 9007199254740991",
		"context_tokens < context_window and context_window < message_count and context_tokens > " +
			"9007199254740989", "context_tokens <= context_window and context_window > 9007199254740991",
		"elapsed > 2562047h", "elapsed > 2562047h and elapsed < 2562047h1s", "vars.n >= 9007199254740992 " +
			"and vars.n " +
			"< turn_count",
	} {
		set, ds := compile.New([]reminder.Reminder{{ID: "r", Trigger: src, Text: "x"}},
			compile.Options{Schema: schema(t)})
		if ds.HasErrors() {
			t.Fatal(ds)
		}
		never := false
		for _, d := range analysis.Check(set, nil) {
			never = never || d.Code == "R0901"
		}
		if _, ok := analysis.Witness(set.Trigger(0)); ok == never {
			t.Errorf("%s: an example %v, never %v", src, ok, never)
		}
	}
}

// TestManyTools: of a trigger that names many tools the same is said as of one with few. Of more tools than
// can be told apart less is said, and nothing that is wrong.
func TestManyTools(t *testing.T) {
	t.Parallel()
	for _, n := range []int{2, 9, 10, 12, 40, 70, 100} {
		names := make([]string, n)
		for i := range names {
			names[i] = fmt.Sprint("T", i)
		}
		tools := strings.Join(names, ",")
		for src, code := range map[string]string{
			"after_tool:" + tools + " and turn_count > 5 and turn_count < 3": "R0901",
			"after_tool:" + tools + ",T1":                                    "R0904",
			"tool_used != T0 and after_tool:T0 and after_tool:" + tools:      "R0901",
			"after_tool:" + tools:                                            "",
		} {
			got := ""
			for _, d := range analysis.Check(newSet(t, reminder.Reminder{ID: "r", Trigger: src, Text: "x"}), nil) {
				got = string(d.Code)
			}
			less := n > 10 && code != "" && (got == "" || got == "R0904")
			if got != code && !less {
				t.Errorf("%d tools: %.60s: %q, want %q", n, src, got, code)
			}
		}
	}
}
