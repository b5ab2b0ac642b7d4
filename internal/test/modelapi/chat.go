package modelapi

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

const chatKeys = "model messages audio frequency_penalty function_call functions logit_bias logprobs " +
	"max_completion_tokens max_tokens metadata modalities moderation n " +
	"parallel_tool_calls prediction presence_penalty prompt_cache_key prompt_cache_options " +
	"prompt_cache_retention reasoning_effort response_format " +
	"safety_identifier seed service_tier stop store stream stream_options temperature tool_choice tools " +
	"top_logprobs top_p user verbosity web_search_options"

var chatRoles = []string{"developer", "system", "user", "assistant", "tool", "function"}

func readChat(p *Prompt, body *node) *Refusal {
	bad := refusals(Chat).bad
	if k := body.unknown(chatKeys); k != "" {
		return bad(UnknownKey, "Unrecognized request argument supplied: %s", k)
	}
	if p.Model == "" {
		return bad(BadShape, "you must provide a model parameter")
	}
	ms := body.get("messages")
	if !ms.is('[') {
		return bad(BadShape, "Missing required parameter: 'messages'.")
	}
	if len(ms.items) == 0 {
		return bad(BadShape, "Invalid 'messages': empty array. Expected an array with minimum length "+
			"1, but got an "+
			"empty array instead.")
	}
	p.Stream = body.yes("stream")
	p.usage = body.get("stream_options").yes("include_usage")
	p.Explicit = body.get("prompt_cache_options").str("mode") == "explicit"
	readTools(p, body)
	for i, m := range ms.items {
		msg := Message{Role: m.str("role"), Path: fmt.Sprintf("messages.[%d]", i)}
		at := fmt.Sprintf("messages[%d]", i)
		if !slices.Contains(chatRoles, msg.Role) {
			return bad(BadShape, "Invalid value: '%s'. Supported values are: 'system', 'assistant', 'user', "+
				"'function', 'tool', and 'developer'.", msg.Role)
		}
		content, no := openaiContent(Chat, m.get("content"), at+".content")
		if no != nil {
			return no
		}
		if msg.Role == "tool" || msg.Role == "function" {
			content = []Block{result(cmp.Or(m.str("tool_call_id"), m.str("name")), content)}
		}
		msg.Blocks = content
		if said := m.str("reasoning_content"); said != "" {
			msg.Blocks = append([]Block{{Kind: Thinking, Text: said, Raw: "reasoning " + said, Bytes: len(said)}},
				msg.Blocks...)
		}
		for _, c := range m.list("tool_calls") {
			f := c.get("function")
			if f == nil {
				f = c.get("custom")
			}
			msg.Blocks = append(msg.Blocks, call(c.str("id"), f.str("name"), f.str("arguments", "input")))
		}
		if len(msg.Blocks) == 0 && (msg.Role != "assistant" || m.get("function_call", "refusal", "audio") == nil) ||
			msg.Role == "tool" && m.get("content") == nil {
			return bad(BadShape, "Invalid value for 'content': expected a string, got null.")
		}
		p.Messages = append(p.Messages, msg)
	}
	return nil
}

func call(id, name, args string) Block {
	return Block{Kind: ToolUse, ID: id, Name: name, Raw: "call " + id + " " + name + " " + args,
		Bytes: len(name) + len(args)}
}

func result(id string, inner []Block) Block {
	b := Block{Kind: ToolResult, ID: id, Inner: inner, Raw: "result " + id}
	for _, in := range inner {
		b.Text += in.Text
		b.Raw += "\x00" + in.Raw
		b.Bytes += in.Bytes
	}
	return b
}

func readTools(p *Prompt, body *node) {
	for _, t := range body.list("tools") {
		raw := t.compact()
		p.Tools = append(p.Tools, Block{Raw: raw, Bytes: len(raw), Name: t.str("name")})
	}
}

// openaiContent reads a content that is a string or a list of parts; path is where it stands.
func openaiContent(a API, n *node, path string) ([]Block, *Refusal) {
	switch {
	case n == nil:
		return nil, nil
	case n.is('"'):
		b := TextBlock(n.text)
		b.Path = path
		return []Block{b}, nil
	case !n.is('['):
		return nil, refusals(a).bad(BadShape,
			"Invalid type for '%s': expected one of a string or array of objects.", path)
	}
	out := []Block{}
	for i, v := range n.items {
		at := fmt.Sprintf("%s[%d]", path, i)
		typ := v.str("type")
		b := Block{Raw: v.compact("prompt_cache_breakpoint")}
		b.Bytes = len(b.Raw)
		if typ == "" {
			return nil, refusals(a).bad(BadShape, "Missing required parameter: '%s.type'.", at)
		}
		if strings.HasSuffix(typ, "text") {
			if !v.get("text").is('"') {
				return nil, refusals(a).bad(BadShape, "Missing required parameter: '%s.text'.", at)
			}
			b = TextBlock(v.str("text"))
		}
		if v.get("prompt_cache_breakpoint").str("mode") == "explicit" {
			b.Mark = &Mark{Path: at}
		}
		b.Path = at
		out = append(out, b)
	}
	return out, nil
}

func checkChat(p *Prompt, m Model) *Refusal {
	bad := refusals(Chat).bad
	for i := 0; i < len(p.Messages); i++ {
		msg := p.Messages[i]
		switch {
		case m.SystemFirst && i > 0 && (msg.Role == "system" || msg.Role == "developer"):
			return bad(SystemNotFirst, "System message must be at the beginning.")
		case msg.Role == "tool":
			return bad(ToolUnexpected,
				"Invalid parameter: messages with role 'tool' must be a response to a preceeding message with "+
					"'tool_calls'.")
		}
		open := msg.ids(ToolUse)
		if msg.Role != "assistant" || len(open) == 0 {
			continue
		}
		for ; i+1 < len(p.Messages) && p.Messages[i+1].Role == "tool"; i++ {
			id := p.Messages[i+1].ids(ToolResult)[0]
			k := slices.Index(open, id)
			if k < 0 {
				return bad(ToolUnexpected,
					"Invalid parameter: 'tool_call_id' of '%s' not found in 'tool_calls' of previous message.", id)
			}
			open = slices.Delete(open, k, k+1)
		}
		if len(open) > 0 {
			return bad(CallUnanswered,
				"An assistant message with 'tool_calls' must be followed by tool messages responding to each "+
					"'tool_call_id'. The following tool_call_ids did not have response messages: %s", strings.Join(open,
					", "))
		}
	}
	return m.Template.check(p)
}
