package agent

// qwen is Qwen Code (HOOKS.md §7).
var qwen = Agent{
	Name: "qwen", Title: "Qwen Code",
	Tags: []Tag{{Name: "qwen:user-prompt-submit-context", Beside: true}},
	Notes: []Note{{
		Words: "Resume the prior task using the summary above. Continue from the last in-flight step; do not acknowledge the " +
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
