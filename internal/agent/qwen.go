package agent

import (
	"github.com/aside-go/aside/compile/fact"
)

// qwen is Qwen Code, 0.24 and later (HOOKS.md §7).
var qwen = Agent{
	Name: "qwen", Title: "Qwen Code", Binary: "qwen",
	Limit: "a model call that nobody asked for, such as on the end of a subagent in the background, " +
		"is not seen; " +
		"in the first turn of a subagent nothing can be said",
	Hooks: Hooks{
		Failures: true, Threads: true, Rounds: RoundsEnd, TurnID: "prompt_id", Subagents: true,
		Dir: "QWEN_PROJECT_DIR",
		// A text at SessionStart would go into the system prompt, and change it again on resume. PostToolBatch
		// comes for each group of calls that ran in sequence, after an event for each of them. A text at
		// SubagentStart reaches no request.
		Carries: []Kind{UserPrompt, PromptExpansion, ToolResult, ToolFailed}, Failed: neverFailed,
		Foreign: readByOthers, Read: readQwen, Encode: encodeSpecific,
		Moments: bothMoments, Hold: holdSpecific,
	},
	Base: Base{Env: []string{"OPENAI_BASE_URL", "ANTHROPIC_BASE_URL"}, File: "settings.json"},
	Config: Config{
		User: Dir{Variable: "QWEN_HOME", Home: ".qwen"}, Project: ".qwen",
		Files: []File{
			{Path: "settings.json", JSON: &JSONHooks{
				Grouped: true,
				Events: on("SessionStart", "UserPromptSubmit", "PreToolUse", "PostToolUse", "PostToolUseFailure", "Stop",
					"SubagentStart", "SubagentStop", "SessionEnd"),
				Handler: []Member{{"type", "command"}, {"command", Line}, {"timeout", Patience * 1000}},
			}},
			{Path: "commands/remind.md", Text: "---\ndescription: Fire a named reminder now\n---\n" +
				remindText("{{args}}")},
		},
		After: []string{"Start qwen anew."},
	},
	Session: &Session{Files: ".qwen/projects/*/chats/*.jsonl", Format: "Qwen Code session"},
	Tools: []Tools{
		{Shell, "command", "run_shell_command"},
		{Edit, "file_path", "edit write_file"},
		{Read, "file_path", "read_file"},
		{Read, "paths", "read_many_files"},
		{Read, "path", "list_directory"},
		{Search, "pattern", "glob grep_search"},
		{Web, "url", "web_fetch"},
		{Web, "query", "web_search"},
		{Todo, "", "todo_write"},
		{Task, "subagent_type", "agent task"},
		{NoClass, "", "exit_plan_mode save_memory skill"},
	},
	AllTools: true,
	Never:    never(),
	Keeps:    true,

	Tags: []Tag{{Name: "qwen:user-prompt-submit-context", Beside: true}},
	Notes: []Note{{
		Words: "Resume the prior task using the summary above. Continue from the last in-flight step; do not " +
			"acknowledge the " +
			"summary, do not re-introduce, do not greet the user again.",
		Ends: true, Summary: true, Source: "Qwen Code 0.24.4",
	}},
	Openings: []Opening{
		{
			"You are the component that summarizes a conversation when its context window is about to overflow",
			false, Compaction, "Qwen Code 0.24.4",
		},
		{
			"Managed memory has TWO directories.",
			false, Side, "Qwen Code 0.24.4: a copy of the conversation is asked about its memories",
		},
	},
}

func readQwen(e *Event, o object, _ Input) {
	switch e.Kind {
	case UserPrompt:
		readQwenPrompt(e, o)
	case Stop:
		e.ContextUsage, e.ContextWindow = o.number("context_usage"), o.count("context_limit")
		e.ContextTokens = o.count("input_tokens")
	}
}

// readQwenPrompt reads who submitted a prompt. The event also comes after each round of tools, where an
// answer would become a message of its own. Only submitted_prompt says that a person wrote the prompt.
func readQwenPrompt(e *Event, o object) {
	submitted := o.text("submitted_prompt")
	if submitted == "" || e.Agent != "" {
		e.Human, e.Manual, e.asked, e.CanInject = fact.False, "", "", false
		return
	}
	e.asked = submitted
	if name := reminded(submitted); name != "" {
		e.Manual = name
	}
}
