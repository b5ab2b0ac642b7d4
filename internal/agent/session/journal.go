package session

import (
	"cmp"

	"github.com/aside-go/aside/compile/fact"
	"github.com/aside-go/aside/internal/agent"
	"github.com/aside-go/aside/internal/jsonscan"
)

// column is a part of a record, wherever the records of an agent have it.
type column uint8

// The parts of records that tell something of a run.
const (
	cType    column = iota // what the record is of
	cSub                   // the same, more closely
	cTime                  // RFC 3339, or milliseconds since 1970
	cThread                // the id of the subagent that the record is of, in a file with several threads
	cSession               // the session's id
	cParent                // the id of the session that has asked this one, a subagent's
	cAgent                 // the id of the subagent whose file it is
	cDir                   // where the agent works
	cBranch
	cModel
	cKey  // what names a model call
	cStep // the same, within what cKey names
	cText
	cWho   // who wrote the text
	cCalls // a list of calls, or of other parts of a message
	cCall  // the id of a call
	cName
	cInput
	cOutput
	cError
	cStatus   // how the call went
	cExit     // the exit code of a command
	cPrompt   // tokens of the prompt
	cFresh    // tokens of the prompt that were neither read from a cache nor written to one
	cRead     // tokens that were read from a cache
	cWritten  // tokens that were written to a cache
	cAnswer   // tokens of the answer
	cThoughts // tokens of the answer that cAnswer does not count
	cWindow   // tokens that the context window holds
	cAfter    // tokens that a compaction has left
	cVerdict  // what a hook has answered
	cUsage    // tokens, in the words of any API
	cItems    // records in this one
	columns
)

// row is a record: its parts as JSON, nil where it has none. They borrow from the line.
type row [columns][]byte

func (r *row) text(c column) string           { return jsonscan.Unquote(r[c]) }
func (r *row) is(c column, words string) bool { return jsonscan.Unquote(r[c]) == words }

// usage returns the tokens of a model call. A record has the whole prompt, or the part of it that no cache
// has read or written.
func (r *row) usage() usage {
	prompt, fresh := countOf(r[cPrompt]), countOf(r[cFresh])
	read, written := countOf(r[cRead]), countOf(r[cWritten])
	switch cached := read.N + written.N; {
	case !prompt.Known && fresh.Known:
		prompt.N = fresh.N + cached
	case prompt.Known && prompt.N >= cached:
		fresh = Count{prompt.N - cached, true}
	}
	answer := countOf(r[cAnswer])
	if answer.Known {
		answer.N += countOf(r[cThoughts]).N
	}
	return usage{context: Count{prompt.N, prompt.N > 0}, response: answer,
		billed: Usage{Fresh: fresh, Read: read, Written: written, Output: answer}}
}

// fields say of an object which members are which parts of a record.
type fields map[string]field

// field is a member: a part, or an object with parts.
type field struct {
	is column
	in fields
}

// read reads the parts of an object. ok is false where raw is none, or is cut off.
func (f fields) read(raw []byte, r *row) (ok bool) {
	c := jsonscan.Of(raw)
	for key := range c.Keys() {
		switch m, told := f[string(key)]; {
		case !told:
		case m.in != nil:
			m.in.read(c.Raw(), r)
		default:
			r[m.is] = c.Raw()
		}
	}
	return !c.Bad()
}

// journal is the source for files whose records each tell one thing. What the members of a record are, and
// what happens in the run where one is read, is all that differs from agent to agent (format.fields, take).
type journal struct {
	thread // of the session itself
	format *format
	subs   map[string]*thread // by id
	order  []string           // ids of subs, in the order in which they were started
	// for which the work was kept from ending: it comes as a message in a person's place
	reason string
}

func newJournal(f *format, source, kind string, out *Sink) *journal {
	s := &journal{thread: newThread(source, out), format: f, subs: map[string]*thread{}}
	s.run.Thread = cmp.Or(kind, s.run.Thread)
	if f.named != nil {
		f.named(s.run)
	}
	return s
}

// Line implements Source.
func (s *journal) Line(line []byte, n int) bool {
	var r row
	if !s.format.fields.read(line, &r) {
		return false
	}
	s.take(&r, n)
	for _, raw := range jsonscan.Elements(r[cItems]) {
		var item row
		s.format.items.read(raw, &item)
		s.take(&item, n)
	}
	return true
}

func (s *journal) take(r *row, n int) {
	t := s.threadOf(r)
	t.line = n
	t.clock.Read(r[cTime])
	t.place(r[cDir], r[cBranch])
	if id := r.text(cSession); id != "" && t == &s.thread {
		s.session(id, r)
	}
	t.model = cmp.Or(r.text(cModel), t.model)
	s.format.take(s, t, r)
}

// session records the ids of the session, and of the subagent whose file it is.
func (s *journal) session(id string, r *row) {
	s.run.ID = id
	sub := r.text(cAgent)
	if parent := r.text(cParent); parent != "" {
		id, sub = parent, cmp.Or(sub, id)
	}
	if sub == "" {
		return
	}
	s.run.ID = id + "/agent-" + sub
	if s.run.Thread == "root" {
		s.run.Thread = cmp.Or(r.text(cName), "subagent")
	}
}

// threadOf returns the thread that a record is of.
func (s *journal) threadOf(r *row) *thread {
	id := r.text(cThread)
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
	if kind := r.text(cName); kind != "" && t.turns == 0 {
		t.run.Thread = kind
	}
	return t
}

// prompt records a message in a person's place; in a subagent it is the task.
func (t *thread) prompt(text string) {
	switch {
	case t.run.Thread != "root" || text == "":
	case agent.Wrote(text) == "":
		t.waiting.Prompts = append(t.waiting.Prompts, text)
	default:
		t.waiting.Hints = append(t.waiting.Hints, text)
	}
}

// asked begins a turn with an answer of the model's, unless it has begun.
func (t *thread) asked(key string) {
	if key != t.last.key || key == "" {
		t.out.Turn(t.begin(key, t.model))
	}
}

// says adds a text to the model's latest message.
func (t *thread) says(text string) {
	if text != "" {
		t.last.texts = append(t.last.texts, text)
	}
}

// calls adds a call to the model's latest message.
func (t *thread) calls(r *row, agent string) {
	c := Call{ID: r.text(cCall), Name: r.text(cName), Failed: fact.Unknown, Input: r[cInput]}
	t.last.calls = append(t.last.calls, t.told(c, c.Name, agent))
}

// ended records how a call of the model's latest message went.
func (t *thread) ended(r *row, failed bool, text func(string) string) {
	id := r.text(cCall)
	t.last.setFailed(id, fact.Of(failed))
	out := r[cOutput]
	if len(out) == 0 {
		out = r[cError]
	}
	t.setOutput(id, out, text)
}

// counts records the tokens of the model's latest message, if the record has any.
func (t *thread) counts(r *row) {
	if u := r.usage(); u.billed.Fresh.Known || countOf(r[cPrompt]).Known {
		t.used(u)
		t.setWindow(r[cWindow])
	}
}

// Pending implements Source.
func (s *journal) Pending() (all []*Turn) {
	for _, id := range s.order {
		all = append(all, s.subs[id].next())
	}
	return append(all, s.next())
}
