package agent

import "github.com/aside-go/aside/compile/fact"

// droid is Factory's Droid (HOOKS.md §13), which has taken over Claude Code's hooks. What a tool's response
// looks like is not documented, so whether a tool failed is not known.
var droid = Agent{
	Name: "droid", Title: "Factory Droid", Binary: "droid", Untried: true,
	Hooks: Hooks{
		Carries: []Kind{SessionStart, UserPrompt, ToolResult}, Dir: "FACTORY_PROJECT_DIR",
		Foreign: readByOthers, Read: readDroid, Encode: encodeSpecific, Moments: bothMoments, Hold: holdSpecific,
	},
	Config: Config{
		User: Dir{Home: ".factory"}, Project: ".factory",
		Files: []File{{Path: "hooks.json", JSON: &JSONHooks{
			Grouped: true, Events: on("SessionStart", "UserPromptSubmit", "PreToolUse", "PostToolUse",
				"Stop"), Handler: shellHandler,
		}}},
		After: []string{"Start droid anew and review the hooks under /hooks: it takes changes up only then."},
	},
	Tools: []Tools{
		{Shell, "command", "Execute"},
		{Edit, "input", "ApplyPatch"},
		{Edit, "file_path", "Create Edit MultiEdit"},
		{Read, "file_path", "Read"},
		{Read, "directory_path", "LS"},
		{Search, "pattern", "Grep"},
		{Search, "patterns", "Glob"},
		{Web, "url", "FetchUrl"},
		{Web, "query", "WebSearch"},
		{Todo, "", "TodoWrite"},
		{Task, "subagent_type", "Task"},
	},
	AllTools: true,
	Never:    never(usage, answers, failures, cost, []fact.ID{fact.Model}),
	Keeps:    true,
}

// readDroid calls the mode in which Droid plans, spec, by its common name.
func readDroid(e *Event, _ object, _ Input) {
	if e.Mode == "spec" {
		e.Mode = "plan"
	}
}
