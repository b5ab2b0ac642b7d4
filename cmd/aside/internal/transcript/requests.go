package transcript

import (
	"slices"
	"strconv"
	"strings"

	"github.com/aside-go/aside/compile/fact"
	"github.com/aside-go/aside/inject/wire"
)

// requests reads a log of requests to model APIs, one a line, each with what the model was sent: as a body alone, or in an object
// with the response and the time. Each request that asks the model to go on is a turn of its run, and the same request again
// (a retry) is not. Runs may alternate.
//
// A run is told by what the client says of itself (WIRE.md §2.1), else by its messages: a request that goes on from an earlier one
// begins with that one's messages.
type requests struct {
	out    *sink
	source string
	n      int

	runs  map[string]*logged // by what the client calls them
	heads map[string]*logged // of those that the client has no name for, by the conversation as it stood
	order []*logged          // by their latest request, the latest last
}

// logged is a run in a log of requests.
type logged struct {
	name string // of runs
	run  *Run

	turns  int
	clock  clock
	head   string // the conversation as it stood at the latest turn
	begins string // key of its first message then
	ends   string // and of its last one
	keys   int    // and how many there were
	prompt string // key of the prompt that was counted last
	window string
	begun  string
	tools  bool
	asked  bool // for a summary since
	took   wire.Usage
	size   int // of its latest request, in bytes
}

// maxRuns is how many runs of a log may go on at a time. The one that was heard of longest ago ends when there are more.
const maxRuns = 4096

func newRequests(source string, out *sink) *requests {
	return &requests{out: out, source: source, runs: map[string]*logged{}, heads: map[string]*logged{}}
}

func (s *requests) line(line []byte, n int) bool {
	c, ok := readCall(line)
	if !ok {
		return false
	}
	s.n++
	s.call(&c, n)
	return true
}

// call takes in one call of a model.
func (s *requests) call(c *call, n int) {
	in := wire.Incoming{API: c.api(), Path: c.path, Header: c.header, Body: c.request}
	q, err := wire.ReadRequest(in)
	if err != nil {
		s.out.note("a request that could not be read was left out: " + err.Error())
		return
	}
	conv, err := wire.ReadConversation(in.Body, wire.Options{API: q.API, Model: q.Model})
	if err != nil {
		s.out.note("a request that could not be read was left out: " + err.Error())
		return
	}
	r := s.find(q, conv)
	kind := q.KindIn(r != nil && r.tools)
	if r != nil && kind == wire.KindCompaction {
		r.asked = true
	}
	if kind != wire.KindTurn {
		return
	}
	if r == nil {
		r = s.begin(q, n)
	}
	r.clock.set(c.at)
	if head := conv.Head(); head == "" || head != r.head {
		t := r.turn(q, conv)
		t.New, r.size = max(0, len(c.request)-r.size), len(c.request)
		s.out.turn(t)
		if r.name == "" {
			delete(s.heads, r.head)
			s.heads[head] = r
		}
		r.head = head
	}
	s.heard(r)
	r.took = wire.Usage{}
	if len(c.response) > 0 {
		r.took = wire.ReadUsage(c.response)
	}
}

// find returns the run that a request is of; nil for a new one.
func (s *requests) find(q *wire.Request, conv *wire.Conversation) *logged {
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

func (s *requests) begin(q *wire.Request, n int) *logged {
	r := &logged{name: q.Thread.Key(), run: &Run{Source: s.source, ID: "request-" + strconv.Itoa(n), Thread: "root"}}
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

// heard puts a run behind all others.
func (s *requests) heard(r *logged) {
	i := slices.Index(s.order, r)
	s.order = append(slices.Delete(s.order, i, i+1), r)
}

func (s *requests) forget(r *logged) {
	s.out.ended = append(s.out.ended, r.pending())
	s.order = s.order[1:]
	delete(s.runs, r.name)
	delete(s.heads, r.head)
}

// turn is the turn that a request asks for.
func (r *logged) turn(q *wire.Request, conv *wire.Conversation) *Turn {
	first, last := conv.Ends()
	rewritten := r.ends != "" && !conv.Has(r.ends)
	t := r.pending()
	if q.Partial { // the server keeps what came before
		rewritten = false
	} else {
		t.Compacted = r.begins != "" && first != "" && first != r.begins && (r.asked || conv.Len() < r.keys)
	}
	t.Compacted = t.Compacted || r.window != "" && q.Thread.Window != "" && q.Thread.Window != r.window
	if t.Compacted || rewritten {
		t.ContextTokens = Count{}
	}
	t.Resumed = q.Thread.Begun != "" && q.Thread.Begun != "new" && r.begun != q.Thread.Turn
	if q.UserMessage == fact.True && r.run.Thread == "root" && (q.PromptKey == "" || q.PromptKey != r.prompt) {
		t.Prompts = []string{q.Prompt.S}
	}
	t.Response, t.Model = q.Response.S, q.Model
	for _, c := range q.Calls {
		t.Calls = append(t.Calls, Call{ID: c.ID, Name: c.Name, Failed: c.Failed})
	}
	t.MessageCount = Count(q.Messages)
	t.Key = conv.Head()
	r.turns++
	r.clock.stamp(t)

	r.asked = false
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

// pending returns the turn that would come next, without anything that only its request tells.
func (r *logged) pending() *Turn {
	u := r.took
	t := &Turn{Run: r.run, N: r.turns + 1, At: r.clock.now, ContextTokens: Count(u.Context), ResponseTokens: Count(u.Response)}
	t.Usage = Usage{Read: Count(u.Read), Written: Count(u.Written), Output: Count(u.Response)}
	if fresh := u.Context.N - u.Read.N - u.Written.N; u.Context.Known && fresh >= 0 {
		t.Usage.Fresh = Count{fresh, true}
	}
	return t
}

func (s *requests) finish() {}

func (s *requests) rest() (all []*Turn) {
	for _, r := range s.order {
		all = append(all, r.pending())
	}
	return all
}

// api returns the API that a call is of, where its path does not say: the body's members do.
func (c *call) api() wire.API {
	if c.path != "" && wire.EndpointOf(c.path).API != "" {
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
