package agent

import (
	"github.com/aside-go/aside/compile/fact"
)

// qwen is Qwen Code, 0.24 and later (HOOKS.md §7).
var qwen = Agent{
	Name: "qwen", Title: "Qwen Code", Binary: "qwen",
	Hooks: Hooks{Failures: true, Threads: true, Read: decodeQwen, Encode: encodeSpecific},
	Config: Config{
		User: Dir{Variable: "QWEN_HOME", Home: ".qwen"}, Project: ".qwen",
		Files: []File{
			{Path: "settings.json", JSON: &JSONHooks{
				Grouped: true,
				Events: on("SessionStart", "UserPromptSubmit", "PostToolUse", "PostToolUseFailure", "Stop",
					"SubagentStart"),
				Handler: []Member{{"type", "command"}, {"command", Line}, {"timeout", Patience * 1000}},
			}},
			{Path: "commands/remind.md", Text: "---\ndescription: Fire a named reminder now\n---\n" +
				remindText("{{args}}")},
		},
		After: []string{"Start qwen anew."},
	},
	Tools: []Tool{
		{"agent", Task, "subagent_type", false}, {"task", Task, "subagent_type", false},
		{"edit", Edit, "file_path", false}, {"write_file", Edit, "file_path", false},
		{"read_file", Read, "file_path", false}, {"read_many_files", Read, "paths", false},
		{"list_directory", Read, "path", false}, {"glob", Search, "pattern", false},
		{"grep_search", Search, "pattern", false}, {"run_shell_command", Shell, "command", false},
		{"web_fetch", Web, "url", false}, {"web_search", Web, "query", false},
		{"todo_write", Todo, "", false}, {"exit_plan_mode", NoClass, "", false},
		{"save_memory", NoClass, "", false}, {"skill", NoClass, "", false},
	},
	AllTools: true,
	Never:    never(answers),
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
	Lacks: map[Part]string{
		PartSession: "no session file of Qwen Code was recorded",
	},
}

func decodeQwen(in Input) Event {
	e, o, ok := decodeOwn(in)
	if !ok {
		return e
	}
	e.projectDir(in, "QWEN_PROJECT_DIR")
	e.TurnKey = o.name("prompt_id")
	e.Agent, e.SubagentType = o.name("agent_id"), o.name("agent_type")
	// tool_use_id differs between the events of one call, so it comes second
	id := o.name("tool_call_id", "tool_use_id")
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
		// without an id this event and UserPromptSubmit could not be told to be of one prompt: that one answers
		if e.TurnKey == "" {
			e.Manual = ""
		}
	case "PreToolUse":
		e.Kind = ToolCall
		e.addCall(o.name("tool_name"), id, fact.Unknown)
	case "PostToolUse":
		e.Kind, e.CanInject = ToolResult, true
		e.addCall(o.name("tool_name"), id, fact.False)
	case "PostToolUseFailure":
		e.Kind, e.CanInject = ToolFailed, true
		e.addCall(o.name("tool_name"), id, fact.True)
	case "PostToolBatch": // comes for each group of calls that ran in sequence, after an event for each of them
		e.Kind = ToolBatch
		for _, c := range o.objects("tool_calls") {
			e.addCall(c.name("tool_name"), c.name("tool_call_id", "tool_use_id"), fact.Unknown)
		}
		e.Failed = anyFailed(e.Calls)
	case "Stop":
		decodeLifecycle(&e, o)
		e.ContextUsage, e.ContextWindow, e.ContextTokens = o.number("context_usage"), o.count(
			"context_limit"), o.count("input_tokens")
	default:
		decodeLifecycle(&e, o)
	}
	return e
}

// decodeQwenPrompt reads a prompt. The event also comes after each round of tools, where an answer would
// become a message of its own. Only submitted_prompt says that a person wrote the prompt.
func decodeQwenPrompt(e *Event, o object) {
	e.Kind = UserPrompt
	submitted := o.text("submitted_prompt")
	e.Prompt, e.Human = o.text("prompt"), fact.False
	if submitted == "" || e.Agent != "" {
		return
	}
	e.Human, e.CanInject, e.asked = fact.True, true, submitted
	if e.Manual = reminded(submitted); e.Manual == "" {
		e.Manual = reminded(e.Prompt)
	}
}
