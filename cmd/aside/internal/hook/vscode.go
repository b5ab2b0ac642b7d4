package hook

import "github.com/aside-go/aside/compile/fact"

// vscode is VS Code's agent hooks, a preview (HOOKS.md §9).
var vscode = Dialect{
	Agent:   "vscode",
	Threads: true,
	Decode:  decodeVSCode,
	Encode:  encodeSpecific,
}

func decodeVSCode(in Input) Event {
	e, o, ok := decodeCommon(in)
	if !ok {
		return e
	}
	if o.has("cursor_version") || !o.has("transcript_path", "tool_use_id") && !o.spelt("hookEventName") { // Copilot, which reads the same files
		e.Kind = Duplicate
		return e
	}
	e.Agent, e.SubagentType = o.name("agent_id"), o.name("agent_type")
	switch e.Name {
	case "SessionStart":
		e.Kind, e.CanInject = SessionStart, true
		decodeStart(&e, o)
	case "UserPromptSubmit":
		e.Kind = UserPrompt
		e.setPrompt(o.text("prompt"))
		if e.Agent != "" { // the task of a subagent
			e.Human, e.Manual = fact.False, ""
		}
	case "PreToolUse":
		e.Kind = ToolCall
		e.addTool(o.name("tool_name"), o.name("tool_use_id"), fact.Unknown)
	case "PostToolUse":
		e.Kind, e.CanInject = ToolResult, true
		e.addTool(o.name("tool_name"), o.name("tool_use_id"), fact.Of(exitCode(o.text("tool_response")) > 0))
	case "SubagentStart":
		e.Kind, e.CanInject = SubagentStart, true
	case "SubagentStop":
		e.Kind = SubagentStop
	case "Stop":
		e.Kind = Stop
	case "PreCompact": // no event follows when the compaction is done
		e.Kind, e.Trigger, e.Compacted = PreCompact, o.name("trigger"), true
	case "SessionEnd":
		e.Kind = SessionEnd
	}
	return e
}
