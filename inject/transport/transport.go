package transport

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	lru "github.com/hashicorp/golang-lru/v2"

	"github.com/aside-go/aside/compile/fact"
	"github.com/aside-go/aside/compile/reminder"
	"github.com/aside-go/aside/eval"
	"github.com/aside-go/aside/inject"
	"github.com/aside-go/aside/inject/wire"
	"github.com/aside-go/aside/internal/body"
	"github.com/aside-go/aside/internal/response"
)

// Options say how a Transport works. The zero Options recognise the API by the path of a request,
// deliver as the model's row says, and send over http.DefaultTransport.
type Options struct {
	// Base sends the requests; nil is http.DefaultTransport. It gets a copy of each request that
	// was changed.
	Base http.RoundTripper

	// API is the API of all requests, whatever their path. "": the path says; a request whose path
	// does not say goes out as it came.
	API wire.API
	// Delivery replaces the delivery of the model's row, where the API and the model allow it.
	Delivery wire.Delivery
	// Models are rows that go before the table.
	Models []wire.Model
	// Windows go before the table of context windows.
	Windows wire.Windows
	// Neutralise says which reminder tags that others wrote are made harmless. The zero value changes none but
	// those that claim the run's mark; inject.NeutraliseAll changes all, in every request from the first on.
	Neutralise inject.Policy

	// Run names the run that a request belongs to. nil, or an answer of "": the package comment
	// says which run. It may be called concurrently.
	Run func(*http.Request) string
	// Place says where the paths lie that the calls of tools name, as far as that is known. Paths below
	// the project directory are then compared from there; the zero Place leaves all paths as they are.
	Place fact.Place
	// AllCalls has the subjects and outputs of calls read even where no reminder asks for them, for an
	// eval.Options.Decided that shows them.
	AllCalls bool
	// Commands takes "/remind NAME" at the beginning of a person's prompt for a firing by hand. The
	// words stay in the prompt.
	Commands bool
	// MaxBody is how many bytes of a request are read, before and after decompression; a longer
	// request goes out as it came. 0: 64 MiB.
	MaxBody int64

	// FailClosed refuses the requests of a run whose state cannot be read or written: RoundTrip returns ErrState
	// and sends nothing. Otherwise they go out with what earlier requests held, and nothing new. Of an answer
	// that could not be saved within five seconds, reading the end returns ErrState.
	FailClosed bool

	// Begin, if it is not nil, is called once with each request to a model, when its body is there, and with
	// each Copy, before anything is decided. The context that it returns is the one with which the state is read
	// and written, the request is sent, and Report is called: for a span, say. It may be called concurrently.
	Begin func(context.Context, wire.API) context.Context
	// Handover, if it is not nil, is called before a turn of a run that a coding agent has named, with what the
	// Report of the request will hold. Another door of the same session, such as the agent's hooks, may have
	// begun the turn: then Handover saves the state that the door has left as that of Report.Run, under the
	// notes that are there, and returns true. The texts of the door stand in the conversation already. It may
	// be called concurrently for different runs.
	Handover func(context.Context, Report) (begun bool, err error)
	// Report is called once for each request to a model, when its response is over or will not
	// come, before the client sees the end. It may be called concurrently, and must not block.
	Report func(context.Context, Report)
	// Later, if it is not nil, is called when the response to a turn is over and reported, with a function
	// that saves what the response told in the state of the run. Later must not block, and must have save
	// called once, on any goroutine. Until then this process alone knows the answer: another one that gets the
	// run's next request decides without it. nil: the answer is saved before the client has its end, and Report
	// tells the error.
	Later func(save func() error)
}

// ErrState is the error of requests that Options.FailClosed refuses. Find it with errors.Is.
var ErrState = errors.New("the state of the run cannot be read or written")

// Headers that a client may set. They are for the Transport and are not sent on.
const (
	// RunHeader names the run.
	RunHeader = "X-Aside-Run"
	// TurnHeader says who wrote the last message: user, tool or auto; or that the request is not a turn of the
	// conversation, but one beside it: side.
	TurnHeader = "X-Reminder-Turn"
)

// Report says what became of one request; Report.Coverage, in one word. It holds no text of the conversation
// and no credentials, but for the texts of reminders, which may quote what their templates name.
type Report struct {
	Run string   // "" if none could be named
	API wire.API // "": none that is known
	// of the URL, and the product that the client calls itself in its User-Agent; "" of a Copy
	Path, Client string
	Agent        string // the coding agent that the request is of, if it has named Run; "": another client
	// the purpose of the request: "turn", "count" (its tokens are counted), "compaction", "title", "router",
	// "side" or "other"
	Kind  string
	Model string
	Turn  int    // of the run, from 1; 0: the run took no turn
	Again bool   // an earlier request took the turn: the same bytes went out
	Rules string // the digest of the rules that decided the turn, where it is known
	Fired []Fire // on this turn; empty if Again
	// the expectations of earlier firings that ended on this turn
	Outcomes []reminder.Outcome
	// the facts that rules mention and that neither the request nor the host told; nil if Again
	Untold []string

	// ids of the texts that this request is the first to carry, in order; before its response is there, they are
	// only offered
	Put     []string
	Repeat  int         // texts of earlier requests that stand in it again
	Stands  []Stand     // every text of ours in it and its place: those of earlier requests first, then by place
	Gone    []Lost      // texts of earlier requests that cannot stand in this one
	Held    []wire.Held // texts that could not be put, and stay due
	Unknown string      // the name in a "/remind NAME" that no reminder has: the model reads so, for the person
	// Passed is the reason for which the request went out as it came, one of the Passed… constants.
	// "": the request was read, and may have been changed.
	Passed string
	// Why says more about Passed, or about another fault, for a log. It may name ids, never texts.
	Why string
	// what the response told could not be saved: other processes do not know it, and this one not after its end
	Unsaved bool

	In, Out int64         // bytes of the body as it came and as it went out; 0 if it was not read
	Tokens  int           // of all our texts in it, estimated as a quarter of their bytes
	Added   time.Duration // from the arrival of the request until it was sent on
	Status  int           // of the response; 0: there was none
	Usage   Usage         // the tokens that the response reported
	Took    time.Duration // from the arrival of the request until its response was over
}

// Usage is how many tokens a model call took, as far as its response tells.
type Usage struct {
	Context   Count  // the prompt, with its cached part
	Response  Count  // the output, reasoning included
	Read      Count  // the part of Context that was read from a cache
	Written   Count  // the part of Context that was written to a cache
	Reasoning Count  // the part of Response that is reasoning
	ID        string // of the response; "": it has none
	Model     string // as the response names it; "": it does not
}

// Count is a number of tokens, N, that may be unknown (Known); then N is 0.
type Count = response.Count

// Stand is a text of ours in a request, with its tag (Text), and the ID of its reminder. Message is the index
// of the client's message that it stands with, -1 for the beginning of the conversation. Shape is "block", at
// the end of the message; "text", in its last tool result, or at the end of its text; "message", behind it;
// or "prompt", in the system prompt. New says that no earlier request has held it there.
type Stand = body.Stand

// Fire is one firing.
type Fire struct {
	reminder.Due
	Why  string // in few words: the true part of the trigger, or "manual"
	File string // in which the rule stands; "": it was declared in code
}

// Lost says that texts of earlier requests no longer stand in the run's requests.
type Lost struct {
	IDs []string // of their reminders
	Why string   // in one line
}

// Reasons for which a request goes out as it came: the values of Report.Passed.
const (
	PassedOther = "other" // not a request to a model, as far as is known
	// a model was called, or may have been, in a way that is not known: by another API's path, over a websocket,
	// or in a conversation that the server keeps and that cannot be followed
	PassedUnknown  = "unknown"
	PassedLarge    = "large"    // longer than Options.MaxBody
	PassedEncoding = "encoding" // compressed in a way that is not known
	PassedSigned   = "signed"   // signed over its bytes
	PassedShape    = "shape"    // not JSON, or not of the API's shape
	// the run's state could not be read or written: the request holds what earlier requests of the run held,
	// and nothing new
	PassedState   = "state"
	PassedRefused = "refused" // the API refused it with each reminder; it was sent again without
	PassedFailed  = "failed"  // a fault of the engine
)

// Transport is an http.RoundTripper that puts due reminders into requests to model APIs. It may be used
// concurrently. New makes one; the zero Transport has no reminders.
type Transport struct {
	begun   sync.Once
	ev      *eval.Evaluator
	opts    Options
	base    http.RoundTripper
	index   *index
	pending *lru.Cache[string, []answer] // by run
	last    *lru.Cache[string, fallback] // by run
	replies *lru.Cache[string, reply]    // by exchange.replyName
	keeping sync.Mutex                   // held while an answer or a fallback is changed
	hung    atomic.Pointer[time.Time]    // when a request began that has waited for its state in vain; nil: none
}

// New returns a Transport that asks ev which reminders are due; nil has none.
func New(ev *eval.Evaluator, opts Options) *Transport {
	t := &Transport{ev: ev, opts: opts}
	t.begin()
	return t
}

// begin makes what a Transport needs, once: the zero Transport has no reminders.
func (t *Transport) begin() {
	t.begun.Do(func() {
		if t.ev == nil {
			t.ev = eval.New(nil, eval.Options{})
		}
		t.base, t.index = cmp.Or(t.opts.Base, http.DefaultTransport), newIndex()
		t.pending, _ = lru.New[string, []answer](maxPending) // fails for a size below 1 only
		t.last, _ = lru.New[string, fallback](maxLast)
		t.replies, _ = lru.New[string, reply](maxReplies)
	})
}
