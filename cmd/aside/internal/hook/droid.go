package hook

import "github.com/aside-go/aside/compile/fact"

// droid is Factory's Droid (HOOKS.md §13), which has taken over Claude Code's hooks. What a tool's response looks like is not documented,
// so whether a tool failed is not known.
var droid = Dialect{
	Agent:  "droid",
	Decode: decodeDroid,
	Encode: encodeSpecific,
}

func decodeDroid(in Input) Event {
	e, o, ok := decodeOwn(in)
	if !ok {
		return e
	}
	e.projectDir(in, "FACTORY_PROJECT_DIR")
	switch e.Name {
	case "SessionStart":
		e.Kind, e.CanInject = SessionStart, true
		decodeStart(&e, o)
	case "UserPromptSubmit":
		e.Kind, e.CanInject = UserPrompt, true
		e.setPrompt(o.text("prompt"))
	case "PreToolUse":
		e.Kind = ToolCall
		e.addTool(o.name("tool_name"), o.name("tool_use_id"), fact.Unknown)
	case "PostToolUse":
		e.Kind, e.CanInject = ToolResult, true
		e.addTool(o.name("tool_name"), o.name("tool_use_id"), fact.Unknown)
	case "SubagentStop":
		e.Kind = SubagentStop
	case "Stop":
		e.Kind = Stop
	case "PreCompact":
		e.Kind, e.Trigger = PreCompact, o.name("trigger")
	case "SessionEnd":
		e.Kind = SessionEnd
	}
	return e
}
