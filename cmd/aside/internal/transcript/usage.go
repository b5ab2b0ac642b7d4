package transcript

// usage is how many tokens a model call had: in its prompt, and in its response.
type usage struct{ context, response Count }

// readUsage reads a "usage" object of any of the APIs. Where a server-side tool loop made several iterations, the context is the prompt
// of the last one: the sums over all of them say nothing about the window. A prompt of 0 tokens counts as not known.
func readUsage(raw []byte) (u usage, billed Usage) {
	c := cursor{b: raw}
	var top, last tokens
	if c.peek() != '{' {
		return u, billed
	}
	c.open('{')
	for {
		key, ok := c.member()
		if !ok {
			break
		}
		switch string(key) {
		case "iterations":
			last = readIterations(c.raw())
		case "output_tokens", "completion_tokens":
			n, ok := c.count()
			u.response = Count{n, ok}
		default:
			value := c.raw()
			top.read(key, value)
			billed.part(key, value)
		}
	}
	if c.bad {
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
	c := cursor{b: raw}
	switch string(key) {
	case "input_tokens", "prompt_tokens":
		n, ok := c.count()
		u.Fresh = Count{n, ok}
	case "cache_read_input_tokens":
		n, ok := c.count()
		u.Read = Count{n, ok}
	case "cache_creation_input_tokens":
		n, ok := c.count()
		u.Written = Count{n, ok}
	case "cache_creation":
		hour := cursor{b: rawMember(raw, "ephemeral_1h_input_tokens")}
		n, ok := hour.count()
		u.WrittenHour = Count{n, ok}
	case "prompt_tokens_details", "input_tokens_details": // OpenAI's, whose prompt tokens include the cached ones
		cached := cursor{b: rawMember(raw, "cached_tokens")}
		if n, ok := cached.count(); ok && u.Fresh.N >= n {
			u.Read, u.Fresh.N = Count{n, true}, u.Fresh.N-n
		}
	}
}

// tokens sums up the parts of a prompt. Anthropic's parts do not overlap, and OpenAI's prompt_tokens includes them all.
type tokens struct {
	sum  int64
	seen bool
}

func (t *tokens) read(key, raw []byte) {
	switch string(key) {
	case "input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens", "prompt_tokens":
		c := cursor{b: raw}
		if n, ok := c.count(); ok {
			t.sum += n
			t.seen = true
		}
	}
}

// readIterations returns the prompt of the last iteration that was a message.
func readIterations(raw []byte) (last tokens) {
	c := cursor{b: raw}
	if c.peek() != '[' {
		return last
	}
	for c.open('['); c.element() && !c.bad; {
		item := cursor{b: c.raw()}
		var t tokens
		message := true
		if !item.open('{') {
			continue
		}
		for {
			key, ok := item.member()
			if !ok {
				break
			}
			if value := item.raw(); string(key) == "type" {
				message = unquote(value) == "message"
			} else {
				t.read(key, value)
			}
		}
		if message && t.seen && !item.bad {
			last = t
		}
	}
	return last
}
