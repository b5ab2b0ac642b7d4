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

// TestI10Calls: of what tools were called with, and of what they returned, nothing is stored, logged or
// counted, although rules read it.
func TestI10Calls(t *testing.T) {
	t.Parallel()
	const secret = "c4n4ry-1n-4-c4ll"
	conversations := map[string]string{
		"/v1/messages": `{"model":"claude-opus-4-6","messages":[{"role":"user",` +
			`"content":"go"},{"role":"assistant",` +
			`"content":[{"type":"tool_use","id":"toolu_0000000000000001","name":"Bash",` +
			`"input":{"command":"push SECRET"}},` +
			`{"type":"tool_use","id":"toolu_0000000000000002","name":"Edit",` +
			`"input":{"file_path":"/a/SECRET.sql"}},` +
			`{"type":"tool_use","id":"toolu_0000000000000003","name":"mcp__x",` +
			`"input":{"SECRET":"merge SECRET"}}]},` +
			`{"role":"user","content":[{"type":"tool_result",` +
			`"tool_use_id":"toolu_0000000000000001","is_error":true,` +
			`"content":"FAIL SECRET"},{"type":"tool_result","tool_use_id":"toolu_0000000000000002"},` +
			`{"type":"tool_result","tool_use_id":"toolu_0000000000000003"}]}],"tools":[{"name":"Bash"}]}`,
		"/v1/chat/completions": `{"model":"gpt-5.4","messages":[{"role":"user",` +
			`"content":"go"},{"role":"assistant",` +
			`"tool_calls":[{"id":"1","function":{"name":"Bash","arguments":"{\"command\":\"push SECRET\"}"}},` +
			`{"id":"2","function":{"name":"Edit","arguments":"{\"file_path\":\"SECRET.sql\"}"}},` +
			`{"id":"3","function":{"name":"mcp__x","arguments":"{\"SECRET\":\"merge\"}"}}]},` +
			`{"role":"tool","tool_call_id":"1","content":"FAIL SECRET"},{"role":"tool",` +
			`"tool_call_id":"2","content":""},` +
			`{"role":"tool","tool_call_id":"3","content":""}],"tools":[{}]}`,
		"/v1/responses": `{"model":"gpt-5.4","input":[{"role":"user","content":"go"},` +
			`{"type":"function_call","call_id":"1","name":"Bash","arguments":"{\"command\":\"push SECRET\"}"},` +
			`{"type":"custom_tool_call","call_id":"2","name":"apply_patch",` +
			`"input":"*** Begin Patch\n*** Add File: SECRET.sql\n"},` +
			`{"type":"function_call","call_id":"3","name":"mcp__x","arguments":"{\"SECRET\":\"merge\"}"},` +
			`{"type":"function_call_output","call_id":"1","output":"FAIL SECRET"},` +
			`{"type":"custom_tool_call_output","call_id":"2","output":""},` +
			`{"type":"function_call_output","call_id":"3","output":""}],"tools":[{}]}`,
		"/v1beta/models/gemini-2.5-pro:generateContent": `{"contents":[{"role":"user",` +
			`"parts":[{"text":"go"}]},` +
			`{"role":"model","parts":[{"functionCall":{"name":"Bash","args":{"command":"push SECRET"}}},` +
			`{"functionCall":{"name":"Edit","args":{"file_path":"SECRET.sql"}}},` +
			`{"functionCall":{"name":"mcp__x","args":{"SECRET":"merge"}}}]},{"role":"user","parts":[` +
			`{"functionResponse":{"name":"Bash","response":{"error":"FAIL SECRET"}}},` +
			`{"functionResponse":{"name":"Edit","response":{}}},{"functionResponse":{"name":"mcp__x",` +
			`"response":{}}}]}],` +
			`"tools":[{}]}`,
		"/model/anthropic.claude-opus-4-6-v1:0/converse": `{"messages":[{"role":"user",` +
			`"content":[{"text":"go"}]},` +
			`{"role":"assistant","content":[` +
			`{"toolUse":{"toolUseId":"1","name":"Bash","input":{"command":"push SECRET"}}},` +
			`{"toolUse":{"toolUseId":"2","name":"Edit","input":{"file_path":"SECRET.sql"}}},` +
			`{"toolUse":{"toolUseId":"3","name":"mcp__x","input":{"SECRET":"merge"}}}]},` +
			`{"role":"user","content":[` +
			`{"toolResult":{"toolUseId":"1","status":"error","content":[{"text":"FAIL SECRET"}]}},` +
			`{"toolResult":{"toolUseId":"2","content":[]}},{"toolResult":{"toolUseId":"3","content":[]}}]}],` +
			`"toolConfig":{"tools":[{}]}}`,
	}
	rules := []reminder.Reminder{
		{ID: "command", Trigger: `after_tool:@shell(push *)`},
		{ID: "count", Trigger: `tool_count("Bash(push *)") > 0 and tool_count("@edit(*.sql)") > 0`},
		{ID: "path", Trigger: `path endsWith ".sql"`},
		{ID: "output", Trigger: `output contains "FAIL"`},
		{ID: "input", Trigger: `after_tool:mcp__x(*merge*)`},
		{ID: "calls", Trigger: `any(calls, .command startsWith "push")`, Expect: `after_tool:Bash(push*)`},
	}
	ids := make([]string, len(rules))
	for i := range rules {
		rules[i].Text, ids[i] = "Think of "+rules[i].ID+".", rules[i].ID
	}
	dir := t.TempDir()
	store, err := filestore.Open(dir)
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
			if res, said := w.do("POST", path, strings.ReplaceAll(body, "SECRET", secret),
				headers...); res.StatusCode != 200 {
				t.Fatal(path, res.StatusCode, said)
			}
		}
	}
	for _, id := range ids { // the rules did read it
		if fired[id] != 2*len(conversations) {
			t.Errorf("%s fired %d times in %d runs", id, fired[id], 2*len(conversations))
		}
	}
	files := 0
	err = filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		b, err := os.ReadFile(path)
		files++
		leaks(t, "the state in "+filepath.Base(path), string(b), secret)
		return err
	})
	if err != nil || files < 2*len(conversations) {
		t.Errorf("%d files of state: %v", files, err)
	}
	_, metrics := w.do("GET", "/metrics", "")
	leaks(t, "a metric", metrics, secret)
	leaks(t, "the log", w.logs.String(), secret)
	if !strings.Contains(metrics, fmt.Sprintf("%q", ids[0])) || !strings.Contains(w.logs.String(), ids[0]) {
		t.Error("nothing was counted or logged")
	}
}
