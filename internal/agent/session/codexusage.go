package session

import (
	"bytes"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/aside-go/aside/compile/fact"
	"github.com/aside-go/aside/internal/jsonscan"
)

// tokenCount reads an event with a count of tokens. There may be several with the count of the same call.
// One without a call, as after a compaction, estimates what is left: often far more than the window holds.
// It says nothing.
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
	s.setUsage(readCodexUsage(last))
	if string(total) != s.total { // the count of a new call: its response is complete
		s.total, s.open = string(total), false
	}
}

// setUsage sets the usage of the model's latest response, if anything is known of it.
func (s *codex) setUsage(u usage) {
	if !u.context.Known && !u.response.Known {
		return
	}
	s.used(u)
	s.last.shortened = false
}

// readCodexUsage reads the usage of a model call. The context is what Codex shows to its user: prompt and
// output together. Where there is neither, nothing is known: the total is no call's.
func readCodexUsage(raw []byte) (u usage) {
	var r row
	if !codexTokens.read(raw, &r) {
		return usage{}
	}
	if u = r.usage(); !u.context.Known && u.response.N == 0 {
		return usage{}
	}
	total := countOf(jsonscan.Member(raw, "total_tokens"))
	u.context = Count{total.N, total.N > 0}
	return u
}

var codexTokens = fields{"input_tokens": {is: cPrompt}, "cached_input_tokens": {is: cRead},
	"cache_write_input_tokens": {is: cWritten}, "output_tokens": {is: cAnswer}}

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

// middle implements rereader.
func (s *codex) middle(of File) {
	if s.model = of.model; of.Subagent != "" { // the record that says so may not be read
		s.run.Thread = "subagent"
	}
}

// past implements rereader. The first response that is read may lack its first records, and with them its
// id; where a file has counts alone, they tell one from the next.
func (s *codex) past() (f Facts, enough bool) {
	f = s.facts()
	f.Model, f.Response, f.Own = short(s.model), f.Answer, short(s.own)
	if n := countOf(jsonscan.Member([]byte(s.total), "total_tokens")).small(); f.Response == "" && n != nil {
		f.Response = "total " + strconv.FormatInt(*n, 10)
	}
	for _, c := range s.last.calls {
		switch c.Failed {
		case fact.True:
			f.Failed = append(f.Failed, c.ID)
		case fact.False:
			f.Passed = append(f.Passed, c.ID)
		}
	}
	return f, f.Model != "" && f.ResponseTokens != nil && s.turns > 1 &&
		(f.ContextTokens != nil || s.last.shortened)
}
