package agent

import (
	"github.com/aside-go/aside/compile/fact"
)

// cursor is Cursor (HOOKS.md §10). Texts go out at the session's start and with tool results, since for the
// answer to a prompt only "continue" is documented.
var cursor = Agent{
	Name: "cursor", Title: "Cursor", Binary: "cursor", Mute: true, Common: true, Untried: true,
	Limit: "the end is asked about once in a conversation, and not with -p",
	Hooks: Hooks{
		Failures: true, Threads: true, Apart: true, Names: map[string]Kind{"beforeSubmitPrompt": UserPrompt},
		Carries: []Kind{SessionStart, ToolResult}, SessionID: "conversation_id", TurnID: "generation_id",
		Dir: "CURSOR_PROJECT_DIR", Compacts: true, Failed: cursorFailed,
		Read: readCursor, Encode: encodeCursor, Quiet: quietCursor,
		Moments: []fact.Moment{fact.Stopping}, Hold: holdCursor,
	},
	Config: Config{
		User: Dir{Home: ".cursor"}, Project: ".cursor",
		Files: []File{
			{Path: "hooks.json", JSON: &JSONHooks{
				Version: true,
				Events: on("sessionStart", "beforeSubmitPrompt", "postToolUse", "postToolUseFailure", "preCompact",
					"stop"),
				Handler: []Member{{"command", Line}, {"timeout", Patience}},
			}},
			{Path: "commands/remind.md",
				Text: "The user asked for a reminder by its name. Its text accompanies this message, " +
					"or comes with the next result of a tool.\n"},
		},
		After: []string{"Restart Cursor."},
		Reads: []string{"claude-code"},
	},
	Tools: []Tools{
		{Shell, "command", "Shell"},
		{Edit, "file_path", "Delete Edit Write"},
		{Read, "file_path", "Read"},
		{Search, "pattern", "Glob Grep"},
		{Web, "url", "WebFetch"},
		{Web, "query", "WebSearch"},
		{Todo, "", "TodoWrite"},
		{Task, "subagent_type", "Task"},
	},
	AllTools: true,
	Times:    true,
	Never:    never(modes, answers, cost, resumes),
	Rarely: map[fact.ID]string{
		fact.ContextUsage: cursorSizes, fact.ContextTokens: cursorSizes, fact.ContextWindow: cursorSizes,
	},
	Keeps: true,
}

// cursorSizes says when Cursor tells what the context holds.
const cursorSizes = "only the event before a compaction has it"

func readCursor(e *Event, o object, _ Input) {
	if e.Dir == "" {
		e.Dir = absolute(o.first("workspace_roots"))
	}
	if e.Cwd == "" {
		e.Cwd = absolute(o.first("workspace_roots"))
	}
	if len(e.Calls) > 0 {
		e.Calls[0].Took = o.took("duration")
	}
	switch e.Kind {
	case ToolResult: // its output is a string that holds JSON
		out := []byte(o.str("tool_output"))
		if _, ok := readObject(out); ok && len(e.Calls) > 0 {
			e.Calls[0].Output = out
		}
	case SubagentStart, SubagentStop:
		e.Agent, e.SubagentType = o.name("subagent_id"), o.name("subagent_type")
	case Stop: // loop_count is how often the conversation was kept from ending
		if n := o.count("loop_count"); n != nil && *n == 0 && o.name("status") == "completed" {
			e.Moment = fact.Stopping
		}
	case PreCompact:
		e.ContextTokens, e.ContextWindow = o.count("context_tokens"), o.count("context_window_size")
		percent := o.number("context_usage_percent")
		if percent != nil && (e.ContextTokens == nil || e.ContextWindow == nil) {
			*percent /= 100
			e.ContextUsage = percent
		}
	}
}

// cursorFailed reports whether a call failed, by its output, a string that holds JSON. Any other output is
// no failure: for those Cursor has an event of its own.
func cursorFailed(event object) fact.Truth {
	o, ok := readObject([]byte(event.str("tool_output")))
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

// holdCursor keeps Cursor at work: it submits the text as the next message of the user.
func holdCursor(_ Event, text string) []byte {
	return encode(struct {
		Message string `json:"followup_message"`
	}{text})
}

// quietCursor answers a prompt with leave to go on, and other events with nothing.
func quietCursor(e Event) []byte {
	if e.Kind != UserPrompt {
		return nil
	}
	return []byte(`{"continue":true}`)
}
