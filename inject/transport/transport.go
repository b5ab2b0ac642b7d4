package transport

import (
	"net/http"
	"time"

	"github.com/aside-go/aside/eval"
	"github.com/aside-go/aside/inject/internal/ledger"
	"github.com/aside-go/aside/inject/wire"
)

// Options say how a Transport works. The zero Options recognise the API by the path of a request, deliver as the model's row
// says, and send over http.DefaultTransport.
type Options struct {
	// Base sends the requests; nil is http.DefaultTransport. It gets a copy of each request that was changed.
	Base http.RoundTripper

	// API is of all requests, whatever their path; "": the path says, and what it does not say is passed through.
	API wire.API
	// Delivery is asked for in place of what the model's row says, where the API and the model allow it.
	Delivery wire.Delivery
	// Models are rows that go before the table.
	Models []wire.Model
	// Windows go before the table of context windows.
	Windows wire.Windows
	// Prefix writes [SYSTEM REMINDER] in front of a text in place of the tag around it.
	Prefix bool

	// Run names the run that a request belongs to; nil, or "": the header RunHeader, then what the API and the agents' own
	// headers say, then what the conversation begins with.
	Run func(*http.Request) string
	// Commands takes "/remind NAME" at the beginning of what a person submits for a firing by hand. The words stay where they are.
	Commands bool
	// MaxBody is how many bytes of a request are read; a longer one is passed through. 0: 64 MiB.
	MaxBody int64

	// Report is told once of each request to a model, when its response is over or there will be none. It is called by several
	// goroutines at once and must not block.
	Report func(Report)
	// Later is given, when a response is over, a function that saves what came of it in the run's state and calls Report. It must
	// call that function once, on any goroutine, and must not block; the run's next request waits until the function returns. r is
	// the request that came. nil: the function is called before the client sees the end of the response.
	Later func(r *http.Request, f func())
}

// Headers that a client may set. They are for the Transport and are not sent on.
const (
	// RunHeader names the run.
	RunHeader = "X-Aside-Run"
	// TurnHeader says who wrote the last message: user, tool or auto.
	TurnHeader = "X-Reminder-Turn"
)

// Report says what became of one request. It holds no text of the conversation and no credentials.
type Report struct {
	Run   string // "" if none could be named
	API   wire.API
	Kind  wire.Kind
	Model string
	Turn  int    // of the run, from 1; 0: no turn was taken
	Again bool   // the turn was taken before: the same bytes went out
	Fired []Fire // on this turn, told with its first request

	Put     []string      // ids of the texts that this request is the first to carry, in order
	Repeat  int           // texts of earlier requests that stand in it again
	Gone    []ledger.Lost // what stood in earlier requests and cannot stand in this one
	Held    []wire.Held   // what could not be put, and stays due
	Unknown string        // the name that was asked for by hand and that no reminder has
	// Passed is why the request went out as it came, in one word of the Passed… constants; "": it was read and may have been changed.
	Passed string
	// Why says more about Passed, or about what else went wrong, for a log. It may name ids, never texts.
	Why string

	In, Out int64         // bytes of the request's body as it came and as it went out; of one that was not read 0
	Tokens  int           // of all texts of ours in it, by the estimate of bytes/4
	Added   time.Duration // between the request's arrival and its being sent on
	Status  int           // of the response; 0: there was none
	Usage   wire.Usage
	Took    time.Duration // until the response was over
}

// Fire is one firing.
type Fire struct {
	ID     string
	Tokens int
	Manual bool
}

// Why a request is passed through as it came: the values of Report.Passed.
const (
	PassedOther    = "other"    // not a request to a model's API that is known
	PassedLarge    = "large"    // longer than Options.MaxBody
	PassedEncoding = "encoding" // compressed in a way that is not known
	PassedSigned   = "signed"   // signed over its bytes
	PassedShape    = "shape"    // not JSON, or not of the API's shape
	PassedState    = "state"    // the run's state could not be read or written
	PassedRefused  = "refused"  // the API refused it with reminders; it was sent again without
	PassedFailed   = "failed"   // a fault of the engine's own
)

// Transport is an http.RoundTripper that puts due reminders into requests to model APIs. It may be used concurrently.
type Transport struct {
	ev    *eval.Evaluator
	opts  Options
	base  http.RoundTripper
	known *index

	cache    noteCache
	inFlight inFlight
	unsaved  unsaved
}

// New returns a Transport that asks ev what is due.
func New(ev *eval.Evaluator, opts Options) *Transport {
	t := &Transport{ev: ev, opts: opts, base: opts.Base, known: newIndex()}
	if t.base == nil {
		t.base = http.DefaultTransport
	}
	return t
}
