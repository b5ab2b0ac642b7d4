package modelapi

import (
	"fmt"
	"strings"
)

// betaClearAt is the value of the anthropic-beta header with which clear_at is accepted.
const betaClearAt = "mid-conversation-system-clear-at-2026-08-21"

// betaPerTurn is the value of the anthropic-beta header with which a system message may set the effort of its
// turn. The vendor's pages do not mention it; Claude Code 2.1.329 sends it to models that bind their thinking
// (seen).
const betaPerTurn = "per-turn-control-2026-07-01"

const anthropicKeys = "model max_tokens messages system tools tool_choice stream temperature top_p top_k " +
	"stop_sequences metadata thinking service_tier " +
	"container mcp_servers context_management cache_control output_config output_format inference_geo speed " +
	"diagnostics betas anthropic_beta anthropic_version " +
	"compaction fallbacks fallback_credit_token thread"

// betaThreads is the value of the anthropic-beta header with which the API keeps a conversation.
const betaThreads = "message-threads-2026-08-12"

// anthropicBlocks are the members that a block may have, by its type.
var anthropicBlocks = map[string]string{
	"text":              "type text cache_control citations",
	"tool_use":          "type id name input cache_control caller toolset_name",
	"tool_result":       "type tool_use_id content is_error cache_control toolset_name",
	"thinking":          "type thinking signature",
	"redacted_thinking": "type data",
	"image":             "type source cache_control transformations",
	"document":          "type source cache_control title context citations",
	"search_result":     "type source title content cache_control citations",
}

const maxMessages = 100_000

func readAnthropic(p *Prompt, body *node, rt route, betas string) *Refusal {
	bad := refusals(Anthropic).bad
	if k := body.unknown(anthropicKeys); k != "" {
		return bad(UnknownKey, "%s: Extra inputs are not permitted", k)
	}
	if rt.inURL {
		if body.get("model") != nil {
			return bad(UnknownKey, "model: Extra inputs are not permitted")
		}
		if body.str("anthropic_version") == "" {
			return bad(BadShape, "anthropic_version: Field required")
		}
	} else if body.str("model") == "" {
		return bad(BadShape, "model: Field required")
	}
	if !p.Count && !body.get("max_tokens").is('n') {
		return bad(BadShape, "max_tokens: Field required")
	}
	ms := body.get("messages")
	if !ms.is('[') {
		return bad(BadShape, "messages: Field required")
	}
	if t := body.get("thread"); t.is('{') {
		p.chain = chain{previous: t.str("previous_message_id"), keep: true}
		switch {
		case !strings.Contains(betas, betaThreads):
			return bad(ThreadHeader, "thread: Extra inputs are not permitted")
		case p.chain.previous != "" && (body.get("system") != nil || body.get("tools") != nil):
			return bad(ThreadFields, "system and tools cannot be set when continuing a thread")
		}
	}
	if len(ms.items) == 0 && p.chain.previous == "" {
		return bad(BadShape, "messages: at least one message is required")
	}
	if len(ms.items) > maxMessages {
		return bad(TooManyMessages, "messages: at most 100000 messages are allowed")
	}
	p.Stream = p.Stream || body.yes("stream")
	for i, t := range body.list("tools") {
		raw := t.compact("cache_control")
		mark, no := markOf(t, fmt.Sprintf("tools.%d", i))
		if no != nil {
			return no
		}
		p.Tools = append(p.Tools, Block{Raw: raw, Bytes: len(raw), Name: t.str("name"), Mark: mark})
	}
	var no *Refusal
	if p.System, no = anthropicContent(body.get("system"), "system"); no != nil {
		return no
	}
	for i, m := range ms.items {
		path := fmt.Sprintf("messages.%d", i)
		if !m.is('{') {
			return bad(BadShape, "%s: Input should be a valid dictionary", path)
		}
		msg := Message{Role: m.str("role"), ClearAt: m.str("clear_at"), Path: path}
		known := "role content"
		if m.get("clear_at") != nil {
			known += " clear_at"
		}
		if msg.Role == "system" && msg.ClearAt == "" && strings.Contains(betas, betaPerTurn) {
			known += " output_config"
			msg.effort = m.get("output_config") != nil
		}
		if m.get("clear_at") != nil && (msg.Role != "system" || !strings.Contains(betas, betaClearAt)) {
			return bad(ClearAtHeader, "%s.clear_at: Extra inputs are not permitted", path)
		}
		if k := m.unknown(known); k != "" {
			return bad(UnknownKey, "%s.%s: Extra inputs are not permitted", path, k)
		}
		switch msg.Role {
		case "user", "assistant", "system":
		default:
			return bad(BadShape, "%s.role: Input should be 'user' or 'assistant'", path)
		}
		if msg.Blocks, no = anthropicContent(m.get("content"), path+".content"); no != nil {
			return no
		}
		p.Messages = append(p.Messages, msg)
	}
	if rt.legacy && body.get("cache_control") != nil {
		return bad(LegacyAuto, "cache_control: Extra inputs are not permitted")
	}
	if p.Auto, no = markOf(body, ""); no != nil {
		return no
	}
	thinking := body.get("thinking")
	p.binding = binding{onMismatch: thinking.get("block_binding").str("prefix_mismatch_behavior")}
	p.salt[0] = body.get("speed").compact()
	p.salt[1] = body.get("tool_choice").compact() + thinking.compact("block_binding") +
		body.get("output_config").compact()
	if hasImage(p.Messages) {
		p.salt[1] += "image"
	}
	return nil
}

func hasImage(ms []Message) bool {
	for _, m := range ms {
		for _, b := range m.Blocks {
			if strings.Contains(b.Raw, `"type":"image"`) && b.Kind != Text {
				return true
			}
		}
	}
	return false
}

// anthropicContent reads a content that is a string or a list of blocks. A string is one text block.
func anthropicContent(n *node, path string) ([]Block, *Refusal) {
	switch {
	case n == nil && path == "system":
		return nil, nil
	case n.is('"'):
		b := TextBlock(n.text)
		b.Path = path
		return []Block{b}, nil
	case !n.is('['):
		return nil, refusals(Anthropic).bad(BadShape, "%s: Input should be a valid string or list", path)
	}
	out := []Block{}
	for i, v := range n.items {
		b, no := anthropicBlock(v, fmt.Sprintf("%s.%d", path, i))
		if no != nil {
			return nil, no
		}
		out = append(out, b)
	}
	return out, nil
}

func anthropicBlock(n *node, path string) (Block, *Refusal) {
	bad := refusals(Anthropic).bad
	typ := n.str("type")
	known, ok := anthropicBlocks[typ]
	if k := ""; ok {
		if k = n.unknown(known); k != "" {
			return Block{}, bad(UnknownKey, "%s.%s.%s: Extra inputs are not permitted", path, typ, k)
		}
	} else if typ == "" {
		return Block{}, bad(BadShape, "%s.type: Field required", path)
	}
	b := Block{Kind: Other, Path: path}
	if typ != "text" && typ != "tool_use" && typ != "tool_result" { // these set Raw and Bytes below
		b.Raw = n.sorted("cache_control")
		b.Bytes = len(b.Raw)
	}
	var no *Refusal
	if b.Mark, no = markOf(n, path); no != nil {
		return b, no
	}
	switch {
	case typ == "text":
		if !n.get("text").is('"') {
			return b, bad(BadShape, "%s.text.text: Field required", path)
		}
		mark := b.Mark
		b = TextBlock(n.str("text"))
		b.Mark, b.Path = mark, path
	case typ == "tool_use", typ == "server_tool_use", typ == "mcp_tool_use":
		b.Kind, b.ID, b.Name = ToolUse, n.str("id"), n.str("name")
		if typ != "tool_use" {
			b.Kind = ServerUse
		}
		if b.ID == "" || b.Name == "" || !n.get("input").is('{') {
			return b, bad(BadShape, "%s.%s.input: Input should be a valid dictionary", path, typ)
		}
		// a cache sees the order of members
		b.Raw = typ + " " + b.ID + " " + b.Name + " " + n.get("input").compact()
		b.Bytes = len(b.Name) + len(n.get("input").compact())
	case typ == "tool_result":
		b.Kind, b.ID = ToolResult, n.str("tool_use_id")
		b.Raw = "tool_result " + b.ID + " " + n.get("is_error").compact()
		b.Bytes = 0
		if c := n.get("content"); c != nil {
			if b.Inner, no = anthropicContent(c, path+".content"); no != nil {
				return b, no
			}
		}
		for _, in := range b.Inner {
			b.Raw += "\x00" + in.Raw
			b.Bytes += in.Bytes
			b.Text += in.Text
		}
	case strings.HasSuffix(typ, "_tool_result"):
		b.Kind, b.ID = ServerResult, n.str("tool_use_id")
	case typ == "thinking":
		b.Kind, b.Text, b.Signature = Thinking, n.str("thinking"), n.str("signature")
		b.Bytes = len(b.Text)
	case typ == "redacted_thinking":
		b.Kind, b.Signature = Thinking, n.str("data")
	}
	return b, nil
}

// markOf reads the cache_control of n, nil if there is none.
func markOf(n *node, path string) (*Mark, *Refusal) {
	c := n.get("cache_control")
	if c == nil {
		return nil, nil
	}
	if path != "" {
		path += "."
	}
	ttl := c.str("ttl")
	if c.str("type") != "ephemeral" || ttl != "" && ttl != "5m" && ttl != "1h" {
		return nil, refusals(Anthropic).bad(BadShape,
			"%scache_control: Input should be 'ephemeral' with a ttl of '5m' or '1h'", path)
	}
	return &Mark{Hour: ttl == "1h", Path: path + "cache_control"}, nil
}
