package transcript

import (
	"bytes"
	"path/filepath"
	"slices"

	"github.com/aside-go/aside/compile/fact"
	"github.com/aside-go/aside/internal/agent"
)

// gemini is the source for Gemini CLI's session files (HOOKS.md §6; runs of 0.61.0 and its source). A record is a message, and of several
// with the same id the last counts: a message of the model is first recorded without its calls, and then with them.
// {"$set":{"messages":[…]}} replaces all messages so far.
type gemini struct {
	out *sink
	run *Run

	turns   int
	clock   clock
	seen    map[string]bool // ids of the model's messages
	history []geminiMessage // the messages that the next request holds
	dir     string          // the name of the file's folder; that of a subagent's file is the id of its session
	last    message         // the model's latest message
	waiting Turn            // what has happened since that message began
}

func newGemini(source string, out *sink) *gemini {
	return &gemini{
		out: out, run: &Run{Source: source, ID: stem(source), Thread: "root"},
		seen: map[string]bool{}, dir: filepath.Base(filepath.Dir(source)),
	}
}

// geminiMessage is a message of the history.
type geminiMessage struct {
	id      string
	context Count // for a message of the model: the tokens of the prompt that it answers
}

// geminiLine is a record. Slices borrow from the line.
type geminiLine struct {
	session, project, kind []byte
	id, typ, timestamp     []byte
	model, tokens          []byte
	content                content
	calls                  []Call
	messages               []byte // of an older file, which is one object
	set, rewind            []byte
}

// readGemini reads a line. ok is false where the line is no object, or is cut off.
func readGemini(line []byte) (l geminiLine, ok bool) {
	c := cursor{b: line}
	for key := range c.keys() {
		switch string(key) {
		case "sessionId":
			l.session = c.raw()
		case "projectHash":
			l.project = c.raw()
		case "kind":
			l.kind = c.raw()
		case "id":
			l.id = c.raw()
		case "type":
			l.typ = c.raw()
		case "timestamp":
			l.timestamp = c.raw()
		case "content":
			l.content = c.content()
		case "model":
			l.model = c.raw()
		case "tokens":
			l.tokens = c.raw()
		case "toolCalls":
			l.calls = c.geminiCalls()
		case "messages":
			l.messages = c.raw()
		case "$set":
			l.set = c.raw()
		case "$rewindTo":
			l.rewind = c.raw()
		}
	}
	return l, !c.bad
}

// known reports whether a line can only be of a Gemini CLI session file.
func (l *geminiLine) known() bool {
	return len(l.session) > 0 && len(l.project) > 0 || len(l.set) > 0 || len(l.rewind) > 0
}

func (s *gemini) line(line []byte, _ int) bool {
	l, ok := readGemini(line)
	if !ok {
		return false
	}
	switch {
	case len(l.session) > 0:
		s.meta(&l)
		for _, raw := range elements(l.messages) {
			if m, ok := readGemini(raw); ok {
				s.message(&m)
			}
		}
	case len(l.set) > 0:
		s.set(l.set)
	case len(l.rewind) > 0:
		s.rewound(unquote(l.rewind))
	default:
		s.message(&l)
	}
	return true
}

func (s *gemini) meta(l *geminiLine) {
	id := unquote(l.session)
	if id != "" {
		s.run.ID = id
	}
	if string(l.kind) == `"subagent"` {
		s.run.Thread = "subagent"
		if id != "" && s.dir != "chats" && s.dir != "." {
			s.run.ID = s.dir + "/agent-" + id
		}
	}
}

// set reads a change of the session. That the session's id is set again means that the session was resumed.
func (s *gemini) set(raw []byte) {
	c := cursor{b: raw}
	if c.peek() != '{' {
		return
	}
	for key, value := range c.members() {
		switch string(key) {
		case "sessionId":
			s.waiting.Resumed = true
		case "messages":
			s.replace(value)
		}
	}
}

// replace replaces the history by a list of messages. Where the model's latest message is not among them the history was compacted, else
// something in the messages has changed.
func (s *gemini) replace(list []byte) {
	kept := s.last.key == ""
	for _, raw := range elements(list) {
		m, ok := readGemini(raw)
		if id := unquote(m.id); ok && s.seen[id] {
			s.message(&m)
			kept = kept || id == s.last.key
		}
	}
	if !kept {
		s.waiting.Compacted = true
		s.last.compacted, s.last.after, s.history = true, Count{}, nil
	}
}

// rewound removes a message and all after it from the history. The context then is that of the model's last message before it.
func (s *gemini) rewound(id string) {
	i := slices.IndexFunc(s.history, func(m geminiMessage) bool { return m.id == id })
	if i < 0 {
		return
	}
	s.history = s.history[:i]
	s.last.compacted, s.last.after = true, Count{}
	for _, m := range s.history {
		if m.context.Known {
			s.last.after = m.context
		}
	}
}

// appendHistory appends a message to the history, or sets its context if it is the last one there.
func (s *gemini) appendHistory(id string, context Count) {
	if last := len(s.history) - 1; last >= 0 && s.history[last].id == id {
		s.history[last].context = context
	} else if id != "" {
		s.history = append(s.history, geminiMessage{id, context})
	}
}

func (s *gemini) message(l *geminiLine) {
	s.clock.read(l.timestamp)
	switch string(l.typ) {
	case `"user"`:
		s.appendHistory(unquote(l.id), Count{})
		c := &l.content
		if s.run.Thread == "root" && (c.text != "" || c.media) && agent.Wrote(c.text) == "" {
			s.waiting.Prompts = append(s.waiting.Prompts, c.text)
		}
	case `"gemini"`:
		s.response(l)
	}
}

// response reads a message of the model. It begins a turn where the message's id is new.
func (s *gemini) response(l *geminiLine) {
	id := unquote(l.id)
	if id == "" || id != s.last.key && s.seen[id] {
		return // an earlier message again: a later turn has already told what it says
	}
	if id != s.last.key {
		s.seen[id] = true
		t := s.next()
		s.turns++
		s.clock.stamp(t)
		t.Key, t.Model = id, unquote(l.model)
		s.out.turn(t)
		s.last, s.waiting = message{key: id}, Turn{}
	}
	m := &s.last
	if text := l.content.text; text != "" {
		m.texts = []string{text}
	}
	if len(l.calls) > 0 {
		m.calls = l.calls
	}
	if len(l.tokens) > 0 {
		m.usage, m.billed = readGeminiTokens(l.tokens)
		m.stopped = true
	}
	s.appendHistory(id, m.usage.context)
}

// geminiCalls reads the next value as the calls of a message. To Gemini CLI a shell command that exits with another code than 0 is a
// success; its output has the code (HOOKS.md §6).
func (c *cursor) geminiCalls() (calls []Call) {
	if c.peek() != '[' {
		c.raw()
		return nil
	}
	for c.open('['); !c.bad && c.element(); {
		if c.peek() != '{' {
			c.raw()
			continue
		}
		var call Call
		var status, result []byte
		for key := range c.keys() {
			switch string(key) {
			case "id":
				call.ID = c.str()
			case "name":
				call.Name = c.str()
			case "status":
				status = c.raw()
			case "result":
				result = c.raw()
			}
		}
		switch string(status) {
		case `"success"`:
			call.Failed = fact.Of(call.Name == "run_shell_command" && exitFailed(result))
		case `"error"`, `"cancelled"`:
			call.Failed = fact.True
		default:
			call.Failed = fact.Unknown
		}
		calls = append(calls, call)
	}
	return calls
}

// exitFailed reports whether the result of a shell command names an exit code other than 0.
func exitFailed(result []byte) bool {
	_, rest, ok := bytes.Cut(result, []byte(`\nExit Code: `))
	return ok && !bytes.HasPrefix(rest, []byte("0")) && !bytes.HasPrefix(rest, []byte("(none)"))
}

func readGeminiTokens(raw []byte) (u usage, billed Usage) {
	var input, cached, output, thoughts Count
	c := cursor{b: raw}
	if c.peek() != '{' {
		return u, billed
	}
	for key, value := range c.members() {
		v := cursor{b: value}
		n, ok := v.count()
		switch string(key) {
		case "input":
			input = Count{n, ok}
		case "cached":
			cached = Count{n, ok}
		case "output":
			output = Count{n, ok}
		case "thoughts":
			thoughts = Count{n, ok}
		}
	}
	if output.Known {
		output.N += thoughts.N
	}
	u = usage{context: Count{input.N, input.N > 0}, response: output}
	billed = Usage{Read: cached, Output: output}
	if input.N >= cached.N {
		billed.Fresh = Count{input.N - cached.N, input.Known}
	}
	return u, billed
}

// next returns the turn that would be next, without a key and a model.
func (s *gemini) next() *Turn {
	t := s.waiting
	s.last.fill(&t)
	t.Run, t.N, t.At = s.run, s.turns+1, s.clock.now
	return &t
}

func (s *gemini) pending() []*Turn { return []*Turn{s.next()} }
func (s *gemini) finish()          {}
