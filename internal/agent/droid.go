package agent

import (
	"github.com/aside-go/aside/compile/fact"
)

// droid is Factory's Droid (HOOKS.md §13), which has taken over Claude Code's hooks. What a tool's response
// looks like is not documented, so whether a tool failed is not known.
var droid = Agent{
	Name: "droid", Title: "Factory Droid", Binary: "droid",
	Hooks: Hooks{Read: decodeDroid, Encode: encodeSpecific},
	Config: Config{
		User: Dir{Home: ".factory"}, Project: ".factory",
		Files: []File{{Path: "hooks.json", JSON: &JSONHooks{
			Grouped: true, Events: on("SessionStart", "UserPromptSubmit", "PostToolUse"), Handler: shellHandler,
		}}},
		After: []string{"Start droid anew and review the hooks under /hooks: it takes changes up only then."},
	},
	Tools: []Tool{
		{"ApplyPatch", Edit, "input", true}, {"Create", Edit, "file_path", false},
		{"Edit", Edit, "file_path", false}, {"MultiEdit", Edit, "file_path", false},
		{"Read", Read, "file_path", false}, {"LS", Read, "directory_path", false},
		{"Execute", Shell, "command", false}, {"Grep", Search, "pattern", false},
		{"Glob", Search, "patterns", false}, {"FetchUrl", Web, "url", false},
		{"WebSearch", Web, "query", false}, {"Task", Task, "subagent_type", false},
		{"TodoWrite", Todo, "", false},
	},
	AllTools: true,
	Never:    never(usage, answers, failures),
	Keeps:    true,

	Lacks: map[Part]string{
		PartWords:    "Factory Droid is not known to write in a person's place",
		PartRequests: "no request of Factory Droid was recorded",
		PartSession:  "the form of its transcripts is not documented",
	},
}

func decodeDroid(in Input) Event {
	e, o, ok := decodeOwn(in)
	if !ok {
		return e
	}
	e.projectDir(in, "FACTORY_PROJECT_DIR")
	switch e.Name {
	case "SessionStart":
		e.Kind, e.CanInject = SessionStart, true
		decodeStart(&e, o)
	case "UserPromptSubmit":
		e.Kind, e.CanInject = UserPrompt, true
		e.setPrompt(o.text("prompt"))
	case "PreToolUse":
		e.Kind = ToolCall
		e.addCall(o.name("tool_name"), o.name("tool_use_id"), fact.Unknown)
	case "PostToolUse":
		e.Kind, e.CanInject = ToolResult, true
		e.addCall(o.name("tool_name"), o.name("tool_use_id"), fact.Unknown)
	case "SubagentStop":
		e.Kind = SubagentStop
	case "Stop":
		e.Kind = Stop
	case "PreCompact":
		e.Kind, e.Trigger = PreCompact, o.name("trigger")
	case "SessionEnd":
		e.Kind = SessionEnd
	}
	return e
}
