package client

import (
	"encoding/json"
	"net/http"
)

// interactions writes a request as Google's SDK and ADK do: a Stateful agent sends what is new alone, another
// one the full input, which is not to be stored.
func (a *Agent) interactions(t *thread, k Kind, h http.Header) (path string, body raw) {
	h.Set("User-Agent", "google-genai-sdk/3.3.0")
	previous, history := "", t.history
	if a.opts.Stateful {
		previous, history = t.kept()
	}
	var input []raw
	for _, m := range history {
		input = append(input, a.steps(m)...)
	}
	in := any(input)
	if len(history) == 1 && history[0].role == person {
		if in = any(history[0].text); a.manner.blocks {
			in = []raw{a.textBlock(history[0].text)}
		}
	}
	tools, system := any(absent{}), a.systemPrompt(t)
	switch k {
	case Title:
		system = "You are a title generator. You output only a title."
	case Compaction:
	default:
		tools = a.interactionTools()
	}
	return "/v1beta/interactions", a.object("model", a.model, "input", in, "system_instruction", system,
		"tools", tools, "previous_interaction_id", given(previous != "", previous),
		"store", a.opts.Stateful && k == Turn, "stream", given(a.manner.stream && k == Turn, true))
}

func (a *Agent) interactionTools() []raw {
	var out []raw
	for _, t := range a.toolList() {
		out = append(out, a.object("type", "function", "name", t[0], "description", t[1], "parameters",
			raw(schema)))
	}
	return out
}

func (a *Agent) textBlock(text string) raw { return a.object("type", "text", "text", text) }

// steps writes a message of the history.
func (a *Agent) steps(m message) (out []raw) {
	say := func(kind, text string) {
		out = append(out, a.object("type", kind, "content", []raw{a.textBlock(text)}))
	}
	switch m.role {
	case person:
		say("user_input", m.text)
	case outcome:
		for _, r := range m.results {
			result := any(r.text)
			if a.manner.blocks {
				result = a.object("output", r.text)
			}
			out = append(out, a.object("type", "function_result", "call_id", r.id, "name", r.name, "result", result,
				"is_error", given(r.failed, true)))
		}
	default:
		for _, p := range m.parts {
			switch c := p.call; {
			case c != nil:
				out = append(out, object(false, "type", "function_call", "id", c.id, "name", c.name, "arguments",
					raw(c.args)))
			case p.signature != "":
				out = append(out, a.object("type", "thought", "signature", p.signature))
			case p.text != "":
				say("model_output", p.text)
			}
		}
	}
	return out
}

type step struct {
	Type, ID, Name, Signature string
	Arguments                 json.RawMessage
	Content                   []struct{ Text string }
}

func (s step) part() part {
	switch s.Type {
	case "function_call":
		return part{call: &call{id: s.ID, name: s.Name, args: string(s.Arguments)}}
	case "thought":
		return part{signature: s.Signature}
	}
	p := part{}
	for _, c := range s.Content {
		p.text += c.Text
	}
	return p
}

func interactionsAnswer(b []byte) (message, error) {
	v, err := decode[struct {
		ID    string
		Steps []step
	}](b)
	m := message{id: v.ID}
	for _, s := range v.Steps {
		m.parts = append(m.parts, s.part())
	}
	return m, err
}

func interactionsStream(b []byte) (m message, err error) {
	done := false
	var list [][]byte
	for _, e := range events(b) {
		if string(e) != "[DONE]" {
			list = append(list, e)
		}
	}
	err = each(list, func(e struct {
		Event       string `json:"event_type"`
		Interaction struct{ ID string }
		Index       int
		Step        step
		Delta       struct{ Type, Text, Arguments string }
	}) {
		switch e.Event {
		case "step.start":
			p := e.Step.part()
			if m.parts = append(m.parts, p); p.call != nil {
				p.call.args = ""
			}
		case "step.delta":
			p := &m.parts[e.Index]
			if p.text += e.Delta.Text; p.call != nil {
				p.call.args += e.Delta.Arguments
			}
		case "interaction.completed":
			m.id, done = e.Interaction.ID, true
		}
	})
	if err == nil && !done {
		err = errGarbled
	}
	return m, err
}
