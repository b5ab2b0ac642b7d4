package scene

import (
	"bytes"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/aside-go/aside/internal/test/modelapi"
)

// triggers are those of ten reminders, seven of them about tools.
var triggers = []string{
	"id: first, when: started, attach: run_start, keep: conversation",
	"id: edge, when: tool_calls >= 4",
	`id: level, while: tool_count("Edit") == 1`,
	"id: every, when: every 3 turns",
	"id: after, when: 'after_tool:Edit', rearm: 'after_tool:Read'",
	"id: failed, when: last_tool_call_failed",
	"id: asked, when: user_message",
	"id: safe, while: 'after_tool:Bash', tier: safety",
	`id: says, while: prompt contains "deploy"`,
	"id: cool, while: 'after_tool:*', cooldown: 2 turns, max_fires: 3",
}

// rules returns the reminders as a file. Each text says on which turn it fired.
func (o Options) rules() []byte {
	b := bytes.NewBufferString("reminders:\n")
	for _, t := range triggers {
		id, _, _ := strings.Cut(t[len("id: "):], ",")
		for scene, name := range o.Names {
			t = strings.ReplaceAll(t, scene, name)
		}
		fmt.Fprintf(b, "  - {%s, content: \"rule %s, turn {{.turn_count}}\"}\n", t, id)
	}
	return b.Bytes()
}

var ours = regexp.MustCompile(`rule (\w+), turn (\d+)`)

// asked is a request as the client made it, and the answer that it got.
type asked struct {
	request modelapi.Request
	calls   []modelapi.Call // of the answer
}

// count says what fires before each request of a conversation, as a person counts who looks at the client's
// own requests, at what the model called, and at the rules.
//
// told says that the host tells which calls have failed, whatever the API has for that.
func (o Options) count(conversation []asked, told bool) [][]string {
	var out [][]string
	var before []modelapi.Call // of the answer before
	calls, edits, cooled := 0, 0, 0
	last := map[string]int{}
	armed, edge, prompt := true, true, ""
	for i, a := range conversation {
		turn := i + 1
		var now []string
		fires := func(id string, is bool) {
			if is {
				now, last[id] = append(now, fmt.Sprintf("%s@%d", id, turn)), turn
			}
		}
		said, failed := news(a.request)
		if told {
			failed = slices.ContainsFunc(before, func(c modelapi.Call) bool { return fails(c.Args) })
		}
		if said != "" {
			prompt = said
		}
		used := func(name string) (n int) {
			name = o.name(name)
			for _, c := range before {
				if c.Name == name {
					n++
				}
			}
			return n
		}
		calls, edits = calls+len(before), edits+used("Edit")

		fires("first", turn == 1)
		fires("edge", edge && calls >= 4)
		edge = calls < 4
		fires("level", edits == 1)
		fires("every", turn-last["every"] >= 3)
		armed = armed || used("Read") > 0
		after := armed && used("Edit") > 0
		fires("after", after)
		armed = armed && !after
		fires("failed", failed)
		fires("asked", said != "")
		fires("safe", used("Bash") > 0)
		fires("says", strings.Contains(prompt, "deploy"))
		cool := len(before) > 0 && cooled < 3 && (cooled == 0 || turn-last["cool"] >= 2)
		fires("cool", cool)
		if cool {
			cooled++
		}
		slices.Sort(now)
		out, before = append(out, now), a.calls
	}
	return out
}

// news returns what a person has said, if that is what the request brings, and whether it brings the result
// of a call that failed. Only Anthropic and Gemini have a word
// for that.
// What stands in a reminder tag, or beside results, is the client's own.
func news(r modelapi.Request) (said string, failed bool) {
	p, no := modelapi.Read(r)
	if no != nil {
		return "", false
	}
	bad, results := failures(r.Body), false
	for _, m := range slices.Backward(p.Messages) {
		if m.Role == "assistant" || m.Role == "model" {
			break
		}
		for _, b := range m.Blocks {
			switch {
			case b.Kind == modelapi.ToolResult:
				failed, results = failed || bad[b.ID], true
			case b.Kind == modelapi.Text && m.Role == "user" && !strings.HasPrefix(b.Text, "<system-reminder>"):
				said += b.Text
			}
		}
	}
	if results {
		said = ""
	}
	return said, failed
}

// failures are the ids of the calls whose results say that they failed.
func failures(body []byte) map[string]bool {
	out := map[string]bool{}
	var walk func(v any)
	walk = func(v any) {
		switch v := v.(type) {
		case []any:
			for _, x := range v {
				walk(x)
			}
		case map[string]any:
			if id, ok := v["tool_use_id"].(string); ok && v["is_error"] == true {
				out[id] = true
			}
			if id, ok := v["call_id"].(string); ok {
				result, _ := v["result"].(map[string]any)
				out[id] = v["is_error"] == true || result["error"] != nil
			}
			if f, ok := v["functionResponse"].(map[string]any); ok {
				if r, ok := f["response"].(map[string]any); ok && r["error"] != nil {
					id, _ := f["id"].(string)
					out[id] = true
				}
			}
			for _, x := range v {
				walk(x)
			}
		}
	}
	var v any
	if json.NewDecoder(bytes.NewReader(body)).Decode(&v) == nil {
		walk(v)
	}
	return out
}
