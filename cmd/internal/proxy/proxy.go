package proxy

import (
	"bufio"
	"cmp"
	"context"
	"log/slog"
	"net"
	"net/http"
	"runtime/debug"
	"strings"
	"time"

	"github.com/aside-go/aside/cmd/internal/access"
	"github.com/aside-go/aside/eval"
	"github.com/aside-go/aside/inject/transport"
	"github.com/aside-go/aside/inject/wire"
	"github.com/aside-go/aside/internal/api"
	"github.com/aside-go/aside/internal/excerpt"
	"github.com/aside-go/aside/state"
)

// Options say how a Proxy works. Eval, Store and Upstreams must be set.
type Options struct {
	Eval      *eval.Evaluator
	Store     state.Store // that of Eval, for listing runs
	Upstreams Upstreams
	// Transport says how texts are put into requests. A nil Base is NewBase(0). The Proxy calls Report after it
	// has counted and logged a request. Its Later must be nil.
	Transport transport.Options
	// Guard says which clients may ask for what. nil: this machine may ask for everything.
	Guard *access.Guard
	// Checks are asked by /readyz, by their names, beside those of the Proxy's own.
	Checks map[string]func(context.Context) Check
	// Drain is how long a stop still takes requests, while /readyz says that they should go elsewhere.
	Drain   time.Duration
	Version string
	// Meter counts what the Proxy does; nil: nobody does.
	Meter Meter
	// Own answer the paths of their own, beside /livez and /readyz, which are not forwarded.
	Own []Handler
	// Context returns that of a request that is forwarded, with the trace that it belongs to; nil: it is the
	// request's own.
	Context func(*http.Request) context.Context
	// Draining is called when the Proxy begins to stop, if it is not nil.
	Draining func()
	// BodyIdle is how long a client may send nothing of a body that it has announced. 0: a minute.
	BodyIdle time.Duration
	Log      *slog.Logger     // nil: nothing is logged
	Now      func() time.Time // nil: time.Now
	// After is nil for time.After. It is asked for the end of Drain.
	After func(time.Duration) <-chan time.Time
}

// Handler answers some paths. No vendor's API has them. Where it has a method Fail, it answers for a panic,
// too.
type Handler interface {
	http.Handler
	Owns(*http.Request) bool
}

// Meter counts. Its methods may be called concurrently.
type Meter interface {
	InFlight(change int)                            // requests that are being answered
	Covered(transport.Report)                       // each request that has called a model, once that is over
	Reported(transport.Report)                      // a request to a model, once its response is over
	Answered(api wire.API, kind string, status int) // any other one; status 0: it got none
	Took(api wire.API, took time.Duration)          // any request
	Unavailable()                                   // a request got status 503 from the proxy itself
	StateFailed()                                   // the state of a run could not be read, written or synced
	Rules(before, now []string)                     // the ids of the reminders that were and are in use, by byte
	Reloaded(ok bool, at time.Time)                 // the rules were read; ok: without errors
}

// uncounted is the Meter where there is none.
type uncounted struct{}

func (uncounted) InFlight(int)                   {}
func (uncounted) Covered(transport.Report)       {}
func (uncounted) Reported(transport.Report)      {}
func (uncounted) Answered(wire.API, string, int) {}
func (uncounted) Took(wire.API, time.Duration)   {}
func (uncounted) Unavailable()                   {}
func (uncounted) StateFailed()                   {}
func (uncounted) Rules(_, _ []string)            {}
func (uncounted) Reloaded(bool, time.Time)       {}

// Proxy is the http.Handler of "aside serve". Create one with New.
type Proxy struct {
	opts   Options
	log    *slog.Logger
	now    func() time.Time
	meter  Meter
	health health

	transport http.RoundTripper
	buffers   buffers
	outage    outage
	coverage  coverage
	open      tasks // requests that are not answered, logged and saved yet
}

// New returns a Proxy.
func New(opts Options) *Proxy {
	p := &Proxy{
		opts: opts, log: cmp.Or(opts.Log, slog.New(slog.DiscardHandler)), now: opts.Now,
		meter: opts.Meter,
	}
	if p.opts.Guard == nil {
		p.opts.Guard = access.New(nil, access.Limits{})
	}
	if p.opts.After == nil {
		p.opts.After = time.After
	}
	if p.now == nil {
		p.now = time.Now
	}
	p.health.rules.OK = true
	if p.meter == nil {
		p.meter = uncounted{}
	}
	p.meter.Rules(nil, opts.Eval.Names())
	if p.opts.Transport.Base == nil {
		p.opts.Transport.Base = NewBase(0)
	}
	t := p.opts.Transport
	t.Base = probed{t.Base}
	Tell(&t, p.report)
	p.transport = transport.New(opts.Eval, t)
	return p
}

// Tell has o call report for each request, before the function that it calls already.
func Tell(o *transport.Options, report func(context.Context, transport.Report)) {
	also := o.Report
	o.Report = func(ctx context.Context, r transport.Report) {
		report(ctx, r)
		if also != nil {
			also(ctx, r)
		}
	}
}

// ServeHTTP implements http.Handler.
func (p *Proxy) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	begun := p.now()
	p.open.add(1)
	p.meter.InFlight(1)
	out := &response{ResponseWriter: w}
	defer func() {
		defer p.open.add(-1)
		fault := recover()
		if fault != nil && fault != http.ErrAbortHandler {
			p.log.Error("internal error", "path", clip(r.URL.Path), "at", string(debug.Stack()))
			if out.status == 0 {
				if own, tells := out.own.(interface{ Fail(http.ResponseWriter) }); tells {
					own.Fail(out)
				} else {
					p.fail(out, r, http.StatusInternalServerError, "the proxy failed")
				}
				fault = nil
			} else {
				fault = http.ErrAbortHandler // the client must not take half an answer for a whole one
			}
		}
		p.meter.InFlight(-1)
		p.done(r, out, p.now().Sub(begun))
		if fault != nil {
			panic(fault)
		}
	}()
	if p.answerOwn(out, r) {
		return
	}
	if base, ok := p.opts.Transport.Base.(*Base); ok && base.began(r) {
		const why = "a request of this proxy has come back to it: its --upstream leads to itself"
		p.log.Error(why, "path", clip(r.URL.Path))
		p.fail(out, r, http.StatusLoopDetected, why)
		return
	}
	if r.Method == http.MethodConnect { // whoever asks for a tunnel wants another kind of proxy
		out.Header().Set("Allow", "GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS")
		p.fail(out, r, http.StatusMethodNotAllowed, "no tunnels: set the base URL of the client to this address")
		return
	}
	leave, refused := p.opts.Guard.Admit(r, access.Proxy)
	if refused != nil {
		refused.Set(out.Header())
		p.fail(out, r, refused.Status, refused.Why)
		return
	}
	defer leave()
	var ok bool
	if out.route, ok = p.opts.Upstreams.route(r); !ok {
		p.unknownPath(out, r)
		return
	}
	if refusesSocket(r) && p.opts.Eval.Set().Len() > 0 {
		// Codex then goes on over HTTP at once (openai/codex#10824), and slowly after any other refusal
		out.Header().Set("Connection", "close")
		p.fail(out, r, http.StatusUpgradeRequired, "reminders go into requests over HTTP, not over a websocket")
		return
	}
	if r.Body == nil || r.Body == http.NoBody {
		p.forward(out, r)
		return
	}
	out.body = newUpload(out, r, p.opts.BodyIdle)
	ctx := r.Context()
	if p.opts.Context != nil {
		ctx = p.opts.Context(r)
	}
	asked := r.WithContext(ctx)
	asked.Body = out.body
	p.forward(out, asked)
	if out.status != http.StatusSwitchingProtocols && r.Header.Get("Expect") == "" {
		out.body.linger()
	}
}

// endpoint returns the endpoint that a request asks, as package transport sees it: without a body, or for a
// path of our own, it asks no model.
func (w *response) endpoint(r *http.Request) api.Endpoint {
	if w.own != nil || r.Method != http.MethodPost || r.ContentLength == 0 {
		return api.Endpoint{Kind: api.KindOther}
	}
	return api.EndpointOf(r.URL.EscapedPath())
}

// refusesSocket reports whether a request asks for a websocket in place of requests that could hold
// reminders.
func refusesSocket(r *http.Request) bool {
	e := api.EndpointOf(r.URL.EscapedPath())
	return strings.EqualFold(r.Header.Get("Upgrade"), "websocket") && e.API != "" && e.Kind == api.KindTurn
}

// response writes the answer to a request, and counts it.
type response struct {
	http.ResponseWriter
	route          // of the request; zero: to the proxy itself
	own    Handler // of the path; nil: it has none of Options.Own
	failed bool    // by the proxy itself
	body   *upload // of the request; nil: it has none
	status int
	bytes  int64
}

func (w *response) WriteHeader(status int) {
	if status >= 200 || status == http.StatusSwitchingProtocols {
		w.status = cmp.Or(w.status, status)
	}
	w.ResponseWriter.WriteHeader(status)
}

func (w *response) Write(b []byte) (int, error) {
	w.status = cmp.Or(w.status, http.StatusOK)
	n, err := w.ResponseWriter.Write(b)
	w.bytes += int64(n)
	return n, err
}

// Hijack implements http.Hijacker, for a change of protocol.
func (w *response) Hijack() (net.Conn, *bufio.ReadWriter, error) {
	w.status = http.StatusSwitchingProtocols
	return http.NewResponseController(w.ResponseWriter).Hijack()
}

// Unwrap lets http.ResponseController flush.
func (w *response) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// clip makes a client's words fit for a log: short, and valid UTF-8.
func clip(s string) string { return strings.ToValidUTF8(excerpt.Of(s, 200), "?") }
