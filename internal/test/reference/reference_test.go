package reference_test

import (
	"fmt"
	"testing"

	"github.com/aside-go/aside/compile/fact"
	"github.com/aside-go/aside/grammar"
	"github.com/aside-go/aside/internal/test/reference"
)

// Example shows the expr-lang program of a trigger: 0 is false, 1 is unknown, 2 is true.
func Example() {
	tree, _ := grammar.Parse("context_usage > 75% and not last_tool_call_failed")
	p, err := reference.New(tree, fact.Builtin())
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(p)
	// Output:
	// min((known("context_usage") ? (((context_usage) > (7.5e-01)) ? 2 : 0) : 1), (2 - (known("last_tool_call_failed") ? (((last_tool_call_failed)) ? 2 : 0) : 1)))
}

// TestTruths holds the reference itself to truths that were worked out by hand, unknowns among them: it is
// what the compiled predicates are compared with.
func TestTruths(t *testing.T) {
	t.Parallel()
	schema := fact.Builtin()
	f := schema.NewFrame()
	f.SetRatio(fact.ContextUsage, 0.8)
	f.SetInt(fact.TurnCount, 20)
	f.SetSet(fact.ToolUsed, []string{"Edit", "mcp__db__query"})
	f.SetText(fact.ThreadType, "plan")
	f.SetHistory(&reference.Past{At: fact.Mark{Turn: 20}, Calls: [][]string{{"Read"}, {"Edit"},
		{"Read"}, {"Edit"}}})
	for trigger, want := range map[string]fact.Truth{
		"context_usage > 75%":                          fact.True,
		"context_usage > 80%":                          fact.False,
		"context_tokens > 10k":                         fact.Unknown,
		"context_tokens > 10k or turn_count >= 20":     fact.True,
		"context_tokens > 10k and turn_count >= 20":    fact.Unknown,
		"context_tokens > 10k and turn_count > 20":     fact.False,
		"not context_tokens > 10k":                     fact.Unknown,
		"turn_gt:19 and not turn_gt:20":                fact.True,
		"after_tool:Write,Edit":                        fact.True,
		"after_tool:edit":                              fact.False,
		"tool_used == mcp__*":                          fact.True,
		"tool_used != Edit":                            fact.False,
		"tool_used in [Bash, Write]":                   fact.False,
		"thread_type in [plan, learn]":                 fact.True,
		"thread:root":                                  fact.False,
		"last_tool_call_failed":                        fact.Unknown,
		"repeated_tool_chain:Read>Edit|2":              fact.True,
		"repeated_tool_chain:Read>Edit|3":              fact.False,
		`used("Bash")`:                                 fact.False,
		`tool_count("Read") == 2`:                      fact.True,
		`turns_since_tool("Bash") > 3`:                 fact.Unknown,
		"len(tool_used) > 1":                           fact.True,
		`any(tool_used, # startsWith "mcp__")`:         fact.True,
		`prompt matches "deploy"`:                      fact.Unknown,
		"always":                                       fact.True,
		"manual or never":                              fact.False,
		"(context_tokens > 1 or always) and not never": fact.True,
	} {
		t.Run(trigger, func(t *testing.T) {
			t.Parallel()
			tree, ds := grammar.Parse(trigger)
			if len(ds) > 0 {
				t.Fatal(ds)
			}
			p, err := reference.New(tree, schema)
			if err != nil {
				t.Fatal(err)
			}
			if got, err := p.Eval(f); err != nil || got != want {
				t.Errorf("%v, %v, want %v\n%s", got, err, want, p)
			}
		})
	}
}
