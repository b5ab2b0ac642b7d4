package modelapi

import "encoding/json"

func anthropicUsage(u Usage, output int) json.RawMessage {
	return obj("input_tokens", u.Plain(), "cache_creation_input_tokens", u.Write,
		"cache_read_input_tokens", u.Read,
		"cache_creation", obj("ephemeral_5m_input_tokens", u.Write-u.Hour, "ephemeral_1h_input_tokens", u.Hour),
		"output_tokens", output, "output_tokens_details", obj("thinking_tokens",
			min(u.Reasoning, output)), "service_tier", "standard")
}

func anthropicMessage(p *Prompt, a Answer, content json.RawMessage, stop any,
	usage json.RawMessage) json.RawMessage {
	pairs := []any{"id", "msg_" + a.ID, "type", "message", "role", "assistant", "model", p.Model,
		"content", content,
		"stop_reason", stop, "stop_sequence", nil, "usage", usage}
	if a.Transformations != nil {
		pairs = append(pairs, "input_transformations", a.Transformations)
	}
	return obj(pairs...)
}

func anthropicStop(a Answer) string {
	if a.Reply.calls() {
		return "tool_use"
	}
	return "end_turn"
}

func anthropicBody(p *Prompt, a Answer) json.RawMessage {
	var content []json.RawMessage
	for _, x := range a.Reply.Parts {
		content = append(content, x.Block())
	}
	return anthropicMessage(p, a, arr(content...), anthropicStop(a), anthropicUsage(a.Usage, a.Usage.Output))
}

// Block returns the part as a block of Anthropic's: of an answer, signed.
func (x Part) Block() json.RawMessage {
	switch {
	case x.Call != nil:
		return obj("type", "tool_use", "id", x.Call.ID, "name", x.Call.Name, "input", json.RawMessage(x.Call.Args))
	case x.Thinking != "":
		return obj("type", "thinking", "thinking", x.Thinking, "signature", x.signature)
	}
	return obj("type", "text", "text", x.Text)
}

// anthropicEvents returns message_start; for each block its start, deltas and stop; then message_delta, whose
// usage is that of the whole message, and message_stop.
func anthropicEvents(p *Prompt, a Answer) []event {
	out := []event{{"message_start", obj("type", "message_start", "message", anthropicMessage(p, a,
		arr[string](), nil, anthropicUsage(a.Usage, 1)))}}
	for i, x := range a.Reply.Parts {
		start, deltas := obj("type", "text", "text", ""), []json.RawMessage{}
		switch {
		case x.Call != nil:
			start = obj("type", "tool_use", "id", x.Call.ID, "name", x.Call.Name, "input", obj())
			for _, s := range append([]string{""}, pieces(x.Call.Args)...) {
				deltas = append(deltas, obj("type", "input_json_delta", "partial_json", s))
			}
		case x.Thinking != "":
			start = obj("type", "thinking", "thinking", "", "signature", "")
			for _, s := range pieces(x.Thinking) {
				deltas = append(deltas, obj("type", "thinking_delta", "thinking", s))
			}
			deltas = append(deltas, obj("type", "signature_delta", "signature", x.signature))
		default:
			for _, s := range pieces(x.Text) {
				deltas = append(deltas, obj("type", "text_delta", "text", s))
			}
		}
		out = append(out, event{"content_block_start", obj("type", "content_block_start", "index", i,
			"content_block", start)})
		if i == 0 {
			out = append(out, event{"ping", obj("type", "ping")})
		}
		for _, d := range deltas {
			out = append(out, event{"content_block_delta", obj("type", "content_block_delta", "index", i, "delta", d)})
		}
		out = append(out, event{"content_block_stop", obj("type", "content_block_stop", "index", i)})
	}
	return append(out,
		event{"message_delta", obj("type", "message_delta", "delta", obj("stop_reason", anthropicStop(a),
			"stop_sequence", nil), "usage", anthropicUsage(a.Usage, a.Usage.Output))},
		event{"message_stop", obj("type", "message_stop")})
}
