package transcript

import (
	"strconv"
	"strings"

	"github.com/aside-go/aside/compile/fact"
	"github.com/aside-go/aside/internal/agent"
)

// claude is the source for Claude Code's session files (HOOKS.md §4.8). A turn is an assistant message of the main thread, on however
// many lines. It begins with its first line, and all that stands before that line was known when the model was asked. In a subagent's
// file every record is of the subagent's thread.
type claude struct {
	out      *sink
	run      *Run
	subagent bool
	internal bool                // the file is of requests that the agent makes for itself, which are no turns
	session  string              // the session's id
	rawID    string              // session as JSON, to compare lines without decoding
	begun    bool                // a user or assistant record was seen
	clock    clock               // of the thread
	seen     map[string]struct{} // keys of messages
	turns    int
	prompt   string // id of the latest prompt

	last    message // the model's latest message
	waiting Turn    // what has happened since that message began
}

// message is what is known so far of a model's message.
type message struct {
	key       string
	calls     []Call
	texts     []string
	usage     usage
	billed    Usage
	stopped   bool  // the usage is of a finished response
	compacted bool  // the history that the message answers was replaced
	after     Count // with compacted: the tokens of what took its place
}

// fill sets what a turn says of the model call before it, whose message this is.
func (m *message) fill(t *Turn) {
	t.Calls = m.calls
	t.Response = strings.Join(m.texts, "\n\n")
	t.ContextTokens = m.usage.context
	if m.compacted {
		t.ContextTokens = m.after
	}
	t.Usage = m.billed
	if m.stopped {
		t.ResponseTokens = m.usage.response
	} else { // the count was taken when the response had only begun
		t.Usage.Output = Count{}
	}
}

// setFailed records whether the call with an id has failed.
func (m *message) setFailed(id string, failed fact.Truth) {
	for i := range m.calls {
		if m.calls[i].ID == id {
			m.calls[i].Failed = failed
		}
	}
}

func newClaude(source, thread string, out *sink) *claude {
	s := &claude{out: out, run: &Run{Source: source, ID: stem(source), Thread: "root"}, seen: map[string]struct{}{}}
	if thread != "" {
		s.run.Thread = thread
	}
	return s
}

func (s *claude) line(line []byte, n int) bool {
	r, ok := readRecord(line)
	if !ok {
		return false
	}
	if t := s.add(&r, n); t != nil {
		s.out.turn(t)
	}
	return true
}

func (s *claude) finish()          {}
func (s *claude) pending() []*Turn { return []*Turn{s.next()} }

// add reads a record, and returns the turn that begins with it, nil where none does.
func (s *claude) add(r *record, line int) *Turn {
	s.identify(r)
	s.waiting.Resumed = s.waiting.Resumed || r.resumed
	if r.sidechain != s.subagent || s.internal {
		return nil
	}
	if r.kind != other {
		s.clock.read(r.timestamp)
	}
	switch r.kind {
	case user:
		s.user(r)
	case assistant:
		return s.assistant(r, line)
	case system:
		if r.boundary {
			s.waiting.Compacted = true
			s.last.compacted, s.last.after = true, r.postContext
		}
	}
	return nil
}

// identify reads which session and thread a record is of. The thread of the first user or assistant record is that of the whole file.
func (s *claude) identify(r *record) {
	if !s.begun && (r.kind == user || r.kind == assistant) {
		s.begin(r)
	}
	if r.kind == other || r.sidechain != s.subagent || len(r.session) <= 2 || string(r.session) == s.rawID {
		return
	}
	if s.session != "" && s.session != unquote(r.session) {
		s.waiting.Resumed = true // the records so far were copied from the session that this one continues
	}
	s.rawID, s.session = string(r.session), unquote(r.session)
}

func (s *claude) begin(r *record) {
	s.begun = true
	session := unquote(r.session)
	if session != "" {
		s.run.ID = session
	}
	if !r.sidechain {
		return
	}
	s.subagent = true
	agent := unquote(r.agent)
	s.internal = internalAgent(agent)
	if agent != "" && session != "" {
		s.run.ID = session + "/agent-" + agent
	}
	if s.run.Thread == "root" {
		s.run.Thread = "subagent"
	}
}

// internalAgent reports whether an agent id is that of requests which Claude Code makes for its own purposes: to summarise the history,
// to suggest the next prompt, to answer a side question. These are no turns of any run.
func internalAgent(id string) bool {
	for _, p := range [...]string{"acompact-", "aprompt_suggestion-", "aside_question-"} {
		if strings.HasPrefix(id, p) {
			return true
		}
	}
	return false
}

func (s *claude) user(r *record) {
	c := &r.message.content
	for _, res := range c.results {
		s.last.setFailed(res.id, res.failed)
	}
	if s.subagent || !s.submitted(r, c) {
		return
	}
	if id := unquote(r.prompt); id != "" { // one prompt may be several records
		if id == s.prompt {
			return
		}
		s.prompt = id
	}
	s.waiting.Prompts = append(s.waiting.Prompts, c.text)
}

// submitted reports whether a user record is a person's prompt. Where the content is not a string, an image or the origin must say so.
func (s *claude) submitted(r *record, c *content) bool {
	human := string(r.origin) == `"human"`
	switch {
	case r.meta || r.summary || len(c.results) > 0 || (len(r.origin) > 0 && !human) || agent.Wrote(c.text) != "":
		return false
	default:
		return c.plain || human || c.media
	}
}

func (s *claude) assistant(r *record, line int) *Turn {
	p := &r.message
	if p.model == "<synthetic>" || r.refused {
		return nil
	}
	key := p.id
	for _, other := range [...][]byte{r.request, r.uuid} {
		if key == "" {
			key = unquote(other)
		}
	}
	if key == "" {
		key = "line " + strconv.Itoa(line)
	}
	var begun *Turn
	if key != s.last.key {
		if _, again := s.seen[key]; again {
			return nil // a copy of an earlier line
		}
		s.seen[key] = struct{}{}
		begun = s.take()
		begun.Key, begun.Model = key, p.model
		s.last = message{key: key}
	}
	s.last.merge(p)
	return begun
}

// merge adds a line's part to the message. The usage is the same on all lines of a message, or grows.
func (m *message) merge(p *part) {
	m.calls = append(m.calls, p.content.calls...)
	if p.content.text != "" {
		m.texts = append(m.texts, p.content.text)
	}
	if p.usage.context.Known {
		m.usage.context = p.usage.context
	}
	if p.usage.response.Known && (p.stopped || !m.stopped) {
		m.usage.response = p.usage.response
		m.billed = p.billed
	}
	m.stopped = m.stopped || p.stopped
}

// take returns next, and counts it as a turn.
func (s *claude) take() *Turn {
	t := s.next()
	s.turns++
	s.clock.stamp(t)
	s.waiting = Turn{}
	return t
}

// next returns the turn that would be next, without a key and a model.
func (s *claude) next() *Turn {
	t := s.waiting
	s.last.fill(&t)
	t.Run, t.N, t.At = s.run, s.turns+1, s.clock.now
	return &t
}

// part is what one line holds of a message.
type part struct {
	id, model string
	stopped   bool
	usage     usage
	billed    Usage
	content   content
}

// message reads the next value, which may be anything, as a message's part.
func (c *cursor) message() (p part) {
	if c.peek() != '{' {
		c.raw()
		return p
	}
	for key := range c.keys() {
		switch string(key) {
		case "id":
			p.id = c.str()
		case "model":
			p.model = c.str()
		case "stop_reason":
			p.stopped = c.peek() == '"'
		case "usage":
			p.usage, p.billed = readUsage(c.raw())
		case "content":
			p.content = c.content()
		}
	}
	return p
}
