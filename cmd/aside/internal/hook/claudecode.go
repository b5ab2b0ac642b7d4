package hook

import (
	"strings"

	"github.com/aside-go/aside/compile/fact"
)

// ModeZeroTurn is a mode of Claude Code's hooks: "/remind NAME" makes no model call, and the reminder goes out with the next event.
const ModeZeroTurn = "zero-turn"

// claudeCode is Claude Code, 2.1.69 and later (HOOKS.md §4).
var claudeCode = Dialect{
	Agent:    "claude-code",
	Modes:    []string{ModeZeroTurn},
	Failures: true,
	Threads:  true,
	Decode:   decodeClaudeCode,
	Encode:   encodeClaudeCode,
}

func decodeClaudeCode(in Input) Event {
	e, o, ok := decodeCommon(in)
	if !ok {
		return e
	}
	if !isClaudeCode(in, o) {
		e.Kind = Duplicate
		return e
	}
	e.projectDir(in, "CLAUDE_PROJECT_DIR")
	e.TurnKey = o.name("prompt_id")
	e.Agent, e.SubagentType = o.name("agent_id"), o.name("agent_type")
	e.Internal = e.Agent != "" && e.SubagentType == ""
	switch e.Name {
	case "SessionStart":
		e.Kind, e.CanInject = SessionStart, true
		e.ContextTokens = o.count("context_tokens")
		decodeStart(&e, o)
	case "UserPromptSubmit":
		e.Kind, e.CanInject = UserPrompt, true
		decodeClaudePrompt(&e, in, o)
	case "UserPromptExpansion":
		e.Kind, e.CanInject = PromptExpansion, true
		e.Prompt = o.text("prompt")
		e.Manual = reminded(e.Prompt)
		if e.Manual == "" && isRemind(o.name("command_name")) {
			e.Manual = remindName(o.str("command_args"))
		}
		if e.TurnKey == "" { // without an id this event and UserPromptSubmit could not be told to be of one prompt: that one answers
			e.Manual = ""
		}
	case "PreToolUse":
		e.Kind, e.CanInject, e.Unless = ToolCall, true, ToolBatch
		e.addTool(o.name("tool_name"), o.name("tool_use_id"), fact.Unknown)
	case "PostToolUse":
		e.Kind, e.CanInject, e.Unless = ToolResult, true, ToolBatch
		e.addTool(o.name("tool_name"), o.name("tool_use_id"), fact.False)
	case "PostToolUseFailure":
		e.Kind, e.CanInject, e.Unless = ToolFailed, true, ToolBatch
		e.addTool(o.name("tool_name"), o.name("tool_use_id"), fact.True)
	case "PermissionDenied":
		e.Kind = ToolFailed
		e.addTool(o.name("tool_name"), o.name("tool_use_id"), fact.True)
	case "PostToolBatch":
		e.Kind, e.CanInject = ToolBatch, true
		for _, c := range o.objects("tool_calls") {
			e.addTool(c.name("tool_name"), c.name("tool_use_id"), claudeFailed(c.text("tool_response")))
		}
		e.Failed = anyFailed(e.Tools)
	case "StopFailure":
		e.Kind, e.Message = Stop, o.str("last_assistant_message")
	case statusEvent:
		decodeStatus(&e, o)
	default:
		decodeLifecycle(&e, o)
	}
	if e.Internal {
		e.CanInject = false
	}
	return e
}

// isClaudeCode reports whether Claude Code itself runs the hook. Cursor, Copilot and VS Code read its settings and run its hooks, too.
func isClaudeCode(in Input, o object) bool {
	if o.has("cursor_version", "conversation_id", "generation_id") || // Cursor
		o.has("timestamp") && !o.has("transcript_path") || // Copilot: Claude Code always names a transcript
		o.spelt("hookEventName", "sessionId") { // VS Code, Copilot
		return false
	}
	return in.env("CLAUDECODE") != "" || in.env("CURSOR_VERSION") == "" && !o.has("timestamp")
}

// decodeClaudePrompt reads a prompt. Whether a person submitted it is told by the member "source", which newer versions send, and else
// by the text.
func decodeClaudePrompt(e *Event, in Input, o object) {
	e.setPrompt(o.text("prompt"))
	switch source := o.name("source"); source {
	case "user", "sdk":
		e.Human, e.PromptClass = fact.True, ""
	case "system", "loop_wakeup", "schedule_wakeup", "poll_event":
		e.Human = fact.False
		if e.PromptClass == "" {
			e.PromptClass = source
		}
	}
	if e.Agent != "" { // the task of a subagent
		e.Human, e.Manual, e.Unless = fact.False, "", SubagentStart
	}
	if e.Human != fact.True {
		e.Manual = ""
	}
	if in.Mode == ModeZeroTurn && e.Manual != "" {
		e.Arms, e.CanInject, e.Human = true, false, fact.False
	}
}

// isRemind reports whether a command is /remind, be it with a plugin's prefix.
func isRemind(command string) bool {
	return command == "remind" || strings.HasSuffix(command, ":remind")
}

// claudeFailed reports whether a call failed, by the text that the model sees of it: true where that begins with the tag that the agent
// itself writes around an error, else unknown. Anything else a command might have printed itself.
func claudeFailed(response string) fact.Truth {
	if strings.HasPrefix(response, "<tool_use_error>") {
		return fact.True
	}
	return fact.Unknown
}

func encodeClaudeCode(e Event, text string) []byte {
	switch {
	case e.Arms:
		type suppress struct {
			Name     string `json:"hookEventName"`
			Suppress bool   `json:"suppressOriginalPrompt"`
		}
		return encode(struct {
			Decision string   `json:"decision"`
			Reason   string   `json:"reason"`
			Output   suppress `json:"hookSpecificOutput"`
		}{"block", text, suppress{e.Name, true}})
	default:
		return encodeSpecific(e, text)
	}
}
