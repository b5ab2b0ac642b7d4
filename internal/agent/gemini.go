package agent

// gemini is Google's Gemini CLI (HOOKS.md §6).
var gemini = Agent{
	Name: "gemini", Title: "Gemini CLI",
	Tags: []Tag{{Name: "session_context"}, {Name: "hook_context", Beside: true}, {Name: "state_snapshot", Beside: true}},
	Notes: []Note{{
		Words:  "You have stopped calling tools without finishing. You have one final chance",
		Source: "Gemini CLI 0.61.0, to a subagent",
	}},
	UserAgent: "GeminiCLI",
	Openings: []Opening{
		{"You are the component that summarizes", true, Compaction, "Gemini CLI, Qwen Code 0.24.4"},
		{
			"You are a specialized system component responsible for distilling chat history",
			true, Compaction, "Gemini CLI 0.61.0",
		},
	},
	Structured: Router,
}
