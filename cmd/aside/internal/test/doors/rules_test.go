package doors_test

import (
	"fmt"
	"slices"

	"pgregory.net/rapid"

	"github.com/aside-go/aside/compile"
	"github.com/aside-go/aside/internal/document"
)

// door is a way by which a session is told.
type door string

const (
	file     door = "session file"
	requests door = "requests of Anthropic Messages"
	chat     door = "requests of OpenAI Chat"
	hooks    door = "hooks"
	bare     door = "hooks without the session's file"
)

// atom is a part of a trigger, with the doors that cannot know its facts.
type atom struct {
	text    string
	unknown []door
}

// Chat Completions have no mark for a call that failed, the client there does not say which thread it is, and
// the model is another one with another window. Requests tell neither where the agent works nor that it was
// resumed. Hooks learn the model from the session's file, that is, not on the first turn. Facts that several
// doors lack (message_count, response, branch) are left out.
var atoms = []atom{
	{text: "after_tool:Bash(git push*)"}, {text: "after_tool:@shell(go test*)"},
	{text: "after_tool:@edit"}, {text: "after_tool:@edit(src/*.go)"},
	{text: "after_tool:Write(*.env)"}, {text: "after_tool:@edit(/etc/**)"},
	{text: "after_tool:@edit,@read(src/**)"}, {text: "after_tool:@read(~/*)"},
	{text: "after_tool:mcp__*"}, {text: `after_tool:mcp__hub__*(*"base":"main"*)`},
	{text: "after_tool:@todo"}, {text: "after_tool:@search(TODO)"},
	{text: "after_tool:@web(*example.com*)"}, {text: "after_tool:Read,Grep"}, {text: "after_tool:*"},
	{text: `output contains "FAIL"`}, {text: `output matches "\bok\b"`},
	{text: `command contains "push"`}, {text: `path endsWith ".go"`}, {text: "path == src/a.go"},
	{text: `path startsWith "/"`}, {text: "tool_used == Bash"}, {text: "tool_used != Bash"},
	{text: "tool_used in [Edit, @read]"},
	{text: "tool_failed:Bash", unknown: []door{chat}},
	{text: "last_tool_call_failed", unknown: []door{chat}},
	{text: "tool_failed:@shell(go test*)", unknown: []door{chat}},
	{text: "failures_in_row >= 2", unknown: []door{chat}},
	{text: `any(calls, .tool == "Bash" and .failed and .output contains "FAIL")`, unknown: []door{chat}},
	{text: `any(calls, .class == "edit" and .path endsWith ".go")`},
	{text: `count(calls, .output == "ok") > 1`}, {text: `used("Edit")`},
	{text: `used("@shell(git push*)")`}, {text: `tool_count("*") >= 5`},
	{text: `tool_count("Bash(go test*)") >= 2`}, {text: `turns_since_tool("@todo") > 2`},
	{text: `turns_since_tool("@edit(*.go)") == 2`},
	{text: `called_since("@edit", "@shell(go test*)")`}, {text: `called_since("Read", "Edit")`},
	{text: "tool_calls > 6"}, {text: `tool_chain_repeats("Bash>Edit") >= 1`},
	{text: "repeated_tool_chain:Bash|2"}, {text: "len(tool_used) > 1"}, {text: "user_message"},
	{text: `prompt matches "(?i)\bdeploy\b"`}, {text: "started"}, {text: "user_turn_count >= 2"},
	{text: "user_turn_gt:1"}, {text: "turn_gt:4"}, {text: "turn_count == 3"}, {text: "compacted"},
	{text: "resumed", unknown: []door{requests, chat}},
	{text: "every 3 turns"}, {text: "every 2 user turns"}, {text: "every 10m"},
	{text: "elapsed > 20m"}, {text: "idle > 5m"}, {text: "hour == 9"},
	{text: "context_tokens > 50k", unknown: []door{bare}},
	{text: "last_response_tokens > 500", unknown: []door{bare}},
	{text: "output_tokens > 2000", unknown: []door{bare}},
	{text: "context_usage > 30%", unknown: []door{chat, bare}},
	{text: "cost > $0.05", unknown: []door{chat, bare}},
	{text: "cost > $0.2", unknown: []door{chat, bare}},
	{text: "thread:root", unknown: []door{chat}},
	{text: `model startsWith "claude"`, unknown: []door{chat, hooks, bare}},
	{text: `cwd == "/p"`, unknown: []door{requests, chat}},
	{text: "always"},
}

// rule is a rule of a set, with the doors that cannot know all that it reads.
type rule struct {
	Members map[string]any
	Unknown []door
}

func (r rule) id() string { return r.Members["id"].(string) }

// drawTrigger draws a trigger of one to three atoms.
func drawTrigger(t *rapid.T, r *rule) (text string) {
	for i := range rapid.SampledFrom([]int{1, 1, 2, 3}).Draw(t, "atoms") {
		a := rapid.SampledFrom(atoms).Draw(t, "atom")
		if rapid.IntRange(0, 4).Draw(t, "not") == 0 {
			a.text = "not " + a.text
		}
		if i > 0 {
			text += rapid.SampledFrom([]string{" and ", " or "}).Draw(t, "operator")
		}
		text += a.text
		for _, d := range a.unknown {
			if !slices.Contains(r.Unknown, d) {
				r.Unknown = append(r.Unknown, d)
			}
		}
	}
	return text
}

// drawRules draws a set of rules: for each atom one, one that fires for each message, and some of several.
func drawRules(t *rapid.T) (rules []rule) {
	for i, a := range atoms {
		rules = append(rules, rule{map[string]any{"id": fmt.Sprintf("a%02d", i), "while": a.text}, a.unknown})
	}
	rules = append(rules, rule{Members: map[string]any{"id": "said", "when": `prompt matches "[eo]"`}})
	maybe := func(r *rule, key string, values ...any) {
		if rapid.IntRange(0, 3).Draw(t, key) == 0 {
			r.Members[key] = rapid.SampledFrom(values).Draw(t, key)
		}
	}
	for i := range rapid.IntRange(5, 20).Draw(t, "rules") {
		r := rule{Members: map[string]any{"id": fmt.Sprintf("r%02d", i)}}
		mode := rapid.SampledFrom([]string{"when", "when", "while"}).Draw(t, "mode")
		r.Members[mode] = drawTrigger(t, &r)
		if mode == "when" {
			maybe(&r, "rearm", "user_message", "context_tokens < 40k", "never", "after_tool:@edit")
			if r.Members["rearm"] == "context_tokens < 40k" {
				r.Unknown = append(r.Unknown, bare)
			}
		}
		maybe(&r, "for", "2 turns", "3 turns", "3m")
		maybe(&r, "cooldown", "2 turns", "1 user turns", "10m")
		maybe(&r, "max_fires", 1, 2)
		maybe(&r, "keep", "2 turns", "3 turns", "user turn", "2 user turns", "conversation")
		rules = append(rules, r)
	}
	for i := range rules {
		rules[i].Members["content"] = "Probe " + rules[i].id() + "."
	}
	return rules
}

// source returns the rule file that holds rules.
func source(rules []rule) []byte {
	list := make([]any, len(rules))
	for i, r := range rules {
		list[i] = r.Members
	}
	return encoded(map[string]any{"reminders": list})
}

func compiled(t *rapid.T, rules []rule) *compile.Set {
	rs, ds := document.Read("rules.yaml", source(rules))
	set, more := compile.FromFiles(rs, compile.Options{})
	if ds = append(ds, more...); ds.HasErrors() {
		t.Fatal(ds)
	}
	return set
}
