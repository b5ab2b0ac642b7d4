package agent

import "github.com/aside-go/aside/compile/fact"

// crush is Charm's Crush (HOOKS.md §17). It has one event, before a tool runs, and adds the text to that
// tool's result. The answer never allows a call: that would override the person's own decision.
var crush = Agent{
	Name: "crush", Title: "Charm Crush", Binary: "crush", Untried: true,
	Hooks: Hooks{
		Before:  true,
		Threads: true, // hooks do not run in subagents
		Carries: []Kind{ToolCall}, Dir: "CRUSH_PROJECT_DIR", Read: readCrush, Encode: encodeCrush,
		Moments: []fact.Moment{fact.BeforeTool}, Hold: holdCrush,
	},
	Config: Config{
		User: Dir{Config: "crush"}, Project: ".",
		Files: []File{{Path: "crush.json", HiddenToo: true, JSON: &JSONHooks{
			Events:  on("PreToolUse"),
			Handler: []Member{{"name", "aside"}, {"command", Line}, {"timeout", Patience}},
		}}},
		After: []string{"Start crush anew."},
	},
	Tools: []Tools{
		{Shell, "command", "bash"},
		{Edit, "file_path", "edit multiedit write"},
		{Read, "file_path", "view"},
		{Search, "pattern", "glob grep"},
		{Web, "url", "fetch"},
	},
	Never: never(modes, usage, answers, failures, cost, output, compacts, resumes, []fact.ID{fact.Prompt,
		fact.UserTurnCount,
		fact.UserMessage, fact.Model}),
	Keeps: true,

	Openings: []Opening{{"You will generate a short title based on the first message", true, Title,
		"Crush, 2026"}},
}

// readCrush leaves the one event that Crush has.
func readCrush(e *Event, _ object, _ Input) {
	if e.Kind != ToolCall {
		e.Kind = Unknown
	}
}

func encodeCrush(e Event, text string) []byte {
	if !e.CanInject {
		return nil
	}
	return encode(struct {
		Version int    `json:"version"`
		Context string `json:"context"`
	}{1, text})
}

// holdCrush holds a call back.
func holdCrush(_ Event, text string) []byte {
	return encode(struct {
		Version int `json:"version"`
		decision
	}{1, decision{"deny", text}})
}
