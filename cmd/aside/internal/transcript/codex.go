package transcript

import (
	"strconv"
	"strings"

	"github.com/aside-go/aside/cmd/aside/internal/transcript/machines"
	"github.com/aside-go/aside/compile/fact"
)

// codex turns the records of a rollout, the session file of Codex CLI, into turns (HOOKS.md §5; runs of 0.169.0 and files of older
// versions). What the model says in one response is several records in a row; a response ends with a count of its tokens, and
// with whatever the model has not said itself.
//
// Codex also writes down the response with which a history is summarised, as if it were one of the conversation. So a response
// that calls nothing is held back until something follows it.
type codex struct {
	out *sink
	run *Run

	begun bool // the record about the session was read
	open  bool // what the model says next belongs to last
	turns int
	clock clock
	model string

	last    message
	waiting Turn
	window  Count
	total   string // the sum with the count of tokens read last, as it is written

	held   *Turn   // the turn that last is the answer to, if it may turn out to be none
	before message // last and waiting as they were before it
	wait   Turn
}

func newCodex(source string, out *sink) *codex {
	return &codex{out: out, run: &Run{Source: source, ID: stem(source), Thread: "root"}}
}

// codexLine is a record. Slices borrow from the line.
type codexLine struct {
	kind, timestamp                            []byte
	typ, id, role, name, namespace, callID     []byte
	output, status, message, info, item, usage []byte
	model, window, source, parent, session     []byte
	exitCode, success, result, internal        []byte
	content                                    content
}

// readCodex reads a line, as far as its kind is of interest. ok is false when the line is no record, or cut off.
func readCodex(line []byte) (l codexLine, ok bool) {
	var payload []byte // before the kind was known; agents write it behind
	c := cursor{b: line}
	for c.open('{'); !c.bad; {
		key, more := c.member()
		if !more {
			break
		}
		switch string(key) {
		case "timestamp":
			l.timestamp = c.raw()
		case "type":
			l.kind = c.raw()
		case "payload":
			if l.kind == nil {
				payload = c.raw()
			} else if !l.interesting() || !l.payload(&c) {
				return l, !c.bad && c.peek() != 0
			}
		default:
			c.raw()
		}
	}
	if payload != nil && l.interesting() {
		l.payload(&cursor{b: payload})
	}
	return l, !c.bad && len(l.kind) > 0
}

// interesting reports whether anything is learned from a record of this kind.
func (l *codexLine) interesting() bool {
	switch string(l.kind) {
	case `"session_meta"`, `"turn_context"`, `"event_msg"`, `"response_item"`, `"compacted"`, `"token_usage_record"`:
		return true
	}
	return false
}

// payload reads what a record holds. It is false as soon as that turns out to be of no interest.
func (l *codexLine) payload(c *cursor) (interesting bool) {
	event := string(l.kind) == `"event_msg"`
	for key := range c.keys() {
		switch string(key) {
		case "type":
			l.typ = c.raw()
			if event && !interestingEvent(l.typ) {
				l.kind = nil
				return false
			}
		case "id":
			l.id = c.raw()
		case "role":
			l.role = c.raw()
		case "content":
			l.content = c.content()
		case "name":
			l.name = c.raw()
		case "namespace":
			l.namespace = c.raw()
		case "call_id":
			l.callID = c.raw()
		case "output":
			l.output = c.raw()
		case "status":
			l.status = c.raw()
		case "message":
			l.message = c.raw()
		case "info":
			l.info = c.raw()
		case "item":
			l.item = c.raw()
		case "usage":
			l.usage = c.raw()
		case "model":
			l.model = c.raw()
		case "model_context_window":
			l.window = c.raw()
		case "source":
			l.source = c.raw()
		case "parent_thread_id":
			l.parent = c.raw()
		case "session_id":
			l.session = c.raw()
		case "exit_code":
			l.exitCode = c.raw()
		case "success":
			l.success = c.raw()
		case "result":
			l.result = c.raw()
		case "internal_chat_message_metadata_passthrough":
			l.internal = c.raw()
		}
	}
	return !c.bad
}

// interestingEvent reports whether anything is learned from an event.
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
	kind, payload := stringMember(line, "type"), stringMember(line, "payload")
	return len(kind) > 2 && kind[0] == '"' && len(payload) > 0 && payload[0] == '{'
}

func (s *codex) line(line []byte, number int) bool {
	l, ok := readCodex(line)
	if !ok {
		return false
	}
	s.clock.read(l.timestamp)
	switch string(l.kind) {
	case `"session_meta"`:
		s.meta(&l)
	case `"turn_context"`:
		if m := unquote(l.model); m != "" {
			s.model = m
		}
	case `"event_msg"`:
		s.event(&l)
	case `"token_usage_record"`:
		s.took(readCodexUsage(l.usage))
		s.open = false
	case `"response_item"`:
		s.item(&l, number)
	case `"compacted"`:
		s.compacted()
	}
	return true
}

// meta learns whose file this is. A file that goes on from another one holds that one's record too, further down.
func (s *codex) meta(l *codexLine) {
	if s.begun {
		return
	}
	s.begun = true
	id, session := unquote(l.id), unquote(l.session)
	if id != "" {
		s.run.ID = id
	}
	sub := stringMember(l.source, "subagent")
	if len(sub) == 0 {
		return
	}
	spawn := stringMember(sub, "thread_spawn")
	s.run.Thread = "subagent"
	for _, kind := range [...][]byte{stringMember(spawn, "agent_role"), sub, stringMember(sub, "other")} {
		if name := unquote(kind); name != "" {
			s.run.Thread = name
			break
		}
	}
	for _, parent := range [...]string{session, unquote(l.parent), unquote(stringMember(spawn, "parent_thread_id"))} {
		if parent != "" && parent != id {
			s.run.ID = parent + "/agent-" + id
			break
		}
	}
}

func (s *codex) event(l *codexLine) {
	switch string(l.typ) {
	case `"token_count"`:
		s.counted(l.info)
	case `"task_started"`:
		s.settle()
		s.fits(l.window)
	case `"task_complete"`, `"turn_aborted"`:
		s.settle()
		s.open = false
	case `"user_message"`:
		s.prompt(unquote(l.message))
	case `"item_completed"`:
		s.completed(l.item)
	case `"exec_command_end"`:
		if len(l.exitCode) > 0 {
			s.last.ended(unquote(l.callID), fact.Of(string(l.exitCode) != "0"))
		}
	case `"patch_apply_end"`:
		if len(l.success) > 0 {
			s.last.ended(unquote(l.callID), fact.Of(string(l.success) == "false"))
		}
	case `"mcp_tool_call_end"`:
		if len(l.result) > 0 {
			failed := len(stringMember(l.result, "Err")) > 0 || string(stringMember(stringMember(l.result, "Ok"), "is_error")) == "true"
			s.last.ended(unquote(l.callID), fact.Of(failed))
		}
	}
}

// completed learns how a call went from the record of the item that it was for the user.
func (s *codex) completed(item []byte) {
	c := cursor{b: item}
	var typ, id, status []byte
	for key, value := range c.members() {
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
		s.last.ended(unquote(id), fact.False)
	case `"failed"`, `"declined"`:
		s.last.ended(unquote(id), fact.True)
	}
}

func (s *codex) item(l *codexLine, number int) {
	switch kind := unquote(l.typ); {
	case kind == "message" && string(l.role) == `"assistant"`:
		s.says(l, number)
		if text := l.content.text; text != "" {
			s.last.texts = append(s.last.texts, text)
		}
	case kind == "reasoning":
		s.says(l, number)
	case kind == "message" && string(l.role) == `"user"`:
		s.user(l)
	case strings.HasSuffix(kind, "_output"):
		s.settle()
		s.open = false
		if failed, known := codexOutcome(l.output); known {
			s.last.ended(unquote(l.callID), fact.Of(failed))
		}
	case strings.HasSuffix(kind, "_call"):
		s.says(l, number)
		s.settle()
		s.call(l, kind)
	}
}

// says begins a turn if what the model says now is the beginning of a response.
func (s *codex) says(l *codexLine, number int) {
	if s.open {
		return
	}
	s.settle()
	s.before, s.wait = s.last, s.waiting
	t := s.pending()
	s.turns++
	s.clock.stamp(t)
	t.Model = s.model
	for _, id := range [...][]byte{l.id, l.callID} {
		if t.Key == "" {
			t.Key = unquote(id)
		}
	}
	if t.Key == "" {
		t.Key = "line " + strconv.Itoa(number)
	}
	s.last, s.waiting, s.held, s.open = message{key: t.Key}, Turn{}, t, true
}

// settle lets go of the turn that was held back.
func (s *codex) settle() {
	if s.held != nil {
		s.out.turn(s.held)
		s.held = nil
	}
}

// compacted takes in that the history was replaced. A response right before it that is still held back was the summary.
func (s *codex) compacted() {
	if s.held != nil && len(s.last.calls) == 0 {
		s.held = nil
		s.turns--
		s.last, s.waiting = s.before, s.wait
	}
	s.settle()
	s.open = false
	s.waiting.Compacted = true
	s.last.compacted, s.last.after = true, Count{}
}

// call adds a use of a tool to what the model says.
func (s *codex) call(l *codexLine, kind string) {
	name := unquote(l.name)
	switch {
	case name == "":
		name = strings.TrimSuffix(kind, "_call")
	case strings.HasPrefix(unquote(l.namespace), "mcp__"):
		name = strings.TrimSuffix(unquote(l.namespace), "__") + "__" + name
	}
	call := Call{ID: unquote(l.callID), Name: codexTool(name), Failed: fact.Unknown}
	if call.ID == "" {
		call.ID = unquote(l.id)
	}
	if kind == "web_search_call" || kind == "image_generation_call" { // the server runs it
		call.Failed = fact.Of(string(l.status) == `"failed"`)
	}
	s.last.calls = append(s.last.calls, call)
}

// codexTool returns what Codex's hooks call a tool. All that run a command are one to them.
func codexTool(name string) string {
	switch name {
	case "exec_command", "shell", "shell_command", "local_shell", "container.exec", "unified_exec":
		return "Bash"
	}
	return name
}

func (s *codex) user(l *codexLine) {
	c := &l.content
	s.settle()
	s.open = false
	if from := stringMember(first(stringMember(l.internal, "content_item_metadata")), "provenance"); len(from) > 0 && string(stringMember(from, "type")) != `"user"` {
		return
	}
	if c.text != "" || c.media {
		s.prompt(c.text)
	}
}

// first returns the first element of a list; nil if there is none.
func first(list []byte) []byte {
	for _, raw := range elements(list) {
		return raw
	}
	return nil
}

// prompt takes in a message that a person submitted, or that looks like it. Some versions write it down twice.
func (s *codex) prompt(text string) {
	if s.run.Thread != "root" || codexMachine(text) {
		return
	}
	for _, p := range s.waiting.Prompts {
		if p == text {
			return
		}
	}
	s.waiting.Prompts = append(s.waiting.Prompts, text)
}

// codexMachine reports whether a message in a user's place is the agent's own.
func codexMachine(text string) bool {
	text = strings.TrimLeft(text, " \t\r\n")
	for _, tag := range [...]string{"<environment_context", "<user_instructions", "<turn_aborted", "<skill>", "# AGENTS.md instructions"} {
		if strings.HasPrefix(text, tag) {
			return true
		}
	}
	return machines.Wrote(text)
}

// pending returns the turn that would come next, without a name and a model.
func (s *codex) pending() *Turn {
	t := s.waiting
	s.last.tell(&t)
	t.Run, t.N, t.At, t.Window = s.run, s.turns+1, s.clock.now, s.window
	return &t
}

func (s *codex) rest() []*Turn { return []*Turn{s.pending()} }

func (s *codex) finish() { s.settle() }
