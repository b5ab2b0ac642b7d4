package session

import (
	"bytes"
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/aside-go/aside/compile/fact"
	"github.com/aside-go/aside/internal/agent"
	"github.com/aside-go/aside/internal/jsonscan"
)

// codex is the source for rollouts, the session files of Codex CLI (HOOKS.md §5; runs of 0.169.0 and files of
// older versions). One response of the model is several records in a row. It ends with a count of its tokens,
// or with a record of anything else.
//
// Codex also records the response that summarises the history at a compaction, as if it were one of the
// conversation. So the turn of a response without calls is held back until a later record shows that no
// compaction follows.
type codex struct {
	thread
	begun bool   // the record about the session was read
	id    string // of the session
	from  string // the session that this one was forked from; its copied record may be all that says so
	total string // total_token_usage of the count read last, as JSON
	room  members
	// the user turn that goes on, where no other thread's turn has led to it: in a subagent's thread, one
	// that a person began; "" otherwise
	own string

	held   *Turn  // the turn of last, while that may still be a summary; nil: it was appended to out
	before thread // before held
}

func newCodex(source string, out *Sink) *codex { return &codex{thread: newThread(source, out)} }

// codexLine is a record, with the members of its payload. Slices borrow from the line.
type codexLine struct {
	kind, timestamp []byte
	members
	content content
}

// members are members of an object, as they are written. The last of a name counts.
type members []member

type member struct{ key, value []byte }

func (m members) get(key string) []byte {
	for _, x := range slices.Backward(m) {
		if string(x.key) == key {
			return x.value
		}
	}
	return nil
}

func (m members) str(key string) string { return jsonscan.Unquote(m.get(key)) }

// readCodex reads a line; of a kind that is of no interest only as much as it takes to know that. ok is false
// where the line is not a record, or is cut off. The members take the room of those of an earlier line.
func readCodex(line []byte, room members) (l codexLine, ok bool) {
	l.members = room[:0]
	var payload []byte // of a line whose payload comes before its type, as Codex never writes it
	c := jsonscan.Of(line)
	for key := range c.Keys() {
		switch string(key) {
		case "timestamp":
			l.timestamp = c.Raw()
		case "type":
			l.kind = c.Raw()
		case "payload":
			if l.kind == nil {
				payload = c.Raw()
			} else if !l.interesting() || !l.payload(c) {
				return l, !c.Bad() && c.Peek() != 0
			}
		}
	}
	if payload != nil && l.interesting() {
		l.payload(jsonscan.Of(payload))
	}
	return l, !c.Bad() && len(l.kind) > 0
}

// interesting reports whether records of this kind may say anything about turns.
func (l *codexLine) interesting() bool {
	switch string(l.kind) {
	case `"session_meta"`, `"turn_context"`, `"event_msg"`, `"response_item"`, `"compacted"`, `"token_usage_record"`:
		return true
	}
	return false
}

// payload reads the record's payload. It returns false, without reading the rest, as soon as that turns out
// to be of no interest.
func (l *codexLine) payload(c *jsonscan.Cursor) (interesting bool) {
	event := string(l.kind) == `"event_msg"`
	for key := range c.Keys() {
		if string(key) == "content" {
			l.content = contentOf(c)
			continue
		}
		value := c.Raw()
		if event && string(key) == "type" && !interestingEvent(value) {
			l.kind = nil
			return false
		}
		l.members = append(l.members, member{key, value})
	}
	return !c.Bad()
}

// interestingEvent reports whether events of this type may say anything about turns.
func interestingEvent(typ []byte) bool {
	switch string(typ) {
	case `"token_count"`, `"user_message"`, `"item_completed"`, `"task_started"`, `"task_complete"`, `"turn_aborted"`,
		`"exec_command_end"`, `"mcp_tool_call_end"`, `"patch_apply_end"`:
		return true
	}
	return false
}

// isCodex reports whether a line is a record of a rollout.
func isCodex(line []byte) bool {
	kind, payload := jsonscan.Member(line, "type"), jsonscan.Member(line, "payload")
	return len(kind) > 2 && kind[0] == '"' && len(payload) > 0 && payload[0] == '{'
}

func (s *codex) Line(line []byte, n int) bool {
	l, ok := readCodex(line, s.room)
	if s.room = l.members; !ok {
		return false
	}
	s.line = n
	s.clock.Read(l.timestamp)
	switch string(l.kind) {
	case `"session_meta"`:
		s.meta(&l)
	case `"turn_context"`:
		s.place(l.get("cwd"), nil)
		s.model = cmp.Or(l.str("model"), s.model)
	case `"event_msg"`:
		s.event(&l)
	case `"token_usage_record"`:
		s.setUsage(readCodexUsage(l.get("usage")))
		s.open = false
	case `"response_item"`:
		s.item(&l)
	case `"compacted"`:
		s.summarised()
	}
	return true
}

// meta reads the record about the session. A file that continues another one has a copy of that one's record
// further down; the first record counts.
func (s *codex) meta(l *codexLine) {
	id, session := l.str("id"), l.str("session_id")
	switch from := l.str("forked_from_id"); {
	case s.begun && s.from == "" && id != s.id:
		s.from = id
		s.forked(id, true)
	case !s.begun && from != "":
		s.from = from
		s.forked(from, true)
	}
	if s.begun {
		return
	}
	s.begun, s.id = true, id
	s.place(l.get("cwd"), jsonscan.Member(l.get("git"), "branch"))
	s.run.ID = cmp.Or(id, s.run.ID)
	sub := jsonscan.Member(l.get("source"), "subagent")
	if len(sub) == 0 {
		return
	}
	spawn := jsonscan.Member(sub, "thread_spawn")
	s.run.Thread = "subagent"
	for _, kind := range [...][]byte{jsonscan.Member(spawn, "agent_role"), sub, jsonscan.Member(sub, "other")} {
		if name := jsonscan.Unquote(kind); name != "" {
			s.run.Thread = name
			break
		}
	}
	for _, parent := range [...]string{session, l.str("parent_thread_id"),
		jsonscan.Unquote(jsonscan.Member(spawn, "parent_thread_id"))} {
		if parent != "" && parent != id {
			s.run.ID = parent + "/agent-" + id
			break
		}
	}
}

func (s *codex) event(l *codexLine) {
	switch string(l.get("type")) {
	case `"token_count"`:
		s.tokenCount(l.get("info"))
	case `"task_started"`:
		s.releaseHeld()
		s.setWindow(l.get("model_context_window"))
		if s.own = ""; bytes.Equal(l.get("turn_id"), l.get("root_turn_id")) {
			s.own = l.str("turn_id")
		}
	case `"task_complete"`, `"turn_aborted"`:
		s.releaseHeld()
		s.open = false
	case `"user_message"`:
		s.prompt(l.str("message"))
	case `"item_completed"`:
		s.completed(l.get("item"))
	case `"exec_command_end"`:
		if len(l.get("exit_code")) > 0 {
			s.last.setFailed(l.str("call_id"), fact.Of(string(l.get("exit_code")) != "0"))
		}
	case `"patch_apply_end"`:
		if len(l.get("success")) > 0 {
			s.last.setFailed(l.str("call_id"), fact.Of(string(l.get("success")) == "false"))
		}
	case `"mcp_tool_call_end"`:
		if len(l.get("result")) > 0 {
			failed := len(jsonscan.Member(l.get("result"), "Err")) > 0 ||
				string(jsonscan.Member(jsonscan.Member(l.get("result"), "Ok"), "is_error")) == "true"
			s.last.setFailed(l.str("call_id"), fact.Of(failed))
		}
	}
}

// completed reads whether a call failed from the event that an item is completed: the form in which Codex
// shows calls to its user.
func (s *codex) completed(item []byte) {
	c := jsonscan.Of(item)
	var typ, id, status []byte
	for key, value := range c.Members() {
		switch string(key) {
		case "type":
			typ = value
			switch string(typ) {
			case `"UserMessage"`, `"AgentMessage"`, `"Reasoning"`, `"Plan"`:
				return
			}
		case "id":
			id = value
		case "status":
			status = value
		}
	}
	switch string(status) {
	case `"completed"`:
		s.last.setFailed(jsonscan.Unquote(id), fact.False)
	case `"failed"`, `"declined"`:
		s.last.setFailed(jsonscan.Unquote(id), fact.True)
	}
}

func (s *codex) item(l *codexLine) {
	switch kind := l.str("type"); {
	case kind == "message" && string(l.get("role")) == `"assistant"`:
		s.response(l)
		if text := l.content.text; text != "" {
			s.last.texts = append(s.last.texts, text)
		}
	case kind == "reasoning":
		s.response(l)
	case kind == "message" && string(l.get("role")) == `"user"`:
		s.user(l)
	case kind == "message" && string(l.get("role")) == `"developer"`:
		s.waiting.Hints = append(s.waiting.Hints, l.content.text)
	case strings.HasSuffix(kind, "_output"):
		s.releaseHeld()
		s.open = false
		s.setOutput(l.str("call_id"), l.get("output"), codexOutput)
		if failed, known := codexOutcome(l.get("output")); known {
			s.last.setFailed(l.str("call_id"), fact.Of(failed))
		}
	case strings.HasSuffix(kind, "_call"):
		s.response(l)
		s.releaseHeld() // a summary calls nothing
		s.call(l, kind)
	}
}

// response begins a turn if the record, which is the model's, is the first of a response.
func (s *codex) response(l *codexLine) {
	copied := s.answer(l.get("type"), l.get("call_id"), l.get("name"), l.get("arguments"), l.get("input"),
		l.get("action"), l.get("summary"), l.get("encrypted_content"), []byte(l.content.text))
	if s.open {
		return
	}
	s.releaseHeld()
	key := cmp.Or(l.str("id"), l.str("call_id"), "line "+strconv.Itoa(s.line))
	s.before = s.thread
	s.held, s.open = s.begin(key, s.model), true
	s.held.Copied = copied
}

// releaseHeld appends the turn that is held back, if there is one: its response was not a summary.
func (s *codex) releaseHeld() {
	if s.held != nil {
		s.out.Turn(s.held)
		s.held = nil
	}
}

// summarised records that the history was replaced. If a turn is still held back its response was the
// summary, and is not a turn.
func (s *codex) summarised() {
	if s.held != nil && len(s.last.calls) == 0 {
		s.held = nil
		s.turns, s.last, s.waiting = s.before.turns, s.before.last, s.before.waiting
	}
	s.releaseHeld()
	s.open = false
	s.compacted(Count{})
}

// call adds a call to the model's latest response.
func (s *codex) call(l *codexLine, kind string) {
	name := l.str("name")
	switch {
	case name == "":
		name = strings.TrimSuffix(kind, "_call")
	case strings.HasPrefix(l.str("namespace"), "mcp__"):
		name = strings.TrimSuffix(l.str("namespace"), "__") + "__" + name
	}
	input, tool := codexInput(l, name)
	call := Call{ID: l.str("call_id"), Name: codexTool(name), Failed: fact.Unknown, Input: input}
	call = s.told(call, tool, "codex")
	if call.ID == "" {
		call.ID = l.str("id")
	}
	if kind == "web_search_call" || kind == "image_generation_call" { // the server runs it
		call.Failed = fact.Of(string(l.get("status")) == `"failed"`)
	}
	s.last.calls = append(s.last.calls, call)
}

// codexTool returns the name that Codex's hooks have for a tool: "Bash" for all tools that run a command.
func codexTool(name string) string {
	switch name {
	case "exec_command", "shell", "shell_command", "local_shell", "container.exec", "unified_exec":
		return "Bash"
	}
	return name
}

func (s *codex) user(l *codexLine) {
	s.releaseHeld()
	s.open = false
	if l.submitted() {
		s.prompt(l.content.text)
	}
}

// submitted reports whether a message in the user's place is a person's, as far as its record tells; its text
// may tell otherwise.
func (l *codexLine) submitted() bool {
	metadata := jsonscan.Member(l.get("internal_chat_message_metadata_passthrough"), "content_item_metadata")
	if from := jsonscan.Member(first(metadata), "provenance"); len(from) > 0 &&
		string(jsonscan.Member(from, "type")) != `"user"` {
		return false
	}
	return l.content.text != "" || l.content.media
}

// first returns the first element of a list; nil where there is none.
func first(list []byte) []byte {
	for _, raw := range jsonscan.Elements(list) {
		return raw
	}
	return nil
}

// prompt records a message in the user's place, unless the agent itself, or another thread, has written it.
// Some versions record a prompt twice; it counts once.
func (s *codex) prompt(text string) {
	if s.run.Thread != "root" && s.own == "" || agent.Wrote(text) != "" {
		return
	}
	if !slices.Contains(s.waiting.Prompts, text) {
		s.waiting.Prompts = append(s.waiting.Prompts, text)
	}
}

// Finish implements Source.
func (s *codex) Finish() { s.releaseHeld() }
