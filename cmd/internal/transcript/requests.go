//go:build !js

package transcript

import (
	"bytes"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/aside-go/aside/compile/fact"
	"github.com/aside-go/aside/inject/wire"
	"github.com/aside-go/aside/internal/agent/session"
	"github.com/aside-go/aside/internal/api"
	"github.com/aside-go/aside/internal/body"
	"github.com/aside-go/aside/internal/evidence"
	"github.com/aside-go/aside/internal/jsonscan"
	"github.com/aside-go/aside/internal/request"
	"github.com/aside-go/aside/internal/response"
)

// requests is the source for a log of requests to model APIs, one a line: a body alone, or in an object with
// the response and the time. Each request that asks the model to go on is a turn of its run, except for a
// retry of the request before. Requests of several runs may alternate.
//
// Which run a request is of is told by what the client says of itself (WIRE.md §2.1), else by the messages: a
// request of the same run begins with the messages of the request before.
type requests struct {
	out    *session.Sink
	source string
	n      int // requests so far

	runs  map[string]*loggedRun // by request.Identity.Key, where the client gives one
	heads map[string]*loggedRun // the others, by loggedRun.head
	order []*loggedRun          // all, by their latest request, the latest last
}

// loggedRun is a run in a log of requests.
type loggedRun struct {
	name string // the key in requests.runs; "": there is none
	run  *session.Run

	turns   int
	clock   session.Clock
	head    string        // body.Conversation.Head at the latest turn
	begins  string        // key of the conversation's first message then
	ends    string        // key of its last message then
	keys    int           // how many messages it had then
	prompt  string        // key of the prompt that was counted last
	answer  evidence.Said // the newest of the model that it held then
	window  string        // request.Identity.Window; "": the client has told none
	begun   string        // the user turn in which a resume was told
	tools   bool          // some turn of the run has offered tools
	summary bool          // since the latest turn the client has asked for a summary
	usage   response.Usage
	size    int // of the latest turn's request, in bytes
}

// maxRuns is how many runs of a log may go on at a time. Beyond that, the run whose latest request is the
// oldest ends.
const maxRuns = 4096

func newRequests(source string, out *session.Sink) *requests {
	return &requests{out: out, source: source, runs: map[string]*loggedRun{}, heads: map[string]*loggedRun{}}
}

func (s *requests) Line(line []byte, n int) bool {
	c, ok := readCall(line)
	if !ok {
		return false
	}
	s.n++
	s.call(&c, n)
	return true
}

// call reads one call of a model, that of line n.
func (s *requests) call(c *call, n int) {
	in := request.Incoming{API: c.api(), Path: c.path, Header: c.header, Body: c.request, Calls: request.Names}
	if in.Place.Home = s.out.Place.Home; s.out.Outputs {
		in.Calls = request.Everything
	} else if s.out.Subject != nil {
		in.Calls = request.Subjects
	}
	q, conv, err := request.Read(in, body.Options{})
	if err != nil {
		s.out.Note("a request that could not be read was left out: " + err.Error())
		return
	}
	if conv == nil { // a request of another kind
		return
	}
	r := s.find(q, conv)
	kind := q.KindIn(r != nil && r.tools)
	if r != nil && kind == api.KindCompaction {
		r.summary = true
	}
	if kind != api.KindTurn {
		return
	}
	if r == nil {
		r = s.begin(q, n)
	}
	r.clock.Set(c.at)
	if head := conv.Head(); head == "" || head != r.head {
		t := r.turn(q, conv)
		t.New, r.size = max(0, len(c.request)-r.size), len(c.request)
		s.out.Turn(t)
		if r.name == "" {
			delete(s.heads, r.head)
			s.heads[head] = r
		}
		r.head = head
	}
	s.moveToEnd(r)
	r.usage = response.Usage{}
	if len(c.response) > 0 {
		r.usage = api.ReadUsage(c.response)
	}
}

// find returns the run that a request is of; nil for a new run.
func (s *requests) find(q *request.Request, conv *body.Conversation) *loggedRun {
	if key := q.Thread.Key(); key != "" {
		return s.runs[key]
	}
	heads := conv.Heads()
	for i := len(heads) - 1; i >= 0; i-- {
		if r := s.heads[heads[i]]; r != nil {
			return r
		}
	}
	return nil
}

func (s *requests) begin(q *request.Request, n int) *loggedRun {
	r := &loggedRun{name: q.Thread.Key(), run: &session.Run{Source: s.source, ID: "request-" + strconv.Itoa(n),
		Thread: "root"}}
	switch id := q.Thread; {
	case id.Run != "" && id.Thread != "":
		r.run.ID = id.Run + "/agent-" + id.Thread
		r.run.Thread = "subagent"
	case id.Run != "":
		r.run.ID = id.Run
	}
	if t := q.Thread.Type; t != "" {
		r.run.Thread = t
	}
	if r.name != "" {
		s.runs[r.name] = r
	}
	if len(s.order) >= maxRuns {
		s.forget(s.order[0])
	}
	s.order = append(s.order, r)
	return r
}

// moveToEnd moves a run to the end of order.
func (s *requests) moveToEnd(r *loggedRun) {
	i := slices.Index(s.order, r)
	s.order = append(slices.Delete(s.order, i, i+1), r)
}

// forget ends a run, which is the first of order.
func (s *requests) forget(r *loggedRun) {
	s.out.Ended = append(s.out.Ended, r.next())
	s.order = s.order[1:]
	delete(s.runs, r.name)
	delete(s.heads, r.head)
}

// turn returns the turn that a request asks for, and counts it.
func (r *loggedRun) turn(q *request.Request, conv *body.Conversation) *session.Turn {
	first, last := conv.Ends()
	rewritten := r.ends != "" && !conv.Has(r.ends)
	t := r.next()
	if q.Partial { // earlier messages are missing because the server keeps them
		rewritten = false
	} else {
		t.Compacted = r.begins != "" && first != "" && first != r.begins && (r.summary || conv.Len() < r.keys)
	}
	t.Compacted = t.Compacted || r.window != "" && q.Thread.Window != "" && q.Thread.Window != r.window
	if t.Compacted || rewritten {
		t.ContextTokens = session.Count{}
	}
	t.Resumed = q.Thread.Begun != "" && q.Thread.Begun != "new" && r.begun != q.Thread.Turn
	answer := newest(conv)
	counted := q.PromptKey != "" && q.PromptKey == r.prompt && answer.Words == r.answer.Words &&
		slices.Equal(answer.IDs, r.answer.IDs) // else it came behind another answer, though it says the same
	if q.UserMessage == fact.True && r.run.Thread == "root" && !counted {
		t.Prompts = []string{q.Prompt.S}
	}
	r.answer = answer
	t.Response, t.Model = q.Response.S, q.Model
	for _, c := range q.Calls {
		t.Calls = append(t.Calls, session.Call{ID: c.ID, Name: c.Tool, Failed: c.Failed, Told: c.Call})
	}
	t.MessageCount = session.Count(q.Messages)
	t.Key = conv.Head()
	r.turns++
	r.clock.Stamp(t)

	r.summary = false
	if first != "" {
		r.begins, r.ends, r.keys = first, last, conv.Len()
	}
	r.tools = r.tools || q.Tools == fact.True
	if q.PromptKey != "" {
		r.prompt = q.PromptKey
	}
	if q.Thread.Window != "" {
		r.window = q.Thread.Window
	}
	if q.Thread.Begun != "" {
		r.begun = q.Thread.Turn
	}
	return t
}

// newest returns the newest answer of the model that a conversation holds, the zero Said for none.
func newest(conv *body.Conversation) (said evidence.Said) {
	if steps, _ := conv.Steps(); len(steps) > 0 {
		said = conv.Said(steps[len(steps)-1])
	}
	return said
}

// next returns the turn that would be next, without what only its request tells.
func (r *loggedRun) next() *session.Turn {
	u := r.usage
	t := &session.Turn{Run: r.run, N: r.turns + 1, At: r.clock.Now, ContextTokens: session.Count(u.Context),
		ResponseTokens: session.Count(u.Response)}
	t.Usage = session.Usage{Read: session.Count(u.Read), Written: session.Count(u.Written),
		Output: session.Count(u.Response)}
	if fresh := u.Context.N - u.Read.N - u.Written.N; u.Context.Known && fresh >= 0 {
		t.Usage.Fresh = session.Count{N: fresh, Known: true}
	}
	return t
}

func (s *requests) Finish() {}

func (s *requests) Pending() (all []*session.Turn) {
	for _, r := range s.order {
		all = append(all, r.next())
	}
	return all
}

// api returns the API of a call by the shape of its body; "" where the call's path tells the API.
func (c *call) api() wire.API {
	if c.path != "" && api.EndpointOf(c.path).API != "" {
		return ""
	}
	switch s := &c.shape; {
	case s.contents:
		return wire.Gemini
	case s.input:
		return wire.Responses
	case s.system || s.version || strings.Contains(s.model, "claude") && !s.roles:
		return wire.Anthropic
	case s.schemas:
		return wire.Anthropic
	default:
		return wire.Chat
	}
}

// call is one call of a model in a log.
type call struct {
	path     string // "": not logged
	header   map[string][]string
	request  []byte    // the body
	response []byte    // the body, or the events of the stream; nil: not logged
	at       time.Time // zero: not logged

	shape shape
}

// shape is what a request's body has of the members by which the bodies of APIs, and conversations, are told
// apart.
type shape struct {
	messages, input, contents bool
	system, version, schemas  bool // only Anthropic's API has these
	roles                     bool // something that only OpenAI's Chat API has
	limits                    bool // something that a request has and a conversation has not
	id                        bool
	model                     string
}

func (s *shape) any() bool { return s.messages || s.input || s.contents }

// logged returns a source for a log that has this line, nil where it is of none.
func logged(line []byte, name string, out *session.Sink) session.Source {
	c, ok := readCall(line)
	switch {
	case !ok:
		return nil
	case c.isRequest(line):
		return newRequests(name, out)
	default:
		return session.NewConversations(name, out)
	}
}

// readCall reads a line of a log: a request's body, {"request","response","time"}, or a request with its path
// and headers. ok is false where the line is not an object, is cut off, or holds no request to a model.
func readCall(line []byte) (out call, ok bool) {
	c := jsonscan.Of(line)
	var top shape // of the line, taken as a body
	for key := range c.Keys() {
		switch string(key) {
		case "request", "req":
			out.readRequest(c)
		case "body", "request_body":
			out.request = bodyOf(c.Raw())
		case "response", "response_body", "res":
			out.response = responseOf(c.Raw())
		case "path", "url":
			out.path = c.Str()
		case "headers":
			out.header = headersOf(c.Raw())
		case "time", "timestamp", "at", "t", "ts", "created_at", "started_at":
			if raw := c.Raw(); out.at.IsZero() {
				out.at = timeOf(raw)
			}
		default:
			top.member(key, c.Raw())
		}
	}
	if c.Bad() {
		return out, false
	}
	switch {
	case out.request == nil:
		out.request, out.shape = line, top
	case out.shape == (shape{}):
		out.shape = shapeOf(out.request)
	}
	return out, out.shape.any()
}

// readRequest reads the value of "request": a body, or an object with the body, the path and the headers.
func (out *call) readRequest(c *jsonscan.Cursor) {
	if c.Peek() != '{' {
		out.request = bodyOf(c.Raw())
		return
	}
	from, whole := c.Offset(), true
	for key := range c.Keys() {
		switch string(key) {
		case "body", "json", "data":
			out.request, whole = bodyOf(c.Raw()), false
		case "path", "url":
			out.path = c.Str()
		case "headers":
			out.header = headersOf(c.Raw())
		default:
			out.shape.member(key, c.Raw())
		}
	}
	if whole {
		out.request = c.Since(from)
	} else {
		out.shape = shape{}
	}
}

// bodyOf returns a body that was logged as an object, or as a string that holds one.
func bodyOf(raw []byte) []byte {
	if len(raw) > 0 && raw[0] == '"' {
		return []byte(jsonscan.Unquote(raw))
	}
	return raw
}

// responseOf returns the body of a response, which may stand in an object with the status; nil where there is
// none.
func responseOf(raw []byte) []byte {
	if len(raw) == 0 || string(raw) == "null" {
		return nil
	}
	if raw[0] == '{' {
		for _, name := range [...]string{"body", "json", "data"} {
			if body := jsonscan.Member(raw, name); len(body) > 0 && (body[0] == '{' || body[0] == '[' ||
				body[0] == '"') {
				return bodyOf(body)
			}
		}
	}
	return bodyOf(raw)
}

// headersOf reads headers: an object whose values are strings or lists of strings, or a list of pairs.
func headersOf(raw []byte) map[string][]string {
	out := map[string][]string{}
	c := jsonscan.Of(raw)
	switch c.Peek() {
	case '{':
		for key, value := range c.Members() {
			name := jsonscan.Unquote(append(append([]byte{'"'}, key...), '"'))
			if len(value) > 0 && value[0] == '"' {
				out[name] = append(out[name], jsonscan.Unquote(value))
			}
			for _, v := range jsonscan.Elements(value) {
				out[name] = append(out[name], jsonscan.Unquote(v))
			}
		}
	case '[':
		for _, pair := range jsonscan.Elements(raw) {
			var two []string
			for _, v := range jsonscan.Elements(pair) {
				two = append(two, jsonscan.Unquote(v))
			}
			if len(two) == 2 {
				out[two[0]] = append(out[two[0]], two[1])
			}
		}
	}
	return out
}

// timeOf reads a time of RFC 3339, or in seconds or milliseconds since 1970; the zero time for anything else.
func timeOf(raw []byte) time.Time {
	if at, ok := jsonscan.Time(raw); ok {
		return at
	}
	const latest = 1e14 // milliseconds
	n, err := strconv.ParseFloat(string(raw), 64)
	if err != nil || !(n > 1e8 && n < latest) {
		return time.Time{}
	}
	if n > 1e11 {
		n /= 1000
	}
	whole, part := math.Modf(n)
	return time.Unix(int64(whole), int64(part*1e9)).UTC()
}

// shapeOf returns the shape of a body, zero where that is not a whole object.
func shapeOf(body []byte) (s shape) {
	c := jsonscan.Of(body)
	if c.Peek() != '{' {
		return s
	}
	for key, value := range c.Members() {
		s.member(key, value)
	}
	if c.Bad() {
		return shape{}
	}
	return s
}

// member adds a member of a body to its shape.
func (s *shape) member(key, value []byte) {
	switch string(key) {
	case "messages":
		s.messages = len(value) > 0 && value[0] == '['
		s.roles = s.roles || bytes.Contains(value[:min(len(value), 64)], []byte(`"system"`))
	case "input":
		s.input = len(value) > 0 && (value[0] == '[' || value[0] == '"')
	case "contents":
		s.contents = len(value) > 0 && value[0] == '['
	case "system":
		s.system = true
	case "anthropic_version", "anthropic_beta", "thinking", "stop_sequences":
		s.version = true
	case "tools":
		s.schemas = bytes.Contains(value, []byte(`"input_schema"`))
		s.roles = s.roles || !s.schemas && bytes.Contains(value, []byte(`"function"`))
	case "stream", "max_tokens", "max_completion_tokens":
		s.limits = true
	case "id":
		s.id = true
	case "model":
		s.model = jsonscan.Unquote(value)
	}
}

// answered reports whether the last message of a body is the model's.
func answered(body []byte) (is bool) {
	for _, m := range jsonscan.Elements(jsonscan.Member(body, "messages")) {
		is = string(jsonscan.Member(m, "role")) == `"assistant"`
	}
	return is
}

// isRequest reports whether a line that is no session record is a single request, which is one turn, and not
// a whole conversation, in which each assistant message is a turn. A request says how it is to be answered;
// or it has no id, and its last message is not the model's.
func (out *call) isRequest(line []byte) bool {
	s := &out.shape
	return len(out.request) != len(line) || s.input || s.contents || s.limits || s.messages && !s.id &&
		!answered(line)
}
