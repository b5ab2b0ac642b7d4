package transcript

import "bytes"

// tokenCount reads an event with a count of tokens. There may be several with the count of the same call, and after a compaction one with
// the tokens that are left, without a call.
func (s *codex) tokenCount(info []byte) {
	if len(info) == 0 || info[0] != '{' {
		return
	}
	var last, total []byte
	c := cursor{b: info}
	for key, value := range c.members() {
		switch string(key) {
		case "last_token_usage":
			last = value
		case "total_token_usage":
			total = value
		case "model_context_window":
			s.setWindow(value)
		}
	}
	u := readCodexUsage(last)
	if !s.last.compacted || u.usage.response.N > 0 {
		s.setUsage(u)
	} else if u.usage.context.Known {
		s.last.after = u.usage.context
	}
	if string(total) != s.total { // the count of a new call: its response is complete
		s.total, s.open = string(total), false
	}
}

// setWindow sets the size of the context window, if window is a number above 0.
func (s *codex) setWindow(window []byte) {
	c := cursor{b: window}
	if n, ok := c.count(); ok && n > 0 {
		s.window = Count{n, true}
	}
}

// setUsage sets the usage of the model's latest response, if anything is known of it.
func (s *codex) setUsage(u codexUsage) {
	if !u.usage.context.Known && !u.usage.response.Known {
		return
	}
	s.last.usage, s.last.billed, s.last.stopped = u.usage, u.billed, true
	if u.usage.response.N > 0 {
		s.last.compacted = false // this response answers the shorter history
	}
}

// codexUsage is the usage of a model call. usage.context is what Codex shows to its user: prompt and output together.
type codexUsage struct {
	usage  usage
	billed Usage
}

func readCodexUsage(raw []byte) codexUsage {
	var out codexUsage
	var input, cached, written, total Count
	c := cursor{b: raw}
	if c.peek() != '{' {
		return out
	}
	for key, value := range c.members() {
		v := cursor{b: value}
		n, ok := v.count()
		switch string(key) {
		case "input_tokens":
			input = Count{n, ok}
		case "cached_input_tokens":
			cached = Count{n, ok}
		case "cache_write_input_tokens":
			written = Count{n, ok}
		case "output_tokens":
			out.usage.response = Count{n, ok}
		case "total_tokens":
			total = Count{n, ok}
		}
	}
	if c.bad {
		return codexUsage{}
	}
	out.usage.context = Count{total.N, total.Known && total.N > 0}
	out.billed = Usage{Read: cached, Written: written, Output: out.usage.response}
	if fresh := input.N - cached.N - written.N; input.Known && fresh >= 0 {
		out.billed.Fresh = Count{fresh, true}
	}
	return out
}

// codexOutcome reports whether a call failed, by its output, where known says that this can be told. Tools that run commands write the
// exit code before what the command has printed.
func codexOutcome(raw []byte) (failed, known bool) {
	if len(raw) == 0 {
		return false, false
	}
	if raw[0] != '"' { // content items, or {"content","success"}
		switch string(rawMember(raw, "success")) {
		case "true":
			return false, true
		case "false":
			return true, true
		}
		return false, false
	}
	const reach = 512 // bytes, in which the lines before the output have room
	head := raw[1:min(len(raw), reach)]
	if before, _, ok := bytes.Cut(head, []byte(`\nOutput:\n`)); ok {
		head = before
	} else if bytes.HasPrefix(head, []byte(`{\"output\":`)) { // an older form, with the code after the output
		head = raw[max(1, len(raw)-reach):]
	}
	for _, sign := range [...]string{`Process exited with code `, `Exit code: `, `\"exit_code\":`} {
		if _, rest, ok := bytes.Cut(head, []byte(sign)); ok {
			return !bytes.HasPrefix(rest, []byte("0")), true
		}
	}
	for _, sign := range [...]string{"unsupported call: ", "failed to parse function arguments", "execution error: "} {
		if bytes.HasPrefix(head, []byte(sign)) {
			return true, true
		}
	}
	if bytes.HasPrefix(head, []byte("Plan updated")) || bytes.Contains(head, []byte(`\nProcess running with session ID `)) {
		return false, true
	}
	return false, false
}
