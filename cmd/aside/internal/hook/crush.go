package hook

import "github.com/aside-go/aside/compile/fact"

// crush is Charm's Crush (HOOKS.md §17). It has one event, before a tool runs, and adds the text to that tool's result. The answer never
// holds a decision about the tool: that would override the person's own.
var crush = Dialect{
	Agent:   "crush",
	Before:  true,
	Threads: true, // hooks do not run in subagents
	Decode:  decodeCrush,
	Encode:  encodeCrush,
}

func decodeCrush(in Input) Event {
	e, o, ok := decodeCommon(in)
	if !ok {
		return e
	}
	e.projectDir(in, "CRUSH_PROJECT_DIR")
	if e.Name == "PreToolUse" {
		e.Kind, e.CanInject = ToolCall, true
		e.addTool(o.name("tool_name"), o.name("tool_call_id", "tool_use_id"), fact.Unknown)
	}
	return e
}

func encodeCrush(e Event, text string) []byte {
	if !e.CanInject {
		return nil
	}
	return encode(struct {
		Version int    `json:"version"`
		Context string `json:"context"`
	}{1, text})
}
