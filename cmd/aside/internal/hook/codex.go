package hook

import "github.com/aside-go/aside/compile/fact"

// codex is OpenAI's Codex CLI (HOOKS.md §5). It rejects output with a member that it does not know.
var codex = Dialect{
	Agent:   "codex",
	Threads: true,
	Decode:  decodeCodex,
	Encode:  encodeSpecific,
}

func decodeCodex(in Input) Event {
	e, o, ok := decodeOwn(in)
	if !ok {
		return e
	}
	e.TurnKey = o.name("turn_id")
	e.Agent, e.SubagentType = o.name("agent_id"), o.name("agent_type")
	switch e.Name {
	case "SessionStart":
		e.Kind, e.CanInject = SessionStart, true
		decodeStart(&e, o)
	case "UserPromptSubmit":
		e.Kind, e.CanInject = UserPrompt, true
		e.setPrompt(o.text("prompt"))
		if e.Agent != "" { // the task of a subagent
			e.Human, e.Manual, e.Unless = fact.False, "", SubagentStart
		}
	case "PreToolUse":
		e.Kind = ToolCall
		e.addTool(o.name("tool_name"), o.name("tool_use_id"), fact.Unknown)
	case "PostToolUse": // comes for a command that exits with another code than 0, too, and does not say so
		e.Kind, e.CanInject = ToolResult, true
		e.addTool(o.name("tool_name"), o.name("tool_use_id"), fact.Unknown)
	default:
		decodeLifecycle(&e, o)
	}
	return e
}
