package agent

import (
	"cmp"
	"slices"
	"strings"

	"github.com/aside-go/aside/compile/fact"
)

// copilot is GitHub's Copilot CLI and cloud agent (HOOKS.md §8). The spelling under which an event was
// registered selects the payload: that of a name in camelCase does not say which event it is, so --event
// does.
var copilot = Agent{
	Name: "copilot", Title: "GitHub Copilot CLI", Binary: "copilot",
	Hooks: Hooks{
		Failures: true, Threads: true, Apart: true, Rounds: RoundsAsked, Untold: true,
		Names: map[string]Kind{
			"userPromptSubmitted": UserPrompt, "UserPromptSubmitted": UserPrompt,
			"userPromptTransformed": PromptTransform, "UserPromptTransformed": PromptTransform,
			"agentStop": Stop, "AgentStop": Stop,
		},
		// What is told at a session's start is gone after a resume, and a subagent's task would hold what is
		// told at its start: a prompt follows both.
		Carries: []Kind{UserPrompt, ToolResult, ToolFailed}, Compacts: true, Failed: copilotFailed,
		Foreign: notCopilot, Read: readCopilot, Encode: encodeCopilot,
		Moments: bothMoments, Hold: holdCopilot,
	},
	Config: Config{
		User: Dir{Variable: "COPILOT_HOME", Home: ".copilot"}, Project: ".github",
		Files: []File{{Path: "hooks/aside.json", JSON: &JSONHooks{
			Version: true,
			Events: slices.Concat(on("sessionStart", "userPromptSubmitted"), copilotAsks, on("postToolUse",
				"postToolUseFailure", "preCompact", "agentStop", "subagentStop", "sessionEnd")),
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
	Session: &Session{Files: ".copilot/session-state/*/events.jsonl", Format: "Copilot CLI session"},
	Tools: []Tools{
		{Shell, "command", "bash powershell"},
		{Edit, "path", "create edit"},
		{Read, "path", "view"},
		{Search, "pattern", "glob grep"},
		{Web, "url", "web_fetch"},
		{Task, "agent_type", "task"},
	},
	Never: never(modes, usage, answers, cost, []fact.ID{fact.Model}),
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
}

// copilotAsks registers the event before a call. Copilot refuses the call where the hook ends with anything
// but 0, as it would once our program is gone, so a shell sees to the 0.
var copilotAsks = []Registration{{Event: "preToolUse", Handler: []Member{
	{"type", "command"}, {"bash", Guarded}, {"powershell", GuardedPowerShell}, {"timeoutSec", Patience},
}}}

// notCopilot reports whether VS Code runs the hook, which reads the same files, or Cursor.
func notCopilot(_ Input, o object) bool { return o.has("cursor_version") || o.spelt("hookEventName") }

// readCopilot reads what is special to Copilot. Events of a subagent name it as their session, too.
func readCopilot(e *Event, o object, _ Input) {
	if e.Agent = o.name("agent_id"); e.Agent != "" {
		e.Session = o.nameOr("parent_agent_id", e.Session)
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

// holdCopilot holds a call back, or keeps Copilot at work.
func holdCopilot(e Event, text string) []byte {
	if e.Moment == fact.Stopping {
		return holdSpecific(e, text)
	}
	return encode(struct {
		Decision string `json:"permissionDecision"`
		Reason   string `json:"permissionDecisionReason"`
	}{"deny", text})
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
