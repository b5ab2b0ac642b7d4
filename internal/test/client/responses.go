package client

import (
	"encoding/json"
	"fmt"
	"net/http"
)

// responses writes a request as Codex does: without state on the server, with the full input each time. A
// Stateful agent sends only what is new, as SDKs do.
func (a *Agent) responses(t *thread, k Kind, h http.Header) (path string, body raw) {
	key := any(absent{})
	if !a.opts.Unnamed && a.opts.RunHeader == "" {
		key = a.run
		if a.opts.Stateful && t.name != "" {
			key = a.run + "-" + t.name
		}
	}
	if key == a.run && !a.opts.Stateful {
		a.codexHeaders(t, k, h)
	}
	previous, history := "", t.history
	if a.opts.Stateful {
		previous, history = t.kept()
	}
	var input []raw
	instructions := any(a.systemPrompt(t))
	if a.manner.blocks && !a.opts.Stateful {
		instructions = absent{}
		input = append(input, responsesText("developer", a.systemPrompt(t)))
	}
	for _, m := range history {
		input = append(input, a.responsesItems(m)...)
	}
	in := any(input)
	if a.opts.Stateful && len(history) == 1 && history[0].role == person {
		in = history[0].text
	}
	tools := any(absent{})
	if k != Compaction && k != Title {
		tools = a.responsesTools()
	}
	if k == Title {
		instructions = "You are a title generator. You output only a title."
	}
	pairs := []any{"model", a.model, "instructions", instructions, "input", in, "tools", tools,
		"previous_response_id", given(previous != "", previous), "prompt_cache_key", key}
	if k == Count {
		return "/v1/responses/input_tokens", a.object(pairs...)
	}
	pairs = append(pairs, "store", a.opts.Stateful && k == Turn, "stream", given(a.manner.stream &&
		k == Turn, true),
		"include", given(!a.opts.Stateful, []raw{raw(`"reasoning.encrypted_content"`)}))
	return "/v1/responses", a.object(pairs...)
}

func (a *Agent) codexHeaders(t *thread, k Kind, h http.Header) {
	id, kind, begun, source := a.run, "turn", "new", "user"
	if k == Compaction {
		kind = "compaction"
	}
	if t.resumed > 0 {
		begun = "cold_resume"
	}
	if t.name != "" {
		id, source = a.run+"-"+t.name, "subagent"
		h.Set("X-Codex-Parent-Thread-Id", a.run)
		h.Set("X-Openai-Subagent", "collab_spawn")
	}
	h.Set("Session-Id", a.run)
	h.Set("Thread-Id", id)
	h.Set("X-Client-Request-Id", id)
	window := fmt.Sprintf("%s:%d", id, t.window)
	h.Set("X-Codex-Window-Id", window)
	h.Set("X-Codex-Turn-Metadata", string(object(false, "session_id", a.run, "thread_id", id, "request_kind",
		kind, "thread_source", source,
		"history_initialization", begun, "window_id", window)))
}

func (a *Agent) responsesTools() []raw {
	var out []raw
	for _, t := range a.toolList() {
		out = append(out, a.object("type", "function", "name", t[0], "description", t[1], "parameters",
			raw(schema)))
	}
	return out
}

func responsesText(role, text string) raw {
	return object(false, "type", "message", "role", role, "content",
		[]raw{object(false, "type", "input_text", "text", text)})
}

// responsesItems writes a message of the history. A note stands as a developer message in front of the
// prompt, or between the calls and their last output, as Codex puts what a hook says.
func (a *Agent) responsesItems(m message) []raw {
	var out []raw
	switch m.role {
	case person:
		if m.note != "" {
			out = append(out, responsesText("developer", m.note))
		}
		out = append(out, responsesText("user", m.text))
	case outcome:
		for i, r := range m.results {
			if m.note != "" && i == len(m.results)-1 {
				out = append(out, responsesText("developer", m.note))
			}
			out = append(out, object(false, "type", "function_call_output", "call_id", r.id, "output", r.text))
		}
	default:
		for _, p := range m.parts {
			switch c := p.call; {
			case p.item != nil:
				out = append(out, p.item)
			case c != nil:
				out = append(out, object(false, "type", "function_call", "call_id", c.id, "name", c.name,
					"arguments", c.args))
			case p.text != "":
				out = append(out, object(false, "type", "message", "role", "assistant", "content",
					[]raw{object(false, "type", "output_text", "text", p.text)}))
			}
		}
	}
	return out
}

type responsesBody struct {
	ID     string
	Status string
	Output []json.RawMessage
}

func (v responsesBody) message() (message, error) {
	m := message{id: v.ID}
	if v.Status != "completed" {
		return m, errGarbled
	}
	err := each(v.bytes(), func(x struct {
		Type, Name, Arguments string
		CallID                string `json:"call_id"`
		Content               []struct{ Text string }
	}) {
		p := part{item: v.Output[len(m.parts)]}
		switch x.Type {
		case "function_call":
			p.call = &call{id: x.CallID, name: x.Name, args: x.Arguments}
		case "reasoning":
			p.signature = "encrypted"
		default:
			for _, c := range x.Content {
				p.text += c.Text
			}
		}
		m.parts = append(m.parts, p)
	})
	return m, err
}

func (v responsesBody) bytes() [][]byte {
	var out [][]byte
	for _, o := range v.Output {
		out = append(out, o)
	}
	return out
}

func responsesAnswer(b []byte) (message, error) {
	v, err := decode[responsesBody](b)
	if err != nil {
		return message{}, err
	}
	return v.message()
}

func responsesStream(b []byte) (message, error) {
	var last responsesBody
	err := each(events(b), func(e struct {
		Type     string
		Response responsesBody
	}) {
		if e.Type == "response.completed" {
			last = e.Response
		}
	})
	if err != nil {
		return message{}, err
	}
	return last.message()
}
