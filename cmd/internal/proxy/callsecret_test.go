package proxy_test

import (
	"context"
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/aside-go/aside/compile/reminder"
	"github.com/aside-go/aside/inject/transport"
	"github.com/aside-go/aside/state/filestore"
)

// TestI10Calls: the store, the log and the metrics hold no text of a person, of the model, of an input or of
// a result of a tool, although rules read these texts and remember the truth of their conditions.
func TestI10Calls(t *testing.T) {
	t.Parallel()
	const secret = "c4n4ry-1n-4-c4ll"
	// The first request of each is without the part between the bars, and the second with it.
	conversations := map[string]string{
		"/v1/messages": `{"model":"claude-opus-4-6","messages":[{"role":"user","content":"deploy SECRET"}` +
			`|,{"role":"assistant","content":[{"type":"text","text":"done SECRET"},` +
			`{"type":"tool_use","id":"toolu_01","name":"Bash","input":{"command":"push SECRET"}},` +
			`{"type":"tool_use","id":"toolu_02","name":"Write","input":{"file_path":"/a/SECRET.sql",` +
			`"content":"drop SECRET"}},` +
			`{"type":"tool_use","id":"toolu_03","name":"mcp__x","input":{"SECRET":"","q":"merge SECRET"}},` +
			`{"type":"tool_use","id":"toolu_04","name":"mcp__x","input":{"SECRET":"","q":"merge SECRET"}}]},` +
			`{"role":"user","content":[{"type":"tool_result","tool_use_id":"toolu_01","is_error":true,` +
			`"content":"FAIL SECRET"},{"type":"tool_result","tool_use_id":"toolu_02"},` +
			`{"type":"tool_result","tool_use_id":"toolu_03"},{"type":"tool_result","tool_use_id":"toolu_04"}]}|` +
			`],"tools":[{"name":"Bash"}]}`,
		"/v1/chat/completions": `{"model":"gpt-5.4","messages":[{"role":"user","content":"deploy SECRET"}` +
			`|,{"role":"assistant","content":"done SECRET","tool_calls":[` +
			`{"id":"1","function":{"name":"Bash","arguments":"{\"command\":\"push SECRET\"}"}},` +
			`{"id":"2","function":{"name":"Write",` +
			`"arguments":"{\"file_path\":\"SECRET.sql\",\"content\":\"drop SECRET\"}"}},` +
			`{"id":"3","function":{"name":"mcp__x","arguments":"{\"SECRET\":\"\",\"q\":\"merge SECRET\"}"}},` +
			`{"id":"4","function":{"name":"mcp__x","arguments":"{\"SECRET\":\"\",\"q\":\"merge SECRET\"}"}}]},` +
			`{"role":"tool","tool_call_id":"1","content":"FAIL SECRET"},` +
			`{"role":"tool","tool_call_id":"2","content":""},{"role":"tool","tool_call_id":"3","content":""},` +
			`{"role":"tool","tool_call_id":"4","content":""}|],"tools":[{}]}`,
		"/v1/responses": `{"model":"gpt-5.4","input":[{"role":"user","content":"deploy SECRET"}` +
			`|,{"role":"assistant","content":[{"type":"output_text","text":"done SECRET"}]},` +
			`{"type":"function_call","call_id":"1","name":"Bash","arguments":"{\"command\":\"push SECRET\"}"},` +
			`{"type":"custom_tool_call","call_id":"2","name":"apply_patch",` +
			`"input":"*** Begin Patch\n*** Add File: SECRET.sql\n+drop SECRET\n*** End Patch\n"},` +
			`{"type":"function_call","call_id":"3","name":"mcp__x",` +
			`"arguments":"{\"SECRET\":\"\",\"q\":\"merge SECRET\"}"},` +
			`{"type":"function_call","call_id":"4","name":"mcp__x",` +
			`"arguments":"{\"SECRET\":\"\",\"q\":\"merge SECRET\"}"},` +
			`{"type":"function_call_output","call_id":"1","output":"FAIL SECRET"},` +
			`{"type":"custom_tool_call_output","call_id":"2","output":""},` +
			`{"type":"function_call_output","call_id":"3","output":""},` +
			`{"type":"function_call_output","call_id":"4","output":""}|],"tools":[{}]}`,
		"/v1beta/models/gemini-2.5-pro:generateContent": `{"contents":[{"role":"user",` +
			`"parts":[{"text":"deploy SECRET"}]}|,{"role":"model","parts":[{"text":"done SECRET"},` +
			`{"functionCall":{"name":"Bash","args":{"command":"push SECRET"}}},` +
			`{"functionCall":{"name":"Write","args":{"file_path":"SECRET.sql","content":"drop SECRET"}}},` +
			`{"functionCall":{"name":"mcp__x","args":{"SECRET":"","q":"merge SECRET"}}},` +
			`{"functionCall":{"name":"mcp__x","args":{"SECRET":"","q":"merge SECRET"}}}]},` +
			`{"role":"user","parts":[{"functionResponse":{"name":"Bash","response":{"error":"FAIL SECRET"}}},` +
			`{"functionResponse":{"name":"Write","response":{}}},` +
			`{"functionResponse":{"name":"mcp__x","response":{}}},` +
			`{"functionResponse":{"name":"mcp__x","response":{}}}]}|],"tools":[{}]}`,
		"/model/anthropic.claude-opus-4-6-v1:0/converse": `{"messages":[{"role":"user",` +
			`"content":[{"text":"deploy SECRET"}]}|,{"role":"assistant","content":[{"text":"done SECRET"},` +
			`{"toolUse":{"toolUseId":"1","name":"Bash","input":{"command":"push SECRET"}}},` +
			`{"toolUse":{"toolUseId":"2","name":"Write","input":{"file_path":"SECRET.sql","content":"drop SECRET"}}},` +
			`{"toolUse":{"toolUseId":"3","name":"mcp__x","input":{"SECRET":"","q":"merge SECRET"}}},` +
			`{"toolUse":{"toolUseId":"4","name":"mcp__x","input":{"SECRET":"","q":"merge SECRET"}}}]},` +
			`{"role":"user","content":[` +
			`{"toolResult":{"toolUseId":"1","status":"error","content":[{"text":"FAIL SECRET"}]}},` +
			`{"toolResult":{"toolUseId":"2","content":[]}},{"toolResult":{"toolUseId":"3","content":[]}},` +
			`{"toolResult":{"toolUseId":"4","content":[]}}]}|],"toolConfig":{"tools":[{}]}}`,
	}
	rules := []reminder.Reminder{
		{ID: "command", Trigger: `after_tool:@shell(push *)`},
		{ID: "count", Trigger: `tool_count("Bash(push *)") > 0 and tool_count("@edit(*.sql)") > 0`},
		{ID: "path", Trigger: `path endsWith ".sql"`},
		{ID: "written", Trigger: `written contains "drop"`},
		{ID: "output", Trigger: `output contains "FAIL"`},
		{ID: "pattern", Trigger: `after_tool:mcp__x(*merge*)`},
		{ID: "input", Trigger: `any(calls, .input.q contains "merge")`},
		{ID: "identical", Trigger: `identical_calls == 2`},
		{ID: "calls", Trigger: `any(calls, .command startsWith "push")`, Expect: `after_tool:Bash(push*)`},
		{ID: "prompt", Trigger: `prompt contains "deploy"`},
		{ID: "response", Trigger: `response contains "done"`},
		{ID: "asked", Trigger: `after_tool:Bash and prompt contains "deploy"`},
	}
	ids := make([]string, len(rules))
	for i := range rules {
		rules[i].Text, ids[i] = "Think of "+rules[i].ID+".", rules[i].ID
	}
	dir := t.TempDir()
	store, err := filestore.Open(dir, filestore.Options{})
	if err != nil {
		t.Fatal(err)
	}
	fired := map[string]int{}
	opts := nowhere(t, func(*http.Request) (*http.Response, error) { return says(200, "{}"), nil })
	opts.Store = store
	opts.Transport.Report = func(_ context.Context, r transport.Report) {
		for _, f := range r.Fired {
			fired[f.ID]++
		}
	}
	w := open(t, nil, opts, rules...)
	for path, body := range conversations {
		for _, headers := range [][]string{nil, {transport.RunHeader + ": run of " + path[1:9]}} {
			parts := strings.Split(strings.ReplaceAll(body, "SECRET", secret), "|")
			for _, body := range []string{parts[0] + parts[2], strings.Join(parts, "")} {
				if res, said := w.do("POST", path, body, headers...); res.StatusCode != 200 {
					t.Fatal(path, res.StatusCode, said)
				}
			}
		}
	}
	for _, id := range ids { // the rules did read it
		if fired[id] < 2*len(conversations) {
			t.Errorf("%s fired %d times in %d runs", id, fired[id], 2*len(conversations))
		}
	}
	files, kept := 0, ""
	err = filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		b, err := os.ReadFile(path)
		files, kept = files+1, kept+string(b)
		leaks(t, "the state in "+filepath.Base(path), string(b), secret)
		return err
	})
	if err != nil || files < 2*len(conversations) {
		t.Errorf("%d files of state: %v", files, err)
	}
	for _, member := range []string{"gaps", "told", "prompted", "identical", "facts"} {
		if !strings.Contains(kept, `"`+member+`":`) {
			t.Errorf("no state holds %s", member)
		}
	}
	_, metrics := w.do("GET", "/metrics", "")
	leaks(t, "a metric", metrics, secret)
	leaks(t, "the log", w.logs.String(), secret)
	if !strings.Contains(metrics, fmt.Sprintf("%q", ids[0])) || !strings.Contains(w.logs.String(), ids[0]) {
		t.Error("nothing was counted or logged")
	}
}
