package wiretest

import (
	"encoding/json"
	"unicode/utf8"
)

// event is one event of a stream. Without a name it is data alone.
type event struct {
	name string
	data json.RawMessage
}

// piece is about how many bytes of text a delta brings.
const piece = 16

// pieces cuts a text for deltas, between characters; a short one into two, so that no client gets away with one.
func pieces(s string) []string {
	size := min(piece, max(1, (len(s)+1)/2))
	var out []string
	for len(s) > 0 {
		n := min(size, len(s))
		for n < len(s) && !utf8.RuneStart(s[n]) {
			n++
		}
		out = append(out, s[:n])
		s = s[n:]
	}
	return out
}

// body is the answer without streaming.
func (a Answer) body(p *Prompt) json.RawMessage {
	switch p.API {
	case Anthropic:
		return anthropicBody(p, a)
	case Chat:
		return chatBody(p, a)
	case Responses:
		return responsesBody(p, a, "completed")
	case Gemini:
		return geminiChunk(p, a, a.Reply.Parts, true)
	}
	return converseBody(a)
}

// events is the answer as a stream.
func (a Answer) events(p *Prompt) []event {
	switch p.API {
	case Anthropic:
		return anthropicEvents(p, a)
	case Chat:
		return chatEvents(p, a)
	case Responses:
		return responsesEvents(p, a)
	case Gemini:
		return geminiEvents(p, a)
	}
	return converseEvents(a)
}

// counted is the answer to a request that only counts.
func (a Answer) counted(p *Prompt) json.RawMessage {
	switch p.API {
	case Gemini:
		return obj("totalTokens", a.Usage.Prompt)
	case Responses:
		return obj("object", "response.input_tokens", "input_tokens", a.Usage.Prompt)
	}
	return obj("input_tokens", a.Usage.Prompt)
}
