package hook

import (
	"strings"

	"github.com/aside-go/aside/compile/fact"
)

// copilot is GitHub's Copilot CLI and cloud agent (HOOKS.md §8). The spelling under which an event was registered selects the payload:
// that of a name in camelCase does not say which event it is, so --event does.
var copilot = Dialect{
	Agent:    "copilot",
	Failures: true,
	Threads:  true,
	Decode:   decodeCopilot,
	Encode:   encodeCopilot,
}

func decodeCopilot(in Input) Event {
	e, o, ok := decodeCommon(in)
	if !ok {
		return e
	}
	if o.has("cursor_version") || o.spelt("hookEventName") { // VS Code, which reads the same files
		e.Kind = Duplicate
		return e
	}
	tool, id := o.name("tool_name"), o.name("tool_call_id", "tool_use_id")
	switch lowerFirst(e.Name) {
	case "sessionStart":
		e.Kind, e.CanInject = SessionStart, true
		decodeStart(&e, o)
	case "userPromptSubmitted", "userPromptSubmit":
		e.Kind, e.CanInject = UserPrompt, true
		e.setPrompt(o.text("prompt"))
	case "userPromptTransformed":
		e.Kind, e.CanInject = PromptTransform, o.has("transformed_prompt")
		e.Prompt = o.text("prompt")
	case "preToolUse":
		e.Kind = ToolCall
		e.addTool(tool, id, fact.Unknown)
	case "postToolUse":
		e.Kind, e.CanInject = ToolResult, true
		e.addTool(tool, id, copilotFailed(o.object("tool_result")))
	case "postToolUseFailure":
		e.Kind, e.CanInject = ToolFailed, true
		e.addTool(tool, id, fact.True)
	case "subagentStart":
		e.Kind, e.CanInject = SubagentStart, true
		e.SubagentType = o.name("agent_type", "agent_name")
		if e.Agent = o.name("agent_id"); e.Agent == "" { // no other event is of this subagent, so any id of its own will do
			e.Agent = strings.Trim(e.SubagentType+"@"+o.name("timestamp"), "@")
		}
		e.CanInject = e.Agent != ""
	case "subagentStop":
		e.Kind = SubagentStop
	case "agentStop", "stop":
		e.Kind = Stop
	case "preCompact": // no event follows when the compaction is done
		e.Kind, e.Trigger, e.Compacted = PreCompact, o.name("trigger"), true
	case "sessionEnd":
		e.Kind = SessionEnd
	}
	return e
}

func lowerFirst(name string) string {
	if name == "" {
		return ""
	}
	return strings.ToLower(name[:1]) + name[1:]
}

// copilotFailed reports whether a call failed. To Copilot a shell command that exits with another code than 0 is a success, too, so the
// text is asked for the code.
func copilotFailed(result object) fact.Truth {
	switch result.name("result_type") {
	case "success":
		return fact.Of(exitCode(result.text("text_result_for_llm")) > 0)
	case "":
		return fact.Unknown
	}
	return fact.True
}

func encodeCopilot(e Event, text string) []byte {
	switch {
	case !e.CanInject:
		return nil
	case e.Kind == PromptTransform:
		return encode(struct {
			Prompt string `json:"modifiedTransformedPrompt"`
		}{e.stdin.str("transformed_prompt") + separator + tagged(text)})
	}
	return encode(struct {
		Context string `json:"additionalContext"`
	}{text})
}
