package client

import (
	"net/http"
	"strings"
)

// chat writes a request as opencode and Copilot CLI do.
func (a *Agent) chat(t *thread, k Kind, h http.Header) (path string, body raw) {
	if !a.opts.Unnamed && a.opts.RunHeader == "" {
		h.Set("X-Session-Id", a.run)
		if t.name != "" {
			h.Set("X-Session-Id", a.run+"-"+t.name)
			h.Set("X-Parent-Session-Id", a.run)
		}
		h.Set("X-Session-Affinity", h.Get("X-Session-Id"))
	}
	tools := any(absent{})
	system := a.systemPrompt(t)
	switch k {
	case Title:
		system = "You are a title generator. You output only a title."
	case Compaction:
		system = "You are a helpful AI assistant tasked with summarizing conversations."
	default:
		tools = a.chatTools()
	}
	role := "system"
	if a.manner.blocks && strings.HasPrefix(a.model, "gpt-5") {
		role = "developer"
	}
	messages := []raw{a.object("role", role, "content", system)}
	for _, m := range t.history {
		messages = append(messages, a.chatMessages(m)...)
	}
	stream := a.manner.stream && k == Turn
	return "/v1/chat/completions", a.object("model", a.model, "messages", messages, "tools", tools, "stream",
		given(stream, true),
		"stream_options", given(stream, raw(`{"include_usage":true}`)))
}

func (a *Agent) chatTools() []raw {
	var out []raw
	for _, t := range a.toolList() {
		out = append(out, a.object("type", "function", "function", a.object("name", t[0], "description", t[1],
			"parameters", raw(schema))))
	}
	return out
}

// chatMessages writes a message of the history; each result becomes a message. After a resume, an answer has
// a member "refusal" that is null, arguments have no blanks, and results have a member of the client's own.
func (a *Agent) chatMessages(m message) []raw {
	switch m.role {
	case person:
		if a.manner.blocks {
			return []raw{a.object("role", "user", "content", []raw{a.object("type", "text", "text", m.text)})}
		}
		return []raw{a.object("role", "user", "content", m.text)}
	case outcome:
		var out []raw
		for _, r := range m.results {
			out = append(out, a.object("role", "tool", "tool_call_id", r.id, "content", r.text,
				"__copilotMessageSource", given(m.age%2 == 1, "tool")))
		}
		return out
	}
	var calls []raw
	for _, c := range m.calls() {
		args := c.args
		if m.age > 0 {
			args = compacted(args)
		}
		calls = append(calls, a.object("id", c.id, "type", "function", "function", a.object("name", c.name,
			"arguments", args)))
	}
	content := any(m.said())
	if content == "" {
		content = nil
	}
	return []raw{a.object("role", "assistant", "content", content, "refusal", given(m.age%2 == 1, nil),
		"tool_calls", given(len(calls) > 0, calls))}
}

type chatCall struct {
	Index    int
	ID       string
	Function struct{ Name, Arguments string }
}

type chatChoice struct {
	Message, Delta struct {
		Content string
		Calls   []chatCall `json:"tool_calls"`
	}
}

func chatParts(text string, calls []chatCall) message {
	var m message
	if text != "" {
		m.parts = append(m.parts, part{text: text})
	}
	for _, c := range calls {
		m.parts = append(m.parts, part{call: &call{id: c.ID, name: c.Function.Name, args: c.Function.Arguments}})
	}
	return m
}

func chatAnswer(b []byte) (message, error) {
	v, err := decode[struct{ Choices []chatChoice }](b)
	if err != nil || len(v.Choices) == 0 {
		return message{}, errGarbled
	}
	return chatParts(v.Choices[0].Message.Content, v.Choices[0].Message.Calls), nil
}

func chatStream(b []byte) (message, error) {
	list := events(b)
	n := len(list) - 1
	if n < 0 || string(list[n]) != "[DONE]" {
		return message{}, errGarbled
	}
	text, calls := "", []chatCall(nil)
	err := each(list[:n], func(v struct{ Choices []chatChoice }) {
		for _, c := range v.Choices {
			text += c.Delta.Content
			for _, d := range c.Delta.Calls {
				if d.Index == len(calls) {
					calls = append(calls, d)
				} else {
					calls[d.Index].Function.Arguments += d.Function.Arguments
				}
			}
		}
	})
	return chatParts(text, calls), err
}
