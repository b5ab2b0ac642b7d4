package transcript

import "bytes"

// counted takes in an event with a count of tokens. The same call may be counted in several of them; after a compaction what is
// left is counted, without a call.
func (s *codex) counted(info []byte) {
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
			s.fits(value)
		}
	}
	u := readCodexUsage(last)
	if !s.last.compacted || u.usage.response.N > 0 {
		s.took(u)
	} else if u.usage.context.Known {
		s.last.after = u.usage.context
	}
	if string(total) != s.total {
		s.total, s.open = string(total), false
	}
}

// fits takes in how large the window is.
func (s *codex) fits(window []byte) {
	c := cursor{b: window}
	if n, ok := c.count(); ok && n > 0 {
		s.window = Count{n, true}
	}
}

// took takes in what the model's last response took.
func (s *codex) took(u codexUsage) {
	if !u.usage.context.Known && !u.usage.response.Known {
		return
	}
	s.last.usage, s.last.billed, s.last.stopped = u.usage, u.billed, true
	if u.usage.response.N > 0 {
		s.last.compacted = false // the answer to the shorter history
	}
}

// codexUsage is what a model call took. The context is what Codex shows: prompt and output together.
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

// codexOutcome reads off the output of a call whether it failed, where that can be told: what runs commands writes down the exit
// code, ahead of what the command has printed.
func codexOutcome(raw []byte) (failed, known bool) {
	if len(raw) == 0 {
		return false, false
	}
	if raw[0] != '"' { // content items, or {"content","success"}
		switch string(stringMember(raw, "success")) {
		case "true":
			return false, true
		case "false":
			return true, true
		}
		return false, false
	}
	const reach = 512 // bytes that the lines before the output take
	head := raw[1:min(len(raw), reach)]
	if before, _, ok := bytes.Cut(head, []byte(`\nOutput:\n`)); ok {
		head = before
	} else if bytes.HasPrefix(head, []byte(`{\"output\":`)) { // an older form, with the code behind the output
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
