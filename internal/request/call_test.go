package request_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/aside-go/aside/compile/fact"
	"github.com/aside-go/aside/internal/api"
	"github.com/aside-go/aside/internal/request"
)

// use is a call of a tool and its result, as each API tells them.
type use struct {
	tool, input, output string
	failed              bool
}

// patch is a patch of two files, of which one is moved.
const patch = "*** Begin Patch\n*** Update File: a/b.go\n*** Move to: a/c.go\n@@\n-x\n+y\n*** Delete " +
	"File: .env\n" +
	"*** End Patch"

// uses are calls side by side: of a shell, which fails, of a patch, of a tool of an MCP server, of a to-do
// list and of a file outside of the project.
var uses = []use{
	{"Bash", `{"command":"cd a && git push -f \"x\"","timeout":5}`, "rejected: <\"é\">\nexit status 1", true},
	{"apply_patch", `{"command":` + quoted(patch) + `}`, "Done!", false},
	{"mcp__github__merge", `{"pr":7,"base":"main"}`, "merged", false},
	{"TodoWrite", `{"todos":[]}`, "", false},
	{"Read", `{"file_path":"/home/ana/p/../.netrc"}`, strings.Repeat("é", 50_000), false},
}

func quoted(s string) string {
	b, _ := json.Marshal(s)
	return string(b)
}

func list(of []use, write func(i int, u use) string) string {
	var parts []string
	for i, u := range of {
		parts = append(parts, write(i, u))
	}
	return strings.Join(parts, ",")
}

// bodies are a conversation with these calls in each API that says which calls failed.
var conversations = map[api.Name]func([]use) string{
	api.Anthropic: func(of []use) string {
		return `{"messages":[{"role":"user","content":"go"},{"role":"assistant","content":[` +
			list(of, func(i int, u use) string {
				return fmt.Sprintf(`{"type":"tool_use","id":"%d","name":%q,"input":%s}`, i, u.tool, u.input)
			}) + `]},{"role":"user","content":[` + list(of, func(i int, u use) string {
			return fmt.Sprintf(`{"type":"tool_result","tool_use_id":"%d","is_error":%t,`+
				`"content":[{"type":"text","text":%s},`+
				`{"type":"image","source":{}}]}`, i, u.failed, quoted(u.output))
		}) + `]}]}`
	},
	api.Chat: func(of []use) string {
		return `{"messages":[{"role":"user","content":"go"},{"role":"assistant","tool_calls":[` +
			list(of, func(i int, u use) string {
				return fmt.Sprintf(`{"id":"%d","type":"function","function":{"arguments":%s,"name":%q}}`, i,
					quoted(u.input), u.tool)
			}) + `]},` + list(of, func(i int, u use) string {
			return fmt.Sprintf(`{"role":"tool","content":%s,"is_error":%t,"tool_call_id":"%d"}`,
				quoted(u.output), u.failed, i)
		}) + `]}`
	},
	api.Responses: func(of []use) string {
		return `{"input":[{"role":"user","content":"go"},` + list(of, func(i int, u use) string {
			if u.tool == "apply_patch" {
				return fmt.Sprintf(`{"type":"custom_tool_call","call_id":"%d","name":%q,"input":%s}`, i, u.tool,
					quoted(patch))
			}
			return fmt.Sprintf(`{"type":"function_call","call_id":"%d","name":%q,"arguments":%s}`, i, u.tool,
				quoted(u.input))
		}) + `,` + list(of, func(i int, u use) string {
			kind := "function_call_output"
			if u.tool == "apply_patch" {
				kind = "custom_tool_call_output"
			}
			return fmt.Sprintf(`{"type":%q,"call_id":"%d","output":[{"type":"input_text","text":%s}]}`, kind, i,
				quoted(u.output))
		}) + `]}`
	},
	api.Gemini: func(of []use) string {
		return `{"contents":[{"role":"user","parts":[{"text":"go"}]},{"role":"model","parts":[` +
			list(of, func(_ int, u use) string {
				return fmt.Sprintf(`{"functionCall":{"name":%q,"args":%s}}`, u.tool, u.input)
			}) + `]},{"role":"user","parts":[` + list(of, func(_ int, u use) string {
			key := "output"
			if u.failed {
				key = "error"
			}
			return fmt.Sprintf(`{"functionResponse":{"name":%q,"response":{%q:%s,"took":3}}}`, u.tool, key,
				quoted(u.output))
		}) + `]}]}`
	},
	api.Converse: func(of []use) string {
		return `{"messages":[{"role":"user","content":[{"text":"go"}]},{"role":"assistant","content":[` +
			list(of, func(i int, u use) string {
				return fmt.Sprintf(`{"toolUse":{"toolUseId":"%d","name":%q,"input":%s}}`, i, u.tool, u.input)
			}) + `]},{"role":"user","content":[` + list(of, func(i int, u use) string {
			status := "success"
			if u.failed {
				status = "error"
			}
			return fmt.Sprintf(`{"toolResult":{"toolUseId":"%d","status":%q,"content":[{"text":%s}]}}`, i, status,
				quoted(u.output))
		}) + `]}]}`
	},
}

// noInput looks away from the input of a call, which TestCallsAlike looks at.
var noInput = cmpopts.IgnoreFields(fact.Call{}, "Input")

// TestCallsAlike: the same calls have the same facts in each API. OpenAI Responses does not say which calls
// failed.
func TestCallsAlike(t *testing.T) {
	t.Parallel()
	file := fact.CutOutput(strings.Repeat("é", 50_000))
	want := []fact.Call{
		{Tool: "Bash", Class: fact.Shell, Command: `cd a && git push -f "x"`, Told: true,
			Output: "rejected: <\"é\">\nexit status 1", OutputTold: true, Failed: fact.True},
		{Tool: "apply_patch", Class: fact.Edit, Paths: []string{"a/b.go", "a/c.go", ".env"}, Told: true,
			Written: []string{"y\n"}, WrittenTold: true, Output: "Done!", OutputTold: true},
		{Tool: "mcp__github__merge", Subject: `{"base":"main","pr":7}`, Told: true, Output: "merged",
			OutputTold: true},
		{Tool: "TodoWrite", Class: fact.Todo, OutputTold: true},
		{Tool: "Read", Class: fact.Read, Paths: []string{"/home/ana/.netrc"}, Told: true, Output: file,
			OutputTold: true},
	}
	for name, body := range conversations {
		want := append([]fact.Call(nil), want...)
		if name == api.Responses {
			for i := range want {
				want[i].Failed = fact.Unknown
			}
		}
		for _, c := range []struct {
			detail request.Detail
			drop   func(*fact.Call)
		}{
			{request.Everything, func(*fact.Call) {}},
			{request.Subjects, func(c *fact.Call) { c.Output, c.OutputTold = "", false }},
			{request.Names, func(c *fact.Call) { *c = fact.Call{Tool: c.Tool, Class: c.Class, Failed: c.Failed} }},
		} {
			q, err := request.ReadFacts(request.Incoming{API: name, Body: []byte(body(uses)), Calls: c.detail})
			if err != nil || !q.CallsKnown {
				t.Fatal(name, err, q.CallsKnown)
			}
			for i, got := range q.Calls {
				want := want[i]
				c.drop(&want)
				if diff := cmp.Diff(want, got.Call, noInput); diff != "" {
					t.Errorf("%s, detail %d, call %d: -want +got\n%.2000s", name, c.detail, i, diff)
				}
				asWritten := uses[i].input
				if c.detail == request.Names || name == api.Responses && i == 1 { // where a patch is not an object
					asWritten = ""
				}
				if got.Input != asWritten {
					t.Errorf("%s, detail %d, call %d: the input is %s", name, c.detail, i, got.Input)
				}
			}
			f := fact.Builtin().NewFrame()
			q.Fill(f)
			tools, _ := f.Set(fact.ToolUsed)
			commands, told := f.Set(fact.Command)
			outputs, heard := f.Set(fact.Output)
			if len(tools) != len(uses) || told != (c.detail < request.Names) ||
				heard != (c.detail == request.Everything) || told && len(commands) != 1 || heard &&
				len(outputs) != len(uses) {
				t.Errorf("%s, detail %d: tools %q, commands %q %t, %d outputs %t", name, c.detail, tools, commands, told,
					len(outputs), heard)
			}
		}
	}
}

// TestCallsInProject: paths are below the project, where that is known.
func TestCallsInProject(t *testing.T) {
	t.Parallel()
	body := conversations[api.Anthropic]([]use{{"Edit", `{"file_path":"/p/./x/../a.go"}`, "", false}})
	for project, want := range map[string]string{"": "/p/a.go", "/p": "a.go", "/q": "/p/a.go"} {
		q, err := request.ReadFacts(request.Incoming{API: api.Anthropic, Body: []byte(body),
			Place: fact.Place{Project: project}})
		if err != nil || len(q.Calls) != 1 || q.Calls[0].Paths[0] != want {
			t.Errorf("in %q: %v %+v, want %s", project, err, q.Calls, want)
		}
	}
}

// TestCallsOfAgent: the client's own table of tools says what a name means, and that of the API for tools
// that the API itself runs.
func TestCallsOfAgent(t *testing.T) {
	t.Parallel()
	const codex = `"prompt_cache_key":"k","client_metadata":{"thread_id":"t","session_id":"s"},`
	item := func(head, call string) string {
		return `{` + head + `"input":[{"role":"user","content":"a"},` + call + `]}`
	}
	for _, c := range []struct {
		name string
		api  api.Name
		body string
		want fact.Call
	}{
		{"a tool of Codex", api.Responses,
			item(codex, `{"type":"function_call","call_id":"1","name":"exec_command",`+
				`"arguments":"{\"cmd\":\"ls\"}"}`), fact.Call{Class: fact.Shell, Command: "ls", Told: true}},
		{"a tool that Codex does not have", api.Responses, item(codex, `{"type":"function_call","call_id":"1",`+
			`"name":"Edit","arguments":"{\"file_path\":\"a\"}"}`), fact.Call{
			Subject: `{"file_path":"a"}`, Told: true}},
		{"of anybody", api.Responses, item("", `{"type":"function_call","call_id":"1","name":"Edit",`+
			`"arguments":"{\"file_path\":\"a\"}"}`),
			fact.Call{Class: fact.Edit, Paths: []string{"a"}, Told: true, WrittenTold: true}},
		{"local shell", api.Responses,
			item(codex, `{"type":"local_shell_call","call_id":"1","action":{"type":"exec",`+
				`"command":["bash","-lc","ls -l"]}}`), fact.Call{
				Class: fact.Shell, Command: "bash -lc 'ls -l'", Told: true}},
		{"shell", api.Responses, item("", `{"type":"shell_call","call_id":"1","action":{"commands":["ls","pwd"]}},`+
			`{"type":"shell_call_output","call_id":"1","output":[{"stdout":"a\n","stderr":"b",`+
			`"outcome":{"type":"exit",`+
			`"exit_code":1}}]}`), fact.Call{Class: fact.Shell, Command: "ls\npwd", Told: true, Output: "a\nb",
			OutputTold: true, Failed: fact.True}},
		{"patch", api.Responses, item("",
			`{"type":"apply_patch_call","call_id":"1","operation":{"type":"update_file",`+
				`"path":"a.go","diff":"@@\n-o\n+n\n"}}`), fact.Call{Class: fact.Edit, Paths: []string{"a.go"}, Told: true,
			Written: []string{"n\n"}, WrittenTold: true}},
		{"search on the server", api.Responses, item("", `{"type":"web_search_call","id":"1","status":"completed",`+
			`"action":{"type":"search","query":"go"}}`),
			fact.Call{Class: fact.Web, Subject: "go", Told: true, Failed: fact.False}},
		{"MCP on the server", api.Responses,
			item("", `{"type":"mcp_call","id":"1","name":"merge","server_label":"x",`+
				`"status":"completed","arguments":"{\"b\":1}","output":"done"}`),
			fact.Call{Subject: `{"b":1}`, Told: true, Output: "done", OutputTold: true, Failed: fact.False}},
		{"fetch on the server", api.Anthropic,
			`{"messages":[{"role":"user","content":"a"},{"role":"assistant","content":[` +
				`{"type":"server_tool_use","id":"s","name":"web_fetch","input":{"url":"http://x"}},` +
				`{"type":"web_fetch_tool_result","tool_use_id":"s","content":{` +
				`"type":"web_fetch_result","url":"http://x",` +
				`"content":{"type":"document","source":{"type":"text","data":"no"}}}}]}]}`,
			fact.Call{Class: fact.Web, Subject: "http://x", Told: true, OutputTold: true}},
		{"no arguments", api.Chat,
			`{"messages":[{"role":"assistant","tool_calls":[{"id":"1","function":{"name":"ls2",` +
				`"arguments":""}}]}]}`, fact.Call{Subject: "{}", Told: true}},
		{"arguments cut short", api.Chat, `{"messages":[{"role":"assistant","tool_calls":[{"id":"1","function":{` +
			`"name":"Bash","arguments":"{\"command\":\"l"}}]}]}`, fact.Call{Class: fact.Shell}},
		{"a function of old", api.Chat, `{"messages":[{"role":"assistant","function_call":{"name":"Bash",` +
			`"arguments":"{\"command\":\"ls\"}"}},{"role":"function","name":"Bash","content":"a"}]}`,
			fact.Call{Class: fact.Shell, Command: "ls", Told: true, Output: "a", OutputTold: true}},
		{"a response of one member", api.Gemini,
			`{"contents":[{"role":"model","parts":[{"functionCall":{"name":"f"}}]},` +
				`{"role":"user","parts":[{"functionResponse":{"name":"f","response":{"result":"ok"}}}]}]}`,
			fact.Call{Subject: "{}", Told: true, Output: "ok", OutputTold: true, Failed: fact.False}},
		{"a response of many", api.Gemini,
			`{"contents":[{"role":"model","parts":[{"functionCall":{"name":"f"}}]},` +
				`{"role":"user","parts":[{"functionResponse":{"name":"f","response":{"b":[1, 2],"a":"<"}}}]}]}`,
			fact.Call{Subject: "{}", Told: true, Output: `{"a":"<","b":[1,2]}`, OutputTold: true, Failed: fact.False}},
		{"JSON of a tool", api.Converse,
			`{"messages":[{"role":"assistant","content":[{"toolUse":{"toolUseId":"1",` +
				`"name":"f","input":{}}}]},{"role":"user","content":[{"toolResult":{"toolUseId":"1","content":[` +
				`{"json":{"b":1}},{"text":"x"}]}}]}]}`, fact.Call{Subject: "{}", Told: true, Output: "{\"b\":1}\nx",
				OutputTold: true}},
	} {
		if c.want.Failed == fact.False && !strings.Contains(c.body, "completed") && c.api != api.Gemini &&
			c.name != "fetch on the server" {
			c.want.Failed = fact.Unknown
		}
		q, err := request.ReadFacts(request.Incoming{API: c.api, Body: []byte(c.body)})
		if err != nil || len(q.Calls) != 1 {
			t.Errorf("%s: %v, %+v", c.name, err, q.Calls)
			continue
		}
		c.want.Tool = q.Calls[0].Tool
		if diff := cmp.Diff(c.want, q.Calls[0].Call, noInput); diff != "" {
			t.Errorf("%s: -want +got\n%s", c.name, diff)
		}
	}
}
