package cases

import (
	"strings"
	"time"

	"pgregory.net/rapid"

	"github.com/aside-go/aside/compile/fact"
	"github.com/aside-go/aside/internal/test/reference"
)

// The generators draw from few names and numbers, so that facts and constants meet.
var (
	someTools   = []string{"Edit", "Bash", "Read", "mcp__a__b", "mcp__", "Ed*", "*", "mcp__*__b"}
	realTools   = []string{"Edit", "Bash", "Read", "mcp__a__b", "mcp__x", "Edited"}
	someTexts   = []string{"plan", "learn", "", "a b", "claude-x", "deploy now"}
	someWhole   = []string{"0", "1", "2", "3", "10", "4k"}
	belowZero   = append([]string{"-1", "-3", "- 4k"}, someWhole...) // for what a host declares
	someRatios  = []string{"0", "1", "0.5", "75%", "0.75", "100%", "50%"}
	someSpans   = []string{"0s", "90s", "5m", "1h", "1h30m"}
	agoSpans    = append([]string{"-1ns", "-90s", "-1h30m"}, someSpans...)
	someIDs     = []string{"r", "other", "self"}
	orderOps    = []string{"==", "!=", "<", "<=", ">", ">="}
	equalityOps = []string{"==", "!="}
)

// Schema returns the built-in facts with some that a host declares.
func Schema() *fact.Schema {
	s, err := fact.NewSchema(
		fact.Fact{Name: "vars.n", Type: fact.Int},
		fact.Fact{Name: "vars.flag", Type: fact.Bool},
		fact.Fact{Name: "vars.share", Type: fact.Ratio},
		fact.Fact{Name: "vars.wait", Type: fact.Duration},
		fact.Fact{Name: "vars.name", Type: fact.String},
		fact.Fact{Name: "vars.tags", Type: fact.Set},
	)
	if err != nil {
		panic(err) // no name is there twice
	}
	return s
}

// Frame draws a turn on which any fact may be unknown, with a history or without.
func Frame(t *rapid.T, s *fact.Schema) *fact.Frame {
	f := s.NewFrame()
	for i := range s.Len() {
		ft := s.Fact(fact.ID(i))
		if rapid.IntRange(0, 3).Draw(t, "unknown") == 0 {
			continue
		}
		switch ft.Type {
		case fact.Bool:
			f.SetBool(ft.ID, rapid.Bool().Draw(t, ft.Name))
		case fact.Int:
			n := rapid.SampledFrom([]int64{0, 1, 2, 3, 4, 10, 11, 4000, fact.MaxInt}).Draw(t, ft.Name)
			if ft.Name == "vars.n" && rapid.Bool().Draw(t, "below zero") {
				n = -n
			}
			f.SetInt(ft.ID, n)
		case fact.Ratio:
			f.SetRatio(ft.ID, rapid.SampledFrom([]float64{0, 0.25, 0.5, 0.75, 0.7500001, 1, 1.5}).Draw(t, ft.Name))
		case fact.Duration:
			f.SetDuration(ft.ID, rapid.SampledFrom([]time.Duration{-90 * time.Minute, -90 * time.Second, -1, 0,
				90 * time.Second, 5 * time.Minute, time.Hour, 90 * time.Minute}).Draw(t, ft.Name))
		case fact.String:
			f.SetText(ft.ID, rapid.SampledFrom(someTexts).Draw(t, ft.Name))
		case fact.Set:
			f.SetSet(ft.ID, rapid.SliceOfN(rapid.SampledFrom(append(realTools, someTexts...)), 0, 3).Draw(t, ft.Name))
		}
	}
	if rapid.Bool().Draw(t, "told") {
		f.SetFailed(rapid.SliceOfN(rapid.SampledFrom(realTools), 0, 2).Draw(t, "failed"))
	}
	if rapid.IntRange(0, 4).Draw(t, "history") > 0 {
		f.SetHistory(past(t))
		f.SetSelf("self")
	}
	return f
}

func past(t *rapid.T) *reference.Past {
	mark := func(name string) fact.Mark {
		return fact.Mark{
			Turn:         rapid.IntRange(1, 12).Draw(t, name+" turn"),
			UserTurn:     rapid.IntRange(0, 5).Draw(t, name+" user turn"),
			UserTurnOK:   rapid.Bool().Draw(t, name+" user turn known"),
			OutputTokens: rapid.Int64Range(0, 5).Draw(t, name+" output"),
			OutputOK:     rapid.Bool().Draw(t, name+" output known"),
			At:           time.Unix(rapid.Int64Range(0, 4000).Draw(t, name+" at"), 0),
		}
	}
	p := &reference.Past{At: mark("now"), Fires: map[string]fact.Mark{}}
	p.Calls = rapid.SliceOfN(rapid.SliceOfN(rapid.SampledFrom(realTools[:4]), 0, 3), 0, 6).Draw(t, "calls")
	for _, id := range someIDs {
		if rapid.Bool().Draw(t, "fired "+id) {
			p.Fires[id] = mark(id)
		}
	}
	return p
}

// Trigger draws the source of a trigger that compiles.
func Trigger(t *rapid.T, depth int) string {
	if depth > 0 && rapid.IntRange(0, 2).Draw(t, "join") > 0 {
		switch rapid.IntRange(0, 4).Draw(t, "how") {
		case 0, 1:
			return Trigger(t, depth-1) + rapid.SampledFrom([]string{" and ", " && "}).Draw(t, "and") +
				Trigger(t, depth-1)
		case 2, 3:
			return Trigger(t, depth-1) + rapid.SampledFrom([]string{" or ", " || "}).Draw(t, "or") +
				Trigger(t, depth-1)
		default:
			return rapid.SampledFrom([]string{"not (", "(", "!("}).Draw(t, "not") + Trigger(t, depth-1) + ")"
		}
	}
	s := genOperand(t)
	if rapid.IntRange(0, 4).Draw(t, "negated") == 0 {
		return "not " + s
	}
	return s
}

func pick(t *rapid.T, from ...string) string { return rapid.SampledFrom(from).Draw(t, "pick") }

func genList(t *rapid.T, from []string, quote bool) string {
	items := rapid.SliceOfN(rapid.SampledFrom(from), 1, 3).Draw(t, "list")
	if quote {
		for i := range items {
			items[i] = `"` + items[i] + `"`
		}
	}
	return strings.Join(items, ", ")
}

func genOperand(t *rapid.T) string {
	quoted := func(from []string) string { return `"` + pick(t, from...) + `"` }
	switch rapid.IntRange(0, 15).Draw(t, "operand") {
	case 0:
		return pick(t, "always", "never", "manual")
	case 1:
		return pick(t, "user_message", "last_tool_call_failed", "vars.flag", "compacted == false",
			"resumed != true", "vars.flag in [true, false]", "compacted == resumed")
	case 2:
		if rapid.Bool().Draw(t, "declared") {
			return "vars.n " + pick(t, orderOps...) + " " + pick(t, belowZero...)
		}
		return pick(t, "turn_count", "context_tokens", "failures_in_row") + " " + pick(t, orderOps...) + " " +
			pick(t, someWhole...)
	case 3:
		return pick(t, "context_usage", "vars.share") + pick(t, orderOps...) + pick(t, someRatios...)
	case 4:
		if rapid.Bool().Draw(t, "declared") {
			return "vars.wait " + pick(t, orderOps...) + " " + pick(t, agoSpans...)
		}
		return pick(t, "elapsed", "idle") + " " + pick(t, orderOps...) + " " + pick(t, someSpans...)
	case 5:
		if rapid.Bool().Draw(t, "declared") {
			return pick(t, belowZero...) + " " + pick(t, orderOps...) + " vars.n"
		}
		return pick(t, someWhole...) + " " + pick(t, orderOps...) + " turn_count"
	case 6:
		if rapid.Bool().Draw(t, "declared") {
			return "vars.n in [" + genList(t, belowZero, false) + "]"
		}
		return "turn_count in [" + genList(t, someWhole, false) + "]"
	case 7:
		return pick(t, "thread_type", "model", "vars.name") + " " + pick(t, equalityOps...) + " " +
			quoted(someTexts)
	case 8:
		return pick(t, "thread_type", "vars.name") + " in [" + genList(t, someTexts, true) + "]"
	case 9:
		return "tool_used " + pick(t, equalityOps...) + " " + quoted(someTools)
	case 10:
		return pick(t, "tool_used", "vars.tags") + " in [" + genList(t, someTools, true) + "]"
	case 11:
		return pick(t, "after_tool:", "tool_failed:") + genList(t, someTools, false)
	case 12:
		return pick(t, "turn_gt:2", "user_turn_gt:1", "thread:plan,learn", "repeated_tool_chain:Edit|2",
			"repeated_tool_chain:Edit>Ba*|1",
			"every 3 turns", "every 2 user turns", "every 5m", "every 1 turn")
	case 13:
		return pick(t, "tool_count", "turns_since_tool") + "(" + quoted(someTools) + ") " + pick(t, orderOps...) +
			" " + pick(t, "0", "1", "2", "3", "-1")
	case 14:
		return pick(t, `used("Ed*")`, `turns_since("r") >= 3`, `output_tokens_since("other") > 1`,
			`tool_chain_repeats("Edit > Bash") == 1`, `2 < turns_since("r")`, "-1 < len(tool_used)",
			`vars.name in vars.tags`, `thread_type in tool_used`, "context_tokens > context_window", "turn_count <= vars.n", "len(tool_used) >= 2")
	default:
		return pick(t, "len(tool_used) + 1 > turn_count", `prompt matches "deploy|release"`,
			`any(tool_used, # startsWith "mcp__")`,
			`count(tool_used, # == "Edit") > 1`, "turn_count % vars.n == 0", "context_tokens / context_window > 0.5",
			`tool_count("Edit") > turns_since_tool("Bash")`, `lower(prompt) contains "deploy"`, `(turn_count > 3 and user_message) == true`,
			`"Edit" in tool_used and len(vars.name) > 3`, `none(vars.tags, # contains "a")`, "turn_count * turn_count > 9", `(vars.name in ["plan", "x"]) != vars.flag`)
	}
}
