package agent

import (
	_ "embed"
	"strings"

	"github.com/aside-go/aside/compile/fact"
)

// opencode is opencode (HOOKS.md §12), by way of aside's plugin. What is due goes into one request and is
// not kept.
var opencode = Agent{
	Name: "opencode", Title: "opencode", Binary: "opencode",
	Hooks: Hooks{
		Failures: true, Apart: true,
		Threads: false, // the plugin sends thread_type itself
		Names:   map[string]Kind{"model_request": ModelRequest, "tool_call": ToolCall},
		Carries: []Kind{ModelRequest}, Read: readOpencode, Encode: encodeOpencode,
		// when it is idle it is too late to hold the end back
		Moments: []fact.Moment{fact.BeforeTool}, Hold: holdOpencode,
	},
	Base: Base{Env: []string{"OPENCODE_CONFIG_CONTENT"}, File: "opencode.json"},
	Config: Config{
		User: Dir{Variable: "OPENCODE_CONFIG_DIR", Config: "opencode"}, Project: ".opencode",
		Files: []File{
			{Path: "plugins/aside.js", Plugin: &Plugin{
				Event: "messages.transform", Source: opencodePlugin, Command: `["aside-hook","--agent","opencode"]`,
				Before: "\nconst command = ", Mark: "// ",
			}},
			{Path: "commands/remind.md", Text: "---\ndescription: Fire a named reminder now\n---\n" +
				remindText("$ARGUMENTS")},
		},
		After: []string{"Start opencode anew."},
	},
	Session: &Session{Format: "opencode export"},
	Tools: []Tools{
		{Shell, "command", "bash"},
		{Edit, "filePath", "edit multiedit write"},
		{Edit, "patchText", "apply_patch patch"},
		{Read, "filePath", "read"},
		{Read, "path", "list"},
		{Search, "pattern", "glob grep"},
		{Search, "query", "codesearch"},
		{Web, "url", "webfetch"},
		{Web, "query", "websearch"},
		{Todo, "", "todoread todowrite"},
		{Task, "subagent_type", "task"},
		{NoClass, "", "lsp plan_enter plan_exit question skill"},
	},
	AllTools: true,
	Never:    never(modes, cost),

	Notes: []Note{{
		Words:  "Continue if you have next steps, or stop and ask for clarification",
		Source: "opencode 1.18.33",
	}},
	Identify: identifyOpencode,
	Openings: []Opening{
		{"You are a context summarization agent.", true, Compaction, "opencode 1.18.33"},
		{"You are a title generator.", true, Title, "opencode 1.18.33"},
	},
}

// shimProtocol is the name of the protocol that aside's own plugin for opencode speaks (opencode/plugin.js).
const shimProtocol = "aside-shim/1"

func readOpencode(e *Event, o object, _ Input) {
	if o.name("protocol") != shimProtocol {
		e.Kind, e.CanInject = Unknown, false
		return
	}
	if _, model, ok := strings.Cut(e.Model, "/"); ok { // without the provider
		e.Model = model
	}
	if e.Kind == ModelRequest {
		e.Ephemeral = true
		e.TurnKey, e.SubagentType = o.name("prompt_id"), o.name("thread_type")
		if text := o.text("prompt"); text != "" {
			e.setPrompt(text)
			if e.Manual == "" { // "opencode run" puts quotes around an argument with a blank
				e.Manual = reminded(strings.TrimPrefix(strings.TrimSpace(text), `"`))
			}
		}
		if e.SubagentType != "" && e.SubagentType != "root" { // the task of a subagent
			e.Human, e.Manual = fact.False, ""
		}
		decodeShim(e, o)
	}
}

// decodeShim reads what has happened since the model request before.
func decodeShim(e *Event, o object) {
	tools := o.objects("tools")
	if len(tools) == 0 && o.has("last_tool") {
		tools = []object{o.object("last_tool")}
	}
	for _, t := range tools {
		e.addCall(Call{Name: t.name("name"), ID: t.name("id"), Failed: t.truth("failed"),
			Input: t.find([]string{"input"}, anObject), Output: t.find([]string{"output"}, aString)})
	}
	e.Failed = anyFailed(e.Calls)
	e.UserTurns, e.ContextWindow = o.count("turn_count"), o.count("context_limit")
	e.Resumed = o.truth("resumed") == fact.True
	tokens := o.object("tokens")
	e.ContextTokens = tokens.total("input", "cache_read", "cache_write")
	e.ResponseTokens, e.Response = tokens.total("output", "reasoning"), o.name("response_id")
	if e.Compacted = o.truth("compacted") == fact.True; e.Compacted {
		e.Reset = usageReset
	}
}

func encodeOpencode(e Event, text string) []byte {
	if !e.CanInject {
		return nil
	}
	type reminder struct {
		Text string `json:"text"`
	}
	return encode(struct {
		Protocol  string     `json:"protocol"`
		Reminders []reminder `json:"reminders"`
	}{shimProtocol, []reminder{{text}}})
}

// holdOpencode holds a call back.
func holdOpencode(_ Event, text string) []byte {
	return encode(struct {
		Protocol string `json:"protocol"`
		Hold     string `json:"hold"`
	}{shimProtocol, text})
}

func identifyOpencode(q Request) (Thread, bool) {
	const header, parent = "x-session-id", "x-parent-session-id"
	run := q.Header(header)
	if run == "" {
		return Thread{}, false
	}
	t := Thread{Run: run, Source: header}
	if p := q.Header(parent); p != "" {
		t.Run, t.Source, t.Thread = p, parent, run
	}
	t.settle()
	return t, true
}

// opencodePlugin is aside's plugin for opencode. It asks "aside hook --agent opencode" before each request
// to a model.
//
//go:embed opencode.js
var opencodePlugin string
