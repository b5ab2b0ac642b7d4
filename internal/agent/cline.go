package agent

import (
	"github.com/aside-go/aside/compile/fact"
)

// cline is Cline (HOOKS.md §15), in two forms: the command line and SDK, whose events have names such as
// tool_result, and the extension of VS Code, whose events have names such as PostToolUse.
var cline = Agent{
	Name: "cline", Title: "Cline", Binary: "cline",
	Hooks: Hooks{Failures: true, Threads: true, Read: decodeCline, Encode: encodeCline},
	Config: Config{
		User: Dir{Home: "Documents/Cline"}, Project: ".clinerules",
		Files: []File{ // a hook is a file with the name of its event
			{
				Path: "Hooks/PostToolUse", ProjectPath: "hooks/PostToolUse", WindowsExt: ".ps1",
				Script: &Script{Event: "PostToolUse"},
			},
			{
				Path: "Hooks/UserPromptSubmit", ProjectPath: "hooks/UserPromptSubmit", WindowsExt: ".ps1",
				Script: &Script{Event: "UserPromptSubmit"},
			},
		},
		After: []string{"Hooks must be switched on in Cline's settings."},
	},
	Tools: []Tool{
		{"run_commands", Shell, "commands", false}, {"execute_command", Shell, "command", false},
		{"write_to_file", Edit, "path", false}, {"replace_in_file", Edit, "path", false},
		{"read_file", Read, "path", false}, {"search_files", Search, "regex", false},
	},
	Never: never(usage, answers),
	Keeps: true,

	Tags: []Tag{{Name: "hook_context", Beside: true}},
	Lacks: map[Part]string{
		PartRequests: "no request of Cline was recorded",
		PartSession:  "no session file of Cline was recorded",
	},
}

func decodeCline(in Input) Event {
	e, o, ok := decodeCommon(in)
	if !ok {
		return e
	}
	e.Session, e.Model = o.name("task_id"), o.object("model").name("slug")
	if dir := absolute(o.first("workspace_roots")); dir != "" {
		e.Dir = dir
	}
	if o.name("parent_agent_id") != "" {
		e.Agent = o.name("agent_id")
	}
	e.Iteration = o.count("iteration")
	switch e.Name {
	case "agent_start", "TaskStart":
		e.Kind, e.Source = SessionStart, "startup"
	case "agent_resume", "TaskResume":
		e.Kind, e.Source, e.Resumed = SessionStart, "resume", true
	case "prompt_submit", "UserPromptSubmit": // Cline ignores the answer
		e.Kind = UserPrompt
		e.setPrompt(o.object("user_prompt_submit").text("prompt"))
		if e.Agent != "" { // the task of a subagent
			e.Human, e.Manual = fact.False, ""
		}
	case "tool_call", "PreToolUse":
		e.Kind = ToolCall
		call := o.object("tool_call")
		e.addCall(call.nameOr("name", o.object("pre_tool_use").name("tool_name")), call.name("id"), fact.Unknown)
	case "tool_result", "PostToolUse":
		e.Kind, e.CanInject = ToolResult, true
		result, use := o.object("tool_result"), o.object("post_tool_use")
		failed := use.truth("success").Not()
		if result.has("error") {
			failed = fact.True
		}
		e.addCall(result.nameOr("name", use.name("tool_name")), result.name("id"), failed)
	case "agent_end", "agent_error", "agent_abort", "TaskComplete", "TaskCancel":
		e.Kind = Stop
	case "PreCompact":
		e.Kind = PreCompact
	case "session_shutdown":
		e.Kind = SessionEnd
	}
	return e
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
