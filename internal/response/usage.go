package response

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

	ID    string // the response's id, by which a later request may refer to it; "" if it has none
	Model string // as the response names it; "" if it does not
}

// numbers are the numbers of one usage object, by their words.
type numbers struct {
	n    [words]int64
	seen uint32 // bit f: number f is known
}

func (c *numbers) has(f Word) bool { return c.seen>>f&1 == 1 }

func (c *numbers) set(f Word, n int64) {
	c.n[f] = n
	c.seen |= 1 << f
}

func (c *numbers) drop(fs ...Word) {
	for _, f := range fs {
		c.seen &^= 1 << f
		c.n[f] = 0
	}
}

// noPrompt reports whether the numbers tell of a prompt of 0 tokens, as gateways write that know only the
// output.
func (c *numbers) noPrompt() bool {
	return c.has(Input) && c.n[Input]+c.n[Read]+c.n[Written] == 0
}

// over takes over the numbers that d knows.
func (c *numbers) over(d *numbers) {
	for f := range words {
		if d.has(f) {
			c.set(f, d.n[f])
		}
	}
}

// count returns the sum of Words, known where one of them is.
func (c *numbers) count(fs ...Word) (out Count) {
	for _, f := range fs {
		out.N += c.n[f]
		out.Known = out.Known || c.has(f)
	}
	return out
}

// usage turns the numbers of a response into a Usage. last are the numbers of the last iteration, if the
// response has any: Context, Read and Written are taken from there. A prompt of 0 tokens is no measurement.
// Where both an input and a whole prompt are told, as some gateways do, the whole prompt counts.
//
// Sources: anthropic-sdk-go v1.84.0 message.go and betamessage.go, openai-go v3.94.0, genai v1.77.0,
// bedrockruntime v1.63.9.
func (c *numbers) usage(last *numbers) (u Usage) {
	p := c
	if last.has(Input) {
		p = last
	}
	if u.Context = p.count(Prompt, ToolInput); !p.has(Prompt) {
		u.Context = p.count(Input)
		u.Context.N += p.n[Read] + p.n[Written]
	}
	if u.Context.N == 0 {
		u.Context.Known = false
	}
	u.Read, u.Written = p.either(Cached, Read), p.either(Stored, Written)
	u.Response = c.count(Output, Thoughts)
	u.Reasoning = c.either(Reasoning, Thoughts)
	for _, n := range [...]*Count{&u.Context, &u.Response, &u.Read, &u.Written, &u.Reasoning} {
		if !n.Known {
			*n = Count{}
		}
	}
	return u
}

// either returns number a, or b where a is unknown.
func (c *numbers) either(a, b Word) Count {
	if c.has(a) {
		return c.count(a)
	}
	return c.count(b)
}
