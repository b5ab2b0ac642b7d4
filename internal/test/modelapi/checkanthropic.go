package modelapi

import (
	"slices"
	"strings"
)

func checkAnthropic(p *Prompt, m Model) *Refusal {
	for _, check := range []func(*Prompt, Model) *Refusal{checkSystem, checkTexts, checkResults, checkMarks,
		checkEnd, checkThinking} {
		if no := check(p, m); no != nil {
			return no
		}
	}
	return nil
}

// checkTexts refuses blocks and messages that say nothing.
func checkTexts(p *Prompt, _ Model) *Refusal {
	bad := refusals(p.API).bad
	empty := func(b Block) *Refusal {
		switch {
		case b.Kind != Text || b.Text != "":
			return nil
		case b.Mark != nil:
			return bad(MarkedEmpty, "%s.text.cache_control: cache_control cannot be set for empty text blocks", b.Path)
		}
		what, _, _ := strings.Cut(b.Path, ".")
		return bad(EmptyText, "%s: text content blocks must be non-empty", what)
	}
	for _, b := range p.System {
		if no := empty(b); no != nil {
			return no
		}
	}
	for i, m := range p.Messages {
		if len(m.Blocks) == 0 && !m.effort && (m.Role != "assistant" || i < len(p.Messages)-1) {
			return bad(EmptyText, "%s: all messages must have non-empty content except for the optional final "+
				"assistant message", m.Path)
		}
		for _, b := range m.Blocks {
			if no := empty(b); no != nil {
				return no
			}
			for _, in := range b.Inner {
				if no := empty(in); no != nil {
					return no
				}
			}
		}
		if len(m.Blocks) > 0 && !slices.ContainsFunc(m.Blocks, func(b Block) bool {
			return b.Kind != Text ||
				!blank(b.Text)
		}) {
			return bad(BlankText, "messages: text content blocks must contain non-whitespace text")
		}
	}
	return nil
}

// checkResults refuses calls and results that do not match. Messages of the same role in a row count as one.
func checkResults(p *Prompt, _ Model) *Refusal {
	bad := refusals(p.API).bad
	ms := merged(p.Messages)
	for i, m := range ms {
		if calls := m.ids(ToolUse); m.Role == "assistant" && len(calls) > 0 && i < len(ms)-1 {
			missing := []string{}
			got := ms[i+1].ids(ToolResult)
			for _, id := range calls {
				if ms[i+1].Role != "user" || !slices.Contains(got, id) {
					missing = append(missing, id)
				}
			}
			if len(missing) > 0 {
				return bad(ResultMissing, notFound, m.Path, strings.Join(missing, ", "))
			}
		}
		if m.Role == "assistant" && i < len(ms)-1 && open(m) {
			for _, b := range ms[i+1].Blocks {
				if ms[i+1].Role == "user" && b.Kind != ToolResult {
					return bad(ServerUseOpen, "%s: only `tool_result` blocks may follow an assistant turn with "+
						"an unresolved "+
						"`server_tool_use`", b.Path)
				}
			}
		}
		text := false
		for k, b := range m.Blocks {
			switch {
			case b.Kind != ToolResult:
				text = true
				continue
			case m.Role != "user" || i == 0 || ms[i-1].Role != "assistant" ||
				!slices.Contains(ms[i-1].ids(ToolUse), b.ID):
				return bad(ResultUnexpected,
					"%s: unexpected `tool_use_id` found in `tool_result` blocks: %s. Each `tool_result` block must have a "+
						"corresponding `tool_use` block in the previous message.", b.Path, b.ID)
			case text:
				return bad(TextBeforeResult, notFound, ms[i-1].Path, b.ID)
			case slices.ContainsFunc(m.Blocks[:k], func(o Block) bool { return o.Kind == ToolResult && o.ID == b.ID }):
				return bad(ResultUnexpected,
					"%s: each tool_use must have a single result. Found multiple `tool_result` blocks with id: "+
						"%s", b.Path, b.ID)
			}
		}
	}
	return nil
}

const notFound = "%s: `tool_use` ids were found without `tool_result` blocks immediately after: %s. Each " +
	"`tool_use` block must have a corresponding `tool_result` block in the next message."

// open reports whether an answer holds a server_tool_use without a result.
func open(m Message) bool {
	done := m.ids(ServerResult)
	for _, id := range m.ids(ServerUse) {
		if !slices.Contains(done, id) {
			return true
		}
	}
	return false
}

// checkMarks refuses too many cache breakpoints, or a wrong order of their lifetimes.
func checkMarks(p *Prompt, _ Model) *Refusal {
	bad := refusals(p.API).bad
	var all []*Mark
	var walk func(bs []Block)
	walk = func(bs []Block) {
		for _, b := range bs {
			walk(b.Inner)
			if b.Mark != nil {
				all = append(all, b.Mark)
			}
		}
	}
	walk(p.Tools)
	walk(p.System)
	for _, m := range p.Messages {
		walk(m.Blocks)
	}
	if p.Auto != nil {
		all = append(all, p.Auto)
	}
	if len(all) > 4 {
		return bad(TooManyMarks, "A maximum of 4 blocks with cache_control may be provided. Found %d.", len(all))
	}
	short := false
	for _, m := range all {
		if short && m.Hour {
			return bad(MarkOrder, "%s.ttl: a ttl='1h' cache_control block must not come after a ttl='5m' "+
				"cache_control "+
				"block. Note that blocks are processed in the following order: `tools`, `system`, `messages`.", m.Path)
		}
		short = short || !m.Hour
	}
	return nil
}

// checkEnd refuses requests that end with an answer, where the model does not go on with it.
func checkEnd(p *Prompt, m Model) *Refusal {
	last := p.Messages[len(p.Messages)-1]
	if last.Role != "assistant" {
		return nil
	}
	bad := refusals(p.API).bad
	if n := len(last.Blocks); n > 0 && last.Blocks[n-1].Kind == Text {
		if t := last.Blocks[n-1].Text; strings.TrimRight(t, " \t\r\n") != t {
			return bad(TrailingBlank, "messages: final assistant content cannot end with trailing whitespace")
		}
	}
	if open(last) { // pause_turn: the API goes on by itself
		return nil
	}
	if last.has(ToolUse) {
		return bad(ResultMissing, notFound, last.Path, strings.Join(last.ids(ToolUse), ", "))
	}
	if m.NoPrefill {
		return bad(Prefill, "This model does not support assistant message prefill. The conversation "+
			"must end with "+
			"a user message.")
	}
	return nil
}

// checkThinking refuses thinking that was changed, or that stands behind another prompt than it was made for.
func checkThinking(p *Prompt, m Model) *Refusal {
	bad := refusals(p.API).bad
	if at, ok := p.modified(); ok {
		return bad(ThinkingModified,
			"%s: `thinking` or `redacted_thinking` blocks in the latest assistant message cannot be modified. These "+
				"blocks must remain as they were in the original response.", at.Path)
	}
	if !m.Binds || p.onMismatch == "drop_block" || p.onMismatch == allow {
		return nil
	}
	if at, ok := p.mismatch(); ok {
		return bad(ThinkingBound, "%s: Invalid `signature` in `thinking` block. The block is bound to a different "+
			"conversation. Pass the conversation back as it was when the block was produced.", at.Path)
	}
	return nil
}

// allow is the onMismatch of an old account (Options.OldAccount): a mismatch is only reported.
const allow = "allow"
