package agent

import (
	"cmp"
	"strings"

	"github.com/aside-go/aside/compile/fact"
)

// code is what the descriptions of agents cannot say. Agents that need more of it than a function or two have
// a file of their own.
var code = map[string]func(*Agent){
	"antigravity": func(a *Agent) { a.Read = readAntigravity },
	"claude-code": func(a *Agent) {
		a.Read, a.Identify, a.Spoke = readClaudeCode, identifyClaudeCode, spokeToClaudeCode
	},
	"cline": func(a *Agent) { a.Read, a.Failed = readCline, clineFailed },
	"codex": func(a *Agent) { a.Identify = identifyCodex },
	"copilot": func(a *Agent) {
		a.Read, a.Failed, a.Identify, a.Spoke = readCopilot, copilotFailed, identifyCopilot, spokeToCopilot
	},
	"cursor":    func(a *Agent) { a.Read, a.Failed = readCursor, cursorFailed },
	"gemini":    func(a *Agent) { a.Read, a.Failed, a.Compose = readGemini, geminiFailed, composeGemini },
	"goose":     func(a *Agent) { a.Read = readGoose },
	"grok":      func(a *Agent) { a.Read = readGrok },
	"kimi-code": func(a *Agent) { a.Read = readKimiCode },
	"opencode":  func(a *Agent) { a.Read, a.Identify = readOpencode, identifyOpencode },
	"qwen":      func(a *Agent) { a.Read = readQwen },
	"windsurf":  func(a *Agent) { a.Read = readWindsurf },
}

// readAntigravity reads that the first request of a user turn follows a person's message, whose text no event
// has.
func readAntigravity(e *Event, o object, _ Input) {
	e.Ephemeral = e.Kind == ModelRequest
	if n := o.count("invocation_num"); n != nil && e.Ephemeral {
		e.Human = fact.Of(*n == 0)
	}
}

func readCline(e *Event, o object, _ Input) {
	if o.name("parent_agent_id") != "" { // a subagent has a task of its own
		e.Agent, e.SubagentType = o.name("agent_id"), "subagent"
	}
	if e.Kind == SessionStart {
		e.Resumed = strings.HasSuffix(strings.ToLower(e.Name), "resume")
		e.Source = map[bool]string{false: "startup", true: "resume"}[e.Resumed]
	}
}

// clineFailed reports whether a call failed. Where one of its commands, or of its files, failed, it is a
// success to Cline itself.
func clineFailed(o object) fact.Truth {
	result := o.object("tool_result")
	for _, part := range result.objects("output") {
		if part.truth("success") == fact.False || part.has("error") {
			return fact.True
		}
	}
	if result.has("error") {
		return fact.True
	}
	return o.object("post_tool_use").truth("success").Not()
}

// codexMetadata is a header with a JSON object; the body may hold the object in its place.
const codexMetadata = "x-codex-turn-metadata"

// identifyCodex reads the ids that Codex sends in headers and again in the body's client_metadata.
func identifyCodex(q Request) (Thread, bool) {
	meta := func(name string) string { return q.Member(codexMetadata, name) }
	own := cmp.Or(q.Header("thread-id"), meta("thread_id"), q.ID("client_metadata.thread_id"))
	if own == "" && meta("session_id") == "" && meta("request_kind") == "" {
		return Thread{}, false // other clients have a session-id and request ids too
	}
	thread := cmp.Or(q.Header("thread-id"), q.Header("x-client-request-id"), own)
	t := Thread{Run: q.Header("session-id"), Source: "session-id"}
	if t.Run == "" {
		t.Run = cmp.Or(meta("session_id"), q.ID("client_metadata.session_id"))
		t.Source = "client_metadata.session_id"
	}
	if t.Run == "" {
		t.Run, t.Source = q.ID("prompt_cache_key"), "prompt_cache_key"
	}
	if t.Run == "" {
		return Thread{}, false
	}
	t.Turn = cmp.Or(meta("turn_id"), q.ID("client_metadata.turn_id"))
	t.Begun = meta("history_initialization")
	t.Window = cmp.Or(q.Header("x-codex-window-id"), meta("window_id"))
	kind := cmp.Or(q.Header("x-openai-subagent"), meta("subagent_kind"))
	if thread != t.Run || kind != "" || meta("thread_source") == "subagent" ||
		q.Header("x-codex-parent-thread-id") != "" {
		t.Thread, t.Type = cmp.Or(thread, "subagent"), kind
	}
	t.settle()
	return t, true
}

func readCursor(e *Event, o object, _ Input) {
	switch e.Kind {
	case ToolResult: // its output is a string that holds JSON
		out := []byte(o.str("tool_output"))
		if _, ok := readObject(out); ok && len(e.Calls) > 0 {
			e.Calls[0].Output = out
		}
	case Stop: // loop_count is how often the conversation was kept from ending
		if n := o.count("loop_count"); n != nil && *n == 0 && o.name("status") == "completed" {
			e.Moment = fact.Stopping
		}
	case PreCompact:
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

// readGoose has texts go into a file that Goose reads for each model call, and does not keep.
func readGoose(e *Event, _ object, in Input) {
	switch e.Kind {
	case UserPrompt, ToolResult, ToolFailed, Stop:
		e.Ephemeral, e.File = e.Kind != Stop, absolute(in.variable("GOOSE_MOIM_MESSAGE_FILE"))
	}
}

// readGrok passes over the Stop at the end of a session, of which the answer is ignored. A subagent has a
// session of its own.
func readGrok(e *Event, o object, _ Input) {
	if e.SubagentType = o.name("subagent_type"); e.SubagentType != "" {
		e.Agent = e.Session
	}
	switch reason := o.name("reason"); {
	case e.Kind == SessionStart && e.Source == "load":
		e.Source, e.Resumed = "resume", true
	case e.Name == "Stop" && reason != "" && reason != "end_turn":
		e.Kind = Unknown
	}
}

func readKimiCode(e *Event, o object, _ Input) {
	if origin := o.name("origin_kind"); e.Kind == UserPrompt && origin != "" && origin != "user" {
		e.CanInject, e.Human, e.PromptClass, e.Manual, e.asked = false, fact.False, origin, "", ""
	}
}

// readQwen reads who submitted a prompt. The event also comes after each round of tools, where an
// answer would become a message of its own. Only submitted_prompt says that a person wrote the prompt.
func readQwen(e *Event, o object, _ Input) {
	if e.Kind != UserPrompt {
		return
	}
	submitted := o.text("submitted_prompt")
	if submitted == "" || e.Agent != "" {
		e.Human, e.Manual, e.asked, e.CanInject = fact.False, "", "", false
		return
	}
	e.asked = submitted
	if name := Reminded(submitted); name != "" {
		e.Manual = name
	}
}

// readWindsurf names a call after the kind of action, where the event names no tool.
func readWindsurf(e *Event, _ object, _ Input) {
	_, action, _ := strings.Cut(e.Name, "_")
	if len(e.Calls) == 0 && (e.Kind == ToolCall || e.Kind == ToolResult) {
		e.addCall(Call{Name: action, Failed: fact.Unknown})
	}
}
