package client

import (
	"net/http"
	"strings"

	"github.com/aside-go/aside/internal/test/modelapi"
)

// takesSystem reports whether the client writes its notes into system messages, behind the message they
// belong to. For other models it writes them in the user's place (WIRE.md §1.1, trailing system messages).
func (a *Agent) takesSystem() bool {
	for _, m := range modelapi.Models() {
		if m.System && strings.HasPrefix(a.model, m.Prefix) {
			return true
		}
	}
	return false
}

var marker = raw(`{"type":"ephemeral"}`)

func (a *Agent) text(s string, mark bool) raw {
	return a.object("type", "text", "text", s, "cache_control", given(mark && !a.opts.Auto, marker))
}

// anthropic writes a request as Claude Code does.
func (a *Agent) anthropic(t *thread, k Kind, h http.Header) (path string, body raw) {
	h.Set("Anthropic-Version", "2023-06-01")
	h.Set("User-Agent", "claude-cli/2.1.329 (external, cli)")
	h.Set("X-Stainless-Retry-Count", "0")
	metadata := any(absent{})
	if !a.opts.Unnamed && a.opts.RunHeader == "" {
		h.Set("X-Claude-Code-Session-Id", a.run)
		if t.name != "" {
			h.Set("X-Claude-Code-Agent-Id", t.name)
		}
		metadata = a.object("user_id", string(object(false, "device_id", "d", "account_uuid", "",
			"session_id", a.run)))
	}
	system := []raw{a.text(a.systemPrompt(t), true)}
	if a.opts.Steady == nil {
		system = append([]raw{a.text("You are a client of the API.", true)}, system...)
	}
	tools := any(absent{})
	if k == Title {
		system = []raw{a.text("You are a title generator. Return a title and nothing else.", false)}
	} else {
		tools = a.anthropicTools()
	}
	messages := a.anthropicMessages(t, k)
	pairs := []any{"model", a.model, "messages", messages, "system", system, "tools", tools,
		"metadata", metadata}
	if a.opts.Auto {
		pairs = append(pairs, "cache_control", marker)
	}
	if a.opts.Habits.Think > 0 {
		pairs = append(pairs, "thinking", raw(`{"type":"adaptive"}`))
	}
	if k == Count {
		return "/v1/messages/count_tokens", a.object(pairs...)
	}
	pairs = append(pairs, "max_tokens", 32000, "stream", given(a.manner.stream && k == Turn, true))
	return "/v1/messages?beta=true", a.object(pairs...)
}

func (a *Agent) anthropicTools() []raw {
	var out []raw
	for _, t := range a.toolList() {
		out = append(out, a.object("name", t[0], "description", t[1], "input_schema", raw(schema)))
	}
	return out
}

func (a *Agent) anthropicMessages(t *thread, k Kind) []raw {
	var out []raw
	last := len(t.history) - 1
	marked := last // the message that carries the moving mark
	if k == Compaction && last > 0 && t.history[last-1].role == model {
		marked = last - 1
	}
	put := func(role string, content any) {
		out = append(out, a.object("role", role, "content", content))
	}
	system := a.takesSystem()
	for i, m := range t.history {
		behind := m.note != "" && system && (i == last || t.history[i+1].role == model)
		mark := i == marked && !behind
		note := m.note
		if system {
			note = ""
		}
		switch m.role {
		case person:
			put("user", a.anthropicPrompt(m, note, mark))
		case outcome:
			put("user", a.anthropicResults(m, note, mark))
		case model:
			put("assistant", a.anthropicParts(m, mark))
		}
		switch {
		case !behind:
		case i == marked:
			put("system", []raw{a.text(m.note, true)})
		default:
			put("system", m.note)
		}
	}
	return out
}

// anthropicPrompt writes a prompt: as a string if it has neither note nor mark; as blocks else, and where the
// client prefers blocks.
func (a *Agent) anthropicPrompt(m message, note string, mark bool) any {
	if note == "" && !mark && (m.age > 0 || !a.manner.blocks) {
		return m.text
	}
	var out []raw
	if note != "" {
		out = append(out, a.text("<system-reminder>\n"+note+"\n</system-reminder>", false))
	}
	return append(out, a.text(m.text, mark))
}

func (a *Agent) anthropicResults(m message, note string, mark bool) []raw {
	var out []raw
	for i, r := range m.results {
		end := i == len(m.results)-1
		text := r.text
		if end && note != "" {
			text += "\n\n" + note
		}
		content := any(text)
		if a.manner.blocks && i%2 == 0 {
			content = []raw{a.text(text, false)}
		}
		mark := given(mark && end && !a.opts.Auto, marker)
		if r.failed {
			out = append(out, a.object("type", "tool_result", "content", content, "is_error", true, "tool_use_id",
				r.id, "cache_control", mark))
			continue
		}
		out = append(out, a.object("tool_use_id", r.id, "type", "tool_result", "content", content,
			"cache_control", mark))
	}
	return out
}

// anthropicParts writes an answer as it came, except that arguments have no blanks after the client was
// restarted.
func (a *Agent) anthropicParts(m message, mark bool) []raw {
	var out []raw
	for i, p := range m.parts {
		switch {
		case p.call != nil:
			args := p.call.args
			if m.age > 0 {
				args = compacted(args)
			}
			out = append(out, a.object("type", "tool_use", "id", p.call.id, "name", p.call.name, "input", raw(args)))
		case p.thought != "":
			out = append(out, a.object("type", "thinking", "thinking", p.thought, "signature", p.signature))
		default:
			out = append(out, a.text(p.text, mark && i == len(m.parts)-1))
		}
	}
	return out
}

type anthropicBlock struct {
	Type, Text, Thinking, Signature, ID, Name string
	Input                                     raw
}

func (b anthropicBlock) part() part {
	switch b.Type {
	case "tool_use":
		return part{call: &call{id: b.ID, name: b.Name, args: string(b.Input)}}
	case "thinking":
		return part{thought: b.Thinking, signature: b.Signature}
	}
	return part{text: b.Text}
}

func anthropicAnswer(b []byte) (message, error) {
	v, err := decode[struct{ Content []anthropicBlock }](b)
	var m message
	for _, x := range v.Content {
		m.parts = append(m.parts, x.part())
	}
	return m, err
}

func anthropicStream(b []byte) (message, error) {
	var blocks []anthropicBlock
	whole := false
	err := each(events(b), func(e struct {
		Type  string
		Index int
		Block anthropicBlock `json:"content_block"`
		Delta struct {
			Text, Thinking, Signature string
			Partial                   string `json:"partial_json"`
		}
	}) {
		switch e.Type {
		case "content_block_start":
			e.Block.Input = nil
			blocks = append(blocks, e.Block)
		case "content_block_delta":
			x := &blocks[e.Index]
			x.Text += e.Delta.Text
			x.Thinking += e.Delta.Thinking
			x.Signature += e.Delta.Signature
			x.Input = append(x.Input, e.Delta.Partial...)
		case "message_stop":
			whole = true
		}
	})
	if err != nil || !whole {
		return message{}, errGarbled
	}
	var m message
	for _, x := range blocks {
		m.parts = append(m.parts, x.part())
	}
	return m, nil
}
