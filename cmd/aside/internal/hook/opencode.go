package hook

import (
	"strings"

	"github.com/aside-go/aside/compile/fact"
)

// shimProtocol is the name of the protocol that aside's own plugin for opencode speaks (opencode/plugin.js).
const shimProtocol = "aside-shim/1"

// opencode is opencode (HOOKS.md §12), by way of aside's plugin. What is due goes into one request and is not kept.
var opencode = Dialect{
	Agent:    "opencode",
	Failures: true,
	Threads:  false, // the plugin sends thread_type itself
	Decode:   decodeOpencode,
	Encode:   encodeOpencode,
}

func decodeOpencode(in Input) Event {
	e, o, ok := decodeCommon(in)
	if !ok || o.name("protocol") != shimProtocol {
		return e
	}
	if _, model, ok := strings.Cut(e.Model, "/"); ok { // without the provider
		e.Model = model
	}
	switch e.Name {
	case "model_request":
		e.Kind, e.CanInject, e.Ephemeral = ModelRequest, true, true
		e.TurnKey, e.SubagentType = o.name("prompt_id"), o.name("thread_type")
		if text := o.text("prompt"); text != "" {
			e.setPrompt(text)
			if e.Manual == "" { // "opencode run" puts quotes around an argument with a blank
				e.Manual = reminded(strings.TrimPrefix(strings.TrimSpace(text), `"`))
			}
		}
		if e.SubagentType != "" && e.SubagentType != "root" { // the task of a subagent
			e.Human, e.Manual = fact.False, ""
		}
		decodeShim(&e, o)
	case "command":
		e.Kind, e.Manual = PromptExpansion, remindName(o.str("arguments"))
	}
	return e
}

// decodeShim reads what has happened since the model request before.
func decodeShim(e *Event, o object) {
	tools := o.objects("tools")
	if len(tools) == 0 && o.has("last_tool") {
		tools = []object{o.object("last_tool")}
	}
	for _, t := range tools {
		e.addTool(t.name("name"), t.name("id"), t.truth("failed"))
	}
	e.Failed = anyFailed(e.Tools)
	e.UserTurns, e.ContextWindow = o.count("turn_count"), o.count("context_limit")
	tokens := o.object("tokens")
	e.ContextTokens = total(tokens, "input", "cache_read", "cache_write")
	e.ResponseTokens, e.Response = total(tokens, "output", "reasoning"), o.name("response_id")
	if e.Compacted = o.truth("compacted") == fact.True; e.Compacted {
		e.Reset = usageReset
	}
}

// total returns the sum of the counts that are there, nil where that is 0: no request takes 0 tokens.
func total(o object, names ...string) *int64 {
	var sum int64
	for _, name := range names {
		if n := o.count(name); n != nil {
			sum += *n
		}
	}
	if sum == 0 {
		return nil
	}
	return &sum
}

func encodeOpencode(e Event, text string) []byte {
	if !e.CanInject {
		return nil
	}
	type reminder struct {
		Text string `json:"text"`
	}
	return encode(struct {
		Protocol  string     `json:"protocol"`
		Reminders []reminder `json:"reminders"`
	}{shimProtocol, []reminder{{text}}})
}
