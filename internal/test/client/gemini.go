package client

import "net/http"

// gemini writes a request as Gemini CLI and genai do.
func (a *Agent) gemini(t *thread, k Kind, h http.Header) (path string, body raw) {
	h.Set("User-Agent", "GeminiCLI/0.61.0/"+a.model)
	system := a.systemPrompt(t)
	config, tools := any(absent{}), any(absent{})
	switch k {
	case Compaction:
		system = "You are the component that summarizes internal chat history into a given structure."
	case Router:
		system = "You are a task router. Choose the model."
		config = a.object("responseMimeType", "application/json", "responseJsonSchema", raw(`{"type":"object"}`))
	default:
		tools = a.geminiTools()
	}
	var contents []raw
	for _, m := range t.history {
		contents = append(contents, a.object("role", map[role]string{person: "user", outcome: "user",
			model: "model"}[m.role], "parts", a.geminiParts(m)))
	}
	prompt := a.object("parts", []raw{a.object("text", system)})
	if k == Count {
		return "/v1beta/models/" + a.model + ":countTokens", a.object("contents", contents)
	}
	path = "/v1beta/models/" + a.model + ":generateContent"
	if a.manner.stream && k == Turn {
		path = "/v1beta/models/" + a.model + ":streamGenerateContent"
		if !a.manner.array {
			path += "?alt=sse"
		}
	}
	return path, append(a.object("contents", contents, "systemInstruction", prompt, "tools", tools,
		"generationConfig", config), '\n')
}

func (a *Agent) geminiTools() []raw {
	var out []raw
	for _, t := range a.toolList() {
		out = append(out, a.object("name", t[0], "description", t[1], "parametersJsonSchema", raw(schema)))
	}
	return []raw{a.object("functionDeclarations", out)}
}

// geminiParts writes a message of the history. Thinking is not sent back; signatures are lost when the client
// is restarted.
func (a *Agent) geminiParts(m message) []raw {
	var out []raw
	switch m.role {
	case person:
		return []raw{a.object("text", m.text)}
	case outcome:
		for _, r := range m.results {
			name := "output"
			if r.failed {
				name = "error"
			}
			out = append(out, a.object("functionResponse", a.object("id", given(idBack(r.id) != "", r.id), "name",
				r.name, "response", a.object(name, r.text))))
		}
		return out
	}
	for _, p := range m.parts {
		switch {
		case p.call != nil:
			c := p.call
			out = append(out, a.object("functionCall", object(false, "id", idBack(c.id), "name", c.name, "args",
				raw(c.args)),
				"thoughtSignature", given(c.signature != "" && m.age == 0, c.signature)))
		case p.text != "":
			out = append(out, a.object("text", p.text))
		}
	}
	return out
}

type geminiChunk struct {
	Candidates []struct {
		Content struct {
			Parts []struct {
				Text             string
				Thought          bool
				ThoughtSignature string
				FunctionCall     *struct {
					ID, Name string
					Args     raw
				}
			}
		}
		FinishReason string
	}
}

// take adds the chunk to an answer, and reports whether it is the last one.
func (v geminiChunk) take(m *message) bool {
	last := false
	for _, c := range v.Candidates {
		last = last || c.FinishReason != ""
		for _, p := range c.Content.Parts {
			n := len(m.parts)
			switch {
			case p.FunctionCall != nil:
				f := p.FunctionCall
				m.parts = append(m.parts, part{call: &call{id: f.ID, name: f.Name, args: string(f.Args),
					signature: p.ThoughtSignature}})
			case p.Thought:
			case n > 0 && m.parts[n-1].call == nil:
				m.parts[n-1].text += p.Text
			default:
				m.parts = append(m.parts, part{text: p.Text})
			}
		}
	}
	return last
}

func geminiAnswer(b []byte) (m message, err error) {
	v, err := decode[geminiChunk](b)
	if err == nil && !v.take(&m) {
		err = errGarbled
	}
	return m, err
}

func geminiStream(b []byte) (m message, err error) {
	whole := false
	take := func(v geminiChunk) { whole = v.take(&m) }
	if len(b) > 0 && b[0] == '[' {
		var list []geminiChunk
		list, err = decode[[]geminiChunk](b)
		for _, v := range list {
			take(v)
		}
	} else {
		err = each(events(b), take)
	}
	if err == nil && !whole {
		err = errGarbled
	}
	return m, err
}
