package agent

import (
	"strings"

	"github.com/aside-go/aside/compile/fact"
)

// cline is Cline (HOOKS.md §15), in two forms: the command line and SDK, whose events have names such as
// tool_result, and the extension of VS Code, whose events have names such as PostToolUse.
var cline = Agent{
	Name: "cline", Title: "Cline", Binary: "cline",
	Limit: "in the first turn of a session or of a subagent nothing can be said; replay knows no directory",
	Hooks: Hooks{
		Failures: true, Threads: true, Apart: true, Rounds: RoundsCounted, SessionID: "task_id",
		Names: map[string]Kind{
			"agent_start": SessionStart, "TaskStart": SessionStart,
			"agent_resume": SessionStart, "TaskResume": SessionStart,
			"prompt_submit": UserPrompt, "tool_call": ToolCall, "tool_result": ToolResult,
			"agent_end": Stop, "agent_error": Stop, "agent_abort": Stop, "TaskComplete": Stop, "TaskCancel": Stop,
			"session_shutdown": SessionEnd,
		},
		Carries: []Kind{ToolResult}, // Cline ignores the answer to a prompt
		// before a call it asks, too, but holding the call back would end the whole task
		Read: readCline, Encode: encodeCline,
	},
	Config: Config{
		User: Dir{Home: "Documents/Cline"}, Project: ".clinerules",
		Files: []File{clineHook("PostToolUse"), clineHook("UserPromptSubmit"), clineHook("TaskStart"),
			clineHook("TaskResume")},
		After: []string{"Hooks must be switched on in Cline's settings."},
	},
	Session: &Session{Files: ".cline/data/sessions/*/*.messages.json", Format: "Cline session"},
	Tools: []Tools{
		{Shell, "commands", "run_commands"},
		{Shell, "command", "execute_command"},
		{Edit, "path", "editor write_to_file replace_in_file"},
		{Read, "path", "read_file"},
		{Read, "files", "read_files"},
		{Search, "regex", "search_files"},
		{Search, "queries", "search_codebase"},
		{Web, "requests", "fetch_web_content"},
		{Task, "agent_type", "spawn_agent"}, // which has none, so its subject is not told
		{NoClass, "", "ask_question"},
	},
	Times: true,
	Never: never(modes, usage, answers, cost, compacts),
	Rarely: map[fact.ID]string{
		fact.UserMessage: clinePrompts, fact.UserTurnCount: clinePrompts, fact.Prompt: clinePrompts,
		fact.Model: "only its extension for VS Code names the model",
	},
	Keeps: true,

	Tags: []Tag{{Name: "hook_context", Beside: true}},
}

// clinePrompts says when Cline tells a prompt: its command line does not call the hook (seen, 3.0.65).
const clinePrompts = "only its extension for VS Code tells prompts, its command line does not"

// clineHook is a hook, which is a file with the name of its event.
func clineHook(event string) File {
	return File{Path: "Hooks/" + event, ProjectPath: "hooks/" + event, WindowsExt: ".ps1",
		Script: &Script{Event: event}}
}

func readCline(e *Event, o object, _ Input) {
	e.Model, e.Iteration = o.object("model").name("slug"), o.count("iteration")
	if dir := absolute(o.first("workspace_roots")); dir != "" {
		e.Dir, e.Cwd = dir, dir
	}
	// a subagent has a task of its own
	e.Session = o.object("session_context").nameOr("root_session_id", e.Session)
	if o.name("parent_agent_id") != "" {
		e.Agent, e.SubagentType = o.name("agent_id"), "subagent"
	}
	switch e.Kind {
	case SessionStart:
		e.Resumed = strings.HasSuffix(strings.ToLower(e.Name), "resume")
		e.Source = map[bool]string{false: "startup", true: "resume"}[e.Resumed]
	case UserPrompt:
		e.setPrompt(o.object("user_prompt_submit").text("prompt"))
	case ToolCall:
		call, use := o.object("tool_call"), o.object("pre_tool_use")
		e.addCall(clineCall(call, use))
	case ToolResult:
		result, use := o.object("tool_result"), o.object("post_tool_use")
		c := clineCall(result, use)
		if c.Failed = use.truth("success").Not(); result.has("error") || clineFailed(result) {
			c.Failed = fact.True
		}
		if c.Took = result.took("duration_ms"); c.Took == 0 {
			c.Took = use.took("execution_time_ms")
		}
		if c.Output = result.find([]string{"output", "error"}, aString+aList+anObject); c.Output == nil {
			c.Output = use.find([]string{"result"}, aString)
		}
		e.addCall(c)
	}
}

// clineFailed reports whether one of the commands, or of the files, of a call failed. To Cline itself such a
// call is a success.
func clineFailed(result object) bool {
	for _, part := range result.objects("output") {
		if part.truth("success") == fact.False || part.has("error") {
			return true
		}
	}
	return false
}

// clineCall reads a call from the member of the command line and that of the extension, in which parameters
// are strings.
func clineCall(call, use object) Call {
	c := Call{Name: call.nameOr("name", use.name("tool_name")), ID: call.name("id"), Failed: fact.Unknown,
		Input: call.find([]string{"input"}, anObject)}
	if c.Input == nil {
		c.Input = use.find([]string{"parameters"}, anObject)
	}
	return c
}

// encodeCline returns the answer in the form that e came from. The extension reads a Protocol Buffers
// message, so all its members are written.
func encodeCline(e Event, text string) []byte {
	switch {
	case !e.CanInject:
		return nil
	case e.Name == "PostToolUse":
		return encode(struct {
			Cancel  bool   `json:"cancel"`
			Context string `json:"contextModification"`
			Error   string `json:"errorMessage"`
		}{Context: text})
	}
	return encode(struct {
		Context string `json:"contextModification"`
	}{text})
}
