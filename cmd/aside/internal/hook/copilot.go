package hook

import (
	"strings"

	"github.com/aside-go/aside/compile/fact"
)

// copilot is GitHub's Copilot CLI and cloud agent (HOOKS.md §8). The case of a registered event's name picks the payload; that of
// names in camelCase does not hold the event, which then comes with --event.
var copilot = Dialect{
	Agent:    "copilot",
	Failures: true,
	Threads:  true,
	Decode:   decodeCopilot,
	Encode:   encodeCopilot,
}

func decodeCopilot(in Input) Event {
	e, o, ok := begin(in)
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
		e.prompt(o.text("prompt"))
	case "userPromptTransformed":
		e.Kind, e.CanInject = PromptTransform, o.has("transformed_prompt")
		e.Prompt = o.text("prompt")
	case "preToolUse":
		e.Kind = ToolCall
		e.tool(tool, id, fact.Unknown)
	case "postToolUse":
		e.Kind, e.CanInject = ToolResult, true
		e.tool(tool, id, copilotFailed(o.object("tool_result")))
	case "postToolUseFailure":
		e.Kind, e.CanInject = ToolFailed, true
		e.tool(tool, id, fact.True)
	case "subagentStart":
		e.Kind, e.CanInject = SubagentStart, true
		e.SubagentType = o.name("agent_type", "agent_name")
		if e.Agent = o.name("agent_id"); e.Agent == "" { // no other event tells of it, so each is one of its own
			e.Agent = strings.Trim(e.SubagentType+"@"+o.name("timestamp"), "@")
		}
		e.CanInject = e.Agent != ""
	case "subagentStop":
		e.Kind = SubagentStop
	case "agentStop", "stop":
		e.Kind = Stop
	case "preCompact": // nothing tells of its end
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

// copilotFailed reads whether a call failed. A shell command that ended with another code than 0 is a success, too: only the text
// tells.
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
		}{e.stdin.str("transformed_prompt") + between + tagged(text)})
	}
	return encode(struct {
		Context string `json:"additionalContext"`
	}{text})
}
