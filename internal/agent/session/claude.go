package session

import (
	"bytes"
	"cmp"
	"io"
	"path"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/aside-go/aside/compile/fact"
	"github.com/aside-go/aside/internal/agent"
	"github.com/aside-go/aside/internal/jsonscan"
)

// claude is the source for Claude Code's session files (HOOKS.md §4.8). A turn is an assistant message of the
// main thread, on however many lines. It begins with its first line, and all that stands before that line was
// known when the model was asked. In a subagent's file every record is of the subagent's thread.
type claude struct {
	thread
	subagent bool
	internal bool                // the file is of requests that the agent makes for itself, which are not turns
	session  string              // the session's id
	rawID    string              // session as JSON, to compare lines without decoding
	from     string              // the session that this one was forked from, as JSON
	begun    bool                // a user or assistant record was seen
	seen     map[string]struct{} // messages, by messageName
	message  string              // the last of them
	heard    bool                // a result or a prompt came behind its latest line
	prompt   string              // id of the latest prompt
	current  string              // id of a prompt that does not count; "": none
	failed   []string            // ids of the calls of the last step that failed
}

func newClaude(source, kind string, out *Sink) *claude {
	s := &claude{thread: newThread(source, out), seen: map[string]struct{}{}}
	s.run.Thread = cmp.Or(kind, s.run.Thread)
	return s
}

func (s *claude) Line(line []byte, n int) bool {
	r, ok := readRecord(line)
	if !ok {
		return false
	}
	s.line = n
	s.add(&r)
	return true
}

// add reads a record.
func (s *claude) add(r *record) {
	s.identify(r)
	s.waiting.Resumed = s.waiting.Resumed || r.resumed
	if r.sidechain != s.subagent || s.internal {
		return
	}
	s.waiting.Delivered = append(s.waiting.Delivered, r.delivered()...)
	if r.kind != other {
		s.clock.Read(r.timestamp)
		s.place(r.cwd, r.branch)
		if r.mode != nil {
			s.mode = jsonscan.Unquote(r.mode)
		}
	}
	switch r.kind {
	case user:
		s.user(r)
	case assistant:
		s.assistant(r)
	case system:
		if r.boundary {
			s.failed = nil
			s.compacted(r.postContext)
		}
	}
}

// identify reads which session and thread a record is of. The thread of the first user or assistant record is
// that of the whole file.
func (s *claude) identify(r *record) {
	if !s.begun && (r.kind == user || r.kind == assistant) {
		s.first(r)
	}
	if r.kind == other || r.sidechain != s.subagent {
		return
	}
	if len(r.forked) > 2 && string(r.forked) != s.from {
		s.from = string(r.forked)
		s.forked(jsonscan.Unquote(r.forked), true)
	}
	if len(r.session) <= 2 || string(r.session) == s.rawID {
		return
	}
	if s.session != "" && s.session != jsonscan.Unquote(r.session) {
		s.waiting.Resumed = true // the records so far were copied from the session that this one continues
	}
	s.rawID, s.session = string(r.session), jsonscan.Unquote(r.session)
	if !s.subagent && s.session != Named(s.run.Source) { // older versions copied the records as they were
		s.forked(s.session, false)
	}
}

// first reads which run the file is of from its first user or assistant record.
func (s *claude) first(r *record) {
	s.begun = true
	session := jsonscan.Unquote(r.session)
	s.run.ID = cmp.Or(session, s.run.ID)
	if !r.sidechain {
		return
	}
	s.subagent = true
	agent := jsonscan.Unquote(r.agent)
	s.internal = internalAgent(agent)
	if agent != "" && session != "" {
		s.run.ID = session + "/agent-" + agent
	}
	if s.run.Thread == "root" {
		s.run.Thread = "subagent"
	}
}

// internalAgent reports whether an agent id is that of requests which Claude Code makes for its own purposes:
// to summarise the history, to suggest the next prompt, to answer a side question. These are not turns of any
// run.
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
	s.heard = true
	for _, res := range c.results {
		call := s.last.ended(res.id)
		if call == nil {
			continue
		}
		s.setOutputOf(call, res.output, asIs)
		if call.Failed = res.failed; res.failed == fact.True {
			s.failed = append(s.failed, short(res.id))
		}
	}
	if s.subagent || !r.submitted() {
		return
	}
	if id := jsonscan.Unquote(r.prompt); id != "" { // one prompt may be several records
		if id == s.prompt || id == s.current {
			return
		}
		s.prompt = id
	}
	s.waiting.Prompts = append(s.waiting.Prompts, c.text)
}

// submitted reports whether a user record is a person's prompt. Where the content is not a string, an image
// or the origin must say so.
func (r *record) submitted() bool {
	c, human := &r.message.content, string(r.origin) == `"human"`
	switch {
	case r.meta || r.summary || len(c.results) > 0 || (len(r.origin) > 0 && !human) || agent.Wrote(c.text) != "":
		return false
	default:
		return c.plain || human || c.media
	}
}

func (s *claude) assistant(r *record) {
	p := &r.message
	if p.model == "<synthetic>" || p.model == "" && p.id == "" || r.refused {
		return
	}
	key := cmp.Or(p.id, jsonscan.Unquote(r.request), jsonscan.Unquote(r.uuid), "line "+strconv.Itoa(s.line))
	if name := s.messageName(key, r); name != s.message {
		if _, again := s.seen[name]; again {
			return // a copy of an earlier line
		}
		s.message, s.seen[name] = name, struct{}{}
		if len(s.waiting.Prompts) > 0 {
			s.failed = nil
		}
		copied := s.answer([]byte(key), r.request)
		t := s.begin(key, p.model)
		t.Copied = copied
		s.out.Turn(t)
	}
	s.heard = false
	if len(p.content.calls) > 0 && len(s.last.calls) == 0 {
		s.failed = nil
	}
	for i, c := range p.content.calls {
		p.content.calls[i] = s.told(c, c.Name, "claude-code")
	}
	s.last.merge(p)
	if p.usage.context.Known {
		s.at = s.line
	}
}

// messageName tells the message that a line is of from others. Some gateways give each message the same id,
// but not each request; where the request has none either, its context tells, if something came between.
func (s *claude) messageName(id string, r *record) string {
	if request := jsonscan.Unquote(r.request); request != "" {
		return id + " " + request
	}
	if id == s.last.id && !s.heard {
		return s.message
	}
	if used := r.message.usage.context; used.Known {
		return id + " " + strconv.FormatInt(used.N, 10)
	}
	return id
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
		m.usage.billed = p.usage.billed
	}
	m.stopped = m.stopped || p.stopped
}

// part is what one line holds of a message.
type part struct {
	id, model string
	stopped   bool
	usage     usage
	content   content
}

// message reads the next value, which may be anything, as a message's part.
func messageOf(c *jsonscan.Cursor) (p part) {
	if c.Peek() != '{' {
		c.Raw()
		return p
	}
	for key := range c.Keys() {
		switch string(key) {
		case "id":
			p.id = c.Str()
		case "model":
			p.model = c.Str()
		case "stop_reason":
			p.stopped = c.Peek() == '"'
		case "usage":
			p.usage = readUsage(c.Raw())
		case "content":
			p.content = contentOf(c)
		}
	}
	return p
}

// record is one line of a Claude Code session file. Slices borrow from the line.
type record struct {
	kind        kind
	known       bool // the line has a member that only these files have
	sidechain   bool
	meta        bool
	summary     bool // the message is a compaction's summary
	boundary    bool // the history was compacted here
	resumed     bool // a hook ran because the session was resumed
	refused     bool // the message is an error of the API, and no answer
	prompt      []byte
	uuid        []byte
	request     []byte
	session     []byte
	forked      []byte // the session that the record was copied from
	agent       []byte
	timestamp   []byte
	cwd, branch []byte
	mode        []byte
	origin      []byte // kind of the origin, with quotes
	attachment  []byte
	message     part
	postContext Count // tokens in the window after the compaction
}

type kind uint8

const (
	other kind = iota
	user
	assistant
	system
)

// readRecord reads a line. It stops as soon as the line turns out to be of a type that holds nothing of
// interest, as most of a file is; the rest of such a line is not checked. ok is false where the line is no
// object, or is cut off.
func readRecord(line []byte) (r record, ok bool) {
	c := jsonscan.Of(line)
	var subtype, compact []byte
	typed := false
	for key := range c.Keys() {
		switch string(key) {
		case "type":
			typed = true
			if r.typed(c.Raw(), line) {
				return r, true
			}
		case "subtype":
			subtype = c.Raw()
		case "compactMetadata":
			compact = c.Raw()
		default:
			r.member(key, c)
		}
	}
	if r.kind == system && string(subtype) == `"compact_boundary"` {
		r.compacted(compact)
	}
	return r, !c.Bad() && (typed || r.known)
}

// typed reads the member "type". It reports whether the rest of the line is of no interest.
func (r *record) typed(raw, line []byte) (enough bool) {
	switch string(raw) {
	case `"user"`:
		r.kind = user
	case `"assistant"`:
		r.kind = assistant
	case `"system"`:
		r.kind = system
	case `"progress"`:
		r.resumed = resumeHook(head(line))
		r.known = r.known || bytes.Contains(head(line), []byte(`"toolUseID"`))
		return r.known
	}
	return false
}

// member reads a member that means the same in a line of any type. Other members it leaves to the caller.
func (r *record) member(key []byte, c *jsonscan.Cursor) {
	switch string(key) {
	case "message":
		r.message = messageOf(c)
	case "parentUuid", "isSidechain", "leafUuid", "isSnapshotUpdate":
		r.known = true
		r.sidechain = r.sidechain || string(key) == "isSidechain" && isTrue(c.Raw())
	case "sessionId":
		r.known = true
		r.session = c.Raw()
	case "forkedFrom":
		r.forked = jsonscan.Member(c.Raw(), "sessionId")
	case "agentId":
		r.agent = c.Raw()
	case "uuid":
		r.uuid = c.Raw()
	case "requestId":
		r.request = c.Raw()
	case "timestamp":
		r.timestamp = c.Raw()
	case "cwd":
		r.cwd = c.Raw()
	case "gitBranch":
		r.branch = c.Raw()
	case "permissionMode":
		r.mode = c.Raw()
	case "isMeta":
		r.meta = isTrue(c.Raw())
	case "isApiErrorMessage":
		r.refused = isTrue(c.Raw())
	case "promptId":
		r.prompt = c.Raw()
	case "isCompactSummary":
		r.summary = isTrue(c.Raw())
	case "attachment":
		r.attachment = c.Raw()
		r.resumed = resumeHook(r.attachment)
	case "origin":
		r.origin = jsonscan.Member(c.Raw(), "kind")
	}
}

// compacted reads the metadata of a compaction's boundary.
func (r *record) compacted(metadata []byte) {
	r.boundary = true
	post := jsonscan.Of(jsonscan.Member(metadata, "postTokens"))
	n, ok := post.Count()
	r.postContext = Count{n, ok && n > 0}
}

func isTrue(raw []byte) bool { return string(raw) == "true" }

// head returns the part of a hook's record in which the hook's name stands.
func head(line []byte) []byte { return line[:min(len(line), 1024)] }

// resumeHook reports whether a record is of a hook that ran because the session was resumed. Only a member
// can match: inside a text the quotes would have backslashes.
func resumeHook(raw []byte) bool {
	return len(raw) > 0 && bytes.Contains(head(raw), []byte(`"SessionStart:resume"`))
}

// middle implements rereader.
func (s *claude) middle(of File) {
	s.begun, s.subagent, s.current = true, of.Subagent != "", of.TurnKey
}

// past implements rereader. The first message may lack its first lines, and one more is needed to know where
// the last step begins.
func (s *claude) past() (f Facts, enough bool) {
	f, _ = s.thread.past()
	f.Failed = s.failed
	return f, s.turns > 2
}

// Delivered returns the texts that hooks have put before the model by a session's file of Claude Code, of
// which no more than the last megabytes are read.
func Delivered(path string) (texts []string, err error) {
	f, size, err := open(path)
	if f == nil {
		return nil, err
	}
	defer f.Close()
	b, err := io.ReadAll(io.NewSectionReader(f, max(0, size-lastPart), lastPart))
	for line := range bytes.Lines(b) {
		if r, ok := readRecord(line); ok && !r.sidechain {
			texts = append(texts, r.delivered()...)
		}
	}
	return texts, err
}

// delivered returns the texts of hooks that a record is about.
func (r *record) delivered() (texts []string) {
	if len(r.attachment) == 0 ||
		string(jsonscan.Member(r.attachment, "type")) != `"hook_additional_context"` {
		return nil
	}
	for _, t := range jsonscan.Elements(jsonscan.Member(r.attachment, "content")) {
		texts = append(texts, jsonscan.Unquote(t))
	}
	return texts
}

// isClaudeAgent reports whether a file has the name of a subagent's.
func isClaudeAgent(file string) bool {
	return strings.HasPrefix(filepath.Base(file), "agent-") && filepath.Ext(file) == ".jsonl"
}

// SubagentOf reports whether a file is a subagent's by its name alone. It returns the path, with slashes, of
// the file of the session, "" where the folders do not tell, and whether the subagent is one that the agent
// runs for itself, whose requests are not turns of any run.
func SubagentOf(file string) (of string, internal, ok bool) {
	if !isClaudeAgent(file) {
		return "", false, false
	}
	internal = internalAgent(strings.TrimSuffix(strings.TrimPrefix(filepath.Base(file), "agent-"), ".jsonl"))
	for dir := path.Dir(filepath.ToSlash(file)); path.Dir(dir) != dir; dir = path.Dir(dir) {
		if path.Base(dir) == "subagents" {
			return path.Dir(dir) + ".jsonl", internal, true
		}
	}
	return "", internal, true
}

// AgentFile returns the path of the file beside a subagent's that says its type; ReadType reads that file.
func AgentFile(file string) string { return strings.TrimSuffix(file, ".jsonl") + ".meta.json" }

// ReadType returns the type of a subagent, "" where the file does not say.
func ReadType(file []byte) string { return jsonscan.Unquote(jsonscan.Member(file, "agentType")) }
