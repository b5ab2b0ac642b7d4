package modelapi

// checkSystem refuses system messages in mid-conversation that stand where they must not. Those in a row are
// judged together.
func checkSystem(p *Prompt, m Model) *Refusal {
	bad := refusals(p.API).bad
	for i := 0; i < len(p.Messages); i++ {
		msg := p.Messages[i]
		if msg.Role != "system" {
			continue
		}
		if !m.System || p.legacy {
			return bad(SystemUnsupported, "%s: role 'system' is not supported on this model", msg.Path)
		}
		end, scoped := i, false
		for ; end < len(p.Messages) && p.Messages[end].Role == "system"; end++ {
			if no := systemContent(p.API, p.Messages[end], m); no != nil {
				return no
			}
			scoped = scoped || p.Messages[end].ClearAt != ""
		}
		if i == 0 || !mayPrecede(p.Messages[i-1]) {
			return bad(SystemFollows, "%s: role 'system' must follow a 'user' message or an 'assistant' message that "+
				"ends in a server tool result", msg.Path)
		}
		if end < len(p.Messages) && p.Messages[end].Role != "assistant" {
			rule := SystemPrecedes
			if scoped {
				rule = ClearAtUser
			}
			return bad(rule, "%s: role 'system' must precede an 'assistant' message or end the array",
				p.Messages[end-1].Path)
		}
		i = end - 1
	}
	return nil
}

// mayPrecede reports whether a system message may follow m.
func mayPrecede(m Message) bool {
	n := len(m.Blocks)
	return m.Role == "user" || m.Role == "assistant" && n > 0 && m.Blocks[n-1].Kind == ServerResult
}

func systemContent(a API, msg Message, m Model) *Refusal {
	bad := refusals(a).bad
	switch {
	case msg.ClearAt == "":
	case msg.ClearAt != "next_user_message" && msg.ClearAt != "never":
		return bad(ClearAtValue, "%s.clear_at: Input should be 'next_user_message' or 'never'", msg.Path)
	case !m.ClearAt:
		return bad(SystemUnsupported, "%s: clear_at is not supported on this model", msg.Path)
	}
	for _, b := range msg.Blocks {
		switch {
		case msg.ClearAt != "" && (b.Kind != Text || b.Mark != nil):
			return bad(ClearAtContent, "%s: turn-scoped system messages hold text without cache_control", b.Path)
		case b.Kind != Text:
			return bad(SystemContent, "%s: system messages hold text", b.Path)
		}
	}
	return nil
}
