package modelapi

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

const interactionsKeys = "model agent agent_config background cached_content continuation_token " +
	"environment generation_config input labels previous_interaction_id response_format response_mime_type " +
	"response_modalities safety_settings service_tier store stream system_instruction tools webhook_config"

// stepTypes are the types of steps that a client may send.
var stepTypes = []string{"user_input", "model_output", "thought", "function_call", "function_result",
	"code_execution_call", "code_execution_result", "google_search_call", "google_search_result",
	"url_context_call", "url_context_result", "file_search_call", "file_search_result"}

func readInteractions(p *Prompt, body *node) *Refusal {
	bad := refusals(Interactions).bad
	if k := body.unknown(interactionsKeys); k != "" {
		return bad(UnknownKey, "Invalid JSON payload received. Unknown name \"%s\": Cannot find field.", k)
	}
	if p.Model == "" && body.str("agent") == "" {
		return bad(BadShape, "One of 'model' or 'agent' is required.")
	}
	p.Stream = body.yes("stream")
	p.earlier = body.str("previous_interaction_id") != ""
	p.chain = chain{previous: body.str("previous_interaction_id"), keep: !body.get("store").is('f')}
	readTools(p, body)
	if s := body.str("system_instruction"); s != "" {
		p.System = []Block{TextBlock(s)}
	}
	in := body.get("input")
	switch {
	case in.is('"'):
		b := TextBlock(in.text)
		b.Path = "input"
		p.Messages = []Message{{Role: "user", Blocks: []Block{b}, Path: "input"}}
	case in.is('[') && len(in.items) > 0 && !slices.Contains(stepTypes, in.items[0].str("type")):
		blocks, no := openaiContent(Interactions, in, "input")
		p.Messages = []Message{{Role: "user", Blocks: blocks, Path: "input"}}
		return no
	case in.is('['):
		for i, it := range in.items {
			m, no := readStep(it, fmt.Sprintf("input[%d]", i))
			if no != nil {
				return no
			}
			p.Messages = append(p.Messages, m)
		}
	default:
		return bad(BadShape, "'input' is required.")
	}
	return nil
}

func readStep(it *node, path string) (Message, *Refusal) {
	bad := refusals(Interactions).bad
	m := Message{Role: "assistant", Path: path}
	raw := it.compact("signature")
	switch typ := it.str("type"); {
	case !slices.Contains(stepTypes, typ):
		return m, bad(BadShape, "Invalid value at '%s.type': '%s'.", path, typ)
	case typ == "user_input" || typ == "model_output":
		if c := it.get("content"); !c.is('[') || len(c.items) == 0 {
			return m, bad(BadShape, "'%s.content' must be a list that is not empty.", path)
		}
		blocks, no := openaiContent(Interactions, it.get("content"), path+".content")
		if m.Blocks = blocks; typ == "user_input" {
			m.Role = "user"
		}
		return m, no
	case typ == "function_call":
		if it.str("id") == "" || !it.get("arguments").is('{') {
			return m, bad(BadShape, "'%s' must have an id and arguments.", path)
		}
		m.Blocks = []Block{call(it.str("id"), it.str("name"), it.get("arguments").compact())}
	case typ == "function_result":
		var inner []Block
		switch r := it.get("result"); {
		case it.str("call_id") == "" || r == nil:
			return m, bad(BadShape, "'%s' must have a call_id and a result.", path)
		case r.is('{'):
			inner = []Block{{Text: texts(r), Raw: r.compact(), Bytes: len(r.compact())}}
		default:
			var no *Refusal
			if inner, no = openaiContent(Interactions, r, path+".result"); no != nil {
				return m, no
			}
		}
		m.Role, m.Blocks = "tool", []Block{result(it.str("call_id"), inner)}
	case typ == "thought":
		m.Blocks = []Block{{Kind: Thinking, Raw: raw, Bytes: len(raw), Path: path}}
	case strings.HasSuffix(typ, "_call"):
		m.Blocks = []Block{{Kind: ServerUse, Raw: raw, Bytes: len(raw), Path: path}}
	default:
		m.Blocks = []Block{{Kind: ServerResult, Raw: raw, Bytes: len(raw), Path: path}}
	}
	return m, nil
}

// checkInteractions refuses calls and results that do not match by id, and input that ends with the model.
func checkInteractions(p *Prompt) *Refusal {
	bad := refusals(Interactions).bad
	var calls, results []string
	for _, m := range p.Messages {
		calls, results = append(calls, m.ids(ToolUse)...), append(results, m.ids(ToolResult)...)
	}
	for _, id := range results {
		if !p.earlier && !slices.Contains(calls, id) {
			return bad(OutputUnmatched, "There is no function_call with the id '%s'.", id)
		}
	}
	for _, id := range calls {
		if !slices.Contains(results, id) {
			return bad(OutputMissing, "There is no function_result for '%s'.", id)
		}
	}
	if p.Messages[len(p.Messages)-1].Role == "assistant" {
		return bad(EndsWithModel, "The input must not end with a step of the model.")
	}
	return nil
}

func interactionsUsage(u Usage) json.RawMessage {
	return obj("total_input_tokens", u.Prompt, "total_cached_tokens", u.Read,
		"total_output_tokens", u.Output-u.Reasoning, "total_thought_tokens", u.Reasoning,
		"total_tokens", u.Prompt+u.Output)
}

// interactionID returns the id of the interaction that answers a request.
func interactionID(id string) string { return "v1_" + id }

func interactionBody(p *Prompt, a Answer, steps bool) json.RawMessage {
	status := "completed"
	if a.Reply.calls() {
		status = "requires_action"
	}
	pairs := []any{"id", interactionID(a.ID), "object", "interaction", "status", status, "model", p.Model,
		"created", "2026-11-01T00:00:00Z", "usage", interactionsUsage(a.Usage)}
	if steps {
		list := []json.RawMessage{}
		for _, x := range a.Reply.Parts {
			list = append(list, interactionStep(x, true))
		}
		pairs = append(pairs, "steps", arr(list...))
	}
	return obj(pairs...)
}

// interactionStep writes a part of an answer as a step; whole says whether with what comes in pieces.
func interactionStep(x Part, whole bool) json.RawMessage {
	switch {
	case x.Call != nil:
		args := "{}"
		if whole {
			args = x.Call.Args
		}
		return obj("type", "function_call", "id", x.Call.ID, "name", x.Call.Name, "arguments",
			json.RawMessage(args))
	case x.Thinking != "":
		return obj("type", "thought", "signature", x.signature)
	case !whole:
		return obj("type", "model_output")
	}
	return obj("type", "model_output", "content", arr(obj("type", "text", "text", x.Text)))
}

func interactionsEvents(p *Prompt, a Answer) []event {
	var out []event
	put := func(name string, pairs ...any) {
		out = append(out, event{name, obj(append([]any{"event_type", name}, pairs...)...)})
	}
	put("interaction.created", "interaction", obj("id", interactionID(a.ID), "status", "in_progress",
		"model", p.Model))
	for i, x := range a.Reply.Parts {
		put("step.start", "index", i, "step", interactionStep(x, false))
		switch {
		case x.Call != nil:
			for _, s := range pieces(x.Call.Args) {
				put("step.delta", "index", i, "delta", obj("type", "arguments_delta", "arguments", s))
			}
		case x.Thinking == "":
			for _, s := range pieces(x.Text) {
				put("step.delta", "index", i, "delta", obj("type", "text", "text", s))
			}
		}
		put("step.stop", "index", i)
	}
	put("interaction.completed", "interaction", interactionBody(p, a, false))
	return append(out, event{"done", json.RawMessage("[DONE]")})
}
