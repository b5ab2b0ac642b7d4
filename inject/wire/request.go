package wire

import (
	"github.com/aside-go/aside/compile/fact"
)

// Incoming is a request as a proxy or a transport gets it. All of it is read only.
type Incoming struct {
	API    API                 // "": the path says
	Path   string              // as in the request line; "" if nobody knows it
	Header map[string][]string // an http.Header, or names in any case
	Body   []byte              // not compressed
}

// Request is what a request says about its turn. What it does not say is unknown, never 0 or false. It shares no memory with
// what it was read from.
type Request struct {
	API      API
	Kind     Kind
	Model    string // as the body names it, else the path; "" unknown
	Provider string // as a body of the generic shape names it; "" unknown
	Stream   bool   // the response is asked for as a stream

	Messages Count      // how many there are; unknown where the server keeps the others
	Tools    fact.Truth // whether the model is offered any
	Schema   bool       // the answer must be JSON of a schema
	Partial  bool       // the server keeps the conversation: the body holds what is new

	UserMessage fact.Truth // a person has just submitted a message
	Prompt      Text       // of the last message that a person submitted
	Response    Text       // of the previous model response; one that calls tools and says nothing has the text ""

	Calls      []Call // of the previous turn, in the order in which the model made them
	CallsKnown bool   // false: there may have been others

	Turns     Count // the turn that this request is, counted off the messages, from 1
	UserTurns Count // messages that persons submitted
	ToolCalls Count // calls in all messages

	// PromptKey names the last message that a person submitted, for counting it once: the same message at the same place
	// among those that persons submitted has the same key in each request, whatever marks the client moves over it. It is
	// "" where there is none.
	PromptKey string

	Thread Identity
}

// Text is a text that may be unknown.
type Text struct {
	S     string
	Known bool
}

// Call is one use of a tool.
type Call struct {
	ID     string // "" where the API has none
	Name   string
	Failed fact.Truth // unknown when the API does not say, and before the result is there
}

// Read reads a request once: what it says about its turn, as ReadRequest, and for putting texts into it, as
// ReadConversation. The API is the request's, whatever opts say. The Conversation is nil where there is an error, and where
// the request is of KindOther.
func Read(in Incoming, opts Options) (*Request, *Conversation, error) {
	return new(reading).read(in, opts)
}

// ReadRequest reads what a request says about its turn. The Request is never nil and holds what path and headers say even
// where the body cannot be read; why it cannot is then an *Error, or ErrAPI. A body of another shape than its API's is
// ErrShape. What is wrong inside of strings and of values that tell nothing is left for the API to refuse.
//
// Time is linear in the body. It may be called concurrently.
func ReadRequest(in Incoming) (*Request, error) {
	return new(reading).request(in)
}

// read is Read.
func (w *reading) read(in Incoming, opts Options) (*Request, *Conversation, error) {
	q, err := w.request(in)
	if err != nil || w.doc.b == nil {
		return q, nil, err
	}
	w.keys.make(&w.doc)
	opts.API = q.API
	c := &Conversation{body: &w.doc, opts: opts}
	if w.of != nil {
		c.reading = w
	}
	return q, c, nil
}

// request is ReadRequest. What it has read of the body is in w.doc, nothing where the request is of KindOther.
func (w *reading) request(in Incoming) (*Request, error) {
	e := EndpointOf(in.Path)
	q := &Request{API: in.API, Kind: e.Kind, Model: e.Model, Stream: e.Stream, Tools: fact.Unknown, UserMessage: fact.Unknown}
	if q.API == "" {
		q.API = e.API
	}
	if in.Path == "" {
		q.Kind = KindTurn
		if q.API == "" {
			q.API = Messages
		}
	}
	w.heads = w.heads[:0].collect(in.Header)
	h := w.heads
	f := q.API.format()
	var err error
	switch {
	case q.API == "" || q.Kind == KindOther:
		q.Kind = KindOther
	case f == nil:
		err = ErrAPI
	case h.encoded():
		err = &Error{Kind: ErrSyntax, Reason: "the body is compressed"}
	default:
		if unread := w.body(f, in.Body); unread != nil {
			err = unread
		}
	}
	if w.doc.f == nil { // nothing is known of it
		w.doc.params.tools = fact.Unknown
	}
	w.said = newHistory(&w.doc, h)
	y := &w.said
	y.identify(q)
	y.fill(q)
	y.judge(q)
	return q, err
}

// body reads the body.
func (w *reading) body(f *format, b []byte) *Error {
	kept := w.doc.parts
	w.doc = f.empty(b)
	w.doc.parts = kept
	r := &w.scan
	*r = reader{scanner: scanner{b: b}, f: f, doc: &w.doc}
	if w.of != nil {
		r.work = w
	}
	if r.top(); r.err != nil && r.err.Kind != ErrShape { // of a body that cannot be read to its end nothing is believed
		w.doc = body{parts: w.doc.emptied()}
	}
	return r.err
}

// KindIn is Kind, seen in the run that the request belongs to: in one that has offered tools before, a request without any is
// no turn (WIRE.md §2.3).
func (q *Request) KindIn(hadTools bool) Kind {
	if q.Kind != KindTurn || !hadTools || q.Tools != fact.False {
		return q.Kind
	}
	if q.Schema && q.API == Gemini {
		return KindRouter
	}
	return KindSide
}

// Failed is whether a call of the previous turn failed: unknown as long as it is of one, and none is known to have failed.
func (q *Request) Failed() fact.Truth {
	failed := fact.False
	if !q.CallsKnown {
		failed = fact.Unknown
	}
	for _, c := range q.Calls {
		failed = failed.Or(c.Failed)
	}
	return failed
}

// Fill sets what is known in a frame, as eval.Turn takes it. What a run counts for itself is not in it; see Tally.
func (q *Request) Fill(f *fact.Frame) {
	text := func(id fact.ID, s string, known bool) {
		if known {
			f.SetText(id, s)
		}
	}
	text(fact.Model, q.Model, q.Model != "")
	text(fact.Provider, q.Provider, q.Provider != "")
	text(fact.Prompt, q.Prompt.S, q.Prompt.Known)
	text(fact.Response, q.Response.S, q.Response.Known)
	text(fact.ThreadType, q.Thread.Type, q.Thread.Type != "")
	if q.Messages.Known {
		f.SetInt(fact.MessageCount, q.Messages.N)
	}
	if q.UserMessage != fact.Unknown {
		f.SetBool(fact.UserMessage, q.UserMessage == fact.True)
	}
	names, failed := make([]string, 0, len(q.Calls)), []string{}
	for _, c := range q.Calls {
		if c.Name != "" {
			names = append(names, c.Name)
		}
		if c.Failed == fact.True {
			failed = append(failed, c.Name)
		}
	}
	if q.CallsKnown {
		f.SetSet(fact.ToolUsed, names)
	}
	if lost := q.Failed(); lost != fact.Unknown {
		f.SetBool(fact.LastToolCallFailed, lost == fact.True)
		f.SetFailed(failed)
	}
}

// Facts returns what Fill sets, by the names of the schema, as eval.Turn takes it too.
func (q *Request) Facts() map[string]any {
	frame := fact.Builtin().NewFrame()
	q.Fill(frame)
	f := map[string]any{}
	for id, name := range fact.Builtin().Names() {
		if v := frame.Value(fact.ID(id)); v != nil {
			f[name] = v
		}
	}
	if failed, told := frame.Failed(); told {
		f[fact.FailedTools] = failed
	}
	return f
}

// Tally returns turn_count, user_turn_count and tool_calls, counted off the messages, for want of a run that has counted.
// A history that was cut short counts for less than it was.
func (q *Request) Tally() map[string]any {
	f := map[string]any{}
	for name, c := range map[string]Count{"turn_count": q.Turns, "user_turn_count": q.UserTurns, "tool_calls": q.ToolCalls} {
		if c.Known {
			f[name] = c.N
		}
	}
	return f
}
