package agent

import (
	"cmp"
	"strings"

	"github.com/aside-go/aside/compile/fact"
)

// readCopilot reads what is special to Copilot. Events of a subagent name it as their session, too.
func readCopilot(e *Event, o object, _ Input) {
	if e.Agent = o.name("agent_id"); e.Agent != "" {
		e.Session = cmp.Or(o.name("parent_agent_id"), e.Session)
		e.SubagentType = cmp.Or(o.name("agent_type", "agent_name"), "subagent")
	}
	switch e.Kind {
	case PromptTransform:
		e.CanInject, e.Wraps, e.Prompt = o.has("transformed_prompt"), true, o.text("prompt")
	case ToolCall:
		e.Round = o.name("timestamp")
	}
}

// copilotFailed reports whether a call failed. To Copilot a shell command that exits with another code than
// 0 is a success, too, so the text is asked for the code.
func copilotFailed(o object) fact.Truth {
	result := o.object("tool_result")
	switch result.name("result_type") {
	case "success":
		return fact.Of(exitCode(result.text("text_result_for_llm")) > 0)
	case "":
		return fact.Unknown
	}
	return fact.True
}

// identifyCopilot tells only whether a request is a subagent's: Copilot names no conversation.
func identifyCopilot(q Request) (Thread, bool) {
	if q.Header("x-initiator") == "" {
		return Thread{}, false
	}
	if q.Header("x-interaction-type") == "conversation-subagent" {
		return Thread{Type: "subagent"}, true
	}
	return Thread{Type: "root"}, true
}

func spokeToCopilot(q Request) fact.Truth {
	switch strings.ToLower(q.Header("x-initiator")) {
	case "user":
		return fact.True
	case "agent":
		return fact.False
	}
	return fact.Unknown
}
