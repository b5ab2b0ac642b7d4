package hook

import "github.com/aside-go/aside/compile/fact"

// cline is Cline (HOOKS.md §15), in two forms: the command line and SDK, whose events have names such as tool_result, and the
// extension of VS Code, whose events have names such as PostToolUse.
var cline = Dialect{
	Agent:    "cline",
	Failures: true,
	Threads:  true,
	Decode:   decodeCline,
	Encode:   encodeCline,
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
		e.addTool(call.nameOr("name", o.object("pre_tool_use").name("tool_name")), call.name("id"), fact.Unknown)
	case "tool_result", "PostToolUse":
		e.Kind, e.CanInject = ToolResult, true
		result, use := o.object("tool_result"), o.object("post_tool_use")
		failed := use.truth("success").Not()
		if result.has("error") {
			failed = fact.True
		}
		e.addTool(result.nameOr("name", use.name("tool_name")), result.name("id"), failed)
	case "agent_end", "agent_error", "agent_abort", "TaskComplete", "TaskCancel":
		e.Kind = Stop
	case "PreCompact":
		e.Kind = PreCompact
	case "session_shutdown":
		e.Kind = SessionEnd
	}
	return e
}

// encodeCline returns the answer in the form that e came from. The extension reads a Protocol Buffers message, so all its members are
// written.
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
