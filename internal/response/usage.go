package response

import (
	"strings"

	"github.com/aside-go/aside/internal/model"
)

// KeptPrefix begins the names under which package transport keeps in a store, beside the runs, what it knows
// of responses.
const KeptPrefix = "reply-"

// Kept reports whether a name in a store is not that of a run, but one of KeptPrefix.
func Kept(name string) bool { return strings.HasPrefix(name, KeptPrefix) }

// Count is a number that may be unknown.
type Count struct {
	N     int64
	Known bool
}

// Usage is how many tokens a model call took. A number that a response does not tell, or does not tell before
// it breaks off, is unknown. It is never 0 then, which would look as if the context had been emptied.
type Usage struct {
	// the prompt of the request, cached tokens included, output excluded; of the last iteration, where the
	// server made several
	Context   Count
	Response  Count // the output, reasoning included
	Read      Count // the part of Context that was read from a cache
	Written   Count // the part of Context that was written to a cache
	Reasoning Count // the part of Response that is reasoning

	Bill Bill // what all of it is billed for, model calls that the server made by itself included

	ID    string // the response's id, by which a later request may refer to it; "" if it has none
	Model string // as the response names it; "" if it does not
}

// Bill is how many tokens of each price a response took. Without Known, all are 0.
type Bill struct {
	Known bool
	model.Tokens
}

// bill returns the Bill of numbers. A cache that is not told of was not used.
func (c numbers) bill() (b Bill) {
	out, prompt := c.count(Output, Thoughts), c.prompt()
	read, written := c.either(Cached, Read).N, c.either(Stored, Written).N
	if !out.Known || !prompt.Known || read+written > prompt.N {
		return b
	}
	hour := min(c.count(Hour).N, written)
	return Bill{true, model.Tokens{Plain: prompt.N - read - written, Read: read, Written: written, Hour: hour,
		Output: out.N}}
}

// prompt returns the length of the prompt. One of 0 tokens is no measurement. Where both an input and a whole
// prompt are told, as some gateways do, the whole prompt counts.
func (c numbers) prompt() (p Count) {
	switch {
	case c.count(Prompt).Known:
		p = c.count(Prompt, ToolInput)
	case c.count(Input).Known:
		p = c.count(Input, Read, Written)
	}
	if p.N == 0 {
		return Count{}
	}
	return p
}

// count returns the sum of numbers, known where one of them is.
func (c numbers) count(ws ...Word) (out Count) {
	for _, w := range ws {
		n, known := c[w]
		out.N += n
		out.Known = out.Known || known
	}
	return out
}

// either returns number a, or b where a is unknown.
func (c numbers) either(a, b Word) Count {
	if n := c.count(a); n.Known {
		return n
	}
	return c.count(b)
}

// usage turns the numbers of a response into a Usage. last are the numbers of the last iteration, if the
// response has any: Context, Read and Written are taken from there.
//
// Sources: anthropic-sdk-go v1.84.0 message.go and betamessage.go, openai-go v3.94.0, genai v1.77.0,
// bedrockruntime v1.63.9.
func (c numbers) usage(last numbers) (u Usage) {
	p := c
	if last.count(Input).Known {
		p = last
	}
	u.Context, u.Read, u.Written = p.prompt(), p.either(Cached, Read), p.either(Stored, Written)
	u.Response, u.Reasoning = c.count(Output, Thoughts), c.either(Reasoning, Thoughts)
	return u
}
