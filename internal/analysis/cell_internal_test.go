package analysis

import (
	"testing"

	"github.com/aside-go/aside/compile"
)

// TestCellsAreTurns: in each cell, those with unknown facts included, an operand comes out as it is evaluated
// on the turn that the cell stands for.
func TestCellsAreTurns(t *testing.T) {
	t.Parallel()
	for _, src := range []string{
		"tool_failed:Bash", "tool_failed:Bash,Edit", "tool_failed:*", "tool_failed:mcp__*",
		"tool_failed:mcp__*,Bash", "context_tokens < context_window", "context_tokens != context_window",
		"user_message == compacted", "context_usage > 50%", "context_usage == 100%",
		"turn_count in [1, 3]", "thread_type in [plan, learn]", "thread_type != plan",
		"tool_used != mcp__*",
		"after_tool:mcp__*,Bash,mcp__a", "idle >= 90s", "last_tool_call_failed", "len(tool_used) != 2",
		`turns_since("r") > 2`, `output_tokens_since("r") <= 3`,
		`tool_count("Bash") > 2`, `used("mcp__*")`, `turns_since_tool("Bash") <= 3`,
		`tool_chain_repeats("Edit>Bash") >= 2`, "every 3 turns", "every 2 user turns", "every 5m",
	} {
		p, ds := compile.Compile(src, nil)
		if p == nil {
			t.Fatal(ds)
		}
		s := newSystem(p.Schema())
		forms, ok := s.forms([]string{self}, p.Root())
		if !ok {
			t.Fatal(src)
		}
		seen := mask(0)
		var visit func(c int)
		visit = func(c int) {
			if c < len(s.components) {
				for i := range s.components[c].cells {
					s.at[c] = i
					visit(c + 1)
				}
				s.at[c] = -1
				return
			}
			s.ask(true)
			got := s.reach(forms[0])
			ex := s.turn(s.schema.NewFrame())
			if want := p.Eval(ex.Frame); got != of(want) && !mixed(s) {
				t.Errorf("%s when %s: %v, want %v", src, ex.Text, got, want)
			}
			seen |= got
		}
		visit(0)
		if seen&(maskF|maskT) != maskF|maskT {
			t.Errorf("%s comes out as %v alone", src, seen)
		}
	}
}

// mixed reports whether of one set some regions are known and others not, which cells allow and turns do not;
// or a past is unknown that examples do not make up.
func mixed(s *system) bool {
	known, unknown := false, false
	for c := range s.components {
		for i, v := range s.components[c].vars {
			x := s.components[c].cells[s.at[c]].values[i]
			if k := s.vars[v].kind; k == varTold && x == toldSome ||
				(k == varSelf || k == varTerm || k == varCalls) && x != x {
				return true
			}
			if s.vars[v].kind == varMember {
				known = known || x == x
				unknown = unknown || x != x
			}
		}
	}
	return known && unknown
}
