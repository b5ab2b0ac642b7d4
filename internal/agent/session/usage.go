package session

import (
	"github.com/aside-go/aside/internal/jsonscan"
)

// usage is how many tokens a model call had: in its prompt, and in its response.
type usage struct{ context, response Count }

// readUsage reads a "usage" object of any of the APIs. Where a server-side tool loop made several iterations,
// the context is the prompt of the last one: the sums over all of them say nothing about the window. A prompt
// of 0 tokens counts as not known.
func readUsage(raw []byte) (u usage, billed Usage) {
	c := jsonscan.Of(raw)
	var top, last tokens
	if c.Peek() != '{' {
		return u, billed
	}
	c.Open('{')
	for {
		key, ok := c.Member()
		if !ok {
			break
		}
		switch string(key) {
		case "iterations":
			last = readIterations(c.Raw())
		case "output_tokens", "completion_tokens":
			n, ok := c.Count()
			u.response = Count{n, ok}
		default:
			value := c.Raw()
			top.read(key, value)
			billed.part(key, value)
		}
	}
	if c.Bad() {
		return usage{}, Usage{}
	}
	billed.Output = u.response
	if last.seen {
		top = last
	}
	u.context = Count{top.sum, top.seen && top.sum > 0}
	return u, billed
}

// part reads a member of a "usage" object that is about a part of the prompt.
func (u *Usage) part(key, raw []byte) {
	c := jsonscan.Of(raw)
	switch string(key) {
	case "input_tokens", "prompt_tokens":
		n, ok := c.Count()
		u.Fresh = Count{n, ok}
	case "cache_read_input_tokens":
		n, ok := c.Count()
		u.Read = Count{n, ok}
	case "cache_creation_input_tokens":
		n, ok := c.Count()
		u.Written = Count{n, ok}
	case "cache_creation":
		hour := jsonscan.Of(jsonscan.Member(raw, "ephemeral_1h_input_tokens"))
		n, ok := hour.Count()
		u.WrittenHour = Count{n, ok}
	case "prompt_tokens_details", "input_tokens_details": // OpenAI's, whose prompt tokens include the cached ones
		cached := jsonscan.Of(jsonscan.Member(raw, "cached_tokens"))
		if n, ok := cached.Count(); ok && u.Fresh.N >= n {
			u.Read, u.Fresh.N = Count{n, true}, u.Fresh.N-n
		}
	}
}

// tokens sums up the parts of a prompt. Anthropic's parts do not overlap, and OpenAI's prompt_tokens includes
// them all.
type tokens struct {
	sum  int64
	seen bool
}

func (t *tokens) read(key, raw []byte) {
	switch string(key) {
	case "input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens", "prompt_tokens":
		c := jsonscan.Of(raw)
		if n, ok := c.Count(); ok {
			t.sum += n
			t.seen = true
		}
	}
}

// readIterations returns the prompt of the last iteration that was a message.
func readIterations(raw []byte) (last tokens) {
	c := jsonscan.Of(raw)
	if c.Peek() != '[' {
		return last
	}
	for c.Open('['); c.Element() && !c.Bad(); {
		item := jsonscan.Of(c.Raw())
		var t tokens
		message := true
		if !item.Open('{') {
			continue
		}
		for {
			key, ok := item.Member()
			if !ok {
				break
			}
			if value := item.Raw(); string(key) == "type" {
				message = jsonscan.Unquote(value) == "message"
			} else {
				t.read(key, value)
			}
		}
		if message && t.seen && !item.Bad() {
			last = t
		}
	}
	return last
}

// countOf returns the count that a JSON text is.
func countOf(raw []byte) Count {
	n, ok := jsonscan.Of(raw).Count()
	return Count{n, ok}
}
