package modelapi

import (
	"fmt"
	"slices"
	"strings"
)

const responsesKeys = "model input instructions access_programs background client_metadata " +
	"context_management " +
	"conversation include max_output_tokens max_tool_calls metadata moderation " +
	"parallel_tool_calls previous_response_id prompt prompt_cache_key prompt_cache_options " +
	"prompt_cache_retention reasoning safety_identifier service_tier " +
	"store stream stream_options temperature text tool_choice tools top_logprobs top_p truncation user"

func readResponses(p *Prompt, body *node) *Refusal {
	bad := refusals(Responses).bad
	if k := body.unknown(responsesKeys); k != "" {
		return bad(UnknownKey, "Unknown parameter: '%s'.", k)
	}
	if p.Model == "" {
		return bad(BadShape, "Missing required parameter: 'model'.")
	}
	p.Stream = body.yes("stream")
	p.earlier = body.get("previous_response_id", "conversation") != nil
	p.chain = chain{previous: body.str("previous_response_id"), conversation: body.str("conversation") +
		body.get("conversation").str("id"), keep: !body.get("store").is('t') || body.yes("store")}
	p.Explicit = body.get("prompt_cache_options").str("mode") == "explicit"
	readTools(p, body)
	if in := body.str("instructions"); in != "" {
		p.System = []Block{TextBlock(in)}
	}
	switch in := body.get("input"); {
	case in.is('"'):
		b := TextBlock(in.text)
		b.Path = "input"
		p.Messages = []Message{{Role: "user", Blocks: []Block{b}, Path: "input"}}
	case in.is('['):
		for i, it := range in.items {
			m, no := responsesItem(it, fmt.Sprintf("input[%d]", i))
			if no != nil {
				return no
			}
			p.Messages = append(p.Messages, m)
		}
	case in == nil && p.cuts && p.chain.previous != "":
	default:
		return bad(BadShape, "Missing required parameter: 'input'.")
	}
	return nil
}

func responsesItem(it *node, path string) (Message, *Refusal) {
	bad := refusals(Responses).bad
	m := Message{Role: it.str("role"), Path: path}
	typ := it.str("type")
	raw := it.compact("id", "status")
	switch {
	case typ == "message" || typ == "" && m.Role != "":
		if !slices.Contains([]string{"user", "system", "developer", "assistant"}, m.Role) {
			return m, bad(BadShape, "Invalid value: '%s'. Supported values are: 'assistant', 'system', 'developer', "+
				"and 'user'.", m.Role)
		}
		blocks, no := openaiContent(Responses, it.get("content"), path+".content")
		if no == nil && blocks == nil {
			no = bad(BadShape, "Missing required parameter: '%s.content'.", path)
		}
		m.Blocks = blocks
		return m, no
	case typ == "":
		return m, bad(BadShape, "Missing required parameter: '%s.type'.", path)
	case strings.HasSuffix(typ, "_output"):
		inner, no := openaiContent(Responses, it.get("output"), path+".output")
		if no != nil {
			inner = []Block{{Raw: raw, Bytes: len(raw)}}
		}
		if it.str("call_id") == "" {
			return m, bad(BadShape, "Missing required parameter: '%s.call_id'.", path)
		}
		m.Role, m.Blocks = "tool", []Block{result(it.str("call_id"), inner)}
	case typ == "item_reference":
		if it.str("id") == "" {
			return m, bad(BadShape, "Missing required parameter: '%s.id'.", path)
		}
		m.Role, m.Blocks = "assistant", []Block{{Kind: Reference, ID: it.str("id"), Path: path}}
	case typ == "reasoning":
		b := Block{Kind: Thinking, ID: it.str("id"), Raw: raw, Bytes: len(raw), Path: path}
		for _, s := range it.list("summary") {
			b.Text += s.str("text")
		}
		m.Role, m.Blocks = "assistant", []Block{b}
	case it.str("call_id") != "":
		m.Role, m.Blocks = "assistant", []Block{call(it.str("call_id"), it.str("name"),
			it.str("arguments", "input")+it.get("action").compact())}
	case strings.HasSuffix(typ, "_call"), typ == "compaction":
		m.Role, m.Blocks = "assistant", []Block{{Kind: ServerUse, Raw: raw, Bytes: len(raw), Path: path}}
	default:
		m.Role, m.Blocks = "user", []Block{{Raw: raw, Bytes: len(raw), Path: path}}
	}
	return m, nil
}

// checkResponses refuses calls and outputs that do not match by call_id. Positions do not count: messages may
// stand between a call and its output.
func checkResponses(p *Prompt) *Refusal {
	bad := refusals(Responses).bad
	calls, outputs := []string{}, []string{}
	for i, m := range p.Messages {
		calls = append(calls, m.ids(ToolUse)...)
		outputs = append(outputs, m.ids(ToolResult)...)
		if m.Role == "assistant" && m.has(Thinking) && (i == len(p.Messages)-1 ||
			p.Messages[i+1].Role != "assistant") {
			return bad(ReasoningAlone,
				"Item '%s' of type 'reasoning' was provided without its required following item.", m.Blocks[0].ID)
		}
		for _, id := range m.ids(ToolResult) {
			if !p.earlier && !slices.Contains(calls, id) {
				return bad(OutputUnmatched, "No tool call found for function call output with call_id %s.", id)
			}
		}
	}
	for _, id := range calls {
		if !slices.Contains(outputs, id) {
			return bad(OutputMissing, "No tool output found for function call %s.", id)
		}
	}
	return nil
}
