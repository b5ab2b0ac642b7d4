package hook

import (
	"github.com/aside-go/aside/compile/fact"
	"github.com/aside-go/aside/internal/agent"
)

// qwen is Qwen Code, 0.24 and later (HOOKS.md §7).
var qwen = Dialect{
	Agent:    "qwen",
	Failures: true,
	Threads:  true,
	Decode:   decodeQwen,
	Encode:   encodeSpecific,
}

func decodeQwen(in Input) Event {
	e, o, ok := decodeOwn(in)
	if !ok {
		return e
	}
	e.projectDir(in, "QWEN_PROJECT_DIR")
	e.TurnKey = o.name("prompt_id")
	e.Agent, e.SubagentType = o.name("agent_id"), o.name("agent_type")
	id := o.name("tool_call_id", "tool_use_id") // tool_use_id differs between the events of one call, so it comes second
	switch e.Name {
	case "SessionStart": // a text here would go into the system prompt, and change it again on resume
		e.Kind = SessionStart
		decodeStart(&e, o)
	case "UserPromptSubmit":
		decodeQwenPrompt(&e, o)
	case "UserPromptExpansion":
		e.Kind, e.CanInject = PromptExpansion, true
		e.Prompt = o.text("prompt")
		if isRemind(o.name("command_name")) {
			e.Manual = remindName(o.str("command_args"))
		}
		if e.TurnKey == "" { // without an id this event and UserPromptSubmit could not be told to be of one prompt: that one answers
			e.Manual = ""
		}
	case "PreToolUse":
		e.Kind = ToolCall
		e.addTool(o.name("tool_name"), id, fact.Unknown)
	case "PostToolUse":
		e.Kind, e.CanInject = ToolResult, true
		e.addTool(o.name("tool_name"), id, fact.False)
	case "PostToolUseFailure":
		e.Kind, e.CanInject = ToolFailed, true
		e.addTool(o.name("tool_name"), id, fact.True)
	case "PostToolBatch": // comes for each group of calls that ran in sequence, after an event for each of them
		e.Kind = ToolBatch
		for _, c := range o.objects("tool_calls") {
			e.addTool(c.name("tool_name"), c.name("tool_call_id", "tool_use_id"), fact.Unknown)
		}
		e.Failed = anyFailed(e.Tools)
	case "Stop":
		decodeLifecycle(&e, o)
		e.ContextUsage, e.ContextWindow, e.ContextTokens = o.number("context_usage"), o.count("context_limit"), o.count("input_tokens")
	default:
		decodeLifecycle(&e, o)
	}
	return e
}

// decodeQwenPrompt reads a prompt. The event also comes after each round of tools, where an answer would become a message of its own.
// Only submitted_prompt says that a person wrote the prompt.
func decodeQwenPrompt(e *Event, o object) {
	e.Kind = UserPrompt
	submitted := o.text("submitted_prompt")
	e.Prompt, e.Human = o.text("prompt"), fact.False
	if submitted == "" || e.Agent != "" {
		return
	}
	e.Human, e.CanInject = fact.True, true
	if e.Manual = reminded(submitted); e.Manual == "" {
		e.Manual = reminded(e.Prompt)
	}
	if by := agent.Wrote(submitted); by != "" {
		e.Human, e.PromptClass = fact.False, by
	}
}
