package session

import (
	"strings"

	"github.com/aside-go/aside/compile/fact"
	"github.com/aside-go/aside/internal/agent"
	"github.com/aside-go/aside/internal/jsonscan"
)

// copilot is the source for Copilot CLI's session files, ~/.copilot/session-state/SESSION/events.jsonl (runs
// of 1.0.102). A line is an event, {"type","data","id","timestamp","parentId"}; those of a subagent stand
// between those of the session, with "agentId".
type copilot struct {
	thread                    // of the session itself
	subs   map[string]*thread // by id
	order  []string           // ids of subs, in the order in which they were started
	models map[*thread]string // that were asked or chosen last
	// for which the work was kept from ending: it comes as a message in a person's place
	reason string
}

// copilotCLI is the agent whose files these are.
var copilotCLI, _ = agent.Named("copilot")

func newCopilot(source string, out *Sink) *copilot {
	return &copilot{thread: newThread(source, out), subs: map[string]*thread{},
		models: map[*thread]string{}}
}

// copilotLine is an event. Slices borrow from the line.
type copilotLine struct {
	typ, timestamp, agent, data []byte
}

// readCopilot reads a line. ok is false where the line is no event, or is cut off.
func readCopilot(line []byte) (l copilotLine, ok bool) {
	c := jsonscan.Of(line)
	for key := range c.Keys() {
		switch string(key) {
		case "type":
			l.typ = c.Raw()
		case "timestamp":
			l.timestamp = c.Raw()
		case "agentId":
			l.agent = c.Raw()
		case "data":
			l.data = c.Raw()
		}
	}
	return l, !c.Bad() && len(l.typ) > 0
}

// known reports whether a line can only be of a session file of Copilot CLI.
func (l *copilotLine) known() bool {
	typ := jsonscan.Unquote(l.typ)
	group, _, dotted := strings.Cut(typ, ".")
	if !dotted || len(l.data) == 0 || l.data[0] != '{' || len(l.timestamp) == 0 {
		return false
	}
	switch group {
	case "session", "user", "assistant", "tool", "hook", "subagent", "system":
		return true
	}
	return false
}

// copilotData are the members of an event's data that tell facts. Slices borrow from the line.
type copilotData struct {
	session, dir, model, content, source, text []byte
	requests, usage, call, output, after       []byte
	interaction, turn                          []byte
	success, failed, exit                      []byte
}

func readCopilotData(raw []byte) (d copilotData) {
	for key, value := range jsonscan.Of(raw).Members() {
		switch string(key) {
		case "sessionId":
			d.session = value
		case "context":
			d.dir = jsonscan.Member(value, "cwd")
		case "selectedModel", "newModel", "model":
			d.model = value
		case "content":
			d.content = value
		case "source":
			d.source = value
		case "toolRequests":
			d.requests = value
		case "usage":
			d.usage = value
		case "toolCallId":
			d.call = value
		case "result":
			d.text = jsonscan.Member(value, "content")
		case "error":
			d.failed = jsonscan.Member(value, "message")
		case "shellExecution":
			d.exit = jsonscan.Member(value, "exitCode")
		case "success":
			d.success = value
		case "postCompactionTokens":
			d.after = value
		case "output":
			d.output = value
		case "interactionId":
			d.interaction = value
		case "turnId":
			d.turn = value
		}
	}
	return d
}

func (s *copilot) Line(line []byte, n int) bool {
	l, ok := readCopilot(line)
	if !ok {
		return false
	}
	t := s.of(&l)
	t.line = n
	t.clock.Read(l.timestamp)
	d := readCopilotData(l.data)
	if model := jsonscan.Unquote(d.model); model != "" {
		s.models[t] = model
	}
	switch typ := string(l.typ); typ {
	case `"session.start"`, `"session.resume"`:
		t.place(d.dir, nil)
		if id := jsonscan.Unquote(d.session); id != "" {
			s.run.ID = id
		}
		t.waiting.Resumed = t.waiting.Resumed || typ == `"session.resume"`
	case `"session.compaction_complete"`:
		if string(d.success) != "false" {
			t.compacted(countOf(d.after))
		}
	case `"hook.end"`:
		if string(jsonscan.Member(d.output, "decision")) == `"block"` {
			s.reason = jsonscan.Unquote(jsonscan.Member(d.output, "reason"))
		}
	case `"user.message"`:
		text := jsonscan.Unquote(d.content)
		if t == &s.thread && len(d.source) == 0 && text != s.reason && agent.Wrote(text) == "" {
			t.waiting.Prompts = append(t.waiting.Prompts, text)
		}
		s.reason = ""
	case `"assistant.turn_start"`:
		s.out.Turn(t.begin(jsonscan.Unquote(d.interaction)+" "+jsonscan.Unquote(d.turn), s.models[t]))
	case `"session.usage_record"`:
		if u, ok := readCopilotUsage(d.usage); ok {
			t.last.usage, t.last.stopped, t.at = u, true, n
		}
	case `"assistant.message"`:
		t.last.model = jsonscan.Unquote(d.model)
		if text := jsonscan.Unquote(d.content); text != "" {
			t.last.texts = append(t.last.texts, text)
		}
		for _, raw := range jsonscan.Elements(d.requests) {
			t.last.calls = append(t.last.calls, t.requested(raw))
		}
	case `"tool.execution_complete"`:
		t.completed(&d)
	}
	return true
}

// of returns the thread that an event is of.
func (s *copilot) of(l *copilotLine) *thread {
	id := jsonscan.Unquote(l.agent)
	if id == "" {
		return &s.thread
	}
	t := s.subs[id]
	if t == nil {
		made := newThread(s.run.Source, s.out)
		t = &made
		t.run.ID, t.run.Thread = s.run.ID+"/agent-"+id, "subagent"
		t.clock, t.where, t.first, t.rawDir = s.clock, s.where, s.first, s.rawDir
		s.subs[id] = t
		s.order = append(s.order, id)
	}
	if kind := jsonscan.Unquote(jsonscan.Member(l.data, "agentType")); kind != "" && t.turns == 0 {
		t.run.Thread = kind
	}
	return t
}

// requested returns a call of the model's.
func (t *thread) requested(raw []byte) Call {
	c := Call{Failed: fact.Unknown}
	for key, value := range jsonscan.Of(raw).Members() {
		switch string(key) {
		case "toolCallId":
			c.ID = jsonscan.Unquote(value)
		case "name":
			c.Name = jsonscan.Unquote(value)
		case "arguments":
			c.Input = value
		}
	}
	return t.told(c, c.Name, copilotCLI)
}

// completed records the result of a call. To Copilot a shell command that exits with another code than 0 is a
// success.
func (t *thread) completed(d *copilotData) {
	id := jsonscan.Unquote(d.call)
	exit := countOf(d.exit)
	t.last.setFailed(id, fact.Of(string(d.success) == "false" || len(d.exit) > 0 &&
		(!exit.Known || exit.N != 0)))
	if out := d.text; len(out) > 0 {
		t.setOutput(id, out, unguided)
	} else {
		t.setOutput(id, d.failed, asIs)
	}
}

// unguided returns a result without the texts of hooks that Copilot puts behind it.
func unguided(text string) string {
	if i := strings.LastIndex(text, "Additional guidance from postToolUse hooks:\n"); i >= 0 {
		if j := strings.LastIndex(text[:i], "\n\nTool \""); j >= 0 {
			return text[:j]
		}
	}
	return text
}

// readCopilotUsage reads the usage of a model call; false for one that is none of the conversation's.
func readCopilotUsage(raw []byte) (u usage, ok bool) {
	var input, read, written, output Count
	for key, value := range jsonscan.Of(raw).Members() {
		switch string(key) {
		case "interactionType":
			switch string(value) {
			case `"conversation-agent"`, `"conversation-user"`, `"conversation-subagent"`:
				ok = true
			}
		case "inputTokens":
			input = countOf(value)
		case "cacheReadTokens":
			read = countOf(value)
		case "cacheWriteTokens":
			written = countOf(value)
		case "outputTokens":
			output = countOf(value)
		}
	}
	u = usage{context: Count{input.N, input.N > 0}, response: output,
		billed: Usage{Read: read, Written: written, Output: output}}
	if rest := input.N - read.N - written.N; rest >= 0 {
		u.billed.Fresh = Count{rest, input.Known}
	}
	return u, ok
}

// Pending implements Source.
func (s *copilot) Pending() (all []*Turn) {
	for _, id := range s.order {
		all = append(all, s.subs[id].next())
	}
	return append(all, s.next())
}

// past implements rereader.
func (s *copilot) past() (f Facts, enough bool) {
	f = s.facts()
	f.Response, f.Model = f.Answer, short(s.last.model)
	f.ContextWindow = window(f.Model, f.ContextTokens)
	return f, f.ContextTokens != nil || s.waiting.Compacted
}
