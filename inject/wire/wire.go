package wire

import (
	"slices"

	"github.com/aside-go/aside/compile/reminder"
	"github.com/aside-go/aside/inject"
	"github.com/aside-go/aside/internal/api"
	"github.com/aside-go/aside/internal/body"
	"github.com/aside-go/aside/internal/mark"
	"github.com/aside-go/aside/internal/model"
)

// Inject returns body, a request of opts.API, with the texts of due put into it, and with the reminder tags
// neutralised that others wrote into its user and tool messages.
//
// The Report says what became of the texts. Where there is nothing to put, or nothing may be put, Inject
// returns body itself, without neutralising. Otherwise the result is a new slice. An *Error says why the body
// cannot be read; an unknown opts.API is ErrAPI. Inject may be called concurrently.
func Inject(body []byte, due []reminder.Due, opts Options) (out []byte, r Report, err error) {
	m := opts.machine()
	w := mark.New(m.Options)
	if !slices.ContainsFunc(due, func(d reminder.Due) bool { return w.Wrap(d.Text) != "" }) {
		return body, r, nil
	}
	d, err := read(body, opts)
	if err != nil {
		return nil, r, err
	}
	d, s, err := d.Inject(due, m, &r)
	if err != nil {
		return nil, r, err
	}
	return s.Apply(d.Bytes), r, nil
}

// read reads a body that may not be JSON.
func read(b []byte, opts Options) (*body.Body, error) {
	if err := body.Validate(b); err != nil {
		return nil, err
	}
	return api.Read(opts.API, b)
}

// Strip returns body without what Inject has put into it, and every other byte as it was before Inject,
// except in neutralised tags, which stay so. A body without anything of ours comes back itself. Errors are
// those of Inject.
func Strip(body []byte, opts Options) ([]byte, error) {
	d, err := read(body, opts)
	if err != nil {
		return nil, err
	}
	return d.Strip(opts.machine()).Apply(body), nil
}

// Neutralise returns body with the reminder tags neutralised that others wrote into its user and tool
// messages, body itself if there are none. Errors are those of Inject.
func Neutralise(body []byte, opts Options) ([]byte, error) {
	d, err := read(body, opts)
	if err != nil {
		return nil, err
	}
	return d.Neutralise(opts.machine()).Apply(body), nil
}

// Segments splits the texts of a body for display: those of its system prompt, of its messages and of the
// results of tools, in their order. Reminders are exactly what Strip takes out with the same mark; without a
// mark nothing is one. The texts are decoded; their Message and Block are indexes in the body's own lists.
// Errors are those of Inject.
func Segments(body []byte, opts Options) ([]inject.Segment, error) {
	d, err := read(body, opts)
	if err != nil {
		return nil, err
	}
	out := []inject.Segment{}
	for _, s := range d.Said(opts.machine()) {
		out = append(out, inject.Segment{Text: s.Text, Reminder: s.Ours, Role: s.Role, Message: s.Message,
			Block: s.Block})
	}
	return out, nil
}

// API names the shape of a request. The empty API is Messages.
type API = api.Name

// The APIs.
const (
	Messages = api.Messages // "messages": the generic shape, of no vendor, {"messages":[{"role","content"}]}
	// "anthropic": Anthropic Messages, with its Bedrock InvokeModel and Vertex variants
	Anthropic = api.Anthropic
	Chat      = api.Chat      // "openai-chat": OpenAI Chat Completions, and servers that speak it
	Responses = api.Responses // "openai-responses": OpenAI Responses
	Gemini    = api.Gemini    // "gemini": Gemini generateContent
	Converse  = api.Converse  // "converse": Amazon Bedrock Converse
	// "gemini-interactions": Gemini Interactions
	Interactions = api.Interactions
)

// APIs returns all APIs, sorted by name.
func APIs() []API { return api.Names() }

// Options say where texts go, and how. The zero Options are those of the generic shape.
type Options struct {
	inject.Options
	API      API
	Delivery Delivery
	Model    string  // the model of a body that does not name one; a name in the body wins
	Models   []Model // rows that go before the project's own table of models
	Place    Place   // of Messages alone
}

func (o Options) machine() body.Options {
	return body.Options{Options: mark.Options(o.Options), Delivery: o.Delivery, Place: o.Place, Model: o.Model,
		Takes: api.Takes(o.Models)}
}

// Place is where texts go in a body of Messages. The other APIs have a Delivery, and the law of the model.
type Place = body.Place

// The places.
const (
	InBlock = body.InBlock // a block of their own behind the last message of a user or a tool
	InText  = body.InText  // the end of that message's text; where it is no string, a block of their own
	// a system message before the last message of a user; behind it, where it holds results of tools
	InSystem = body.InSystem
)

// Delivery is how long a text stays in the requests of its run, and so where it goes. Its String is the word
// that the command line takes: "auto", "native", "anchored", "tail" or "stateful".
type Delivery = body.Delivery

// The deliveries.
const (
	Auto = body.Auto // as the model's row says: Native where it can be, else Anchored
	// a system message that lapses with the turn; later requests must repeat it to the byte
	Native   = body.Native
	Anchored = body.Anchored // behind the message that it belongs to; later requests must repeat it to the byte
	Tail     = body.Tail     // at the very end of this request alone
	Stateful = body.Stateful // in a conversation that the server keeps, so never sent twice; only ever reported
)

// Report says what became of the due texts: Model, the model as the body names it, else the options;
// Delivery, that of the texts that were put; Beta, a value that the request's anthropic-beta header must hold
// for the body to be accepted; and Held, the texts that were not put, as counts (Texts) with a reason (Why).
type Report = body.Report

// Held says how many Texts could not be put into a request, and Why, in one line. They stay due.
type Held = body.Held

// Error says what is wrong with a body: Kind is ErrSyntax, ErrDepth or ErrShape, Offset the place in bytes,
// Reason a line about it.
type Error = body.Error

// The kinds of errors.
var (
	ErrSyntax = body.ErrSyntax // the body is not one JSON value
	ErrDepth  = body.ErrDepth  // the body has more than 1,000 levels
	ErrShape  = body.ErrShape  // the body is JSON, but not of this API's shape
	ErrAPI    = api.ErrAPI     // the API is none of APIs()
)

// Model says which texts the models take whose ids begin with Prefix. It is for callers who know better than
// the project's own table: for a new model, or a deployment with a name of its own. The fields are
//
//	Prefix  string     // of the id, with or without a platform's part in front ("models/", "us.anthropic.")
//	Places  []Place    // where it takes a text, best first: "native", "message", "user", "result"
//	System  []Platform // where it takes a system message in mid-conversation: "claude", "vertex", "bedrock"
//	ClearAt string     // the value of the anthropic-beta header for messages with clear_at; "": it takes none
//	Binds   bool       // thinking is valid only behind the very bytes behind which it was produced
//	Role    string     // of a message of ours behind the others: "developer" or "system"; "": "user"
//	Checked string     // year and month, as in "2026-10"
//	Source  string
type Model = api.Model

// Windows says how many tokens the context windows of models hold, by prefix of a model's id. It is for
// callers who know better than the table: for a deployment with a name of its own, a local server, a
// smaller input limit. Any prefix in it that fits goes before the table; a size of 0 makes the window
// unknown. The nil Windows is the table alone.
type Windows map[string]int64

// Holds returns the size of a model's window in tokens, given that a prompt of used tokens has fitted into
// it. ok is false where the size is unknown, and where used is larger than it: then the window must be
// another one. Ids may have the prefixes of other platforms ("us.anthropic.claude-…", "openai/gpt-…"). Holds
// may be called concurrently.
func (w Windows) Holds(id string, used int64) (tokens int64, ok bool) {
	return model.Holds(w, id, used)
}
