package agent

import (
	"strings"

	"github.com/aside-go/aside/compile/fact"
)

// kimiCode is Kimi Code, 0.38 (HOOKS.md §11). Only the answer to a person's prompt can carry text, as plain
// text: of JSON Kimi Code knows a single member, "message", and puts any other JSON before the model as it
// is.
var kimiCode = Agent{
	Name: "kimi-code", Title: "Kimi Code",
	Limit: "what happens between two prompts is taken in at the second one, so rules before a call see " +
		"the facts of " +
		"the first; a call of a subagent looks as one of the session's to rules before a call; a resume " +
		"is told to " +
		"hooks alone, so replay does not know it",
	Hooks: Hooks{
		Failures: true, Threads: true, Rounds: RoundsAsked, Gaps: true, Later: true, Names: map[string]Kind{
			"TurnStarted": TurnStart},
		Carries: []Kind{UserPrompt}, Compacts: true, Failed: neverFailed,
		Foreign: readByOthers, Read: readKimiCode, Encode: encodeKimiCode,
		// Its end could be held back, too, but a subagent's looks the same.
		Moments: []fact.Moment{fact.BeforeTool}, Hold: holdSpecific,
	},
	Base: Base{File: "config.toml"},
	Config: Config{
		User: Dir{Variable: "KIMI_CODE_HOME", Home: ".kimi-code"},
		Files: []File{{Path: "config.toml", TOML: &TOMLHooks{
			Events: on("SessionStart", "UserPromptSubmit", "PreToolUse", "PostToolUse", "PostToolUseFailure",
				"PreCompact"),
		}}},
		After: []string{"Start Kimi Code anew. Reminders show in its terminal."},
	},
	Session: &Session{Files: ".kimi-code/sessions/*/*/agents/main/wire.jsonl", Format: "Kimi Code session",
		Of: "sessions/*/SESSION/agents/main/wire.jsonl"},
	Tools: []Tools{
		{Shell, "command", "Bash"},
		{Edit, "path", "Edit Write"},
		{Read, "path", "Read"},
		{Search, "pattern", "Glob Grep"},
		{Web, "url", "FetchURL"},
		{Todo, "", "TodoList"},
		{Task, "subagent_type", "Agent AgentSwarm"},
	},
	Never: never(modes),
	Keeps: true,

	Tags: []Tag{{Name: "hook_result", Beside: true}},
}

func readKimiCode(e *Event, o object, _ Input) {
	switch e.Kind {
	case UserPrompt:
		if origin := o.name("origin_kind"); origin != "" && origin != "user" {
			e.CanInject, e.Human, e.PromptClass, e.Manual, e.asked = false, fact.False, origin, "", ""
		}
	case PreCompact:
		e.ContextTokens = o.count("token_count", "context_tokens")
	}
}

func encodeKimiCode(e Event, text string) []byte {
	switch {
	case !e.CanInject:
		return nil
	case strings.HasPrefix(strings.TrimSpace(text), "{"): // plain, Kimi Code might read the text as JSON
		return encode(struct {
			Message string `json:"message"`
		}{text})
	}
	return []byte(text)
}
