package modelapi

import (
	"encoding/base64"
	"encoding/json"
	"slices"
)

func geminiUsage(u Usage) json.RawMessage {
	pairs := []any{"promptTokenCount", u.Prompt, "candidatesTokenCount", u.Output - u.Reasoning,
		"totalTokenCount", u.Prompt + u.Output}
	if u.Read > 0 {
		pairs = append(pairs, "cachedContentTokenCount", u.Read)
	}
	if u.Reasoning > 0 {
		pairs = append(pairs, "thoughtsTokenCount", u.Reasoning)
	}
	return obj(pairs...)
}

// geminiParts returns the parts of an answer. The first call carries a signature.
func geminiParts(parts []Part) json.RawMessage {
	out := []json.RawMessage{}
	done := false
	for _, x := range parts {
		switch {
		case x.Call != nil:
			c := obj("id", x.Call.ID, "name", x.Call.Name, "args", json.RawMessage(x.Call.Args))
			if done {
				out = append(out, obj("functionCall", c))
				continue
			}
			done = true
			out = append(out, obj("functionCall", c, "thoughtSignature", signPart(obj("functionCall", c))))
		case x.Thinking != "":
			out = append(out, obj("text", x.Thinking, "thought", true))
		default:
			out = append(out, obj("text", x.Text))
		}
	}
	return arr(out...)
}

// signedPart returns what the signature of a part is about. A call without arguments may come back without
// "args", as Google's SDK for Go writes it (genai v1.77.0).
func signedPart(part *node) string {
	part = order(part)
	if fc := part.get("functionCall", "function_call"); fc != nil {
		fc.members = slices.DeleteFunc(fc.members, func(m member) bool {
			return m.name == "args" && m.value.is('{') && len(m.value.members) == 0
		})
	}
	return part.compact("thoughtSignature", "thought_signature")
}

// signPart returns the signature of a part.
func signPart(part json.RawMessage) string {
	n, err := parse(part)
	if err != nil {
		panic(err) // it was written by obj
	}
	s := signature{prompt: digest(""), before: digest(""), text: digest(signedPart(n))}
	return base64.StdEncoding.EncodeToString([]byte(signed + s.prompt + s.before + s.text + digest(s.text)))
}

func geminiChunk(p *Prompt, a Answer, parts []Part, last bool) json.RawMessage {
	candidate := []any{"content", obj("role", "model", "parts", geminiParts(parts))}
	if len(parts) == 0 {
		candidate = []any{"content", obj("role", "model")}
	}
	if last {
		candidate = append(candidate, "finishReason", "STOP")
	}
	return obj("candidates", arr(obj(append(candidate, "index", 0)...)), "usageMetadata", geminiUsage(a.Usage),
		"modelVersion", p.Model, "responseId", "r"+a.ID)
}

// geminiEvents returns the chunks of a stream. Each holds the usage. All calls of an answer come whole, in
// one chunk.
func geminiEvents(p *Prompt, a Answer) []event {
	var chunks [][]Part
	var calls []Part
	for _, x := range a.Reply.Parts {
		if x.Call != nil {
			calls = append(calls, x)
			continue
		}
		for _, s := range pieces(x.Text) {
			chunks = append(chunks, []Part{{Text: s}})
		}
		for _, s := range pieces(x.Thinking) {
			chunks = append(chunks, []Part{{Thinking: s}})
		}
	}
	if len(calls) > 0 || len(chunks) == 0 {
		chunks = append(chunks, calls)
	}
	var out []event
	for i, c := range chunks {
		out = append(out, event{data: geminiChunk(p, a, c, i == len(chunks)-1)})
	}
	return out
}
