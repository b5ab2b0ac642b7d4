package agent

// opencode is opencode (HOOKS.md §12).
var opencode = Agent{
	Name: "opencode", Title: "opencode",
	Notes: []Note{{
		Words:  "Continue if you have next steps, or stop and ask for clarification",
		Source: "opencode 1.18.33",
	}},
	Identify: identifyOpencode,
	Openings: []Opening{
		{"You are a context summarization agent.", true, Compaction, "opencode 1.18.33"},
		{"You are a title generator.", true, Title, "opencode 1.18.33"},
	},
}

func identifyOpencode(q Request) (Thread, bool) {
	const header, parent = "x-session-id", "x-parent-session-id"
	run := q.Header(header)
	if run == "" {
		return Thread{}, false
	}
	t := Thread{Run: run, Source: header}
	if p := q.Header(parent); p != "" {
		t.Run, t.Source, t.Thread = p, parent, run
	}
	t.settle()
	return t, true
}
