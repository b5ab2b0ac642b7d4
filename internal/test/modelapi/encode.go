package modelapi

import (
	"encoding/json"
	"unicode/utf8"
)

// event is one event of a stream. An event without a name is data alone.
type event struct {
	name string
	data json.RawMessage
}

// piece is how many bytes of text a delta has, more or less.
const piece = 16

// pieces cuts a text for deltas, between characters. A short text is cut into two, so that no client gets by
// with reading one delta.
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

// body returns the answer as one JSON value.
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
	case Interactions:
		return interactionBody(p, a, true)
	}
	return converseBody(a)
}

// events returns the answer as the events of a stream.
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
	case Interactions:
		return interactionsEvents(p, a)
	}
	return converseEvents(a)
}

// counted returns the answer to a request that only counts tokens.
func (a Answer) counted(p *Prompt) json.RawMessage {
	switch p.API {
	case Gemini:
		return obj("totalTokens", a.Usage.Prompt)
	case Responses:
		return obj("object", "response.input_tokens", "input_tokens", a.Usage.Prompt)
	}
	return obj("input_tokens", a.Usage.Prompt)
}
