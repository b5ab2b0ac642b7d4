package session

import (
	"strconv"

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
	q = &conversation{thread: newThread(source, out)}
	q.run.ID = ""
	c := jsonscan.Of(raw)
	var messages []byte
	for key, value := range c.Members() {
		switch string(key) {
		case "id":
			q.run.ID = jsonscan.Unquote(value)
			if q.run.ID == "" && len(value) > 0 && value[0] != '"' && value[0] != '{' && value[0] != '[' &&
				string(value) != "null" {
				q.run.ID = string(value)
			}
		case "model":
			q.model = jsonscan.Unquote(value)
		case "thread_type":
			if t := jsonscan.Unquote(value); t != "" {
				q.run.Thread = t
			}
		case "messages":
			messages = value
		}
	}
	if c.Bad() || len(messages) == 0 || messages[0] != '[' {
		return nil, false
	}
	if q.run.ID == "" {
		q.run.ID = "request-" + strconv.Itoa(number)
	}
	for _, raw := range jsonscan.Elements(messages) {
		q.message(raw)
		q.messages++
	}
	return q, true
}

// message reads one message.
func (q *conversation) message(raw []byte) {
	var role, callID, name string
	var calls, failed, stamp, output []byte
	var c content
	var u usage
	stopped := false
	for key, value := range jsonscan.Of(raw).Members() {
		switch string(key) {
		case "role":
			role = jsonscan.Unquote(value)
		case "content":
			c, output = readContent(value), value
		case "tool_calls":
			calls = value
		case "tool_call_id":
			callID = jsonscan.Unquote(value)
		case "name":
			name = jsonscan.Unquote(value)
		case "is_error":
			failed = value
		case "usage":
			u = readUsage(value)
			stopped = true
		case "timestamp", "created_at":
			stamp = value
		}
	}
	q.clock.Read(stamp)
	switch role {
	case "assistant", "model":
		q.all = append(q.all, q.placed(q.begin("", "")))
		called := append(c.calls, toolCalls(calls)...)
		for i, c := range called {
			called[i] = q.anyAgent(c)
		}
		q.last = message{calls: called, texts: []string{c.text}, usage: u,
			stopped: stopped}
	case "tool", "function":
		q.result(callID, name, failed, output)
	case "user":
		for _, r := range c.results {
			q.setOutput(r.id, r.output, asIs)
			q.last.setFailed(r.id, r.failed)
		}
		if len(c.results) == 0 && agent.Wrote(c.text) == "" && (c.text != "" || c.media) {
			q.waiting.Prompts = append(q.waiting.Prompts, c.text)
		}
	}
	q.waiting.New += c.bytes + len(calls) // the model's own messages, too, are part of the next request
}

// placed sets what a turn says of its place, given that the next message is the model's.
func (q *conversation) placed(t *Turn) *Turn {
	t.Key, t.Model = "message "+strconv.Itoa(q.messages), q.model
	t.MessageCount = Count{int64(q.messages), true}
	return t
}

func (q *conversation) result(id, name string, failed, output []byte) {
	truth := fact.Unknown
	if len(failed) > 0 {
		truth = fact.Of(string(failed) == "true")
	}
	if id == "" { // older logs have the function's name and no id
		for i := range q.last.calls {
			if q.last.calls[i].Name == name {
				id = q.last.calls[i].ID
			}
		}
	}
	q.setOutput(id, output, asIs)
	q.last.setFailed(id, truth)
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
