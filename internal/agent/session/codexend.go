package session

import (
	"bytes"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/aside-go/aside/internal/agent"
	"github.com/aside-go/aside/internal/jsonscan"
)

// tokenCount reads an event with a count of tokens. There may be several with the count of the same call, and
// after a compaction one with the tokens that are left, without a call.
func (s *codex) tokenCount(info []byte) {
	if len(info) == 0 || info[0] != '{' {
		return
	}
	var last, total []byte
	c := jsonscan.Of(info)
	for key, value := range c.Members() {
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
	if !s.last.shortened || u.response.N > 0 {
		s.setUsage(u)
	} else if u.context.Known {
		s.last.after = u.context
	}
	if string(total) != s.total { // the count of a new call: its response is complete
		s.total, s.open = string(total), false
	}
}

// setWindow sets the size of the context window, if window is a number above 0.
func (s *codex) setWindow(window []byte) {
	if n := countOf(window); n.N > 0 {
		s.window = n
	}
}

// setUsage sets the usage of the model's latest response, if anything is known of it.
func (s *codex) setUsage(u usage) {
	if !u.context.Known && !u.response.Known {
		return
	}
	s.last.usage, s.last.stopped = u, true
	if u.response.N > 0 {
		s.last.shortened = false // this response answers the shorter history
	}
}

// readCodexUsage reads the usage of a model call. The context is what Codex shows to its user: prompt and
// output together.
func readCodexUsage(raw []byte) (u usage) {
	var input, cached, written, total Count
	c := jsonscan.Of(raw)
	for key, value := range c.Members() {
		switch n := countOf(value); string(key) {
		case "input_tokens":
			input = n
		case "cached_input_tokens":
			cached = n
		case "cache_write_input_tokens":
			written = n
		case "output_tokens":
			u.response = n
		case "total_tokens":
			total = n
		}
	}
	if c.Bad() {
		return usage{}
	}
	u.context = Count{total.N, total.Known && total.N > 0}
	u.billed = Usage{Read: cached, Written: written, Output: u.response}
	if fresh := input.N - cached.N - written.N; input.Known && fresh >= 0 {
		u.billed.Fresh = Count{fresh, true}
	}
	return u
}

// codexOutcome reports whether a call failed, by its output, where known says that this can be told. Tools
// that run commands write the exit code before what the command has printed.
func codexOutcome(raw []byte) (failed, known bool) {
	if len(raw) == 0 {
		return false, false
	}
	if raw[0] != '"' { // content items, or {"content","success"}
		switch string(jsonscan.Member(raw, "success")) {
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
	for _, sign := range [...]string{"unsupported call: ", "failed to parse function arguments",
		"execution error: "} {
		if bytes.HasPrefix(head, []byte(sign)) {
			return true, true
		}
	}
	if bytes.HasPrefix(head, []byte("Plan updated")) || bytes.Contains(head,
		[]byte(`\nProcess running with session ID `)) {
		return false, true
	}
	return false, false
}

// ownRollout reports whether a rollout is that of a thread: whether its name ends in the thread's id.
func ownRollout(path, thread string) bool {
	return plainName(thread) && strings.HasSuffix(strings.TrimSuffix(filepath.Base(path), ".jsonl"), thread)
}

// codexEnd reads a rollout from its end. It has the size of the window, which is less than the model has.
type codexEnd struct {
	past
	told   bool  // ResponseTokens is known
	events int64 // events of prompts of persons
	items  int64 // response items that are prompts of persons
}

func newCodexEnd(o options) ender { return &codexEnd{past: past{options: o}} }

func (c *codexEnd) done(whole bool) Facts {
	if whole && c.whole && !c.subagent {
		n := c.events
		if n == 0 { // older versions write no events of prompts
			n = c.items
		}
		c.facts.UserTurns = &n
	}
	return c.facts
}

func (c *codexEnd) line(at int64, line []byte) (from int64) {
	if l, ok := readCodex(line); ok {
		c.read(at, &l)
	}
	if !c.whole && c.counted && c.told && c.facts.Model != "" {
		return at
	}
	return 0
}

func (c *codexEnd) read(at int64, l *codexLine) {
	switch string(l.kind) {
	case `"compacted"`:
		c.counted = true // counts from before the compaction no longer hold
	case `"turn_context"`:
		if c.facts.Model == "" {
			c.facts.Model = short(jsonscan.Unquote(l.model))
		}
	case `"event_msg"`:
		switch string(l.typ) {
		case `"token_count"`:
			c.tokens(at, l.info)
		case `"user_message"`:
			if agent.Wrote(jsonscan.Unquote(l.message)) == "" {
				c.events++
			}
		}
	case `"response_item"`:
		if string(l.typ) == `"message"` && string(l.role) == `"user"` && l.submitted() &&
			agent.Wrote(l.content.text) == "" {
			c.items++
		}
	}
}

// tokens reads a count of the tokens of the last model call. Several lines may have the count of the same
// call.
func (c *codexEnd) tokens(at int64, info []byte) {
	last := jsonscan.Member(info, "last_token_usage")
	if len(last) == 0 || last[0] != '{' {
		return
	}
	u := readCodexUsage(last)
	c.context(at, u.context)
	if n := countOf(jsonscan.Member(info, "model_context_window")).small(); c.facts.ContextWindow == nil &&
		n != nil && *n > 0 {
		c.facts.ContextWindow = n
	}
	// A count without output is of the rest that a compaction has left, and of no call.
	if out := u.response.small(); !c.told && out != nil && *out > 0 {
		c.told = true
		c.facts.ResponseTokens = out
		c.facts.Response = strconv.FormatInt(at, 10)
		if n := countOf(jsonscan.Member(jsonscan.Member(info, "total_token_usage"),
			"total_tokens")).small(); n != nil {
			c.facts.Response = "total " + strconv.FormatInt(*n, 10)
		}
	}
}
