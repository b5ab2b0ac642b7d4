package agent

import (
	"strings"

	"github.com/aside-go/aside/compile/fact"
)

// copilot is GitHub's Copilot CLI and cloud agent (HOOKS.md §8). The spelling under which an event was
// registered selects the payload: that of a name in camelCase does not say which event it is, so --event
// does.
var copilot = Agent{
	Name: "copilot", Title: "GitHub Copilot CLI", Binary: "copilot",
	Hooks: Hooks{Failures: true, Threads: true, Read: decodeCopilot, Encode: encodeCopilot},
	Config: Config{
		User: Dir{Variable: "COPILOT_HOME", Home: ".copilot"}, Project: ".github",
		Files: []File{{Path: "hooks/aside.json", JSON: &JSONHooks{
			Version: true,
			Events: on("sessionStart", "userPromptSubmitted", "postToolUse", "postToolUseFailure", "subagentStart",
				"preCompact"),
			Handler: []Member{
				{"type", "command"}, {"exec", Program}, {"args", Args}, {"timeoutSec", Patience},
			},
			TellEvent: true,
		}}},
		After: []string{"Start copilot anew."},
		AfterProject: []string{"Start copilot anew. In a folder that it does not trust it skips the hooks " +
			"without a word."},
		Reads: []string{"claude-code"},
	},
	Tools: []Tool{
		{"bash", Shell, "command", false}, {"powershell", Shell, "command", false},
		{"create", Edit, "path", false}, {"edit", Edit, "path", false}, {"view", Read, "path", false},
		{"glob", Search, "pattern", false}, {"grep", Search, "pattern", false},
		{"web_fetch", Web, "url", false}, {"task", Task, "agent_type", false},
	},
	Never: never(usage, answers, []fact.ID{fact.Model}),
	Keeps: true,

	Tags: []Tag{
		{Name: "current_datetime", Beside: true, Preamble: true}, // Copilot CLI 1.0.102
		{Name: "system_reminder", Beside: true},
	},
	Notes: []Note{{
		Words:   "Some of the conversation history has been summarized to free up context.",
		Summary: true, Source: "Copilot CLI 1.0.102",
	}},
	Identify: identifyCopilot,
	Spoke:    spokeToCopilot,
	Signs: []Sign{ // Copilot CLI 1.0.102
		{Header: "x-interaction-type", Value: "conversation-compaction", Says: Compaction},
		{Header: "x-interaction-type", Value: "conversation-background", Says: Side},
		{Header: "x-interaction-type", Value: "conversation-sampling", Says: Side},
	},
	Openings: []Opening{{
		"Please create a detailed summary of the conversation so far. The history is being compacted",
		false, Compaction, "Copilot CLI 1.0.102",
	}},
	Lacks: map[Part]string{
		PartSession: "the form of its session files is not documented",
	},
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
		e.Kind, e.CanInject, e.Wraps = PromptTransform, o.has("transformed_prompt"), true
		e.Prompt = o.text("prompt")
	case "preToolUse":
		e.Kind = ToolCall
		e.addCall(tool, id, fact.Unknown)
	case "postToolUse":
		e.Kind, e.CanInject = ToolResult, true
		e.addCall(tool, id, copilotFailed(o.object("tool_result")))
	case "postToolUseFailure":
		e.Kind, e.CanInject = ToolFailed, true
		e.addCall(tool, id, fact.True)
	case "subagentStart":
		e.Kind, e.CanInject = SubagentStart, true
		e.SubagentType = o.name("agent_type", "agent_name")
		// no other event is of this subagent, so any id of its own will do
		if e.Agent = o.name("agent_id"); e.Agent == "" {
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

// copilotFailed reports whether a call failed. To Copilot a shell command that exits with another code than
// 0 is a success, too, so the text is asked for the code.
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
		}{e.stdin.str("transformed_prompt") + "\n\n" + text})
	}
	return encode(struct {
		Context string `json:"additionalContext"`
	}{text})
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
