package agent

import (
	"github.com/aside-go/aside/compile/fact"
)

// vscode is VS Code's agent hooks, a preview (HOOKS.md §9).
var vscode = Agent{
	Name: "vscode", Title: "VS Code", Binary: "code", Common: true, Untried: true,
	Hooks: Hooks{
		Threads: true, Subagents: true, Compacts: true,
		Carries: []Kind{SessionStart, ToolCall, ToolResult, SubagentStart},
		Failed:  func(o object) fact.Truth { return fact.Of(exitCode(o.text("tool_response")) > 0) },
		Foreign: notVSCode, Encode: encodeSpecific, Moments: bothMoments, Hold: holdVSCode,
	},
	Config: Config{
		User: Dir{Home: ".copilot"}, Project: ".github", Own: ".vscode",
		Files: []File{{Path: "hooks/aside-vscode.json", JSON: &JSONHooks{
			Events: on("SessionStart", "UserPromptSubmit", "PreToolUse", "PostToolUse", "SubagentStart",
				"PreCompact", "Stop"),
			Handler: shellHandler,
		}}},
		After: []string{"Trust the workspace: VS Code runs no hooks in one that is not trusted. " +
			"Hooks are a preview there; chat.hookFilesLocations switches them."},
		Reads: []string{"claude-code"},
	},
	Tools: []Tools{
		{Shell, "command", "runTerminalCommand run_in_terminal"},
		{Edit, "filePath", "create_file replace_string_in_file"},
		{Read, "filePath", "read_file"},
	},
	Never: never(modes, usage, answers, cost, resumes, []fact.ID{fact.Model}),
	Keeps: true,
}

// notVSCode reports whether Copilot runs the hook, which reads the same files, or Cursor.
func notVSCode(_ Input, o object) bool {
	if o.has("cursor_version") {
		return true
	}
	return !o.has("transcript_path", "tool_use_id") && !o.spelt("hookEventName")
}

// holdVSCode holds a call back, or keeps the agent at work. VS Code wants both answers in the member that
// Claude Code has for the first alone.
func holdVSCode(e Event, text string) []byte {
	if e.Moment != fact.Stopping {
		return holdSpecific(e, text)
	}
	type specific struct {
		Name string `json:"hookEventName"`
		decision
	}
	return encode(struct {
		Output specific `json:"hookSpecificOutput"`
	}{specific{e.Name, decision{"block", text}}})
}
