package transcript

// usage is what a model call took, in the words of any API that logs are written in.
type usage struct{ context, response Count }

// readUsage reads a "usage" object. The prompt is what was sent in the last iteration, where a server-side tool loop made
// several; of the sums on top nothing can be learned about the window then. A prompt of no tokens is no measurement.
func readUsage(raw []byte) usage {
	c := cursor{b: raw}
	var u usage
	var top, last tokens
	if !c.open('{') {
		return u
	}
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
			top.read(key, c.raw())
		}
	}
	if c.bad {
		return usage{}
	}
	if last.seen {
		top = last
	}
	u.context = Count{top.sum, top.seen && top.sum > 0}
	return u
}

// tokens adds up the parts of a prompt. Anthropic's parts exclude each other, OpenAI's prompt_tokens holds them all.
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
