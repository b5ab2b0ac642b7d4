package request

import (
	"cmp"

	"github.com/aside-go/aside/compile/fact"
	"github.com/aside-go/aside/internal/agent"
	"github.com/aside-go/aside/internal/api"
	"github.com/aside-go/aside/internal/body"
	"github.com/aside-go/aside/internal/response"
)

// Incoming is a request as a proxy or a transport gets it. Nothing in it is written to.
type Incoming struct {
	API    api.Name            // "": by the path
	Path   string              // as in the request line; "" if unknown
	Header map[string][]string // an http.Header, or any map with names in any case
	Body   []byte              // not compressed

	Calls Detail     // how much is read of the previous turn's calls; the zero value is everything
	Place fact.Place // where the paths of calls lie, as far as that is known
}

// Request is the facts in a request about its turn. A fact that it does not tell is unknown, never 0 or
// false. A Request shares no memory with the Incoming it was read from.
type Request struct {
	API      api.Name
	Kind     api.Kind
	Model    string // as the body names it, else the path; "" if unknown
	Provider string // as a body of the generic shape names it; "" if unknown
	Stream   bool   // whether the response is asked for as a stream

	Messages response.Count // how many messages there are; unknown where the server keeps earlier ones
	Tools    fact.Truth     // whether tools are offered to the model
	Schema   bool           // whether the answer must be JSON of a given schema
	Partial  bool           // the server keeps the conversation, and the body holds only the new part
	Kept     bool           // the server keeps the response, so that later requests may refer to it

	UserMessage fact.Truth // whether a person has just submitted a message
	Prompt      Text       // of the last message that a person submitted
	Response    Text       // of the previous response of the model; "" if that calls tools and says nothing

	Calls      []Call // of the previous turn, in the order in which the model made them
	CallsKnown bool   // false: there may have been others than Calls
	Detail     Detail // how much of Calls was read

	Turns     response.Count // the number of this turn, counted off the messages, from 1
	UserTurns response.Count // how many messages persons submitted
	ToolCalls response.Count // how many calls there are in all messages

	// PromptKey names the last message that a person submitted, so that it can be counted once. The same message
	// at the same place among the messages of persons has the same key in each request, whatever cache marks the
	// client moves over it. "" if there is none.
	PromptKey string
	PromptAt  int // index of that message in the body

	Thread Identity
	Agent  string // who asks, as agent.Client says

	// For With and Made.
	lost      []Call       // results of calls that are not here
	refs      []string     // ids of items of the previous response that are kept elsewhere and may be calls
	responded bool         // the previous response, or a part of it, is here
	client    *agent.Agent // whose request this is; nil if that is unknown
	where     agent.Where
}

// Text is a text that may be unknown.
type Text struct {
	S     string
	Known bool
}

// Read reads a request once for both its uses: what it says about its turn, and to put texts into it. The
// Conversation is nil where there is an error, and where the request is of api.KindOther. opts are those of
// the Conversation.
func Read(in Incoming, opts body.Options) (*Request, *body.Conversation, error) {
	e := api.EndpointOf(in.Path)
	q := &Request{API: cmp.Or(in.API, e.API), Kind: e.Kind, Model: e.Model, Stream: e.Stream,
		Tools: fact.Unknown, UserMessage: fact.Unknown}
	if in.Path == "" {
		q.API, q.Kind = cmp.Or(q.API, api.Messages), api.KindTurn
	}
	h := headersOf(in.Header)
	d := &body.Body{}
	d.Tools = fact.Unknown
	var err error
	switch f, unknown := api.FormatOf(q.API); {
	case q.API == "" || q.Kind == api.KindOther:
		q.Kind = api.KindOther
	case unknown != nil:
		err = unknown
	case h.encoded():
		err = &body.Error{Kind: body.ErrSyntax, Reason: "the body is compressed"}
	default:
		read, unread := body.Read(f, in.Body)
		if unread != nil {
			err = unread
		}
		if unread == nil || unread.Kind == body.ErrShape { // else nothing of the body is believed
			d = read
			d.Compacts = d.Compacts || q.Kind == api.KindCompaction
		}
	}
	y := newHistory(d, h)
	y.detail, y.where = in.Calls, agent.Where{Project: in.Place.Project, Home: in.Place.Home}
	q.Detail = in.Calls
	y.identify(q)
	y.fill(q)
	y.judge(q)
	if err != nil || d.Format == nil {
		return q, nil, err
	}
	return q, body.NewConversation(d, opts), nil
}

// ReadFacts reads what a request says about its turn. The Request is never nil: where the body cannot be
// read, it holds what path and headers say, and the error is a *body.Error or api.ErrAPI. A body that has not
// the shape of its API is body.ErrShape. What is wrong inside strings, and inside values that tell nothing,
// is left for the API to refuse.
//
// Time is linear in the length of the body. It may be called concurrently.
func ReadFacts(in Incoming) (*Request, error) {
	q, _, err := Read(in, body.Options{})
	return q, err
}

// KindIn returns Kind as the run shows it: in a run that has offered tools before (hadTools), a request
// without any is not a turn (WIRE.md §2.3).
func (q *Request) KindIn(hadTools bool) api.Kind {
	if q.Kind != api.KindTurn || !hadTools || q.Tools != fact.False {
		return q.Kind
	}
	if f, err := api.FormatOf(q.API); err == nil && f.Router && q.Schema {
		return api.KindRouter
	}
	return api.KindSide
}

// Failed reports whether a call of the previous turn failed: true if one is known to have failed, else
// unknown if that of any is unknown.
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

// Fill sets the facts that are known in f, in the form of eval.Turn. What a run counts for itself is not
// among them; see Tally.
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
	q.fillCalls(f)
}

// fillCalls sets the facts about calls: all of them, or those that follow from the tools where no more of the
// calls was read. Of calls that are not all there, it is known at most that one failed.
func (q *Request) fillCalls(f *fact.Frame) {
	calls, failed := make([]fact.Call, 0, len(q.Calls)), []string{}
	for _, c := range q.Calls {
		if c.Tool != "" {
			calls = append(calls, c.Call)
		}
		if c.Failed == fact.True {
			failed = append(failed, c.Tool)
		}
	}
	switch {
	case !q.CallsKnown:
	case q.Detail == Names:
		f.SetTools(calls)
	default:
		f.SetCalls(calls)
	}
	if lost := q.Failed(); lost != fact.Unknown {
		f.SetBool(fact.LastToolCallFailed, lost == fact.True)
		f.SetFailed(failed)
	}
}

// Facts returns the facts that Fill sets, by their names in the schema, in the form of eval.Turn.
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

// Tally returns turn_count, user_turn_count and tool_calls as counted off the messages, for callers without a
// run that has counted. Unknown ones are left out. Where the history was cut short, the counts are too low.
func (q *Request) Tally() map[string]any {
	f := map[string]any{}
	for name, c := range map[string]response.Count{"turn_count": q.Turns, "user_turn_count": q.UserTurns,
		"tool_calls": q.ToolCalls} {
		if c.Known {
			f[name] = c.N
		}
	}
	return f
}

// Reminded returns NAME where the prompt is "/remind NAME", or what an agent's command of that name expands
// to; "" where it is neither, or names nothing.
func (q *Request) Reminded() string {
	name := agent.Reminded(q.Prompt.S)
	if name == agent.RemindList {
		return ""
	}
	return name
}
