package session

import (
	"cmp"
	"strconv"
	"strings"

	"github.com/aside-go/aside/compile/fact"
	"github.com/aside-go/aside/internal/agent"
	"github.com/aside-go/aside/internal/jsonscan"
)

// conversations is the source for a log of conversations, one a line. Each is a run, and each assistant
// message in it is a turn.
type conversations struct {
	out    *Sink
	source string
	n      int   // conversations so far
	last   *Turn // the turn that would be next of the latest one
}

func (s *conversations) Line(line []byte, _ int) bool {
	s.n++
	c, ok := readConversation(line, s.source, s.n, s.out)
	if !ok {
		return false
	}
	if s.last != nil {
		s.out.Ended = append(s.out.Ended, s.last)
	}
	s.out.Turns = append(s.out.Turns, c.all...)
	s.last = c.placed(c.next())
	return true
}

func (s *conversations) Finish() {}

func (s *conversations) Pending() []*Turn {
	if s.last == nil {
		return nil
	}
	return []*Turn{s.last}
}

// NewConversations returns a source for a log of conversations.
func NewConversations(name string, out *Sink) Source { return &conversations{out: out, source: name} }

// conversation is one conversation, {"messages":[…]}, and its turns. The messages may have the form of OpenAI
// Chat (role tool, tool_calls), that of Anthropic and others (blocks), or a mixture.
//
// Messages may have members with usage and times; mostly they do not, and then nothing is known of these. Of
// a tool message without is_error it is not known whether the call failed.
type conversation struct {
	thread
	all      []*Turn
	messages int // how many were read
}

// readConversation reads a line, the number-th conversation. ok is false where the line is no object with a
// list of messages, or is cut off.
func readConversation(raw []byte, source string, number int, out *Sink) (q *conversation, ok bool) {
	var r row
	if !conversationFields.read(raw, &r) || len(r[cItems]) == 0 || r[cItems][0] != '[' {
		return nil, false
	}
	q = &conversation{thread: newThread(source, out)}
	id := r.text(cSession)
	if raw := string(r[cSession]); raw != "" && raw != "null" && !strings.Contains(`"{[`, raw[:1]) { // a number
		id = raw
	}
	q.run.ID = cmp.Or(id, "request-"+strconv.Itoa(number))
	q.run.Thread, q.model = cmp.Or(r.text(cName), q.run.Thread), r.text(cModel)
	for _, raw := range jsonscan.Elements(r[cItems]) {
		var m row
		messageFields.read(raw, &m)
		q.message(&m)
		q.messages++
	}
	return q, true
}

var conversationFields = fields{"id": {is: cSession}, "model": {is: cModel}, "thread_type": {is: cName},
	"messages": {is: cItems}}

var messageFields = fields{"role": {is: cType}, "content": {is: cText}, "tool_calls": {is: cCalls},
	"tool_call_id": {is: cCall}, "name": {is: cName}, "is_error": {is: cStatus}, "usage": {is: cUsage},
	"timestamp": {is: cTime}, "created_at": {is: cTime}}

// message reads one message.
func (q *conversation) message(r *row) {
	c := readContent(r[cText])
	q.clock.Read(r[cTime])
	switch r.text(cType) {
	case "assistant", "model":
		q.all = append(q.all, q.placed(q.begin("", "")))
		called := append(c.calls, toolCalls(r[cCalls])...)
		for i, c := range called {
			called[i] = q.anyAgent(c)
		}
		q.last = message{calls: called, texts: []string{c.text}, usage: readUsage(r[cUsage]),
			stopped: len(r[cUsage]) > 0}
	case "tool", "function":
		q.result(r)
	case "user":
		for _, r := range c.results {
			q.setOutput(r.id, r.output, asIs)
			q.last.setFailed(r.id, r.failed)
		}
		if len(c.results) == 0 && agent.Wrote(c.text) == "" && (c.text != "" || c.media) {
			q.waiting.Prompts = append(q.waiting.Prompts, c.text)
		}
	}
	q.waiting.New += c.bytes + len(r[cCalls]) // the model's own messages, too, are part of the next request
}

// placed sets what a turn says of its place, given that the next message is the model's.
func (q *conversation) placed(t *Turn) *Turn {
	t.Key, t.Model = "message "+strconv.Itoa(q.messages), q.model
	t.MessageCount = Count{int64(q.messages), true}
	return t
}

func (q *conversation) result(r *row) {
	id, failed := r.text(cCall), fact.Unknown
	if len(r[cStatus]) > 0 {
		failed = fact.Of(string(r[cStatus]) == "true")
	}
	if id == "" { // older logs have the function's name and no id
		for _, c := range q.last.calls {
			if r.is(cName, c.Name) {
				id = c.ID
			}
		}
	}
	q.setOutput(id, r[cText], asIs)
	q.last.setFailed(id, failed)
}

// toolCalls reads the list tool_calls of a Chat message.
func toolCalls(raw []byte) []Call {
	var out []Call
	for _, item := range jsonscan.Elements(raw) {
		call := Call{ID: jsonscan.Unquote(jsonscan.Member(item, "id")), Failed: fact.Unknown}
		for _, kind := range [...]string{"function", "custom"} {
			if of := jsonscan.Member(item, kind); call.Name == "" {
				call.Name = jsonscan.Unquote(jsonscan.Member(of, "name"))
				if call.Input = jsonscan.Member(of, "arguments"); call.Input == nil {
					call.Input = jsonscan.Member(of, "input")
				}
			}
		}
		out = append(out, call)
	}
	return out
}
