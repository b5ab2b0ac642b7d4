package trigger_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/aside-go/aside/compile/fact"
	"github.com/aside-go/aside/compile/trigger"
	"github.com/aside-go/aside/internal/test/testkit"
)

// TestIdentity: spellings of one trigger have one identity, and no two of these triggers share one.
func TestIdentity(t *testing.T) {
	t.Parallel()
	s, err := fact.NewSchema(fact.Fact{Name: "vars.n", Type: fact.Int}, fact.Fact{Name: "vars.wait",
		Type: fact.Duration}, fact.Fact{Name: "vars.tags", Type: fact.Set})
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]string{}
	var all strings.Builder
	for _, spellings := range [][]string{
		{"context_usage > 50%", "context_usage>0.5", "0.50 < context_usage", "( context_usage > 50% )",
			"not context_usage <= 50%", "!(context_usage <= 50%)", "not not context_usage > 0.5"},
		{"context_usage >= 50%"},
		{"context_usage > 51%"},
		{"elapsed > 5m", "elapsed > 300s", "elapsed>0h5m"},
		{"vars.wait > 2d", "vars.wait > 48h"},
		{"every 5m", "every 300s"},
		{"every 5 turns"},
		{"every 5 user turns"},
		{"context_tokens > 4k", "context_tokens > 4000"},
		{"cost > $5", "cost > $5.00"},
		{"turn_count > 10", "turn_gt:10", "10 < turn_count"},
		{"turn_count in [1, 2]", "turn_count in [2,1]"},
		{"turn_count not in [1, 2]", "not (turn_count in [1, 2])"},
		{"thread_type == plan", `thread_type == "plan"`, "thread:plan", "thread_type in [plan]"},
		{"thread_type != plan", "not thread:plan"},
		{"tool_used == Edit"},
		{"after_tool:Edit", `after_tool:"Edit"`, "after_tool: Edit"},
		{"after_tool:Edit,Write", "after_tool:Write, Edit"},
		{`tool_used in ["Edit", Write]`, `tool_used in [Write, Edit]`},
		{"tool_failed:Edit"},
		{`after_tool:Bash(git push*)`, `after_tool:"Bash(git push*)"`},
		{`after_tool:Bash(git pull*)`},
		{"last_tool_call_failed", "last_tool_call_failed == true", "not last_tool_call_failed == false"},
		{"not last_tool_call_failed", "last_tool_call_failed == false", "!last_tool_call_failed"},
		{"compacted and resumed", "compacted && resumed", "(compacted) and\n(resumed)"},
		{"compacted and resumed and started", "(compacted and resumed) and started",
			"compacted && (resumed && started)"},
		{"compacted and (resumed or started)", "compacted and ((resumed || started))"},
		{"compacted and resumed or started"},
		{"not (compacted and resumed)", "!(compacted && resumed)"},
		{`prompt matches "\bdeploy\b"`, `prompt matches "\\bdeploy\\b"`, "prompt matches `\\bdeploy\\b`"},
		{`prompt matches "deploy"`},
		{`prompt contains "deploy"`, `prompt contains 'deploy'`},
		{`command contains "git"`, "command contains `git`"},
		{`command startsWith "git"`},
		{"len(tool_used) > 3", "len( tool_used )>3", "3 < len(tool_used)"},
		{"len(vars.tags) > 3"},
		{`used("Edit")`, `used( "Edit" )`},
		{`tool_count("Edit") >= 3`, `3 <= tool_count("Edit")`},
		{`tool_count("Bash(git*)") >= 3`},
		{`tool_count("Bash(ls*)") >= 3`},
		{`called_since("Edit", "Bash(go test*)")`},
		{`called_since("Bash(go test*)", "Edit")`},
		{`tool_chain_repeats("A>B") >= 2`, "repeated_tool_chain:A>B|2"},
		{`any(calls, .tool == "Bash" and .failed)`, `any(calls, .tool == "Bash" && .failed)`,
			`any(calls,.tool=="Bash" and .failed)`},
		{`any(calls, .tool == "Bash" and not .failed)`, `any(calls, .tool == "Bash" && !.failed)`},
		{`none(calls, not .failed)`, `none(calls,not.failed)`},
		{`all(calls, .tool == "Bash" and .failed)`},
		{`any(calls, .output matches "a")`},
		{`any(calls, .output matches "b")`},
		{"turn_count % vars.n == 0", "turn_count%vars.n==0"},
		{"turn_count * 2 > 9", "(turn_count*2) > 9"},
		{"stopping and compacted", "(stopping) && compacted"},
		{"before_tool:Bash"},
		{"before_tool:Edit"},
		{"always"}, {"never", "manual"},
	} {
		identity := ""
		for _, src := range spellings {
			p, ds := trigger.Compile(src, s)
			if p == nil {
				t.Fatalf("%s: %v", src, ds)
			}
			got := p.Identity()
			if identity == "" {
				identity = got
			}
			if got != identity {
				t.Errorf("%q is %q, and %q is %q", spellings[0], identity, src, got)
			}
		}
		if other, taken := seen[identity]; taken {
			t.Errorf("%q and %q are both %q", other, spellings[0], identity)
		}
		seen[identity] = spellings[0]
		fmt.Fprintf(&all, "%s\n  %s\n", spellings[0], identity)
	}
	testkit.Golden(t, "testdata/identity.golden", all.String()) // state of earlier versions holds them
}
