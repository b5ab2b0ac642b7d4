package hook

import "github.com/aside-go/aside/compile/fact"

// codex is OpenAI's Codex CLI (HOOKS.md §5). It rejects output with a member that it does not know.
var codex = Dialect{
	Agent:   "codex",
	Threads: true,
	Decode:  decodeCodex,
	Encode:  encodeCodex,
}

func decodeCodex(in Input) Event {
	e, o, ok := decodeCommon(in)
	if !ok {
		return e
	}
	if o.has("cursor_version") || o.spelt("hookEventName", "sessionId") {
		e.Kind = Duplicate
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
	case "SubagentStart":
		e.Kind, e.CanInject = SubagentStart, true
	case "SubagentStop":
		e.Kind, e.Message = SubagentStop, o.str("last_assistant_message")
	case "Stop":
		e.Kind, e.Message = Stop, o.str("last_assistant_message")
	case "PreCompact":
		e.Kind, e.Trigger = PreCompact, o.name("trigger")
	case "PostCompact":
		e.Kind, e.Trigger = PostCompact, o.name("trigger")
		e.Compacted, e.Reset = true, usageReset
	case "SessionEnd":
		e.Kind = SessionEnd
	}
	return e
}

func encodeCodex(e Event, text string) []byte {
	if !e.CanInject {
		return nil
	}
	return encodeSpecific(e, text)
}
