package agent

import (
	_ "embed"
	"strings"

	"github.com/aside-go/aside/compile/fact"
)

// shimProtocol is the name of the protocol that aside's own plugins speak (agents/opencode.js, agents/pi.js).
const shimProtocol = "aside-shim/1"

func readOpencode(e *Event, o object, _ Input) {
	if o.name("protocol") != shimProtocol {
		e.Kind, e.CanInject = Unknown, false
		return
	}
	if _, model, ok := strings.Cut(e.Model, "/"); ok { // without the provider
		e.Model = model
	}
	if e.Kind == ModelRequest {
		e.Ephemeral = true
		e.TurnKey, e.SubagentType = o.name("prompt_id"), o.name("thread_type")
		if text := o.text("prompt"); text != "" {
			e.setPrompt(text)
			if e.Manual == "" { // "opencode run" puts quotes around an argument with a blank
				e.Manual = Reminded(strings.TrimPrefix(strings.TrimSpace(text), `"`))
			}
		}
		if e.SubagentType != "" && e.SubagentType != "root" { // the task of a subagent
			e.Human, e.Manual = fact.False, ""
		}
		decodeShim(e, o)
	}
}

// decodeShim reads what has happened since the model request before.
func decodeShim(e *Event, o object) {
	tools := o.objects("tools")
	if len(tools) == 0 && o.has("last_tool") {
		tools = []object{o.object("last_tool")}
	}
	for _, t := range tools {
		e.addCall(Call{Name: t.name("name"), ID: t.name("id"), Failed: t.truth("failed"),
			Input: t.find([]string{"input"}, anObject), Output: t.find([]string{"output"}, aString),
			Took: t.took("duration_ms")})
	}
	e.Failed = anyFailed(e.Calls)
	e.UserTurns, e.ContextWindow = o.count("turn_count"), o.count("context_limit")
	e.Resumed = o.truth("resumed") == fact.True
	tokens := o.object("tokens")
	e.ContextTokens = tokens.total("input", "cache_read", "cache_write")
	e.ResponseTokens, e.Response = tokens.total("output", "reasoning"), o.name("response_id")
	if e.Compacted = o.truth("compacted") == fact.True; e.Compacted {
		e.Reset = usageReset
	}
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
