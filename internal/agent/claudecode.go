package agent

import (
	"cmp"
	"strings"

	"github.com/aside-go/aside/compile/fact"
)

// ModeZeroTurn is a mode of Claude Code's hooks: "/remind NAME" makes no model call, and the reminder goes
// out with the next event.
const ModeZeroTurn = "zero-turn"

func readClaudeCode(e *Event, o object, in Input) {
	e.Internal = e.Agent != "" && e.SubagentType == ""
	switch e.Kind {
	case UserPrompt:
		readClaudePrompt(e, o, in)
	case ToolResult, ToolFailed:
		e.Unless = ToolBatch
	case StatusLine:
		readStatus(e, o)
	}
	if e.Internal || e.Name == "PermissionDenied" {
		e.CanInject = false
	}
}

// readClaudePrompt reads who submitted a prompt: newer versions tell it by the member "source"; else the text
// tells.
func readClaudePrompt(e *Event, o object, in Input) {
	switch source := o.name("source"); source {
	case "user", "sdk":
		e.asked = ""
	case "system", "loop_wakeup", "schedule_wakeup", "poll_event":
		e.Human, e.PromptClass, e.Manual = fact.False, source, ""
	}
	if in.Mode == ModeZeroTurn && e.Manual != "" && e.Agent == "" {
		e.Arms, e.CanInject, e.Human = true, false, fact.False
	}
}

func identifyClaudeCode(q Request) (Thread, bool) {
	const header = "x-claude-code-session-id"
	run := q.Header(header)
	if run == "" {
		return Thread{}, false
	}
	t := Thread{Run: run, Source: header, Thread: q.Header("x-claude-code-agent-id"),
		Type: q.Header("x-claude-code-agent-type")}
	t.settle()
	return t, true
}

// spokeToClaudeCode reads the origin of the turn that Claude Code writes into the first block of its system
// prompt. In a tool round it is the origin of the turn that the round belongs to. So it can prove that no
// person has spoken, but not that a person has.
func spokeToClaudeCode(q Request) fact.Truth {
	if !q.Person() {
		return fact.Unknown
	}
	billing, ok := strings.CutPrefix(q.System(), "x-anthropic-billing-header:")
	if !ok {
		return fact.Unknown
	}
	_, origin, _ := strings.Cut(billing, "cc_turn_origin=")
	origin, _, _ = strings.Cut(origin, ";")
	switch strings.TrimSpace(origin) {
	case "", "human", "user", "sdk":
		return fact.Unknown
	}
	return fact.False
}

// StatusEvent is the name under which the hooks of Claude Code get the text that Claude Code writes to its
// status line's command. Claude Code itself has no such event.
const StatusEvent = "StatusLine"

// StatusAgent is the agent whose status line it is.
const StatusAgent = "claude-code"

// ReadStatusLine returns the model that a status line's stdin names, and how full its context is in
// percent; "" and nil where that is not known.
func ReadStatusLine(stdin []byte) (model string, percent *float64) {
	o, _ := readObject(stdin)
	model = cmp.Or(o.object("model").name("display_name"), o.object("model").name("id"))
	window := o.object("context_window")
	if percent = window.number("used_percentage"); percent == nil {
		if used, size := statusTokens(window), window.count("context_window_size"); used != nil &&
			size != nil && *size > 0 {
			p := float64(*used) / float64(*size) * 100
			percent = &p
		}
	}
	return model, percent
}

// readStatus reads what Claude Code writes to its status line's command.
func readStatus(e *Event, o object) {
	e.Model = o.object("model").name("id")
	window := o.object("context_window")
	e.ContextTokens, e.ContextWindow = statusTokens(window), window.count("context_window_size")
	if e.ContextWindow != nil && *e.ContextWindow == 0 {
		e.ContextWindow = nil
	}
}

// statusTokens returns how many tokens the last request had, nil before the first request and after a
// compaction.
func statusTokens(window object) *int64 {
	return window.object("current_usage").total("input_tokens", "cache_creation_input_tokens",
		"cache_read_input_tokens")
}
