package client

import "net/url"

var cachePoint = raw(`{"cachePoint":{"type":"default"}}`)

// converse writes a request as an AWS SDK does. Roles must alternate, so messages in a row that stand in a
// user's place become one.
func (a *Agent) converse(t *thread, k Kind) (path string, body raw) {
	var messages []raw
	var open []raw
	role := ""
	flush := func(last bool) {
		if open == nil {
			return
		}
		if last && role == "user" {
			open = append(open, cachePoint)
		}
		messages = append(messages, a.object("role", role, "content", open))
		open = nil
	}
	for _, m := range t.history {
		is := "user"
		if m.role == model {
			is = "assistant"
		}
		if is != role {
			flush(false)
		}
		role = is
		open = append(open, a.converseBlocks(m)...)
	}
	flush(true)
	system := a.systemPrompt(t)
	tools := any(absent{})
	if k == Title {
		system = "You are a title generator. You output only a title."
	} else {
		tools = a.object("tools", a.converseTools())
	}
	action := "converse"
	if a.manner.stream && k == Turn {
		action = "converse-stream"
	}
	return "/model/" + url.PathEscape(a.model) + "/" + action, a.object("messages", messages, "system",
		[]raw{a.object("text", system), cachePoint},
		"toolConfig", tools, "inferenceConfig", a.object("maxTokens", 4096))
}

func (a *Agent) converseTools() []raw {
	var out []raw
	for _, t := range a.toolList() {
		out = append(out, a.object("toolSpec", a.object("name", t[0], "description", t[1], "inputSchema",
			a.object("json", raw(schema)))))
	}
	return out
}

func (a *Agent) converseBlocks(m message) []raw {
	var out []raw
	switch m.role {
	case person:
		return []raw{a.object("text", m.text)}
	case outcome:
		for _, r := range m.results {
			status := "success"
			if r.failed {
				status = "error"
			}
			out = append(out, a.object("toolResult", a.object("toolUseId", r.id, "content",
				[]raw{a.object("text", r.text)}, "status", status)))
		}
		return out
	}
	for _, p := range m.parts {
		switch {
		case p.call != nil:
			args := p.call.args
			if m.age > 0 {
				args = compacted(args)
			}
			out = append(out, a.object("toolUse", a.object("toolUseId", p.call.id, "name", p.call.name,
				"input", raw(args))))
		case p.thought != "":
			out = append(out, a.object("reasoningContent", a.object("reasoningText", a.object("text", p.thought,
				"signature", p.signature))))
		default:
			out = append(out, a.object("text", p.text))
		}
	}
	return out
}

type converseBlock struct {
	Text    string
	ToolUse *struct {
		ToolUseID string
		Name      string
		Input     raw
	}
	ReasoningContent *struct {
		ReasoningText struct{ Text, Signature string }
	}
}

func converseAnswer(b []byte) (m message, err error) {
	v, err := decode[struct {
		Output struct {
			Message struct{ Content []converseBlock }
		}
	}](b)
	for _, x := range v.Output.Message.Content {
		switch {
		case x.ToolUse != nil:
			m.parts = append(m.parts, part{call: &call{id: x.ToolUse.ToolUseID, name: x.ToolUse.Name,
				args: string(x.ToolUse.Input)}})
		case x.ReasoningContent != nil:
			t := x.ReasoningContent.ReasoningText
			m.parts = append(m.parts, part{thought: t.Text, signature: t.Signature})
		default:
			m.parts = append(m.parts, part{text: x.Text})
		}
	}
	return m, err
}

func converseStream(b []byte) (m message, err error) {
	names, payloads := frames(b)
	if n := len(names); n == 0 || names[n-1] != "metadata" {
		return m, errGarbled
	}
	err = each(payloads, func(e struct {
		ContentBlockIndex int
		Start             struct {
			ToolUse *struct{ ToolUseID, Name string }
		}
		Delta struct {
			Text             string
			ToolUse          struct{ Input string }
			ReasoningContent struct{ Text, Signature string }
		}
	}) {
		d := e.Delta
		if e.Start.ToolUse == nil && d.Text == "" && d.ToolUse.Input == "" && d.ReasoningContent.Text == "" &&
			d.ReasoningContent.Signature == "" {
			return
		}
		for len(m.parts) <= e.ContentBlockIndex {
			m.parts = append(m.parts, part{})
		}
		p := &m.parts[e.ContentBlockIndex]
		if u := e.Start.ToolUse; u != nil {
			p.call = &call{id: u.ToolUseID, name: u.Name}
		}
		if p.call != nil {
			p.call.args += d.ToolUse.Input
		}
		p.text += d.Text
		p.thought += d.ReasoningContent.Text
		p.signature += d.ReasoningContent.Signature
	})
	return m, err
}
