package wire

// Count is a number that may be unknown.
type Count struct {
	N     int64
	Known bool
}

// Usage is what a model call took, in tokens. What a response does not say, or does not say to its end, is unknown: never 0,
// which would look as if the context had been emptied.
type Usage struct {
	Context   Count // the prompt of the request, cached tokens included, the output not; of the last iteration, where the server made several
	Response  Count // the output, reasoning included
	Read      Count // of Context, what was read from a cache
	Written   Count // of Context, what was written to one
	Reasoning Count // of Response

	ID    string // the response's own name, by which a later request may refer to it; "" if there is none
	Model string // as the response names it; ""
}

// field is a number of a usage object.
type field uint8

const (
	noField     field = iota
	fieldInput        // without what the cache has to do with
	fieldPrompt       // with it
	fieldOutput
	fieldRead      // beside the input
	fieldWritten   // beside the input
	fieldCached    // within the input
	fieldStored    // within the input, to a cache
	fieldReasoning // within the output
	fieldThoughts  // beside the output
	fieldToolInput // beside the input
	fields
)

// numbers are the fields of one usage object.
type numbers struct {
	n    [fields]int64
	seen uint16
}

func (c *numbers) has(f field) bool { return c.seen>>f&1 == 1 }

func (c *numbers) set(f field, n int64) {
	c.n[f] = n
	c.seen |= 1 << f
}

func (c *numbers) drop(f field) { c.seen &^= 1 << f; c.n[f] = 0 }

// over puts what d says in place of what c says.
func (c *numbers) over(d *numbers) {
	for f := range fields {
		if d.has(f) {
			c.set(f, d.n[f])
		}
	}
}

func (c *numbers) count(fs ...field) (out Count) {
	for _, f := range fs {
		out.N += c.n[f]
		out.Known = out.Known || c.has(f)
	}
	return out
}

// usage reads the numbers. last are those of the last iteration: the prompt alone is taken from there. A prompt of no
// tokens is no measurement. Where both an input and a whole prompt are told, as some gateways do, the latter counts.
//
// Sources: anthropic-sdk-go v1.84.0 message.go and betamessage.go, openai-go v3.94.0, genai v1.77.0, bedrockruntime v1.63.9.
func (c *numbers) usage(last *numbers) (u Usage) {
	p := c
	if last.has(fieldInput) {
		p = last
	}
	if u.Context = p.count(fieldPrompt, fieldToolInput); !p.has(fieldPrompt) {
		u.Context = p.count(fieldInput)
		u.Context.N += p.n[fieldRead] + p.n[fieldWritten]
	}
	if u.Context.N == 0 {
		u.Context.Known = false
	}
	u.Read, u.Written = p.either(fieldCached, fieldRead), p.either(fieldStored, fieldWritten)
	u.Response = c.count(fieldOutput, fieldThoughts)
	u.Reasoning = c.either(fieldReasoning, fieldThoughts)
	for _, n := range [...]*Count{&u.Context, &u.Response, &u.Read, &u.Written, &u.Reasoning} {
		if !n.Known {
			*n = Count{}
		}
	}
	return u
}

func (c *numbers) either(a, b field) Count {
	if c.has(a) {
		return c.count(a)
	}
	return c.count(b)
}
