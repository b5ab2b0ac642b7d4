package trigger_test

import (
	"fmt"
	"math"
	"testing"
	"time"

	"github.com/aside-go/aside/compile/fact"
	"github.com/aside-go/aside/compile/trigger"
	"github.com/aside-go/aside/internal/test/reference"
)

var noon = time.Date(2026, 1, 2, 12, 30, 0, 0, time.UTC)

// orders are the operators that compare numbers.
var orders = []string{"==", "!=", "<", "<=", ">", ">="}

// holds is a comparison as Go makes it; Unknown where the value is.
func holds(v float64, op string, c float64) fact.Truth {
	if math.IsNaN(v) {
		return fact.Unknown
	}
	return fact.Of(map[string]bool{"==": v == c, "!=": v != c, "<": v < c, "<=": v <= c, ">": v > c,
		">=": v >= c}[op])
}

// TestOrders goes through every pair of operators, joined each way, at, beside and far from the constants,
// and unknown.
func TestOrders(t *testing.T) {
	t.Parallel()
	values := []float64{math.NaN(), 0, 2, 3, 4, fact.MaxInt}
	for _, a := range orders {
		for _, b := range orders {
			and := mustCompile(t, fmt.Sprintf("turn_count %s 3 and message_count %s 3", a, b), nil)
			or := mustCompile(t, fmt.Sprintf("turn_count %s 3 or message_count %s 3", a, b), nil)
			for _, v := range values {
				for _, w := range values {
					f := fact.Builtin().NewFrame()
					set := func(id fact.ID, v float64) {
						if !math.IsNaN(v) {
							f.SetInt(id, int64(v))
						}
					}
					set(fact.TurnCount, v)
					set(fact.MessageCount, w)
					x, y := holds(v, a, 3), holds(w, b, 3)
					if got := and.Eval(f); got != x.And(y) {
						t.Errorf("%s with %v, %v is %v", and, v, w, got)
					}
					if got := or.Eval(f); got != x.Or(y) {
						t.Errorf("%s with %v, %v is %v", or, v, w, got)
					}
				}
			}
		}
	}
}

func TestWildcards(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		pattern, tool string
		want          bool
	}{
		{"Edit", "Edit", true}, {"Edit", "edit", false}, {"Edit", "Edited", false}, {"Edit*", "Edit",
			true}, {"Edit*", "Edited", true}, {"*dit", "Edit", true},
		{"*dit", "Edits", false}, {"E*t", "Edit", true}, {"E*t", "Et", true}, {"E*t", "E", false}, {"E*E", "E",
			false}, {"*", "", true}, {"**", "x", true},
		{"mcp__*__b", "mcp__a__b", true}, {"mcp__*__b", "mcp__b", false}, {"mcp__*__b", "mcp__a__bc",
			false}, {"*a*b*", "xxaxxbxx", true}, {"*a*b*", "ba", false},
		{"a*b*c", "abbcc", true}, {"a*bc*c", "abc", false}, {"*aa*aa*", "aaa", false}, {"*aa*aa*", "aaaa", true},
	} {
		f := fact.Builtin().NewFrame()
		f.SetSet(fact.ToolUsed, []string{c.tool})
		f.SetHistory(&reference.Past{Calls: [][]string{{c.tool}}})
		for _, src := range []string{"tool_used == %q", "not tool_used != %q", "tool_used in [zzz, %q]", "used(%q)",
			"tool_count(%q) == 1", "turns_since_tool(%q) == 1", "tool_chain_repeats(%q) == 1", "after_tool:%[1]s"} {
			src = fmt.Sprintf(src, c.pattern)
			got := mustCompile(t, src, nil).Eval(f)
			if src == fmt.Sprintf("turns_since_tool(%q) == 1", c.pattern) && !c.want {
				if got != fact.Unknown {
					t.Errorf("%s with %q is %v, want unknown", src, c.tool, got)
				}
				continue
			}
			if got != fact.Of(c.want) {
				t.Errorf("%s with %q is %v", src, c.tool, got)
			}
		}
	}
}

func TestMeaning(t *testing.T) {
	t.Parallel()
	const no, unknown, yes = fact.False, fact.Unknown, fact.True
	type facts = map[string]any
	past := func(p *reference.Past) *reference.Past { return p }
	for _, c := range []struct {
		src   string
		facts facts
		past  *reference.Past
		want  fact.Truth
	}{
		{"tool_failed:Bash", facts{"last_tool_call_failed": true, "tool_used": []string{"Bash"}}, nil, yes},
		{"tool_failed:Bash", facts{"last_tool_call_failed": true, "tool_used": []string{"Bash", "Edit"}},
			nil, unknown},
		{"tool_failed:Bash", facts{"last_tool_call_failed": true, "tool_used": []string{"Bash", "Edit"},
			"tool_failed": []string{"Edit"}}, nil, no},
		{"tool_failed:Bash,Edit", facts{"last_tool_call_failed": true, "tool_used": []string{"Bash", "Edit"}}, nil,
			yes},
		{"tool_failed:Bash", facts{"last_tool_call_failed": true, "tool_used": []string{"Edit"}}, nil, no},
		{"tool_failed:Bash", facts{"last_tool_call_failed": false}, nil, no},
		{"tool_failed:Bash", facts{"last_tool_call_failed": true}, nil, unknown},
		{"tool_failed:Bash", facts{"tool_used": []string{"Bash"}}, nil, unknown},
		{"tool_failed:Bash", facts{"tool_used": []string{"Edit"}}, nil, no},
		{"tool_failed:*", facts{"tool_failed": []string{"Edit"}}, nil, yes},
		{"tool_failed:*", facts{"tool_failed": []string{}}, nil, no},

		{`3 < turns_since("r")`, nil, past(&reference.Past{At: fact.Mark{Turn: 9},
			Fires: map[string]fact.Mark{"r": {Turn: 5}}}), yes},
		{`4 < turns_since("r")`, nil, past(&reference.Past{At: fact.Mark{Turn: 9},
			Fires: map[string]fact.Mark{"r": {Turn: 5}}}), no},
		{`4 >= turns_since("r")`, nil, past(&reference.Past{At: fact.Mark{Turn: 9},
			Fires: map[string]fact.Mark{"r": {Turn: 5}}}), yes},
		{`turns_since("q") > 3`, nil, past(&reference.Past{At: fact.Mark{Turn: 9},
			Fires: map[string]fact.Mark{"r": {Turn: 5}}}), unknown},
		{`turns_since("q") > 3`, nil, nil, unknown},
		{`tool_count("Bash") == 0`, nil, nil, unknown},
		{`tool_count("Bash") == 0`, nil, past(&reference.Past{}), unknown},
		{`tool_count("Bash") == 0`, nil, past(&reference.Past{Calls: [][]string{{}}}), yes},
		{`used("Bash")`, nil, nil, unknown},
		{`used("Bash")`, nil, past(&reference.Past{Calls: [][]string{{}}}), no},
		{`not used("Bash")`, nil, past(&reference.Past{Calls: [][]string{{}}}), yes},
		{`repeated_tool_chain:A|1`, nil, past(&reference.Past{}), unknown},
		{`turns_since_tool("Bash") == 1`, nil, past(&reference.Past{Calls: [][]string{{"Bash"}}}), yes},
		{`turns_since_tool("Bash") == 2`, nil, past(&reference.Past{Calls: [][]string{{"Bash"}, {}}}), yes},
		{`tool_chain_repeats("A>B") == 2`, nil, past(&reference.Past{Calls: [][]string{{"A", "B"}, {"A"}, {"B"}}}),
			yes},
		{`repeated_tool_chain:A>B|3`, nil, past(&reference.Past{Calls: [][]string{{"A", "B"}, {"A"}, {"B"}}}), no},

		{"every 3 turns", nil, nil, unknown},
		{"every 3 turns", nil, past(&reference.Past{At: fact.Mark{Turn: 1}}), no},
		{"every 3 turns", nil, past(&reference.Past{At: fact.Mark{Turn: 3}}), yes},
		{"every 2 user turns", nil, past(&reference.Past{At: fact.Mark{UserTurn: 2}}), unknown},
		{"every 2 user turns", nil, past(&reference.Past{At: fact.Mark{UserTurn: 1, UserTurnOK: true}}), no},
		{"every 2 user turns", nil, past(&reference.Past{At: fact.Mark{UserTurn: 2, UserTurnOK: true}}), yes},
		{"every 5m", nil, past(&reference.Past{At: fact.Mark{At: noon.Add(4 * time.Minute)}, Start: noon}), no},
		{"every 5m", nil, past(&reference.Past{At: fact.Mark{At: noon.Add(5 * time.Minute)}, Start: noon}), yes},
		{"every 3 turns", nil, past(&reference.Past{At: fact.Mark{Turn: 7},
			Fires: map[string]fact.Mark{"self": {Turn: 5}}}), no},
		{"every 3 turns", nil, past(&reference.Past{At: fact.Mark{Turn: 8},
			Fires: map[string]fact.Mark{"self": {Turn: 5}}}), yes},
		{"every 2 user turns", nil, past(&reference.Past{At: fact.Mark{UserTurn: 4},
			Fires: map[string]fact.Mark{"self": {UserTurn: 2, UserTurnOK: true}}}), unknown},
		{"every 2 user turns", nil, past(&reference.Past{At: fact.Mark{UserTurn: 4, UserTurnOK: true},
			Fires: map[string]fact.Mark{"self": {UserTurn: 2, UserTurnOK: true}}}), yes},
		{"every 5m", nil, past(&reference.Past{At: fact.Mark{At: noon.Add(5 * time.Minute)},
			Fires: map[string]fact.Mark{"self": {At: noon}}}), yes},
		{"every 5m", nil, past(&reference.Past{At: fact.Mark{At: noon.Add(-time.Hour)},
			Fires: map[string]fact.Mark{"self": {At: noon}}}), no},

		{"75% < context_usage", facts{"context_usage": 0.76}, nil, yes},
		{"20 >= turn_count", facts{"turn_count": 20}, nil, yes},
		{"Bash in tool_used", facts{"tool_used": []string{"Bash"}}, nil, yes},
		{`"plan" == thread_type`, facts{"thread_type": "plan"}, nil, yes},
		{"plan != thread_type", facts{"thread_type": "plan"}, nil, no},
		{"elapsed > 90s", facts{"elapsed": "1m31s"}, nil, yes},
		{"idle <= elapsed", facts{"elapsed": "1m", "idle": "1m"}, nil, yes},
		{"user_message == compacted", facts{"user_message": true, "compacted": true}, nil, yes},
		{"user_message != compacted", facts{"user_message": true}, nil, unknown},
		{"compacted in [true]", facts{"compacted": false}, nil, no},
		{"turn_count in [1, 4k]", facts{"turn_count": 4000}, nil, yes},
		{"user_message or turn_count > 3", facts{"turn_count": 4}, nil, yes},
		{"user_message and turn_count > 3", facts{"turn_count": 3}, nil, no},
		{"len(tool_used) > turn_count", facts{"tool_used": []string{"A", "B"}, "turn_count": 1}, nil, yes},
		{"len(tool_used) > turn_count or true", facts{"tool_used": []string{"A", "B"}}, nil, yes},
		{"(len(tool_used) > turn_count or true) == true", facts{"tool_used": []string{"A", "B"}}, nil, unknown},
		{`none(tool_used, # startsWith "mcp__")`, facts{"tool_used": []string{}}, nil, yes},
		{`one(tool_used, # contains "A") and count(tool_used, # != "A") == 1`,
			facts{"tool_used": []string{"A", "B"}}, nil, yes},
		{`prompt matches "(?i)DEPLOY"`, facts{"prompt": "please deploy"}, nil, yes},
		{"context_tokens / context_window > 0.5", facts{"context_tokens": 1, "context_window": 0}, nil, unknown},
		{"turn_count % context_window == 0", facts{"turn_count": 1, "context_window": 0}, nil, unknown},
		{`turn_count not in [1, 2]`, facts{"turn_count": 3}, nil, yes},
	} {
		f := fact.Builtin().NewFrame()
		for name, v := range c.facts {
			if err := f.SetValue(name, v); err != nil {
				t.Fatal(err)
			}
		}
		if c.past != nil {
			f.SetHistory(c.past)
			f.SetSelf("self")
		}
		p, diags := trigger.Compile(c.src, nil)
		if p == nil {
			t.Errorf("%s: %v", c.src, diags)
			continue
		}
		if got := p.Eval(f); got != c.want {
			t.Errorf("%s with %v is %v, want %v", c.src, c.facts, got, c.want)
		}
		if got, err := mustRefer(t, c.src, nil).Eval(f); err != nil || got != c.want {
			t.Errorf("reference: %s with %v is %v, want %v, %v", c.src, c.facts, got, c.want, err)
		}
	}
}
