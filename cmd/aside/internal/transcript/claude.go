package transcript

import (
	"strconv"
	"strings"

	"github.com/aside-go/aside/cmd/aside/internal/transcript/machines"
	"github.com/aside-go/aside/compile/fact"
)

// claude turns the records of a Claude Code session file into turns (HOOKS.md §4.8). A turn is an assistant message of the
// main thread, whatever number of lines it is written in; it begins with its first line, and all that stands before
// that line is what was known when the model was asked. In a subagent's file every record belongs to the thread.
type claude struct {
	out      *sink
	run      *Run
	subagent bool
	internal bool // requests of the agent for itself, which are no turns
	session  string
	written  string              // the same, as it stands in the file
	begun    bool                // a conversation record was seen
	clock    clock               // of the thread
	seen     map[string]struct{} // message names
	turns    int
	prompt   string // id of the latest one

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
	stopped   bool // the usage is of a finished response
	compacted bool // the history it was sent with is gone
	after     Count
}

// tell tells a turn of the message before it.
func (m *message) tell(t *Turn) {
	t.Calls = m.calls
	t.Response = strings.Join(m.texts, "\n\n")
	t.ContextTokens = m.usage.context
	if m.compacted {
		t.ContextTokens = m.after
	}
	t.Usage = m.billed
	if m.stopped {
		t.ResponseTokens = m.usage.response
	} else { // the count is of a response that had only begun
		t.Usage.Output = Count{}
	}
}

// ended notes how a call went.
func (m *message) ended(id string, failed fact.Truth) {
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

func (s *claude) finish()       {}
func (s *claude) rest() []*Turn { return []*Turn{s.pending()} }

// add takes in a record and returns the turn that begins with it, if one does.
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

// identify learns whose file this is. What the first conversation record says of its thread holds for the whole file.
func (s *claude) identify(r *record) {
	if !s.begun && (r.kind == user || r.kind == assistant) {
		s.begin(r)
	}
	if r.kind == other || r.sidechain != s.subagent || len(r.session) <= 2 || string(r.session) == s.written {
		return
	}
	if s.session != "" && s.session != unquote(r.session) {
		s.waiting.Resumed = true // what stands before was copied from the session that is carried on here
	}
	s.written, s.session = string(r.session), unquote(r.session)
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

// internalAgent reports whether an agent id is of a request that Claude Code makes for its own purposes: to summarise the
// history, to propose the next prompt, to answer a question by the way. These are no turns of anybody's run.
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
		s.last.ended(res.id, res.failed)
	}
	if s.subagent || !s.submitted(r, c) {
		return
	}
	if id := unquote(r.prompt); id != "" { // what a person submits may be written in several records
		if id == s.prompt {
			return
		}
		s.prompt = id
	}
	s.waiting.Prompts = append(s.waiting.Prompts, c.text)
}

// submitted reports whether a person sent this. Blocks instead of a string are a person's only where something says so:
// an image, or the origin.
func (s *claude) submitted(r *record, c *content) bool {
	human := string(r.origin) == `"human"`
	switch {
	case r.meta || r.summary || len(c.results) > 0 || (len(r.origin) > 0 && !human) || machines.Wrote(c.text):
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
			return nil // a copy of what was there before
		}
		s.seen[key] = struct{}{}
		begun = s.next()
		begun.Key, begun.Model = key, p.model
		s.last = message{key: key}
	}
	s.last.merge(p)
	return begun
}

// merge adds a line's blocks to the message. Its usage is the same on each of its lines, or grows.
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

// next returns the turn that begins now, or would, without a name and a model.
func (s *claude) next() *Turn {
	t := s.pending()
	s.turns++
	s.clock.stamp(t)
	s.waiting = Turn{}
	return t
}

func (s *claude) pending() *Turn {
	t := s.waiting
	s.last.tell(&t)
	t.Run, t.N, t.At = s.run, s.turns+1, s.clock.now
	return &t
}

// part is one line's share of a message.
type part struct {
	id, model string
	stopped   bool
	usage     usage
	billed    Usage
	content   content
}

// message takes the next value.
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
