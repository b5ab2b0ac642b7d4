package modelapi

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
)

func responsesUsage(u Usage) json.RawMessage {
	return obj("input_tokens", u.Prompt, "input_tokens_details", obj("cached_tokens", u.Read,
		"cache_write_tokens", u.Write),
		"output_tokens", u.Output, "output_tokens_details", obj("reasoning_tokens",
			u.Reasoning), "total_tokens", u.Prompt+u.Output)
}

func responsesBody(p *Prompt, a Answer, status string) json.RawMessage {
	items, object := []json.RawMessage{}, "response"
	usage := json.RawMessage("null")
	if p.cuts {
		items = append(items, obj("type", "compaction", "id", "cmp_"+a.ID, "encrypted_content",
			base64.StdEncoding.EncodeToString([]byte("what was said up to the response "+a.ID))))
		object = "response.compaction"
	}
	if status == "completed" {
		for i, x := range a.Reply.Parts {
			items = append(items, responsesPart(x, fmt.Sprintf("%s_%d", a.ID, i), status))
		}
		usage = responsesUsage(a.Usage)
	}
	var previous any
	if p.chain.previous != "" {
		previous = p.chain.previous
	}
	return obj("id", "resp_"+a.ID, "object", object, "created_at", created, "status", status, "error", nil,
		"incomplete_details", nil,
		"model", p.Model, "output", arr(
			items...), "previous_response_id", previous, "store", p.chain.keep, "usage", usage)
}

func outputText(s string) json.RawMessage {
	return obj("type", "output_text", "text", s, "annotations", arr[string]())
}

// itemID returns the id of the item that a part of an answer is.
func itemID(x Part, id string) string {
	switch {
	case x.Call != nil:
		return "fc_" + id
	case x.Thinking != "":
		return "rs_" + id
	default:
		return "msg_" + id
	}
}

func responsesPart(x Part, id, status string) json.RawMessage {
	done := status == "completed"
	switch {
	case x.Call != nil:
		args := ""
		if done {
			args = x.Call.Args
		}
		return obj("type", "function_call", "id", itemID(x, id), "call_id", x.Call.ID, "name",
			x.Call.Name, "arguments",
			args, "status", status)
	case x.Thinking != "":
		return obj("type", "reasoning", "id", itemID(x, id), "summary", arr[string](),
			"encrypted_content", x.signature)
	}
	content := arr[string]()
	if done {
		content = arr(outputText(x.Text))
	}
	return obj("type", "message", "id", itemID(x, id), "role", "assistant", "status", status, "content", content)
}

// responsesEvents returns the events of a stream, numbered. The usage comes in the last one.
func responsesEvents(p *Prompt, a Answer) []event {
	var out []event
	put := func(name string, pairs ...any) {
		out = append(out, event{name, obj(append([]any{"type", name, "sequence_number", len(out)}, pairs...)...)})
	}
	put("response.created", "response", responsesBody(p, a, "in_progress"))
	put("response.in_progress", "response", responsesBody(p, a, "in_progress"))
	for i, x := range a.Reply.Parts {
		id := fmt.Sprintf("%s_%d", a.ID, i)
		put("response.output_item.added", "output_index", i, "item", responsesPart(x, id, "in_progress"))
		switch {
		case x.Call != nil:
			for _, s := range pieces(x.Call.Args) {
				put("response.function_call_arguments.delta", "item_id", "fc_"+id, "output_index", i, "delta", s)
			}
			put("response.function_call_arguments.done", "item_id", "fc_"+id, "output_index", i,
				"arguments", x.Call.Args)
		case x.Thinking != "":
		default:
			at := []any{"item_id", "msg_" + id, "output_index", i, "content_index", 0}
			with := func(more ...any) []any { return append(at[:len(at):len(at)], more...) }
			put("response.content_part.added", with("part", outputText(""))...)
			for _, s := range pieces(x.Text) {
				put("response.output_text.delta", with("delta", s)...)
			}
			put("response.output_text.done", with("text", x.Text)...)
			put("response.content_part.done", with("part", outputText(x.Text))...)
		}
		put("response.output_item.done", "output_index", i, "item", responsesPart(x, id, "completed"))
	}
	put("response.completed", "response", responsesBody(p, a, "completed"))
	return out
}
