package agent

import (
	"github.com/aside-go/aside/compile/fact"
)

// cursor is Cursor (HOOKS.md §10). Texts go out at the session's start and with tool results, since for the
// answer to a prompt only "continue" is documented.
var cursor = Agent{
	Name: "cursor", Title: "Cursor", Binary: "cursor", Mute: true, Common: true,
	Hooks: Hooks{Failures: true, Threads: true, Read: decodeCursor, Encode: encodeCursor, Quiet: quietCursor},
	Config: Config{
		User: Dir{Home: ".cursor"}, Project: ".cursor",
		Files: []File{
			{Path: "hooks.json", JSON: &JSONHooks{
				Version: true,
				Events:  on("sessionStart", "beforeSubmitPrompt", "postToolUse", "postToolUseFailure", "preCompact"),
				Handler: []Member{{"command", Line}, {"timeout", Patience}},
			}},
			{Path: "commands/remind.md",
				Text: "The user asked for a reminder by its name. Its text accompanies this message, " +
					"or comes with the next result of a tool.\n"},
		},
		After: []string{"Restart Cursor."},
		Reads: []string{"claude-code"},
	},
	Tools: []Tool{
		{"Delete", Edit, "file_path", false}, {"Edit", Edit, "file_path", false},
		{"Write", Edit, "file_path", false}, {"Read", Read, "file_path", false},
		{"Glob", Search, "pattern", false}, {"Grep", Search, "pattern", false},
		{"Shell", Shell, "command", false}, {"Task", Task, "subagent_type", false},
		{"TodoWrite", Todo, "", false}, {"WebFetch", Web, "url", false},
		{"WebSearch", Web, "query", false},
	},
	AllTools: true,
	Never:    never(answers),
	Keeps:    true,

	Lacks: map[Part]string{
		PartWords:    "Cursor is not known to write in a person's place",
		PartRequests: "no request of Cursor was recorded",
		PartSession:  "the form of its transcripts is not documented",
	},
}

func decodeCursor(in Input) Event {
	e, o, ok := decodeCommon(in)
	if !ok {
		return e
	}
	e.Session, e.TurnKey = o.name("conversation_id"), o.name("generation_id")
	if e.Dir == "" {
		e.Dir = absolute(o.first("workspace_roots"))
	}
	e.projectDir(in, "CURSOR_PROJECT_DIR")
	switch e.Name {
	case "sessionStart":
		e.Kind, e.CanInject = SessionStart, true
		decodeStart(&e, o)
	case "beforeSubmitPrompt":
		e.Kind = UserPrompt
		e.setPrompt(o.text("prompt"))
	case "preToolUse":
		e.Kind = ToolCall
		e.addCall(o.name("tool_name"), o.name("tool_use_id"), fact.Unknown)
	case "postToolUse":
		e.Kind, e.CanInject = ToolResult, true
		e.addCall(o.name("tool_name"), o.name("tool_use_id"), cursorFailed(o.str("tool_output")))
	case "postToolUseFailure":
		e.Kind = ToolFailed
		e.addCall(o.name("tool_name"), o.name("tool_use_id"), fact.True)
	case "subagentStart":
		e.Kind = SubagentStart
		e.Agent, e.SubagentType = o.name("subagent_id"), o.name("subagent_type")
	case "subagentStop":
		e.Kind = SubagentStop
		e.Agent = o.name("subagent_id")
	case "preCompact": // no event follows when the compaction is done
		e.Kind, e.Trigger, e.Compacted = PreCompact, o.name("trigger"), true
		e.ContextTokens, e.ContextWindow = o.count("context_tokens"), o.count("context_window_size")
		if percent := o.number("context_usage_percent"); percent != nil && (e.ContextTokens == nil ||
			e.ContextWindow == nil) {
			*percent /= 100
			e.ContextUsage = percent
		}
	case "stop":
		e.Kind = Stop
	case "sessionEnd":
		e.Kind = SessionEnd
	}
	return e
}

// cursorFailed reports whether a call failed, by its output, a string that holds JSON. Any other output is
// no failure: for those Cursor has an event of its own.
func cursorFailed(output string) fact.Truth {
	o, ok := readObject([]byte(output))
	if !ok {
		return fact.False
	}
	if code := o.name("exit_code"); code != "" && code != "0" || o.truth("success") == fact.False {
		return fact.True
	}
	return fact.False
}

func encodeCursor(e Event, text string) []byte {
	if !e.CanInject {
		return quietCursor(e)
	}
	return encode(struct {
		Context string `json:"additional_context"`
	}{text})
}

// quietCursor answers a prompt with leave to go on, and other events with nothing.
func quietCursor(e Event) []byte {
	if e.Kind != UserPrompt {
		return nil
	}
	return []byte(`{"continue":true}`)
}
