package transcript

import (
	"strconv"
	"time"

	"github.com/aside-go/aside/compile/fact"
)

// request turns one logged request, {"messages":[…]}, into the turns of a run: each assistant message is one. It reads the
// form of OpenAI Chat (role tool, tool_calls) and that of Anthropic and others (blocks), and a mixture.
//
// Such a log may hold usage and times, as members of its messages; mostly it does not, and then nothing is known of them.
// Of a tool message without is_error nobody can tell whether the call failed.
type request struct {
	run   *Run
	model string
	turns []*Turn
	last  message
	wait  Turn
	clock time.Time

	messages int
}

// readRequest reads a record. ok is false when it is no object with a list of messages, or cut off.
func readRequest(raw []byte, source string, number int) (req *request, ok bool) {
	req = &request{run: &Run{Source: source, Thread: "root"}}
	c := cursor{b: raw}
	var messages []byte
	for key, value := range c.members() {
		switch string(key) {
		case "id":
			req.run.ID = unquote(value)
			if req.run.ID == "" && len(value) > 0 && value[0] != '"' && value[0] != '{' && value[0] != '[' && string(value) != "null" {
				req.run.ID = string(value)
			}
		case "model":
			req.model = unquote(value)
		case "thread_type":
			if t := unquote(value); t != "" {
				req.run.Thread = t
			}
		case "messages":
			messages = value
		}
	}
	if c.bad || len(messages) == 0 || messages[0] != '[' {
		return nil, false
	}
	if req.run.ID == "" {
		req.run.ID = "request-" + strconv.Itoa(number)
	}
	list := cursor{b: messages}
	for list.open('['); list.element() && !list.bad; req.messages++ {
		req.message(list.raw(), req.messages)
	}
	return req, true
}

// message takes in one message, the n-th from 0.
func (q *request) message(raw []byte, n int) {
	var role, callID, name string
	var calls, failed, stamp []byte
	var c content
	var u usage
	stopped := false
	m := cursor{b: raw}
	if m.peek() != '{' {
		return
	}
	for m.open('{'); !m.bad; {
		key, more := m.member()
		if !more {
			break
		}
		value := m.raw()
		switch string(key) {
		case "role":
			role = unquote(value)
		case "content":
			c = readContent(value)
		case "tool_calls":
			calls = value
		case "tool_call_id":
			callID = unquote(value)
		case "name":
			name = unquote(value)
		case "is_error":
			failed = value
		case "usage":
			u, stopped = readUsage(value), true
		case "timestamp", "created_at":
			stamp = value
		}
	}
	if at, ok := readTime(stamp); ok {
		q.clock = at
	}
	switch role {
	case "assistant", "model":
		q.assistant(c, toolCalls(calls), u, stopped, n)
	case "tool", "function":
		q.result(callID, name, failed)
	case "user":
		for _, r := range c.results {
			q.settle(r.id, r.failed)
		}
		if len(c.results) == 0 && !MachinePrompt(c.text) && (c.text != "" || c.media) {
			q.wait.Prompts = append(q.wait.Prompts, c.text)
		}
	}
}

func (q *request) assistant(c content, calls []Call, u usage, stopped bool, n int) {
	t := q.pending(n)
	if t.N == 1 {
		q.run.Timed = !q.clock.IsZero()
	}
	if !q.run.Timed {
		t.At = time.Time{}
	}
	q.turns = append(q.turns, t)
	q.wait = Turn{}
	q.last = message{calls: append(c.calls, calls...), texts: []string{c.text}, usage: u, stopped: stopped}
}

// pending returns the turn that the n-th message would be.
func (q *request) pending(n int) *Turn {
	t := q.wait
	t.Run, t.N, t.At, t.Model = q.run, len(q.turns)+1, q.clock, q.model
	t.Key = "message " + strconv.Itoa(n)
	t.Calls = q.last.calls
	if len(q.last.texts) > 0 {
		t.Response = q.last.texts[0]
	}
	t.ContextTokens, t.ResponseTokens = q.last.usage.context, q.last.usage.response
	t.MessageCount = Count{int64(n), true}
	return &t
}

func (q *request) result(id, name string, failed []byte) {
	truth := fact.Unknown
	if len(failed) > 0 {
		truth = fact.Of(string(failed) == "true")
	}
	if id == "" { // older logs name the function alone
		for i := range q.last.calls {
			if q.last.calls[i].Name == name {
				id = q.last.calls[i].ID
			}
		}
	}
	q.settle(id, truth)
}

func (q *request) settle(id string, failed fact.Truth) {
	for i := range q.last.calls {
		if q.last.calls[i].ID == id {
			q.last.calls[i].Failed = failed
		}
	}
}

// toolCalls reads the tool_calls list of a Chat message.
func toolCalls(raw []byte) []Call {
	var out []Call
	c := cursor{b: raw}
	if c.peek() != '[' {
		return nil
	}
	for c.open('['); !c.bad && c.element(); {
		item := c.raw()
		call := Call{ID: unquote(stringMember(item, "id")), Failed: fact.Unknown}
		for _, kind := range [...]string{"function", "custom"} {
			if call.Name == "" {
				call.Name = unquote(stringMember(stringMember(item, kind), "name"))
			}
		}
		out = append(out, call)
	}
	return out
}
