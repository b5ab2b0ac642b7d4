package agent

import (
	"github.com/aside-go/aside/compile/fact"
)

// vscode is VS Code's agent hooks, a preview (HOOKS.md §9).
var vscode = Agent{
	Name: "vscode", Title: "VS Code", Binary: "code", Common: true,
	Hooks: Hooks{Threads: true, Read: decodeVSCode, Encode: encodeSpecific},
	Config: Config{
		User: Dir{Home: ".copilot"}, Project: ".github",
		Files: []File{{Path: "hooks/aside-vscode.json", JSON: &JSONHooks{
			Events: on("SessionStart", "UserPromptSubmit", "PostToolUse", "SubagentStart",
				"PreCompact"), Handler: shellHandler,
		}}},
		After: []string{"Trust the workspace: VS Code runs no hooks in one that is not trusted. " +
			"Hooks are a preview there; chat.hookFilesLocations switches them."},
		Reads: []string{"claude-code"},
	},
	Tools: []Tool{
		{"create_file", Edit, "filePath", false}, {"replace_string_in_file", Edit, "filePath", false},
		{"read_file", Read, "filePath", false}, {"runTerminalCommand", Shell, "command", false},
		{"run_in_terminal", Shell, "command", false},
	},
	Never: never(usage, answers, []fact.ID{fact.Model}),
	Keeps: true,

	Lacks: map[Part]string{
		PartWords:    "VS Code is not known to write in a person's place",
		PartRequests: "no request of VS Code was recorded",
		PartSession:  "the form of its transcripts is not documented",
	},
}

func decodeVSCode(in Input) Event {
	e, o, ok := decodeCommon(in)
	if !ok {
		return e
	}
	// Copilot, which reads the same files
	if o.has("cursor_version") || !o.has("transcript_path", "tool_use_id") && !o.spelt("hookEventName") {
		e.Kind = Duplicate
		return e
	}
	e.Agent, e.SubagentType = o.name("agent_id"), o.name("agent_type")
	switch e.Name {
	case "SessionStart":
		e.Kind, e.CanInject = SessionStart, true
		decodeStart(&e, o)
	case "UserPromptSubmit":
		e.Kind = UserPrompt
		e.setPrompt(o.text("prompt"))
		if e.Agent != "" { // the task of a subagent
			e.Human, e.Manual = fact.False, ""
		}
	case "PreToolUse":
		e.Kind = ToolCall
		e.addCall(o.name("tool_name"), o.name("tool_use_id"), fact.Unknown)
	case "PostToolUse":
		e.Kind, e.CanInject = ToolResult, true
		e.addCall(o.name("tool_name"), o.name("tool_use_id"), fact.Of(exitCode(o.text("tool_response")) > 0))
	case "SubagentStart":
		e.Kind, e.CanInject = SubagentStart, true
	case "SubagentStop":
		e.Kind = SubagentStop
	case "Stop":
		e.Kind = Stop
	case "PreCompact": // no event follows when the compaction is done
		e.Kind, e.Trigger, e.Compacted = PreCompact, o.name("trigger"), true
	case "SessionEnd":
		e.Kind = SessionEnd
	}
	return e
}
