package modelapi

import "encoding/json"

// created stands in for the time, since no fake reads a clock.
const created = 1_700_000_000

func chatUsage(u Usage) json.RawMessage {
	return obj("prompt_tokens", u.Prompt, "completion_tokens", u.Output, "total_tokens", u.Prompt+u.Output,
		"prompt_tokens_details", obj("cached_tokens", u.Read, "cache_write_tokens", u.Write),
		"completion_tokens_details", obj("reasoning_tokens", u.Reasoning))
}

func chatStop(a Answer) string {
	if a.Reply.calls() {
		return "tool_calls"
	}
	return "stop"
}

func chatBody(p *Prompt, a Answer) json.RawMessage {
	text, calls := "", []json.RawMessage{}
	for _, x := range a.Reply.Parts {
		text += x.Text
		if c := x.Call; c != nil {
			calls = append(calls, obj("id", c.ID, "type", "function", "function",
				obj("name", c.Name, "arguments", c.Args)))
		}
	}
	message := []any{"role", "assistant", "content", text, "refusal", nil}
	if text == "" {
		message[3] = nil
	}
	if len(calls) > 0 {
		message = append(message, "tool_calls", arr(calls...))
	}
	return obj("id", "chatcmpl-"+a.ID, "object", "chat.completion", "created", created, "model", p.Model,
		"choices", arr(obj("index", 0, "message", obj(message...), "finish_reason",
			chatStop(a))), "usage", chatUsage(a.Usage))
}

// chatEvents returns the chunks of a stream. The usage comes in a last chunk, which has no choices, and only
// if it was asked for.
func chatEvents(p *Prompt, a Answer) []event {
	chunk := func(choices json.RawMessage, more ...any) event {
		pairs := []any{"id", "chatcmpl-" + a.ID, "object", "chat.completion.chunk", "created", created, "model",
			p.Model, "choices", choices}
		if p.usage && len(more) == 0 {
			more = []any{"usage", nil}
		}
		return event{data: obj(append(pairs, more...)...)}
	}
	delta := func(d json.RawMessage) event {
		return chunk(arr(obj("index", 0, "delta", d, "finish_reason", nil)))
	}
	out := []event{delta(obj("role", "assistant", "content", "", "refusal", nil))}
	n := 0
	for _, x := range a.Reply.Parts {
		for _, s := range pieces(x.Text) {
			out = append(out, delta(obj("content", s)))
		}
		if c := x.Call; c != nil {
			out = append(out, delta(obj("tool_calls", arr(obj("index", n, "id", c.ID, "type", "function", "function",
				obj("name", c.Name, "arguments", ""))))))
			for _, s := range pieces(c.Args) {
				out = append(out, delta(obj("tool_calls", arr(obj("index", n, "function", obj("arguments", s))))))
			}
			n++
		}
	}
	out = append(out, chunk(arr(obj("index", 0, "delta", obj(), "finish_reason", chatStop(a)))))
	if p.usage {
		out = append(out, chunk(arr[string](), "usage", chatUsage(a.Usage)))
	}
	return append(out, event{data: json.RawMessage("[DONE]")})
}
