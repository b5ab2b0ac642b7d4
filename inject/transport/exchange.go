package transport

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"maps"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/aside-go/aside/compile"
	"github.com/aside-go/aside/eval"
	"github.com/aside-go/aside/internal/api"
	"github.com/aside-go/aside/internal/body"
	"github.com/aside-go/aside/internal/evidence"
	"github.com/aside-go/aside/internal/readset"
	"github.com/aside-go/aside/internal/request"
)

// exchange is one request and its response, however they travel. It belongs to one goroutine at a time:
// first to the one that sends the request, then to the one that reads the response.
type exchange struct {
	t       *Transport
	ctx     context.Context
	from    request.Incoming // as the client sent it
	counts  bool             // its tokens are to be counted, though nothing in it says so
	arrived time.Time

	set    *compile.Set // the reminders for which the request was read
	q      *request.Request
	conv   *body.Conversation
	client []string // credentials of who sends it

	head  string // of conv
	named bool   // the client has named the run
	space uint64 // see indexed

	// of a run without a name
	base   string      // the part of its name that is of its beginning
	asked  string      // the body.Step.Head of the answer to this request
	steps  []body.Step // the answers that the conversation goes on from
	at     place
	first  string // the run that the request names if it begins a conversation
	parted bool   // the run has just begun as a part of another one

	begun string // the mark of a turn that another door has begun; "": the turn begins with this request

	token    *token         // which exchange this is, for what outlives it
	said     *evidence.Said // the answer; nil until it is there
	complete bool           // the whole answer was to be saved
	pending  []answer       // of the run, that were not saved when this request came

	reads   readset.Set         // the runs as this request has read and saved them
	unsaved map[string][]answer // of these runs, as readRun has found them

	marked bool     // the run had a mark before this request
	last   fallback // Transport.last of the run, as it was when this request came
	owed   []string // ids of texts that a turn before has saved and not sent

	decided *eval.Decision // of the turn; nil: the state is not as it says

	out  *body.Edited // the body with reminders; nil: the body goes out as it came
	beta string       // the feature that the header anthropic-beta must list for them; "": none

	sight *sight // of a request that asks no API that is known; nil: it asks one, or can call no model

	refusals []refusal // that the run knows of
	placed   []body.Placement
	refusal  int    // the status with which the API has refused the request with reminders; 0: it has not
	reduced  bool   // it was sent again with the texts of earlier requests
	whole    Report // before that

	compacts bool       // the API is asked for a compaction of the conversation up to the turn at
	sums     bool       // the response may be a summary of that, which the client writes into its messages
	summary  bool       // and it is one, long enough to tell whose it is
	cut      usage      // Compactions and Cleared that the response told; with compacts the turn's Cost
	items    []string   // ids of the items of a response that the server keeps
	made     *toolCalls // the calls in the response, once they are known
	// of a run without a name
	replied  bool       // the response is kept as a reply
	outdated []string   // replies that this turn has left behind
	overdue  []uint64   // digests of an answer by which the store need not find the run any more
	cleaned  chan error // how removing these has ended; nil: it was not begun

	report Report
}

// token tells one exchange from others.
type token struct{ _ byte }

// trip is an exchange over HTTP.
type trip struct {
	*exchange
	in   *http.Request
	body *payload // nil: it was not read
}

// RoundTrip implements http.RoundTripper. Its errors are those of Options.Base, those of reading the
// request's body, and ErrState.
func (t *Transport) RoundTrip(r *http.Request) (*http.Response, error) {
	t.begin()
	return t.Middleware(r, t.base.RoundTrip)
}

// Middleware is RoundTrip, but sends over next: for SDKs that take middleware and sign the body
// after it. It has the form that anthropic-sdk-go and openai-go ask for.
func (t *Transport) Middleware(
	r *http.Request, next func(*http.Request) (*http.Response, error),
) (*http.Response, error) {
	t.begin()
	x := &trip{in: r, exchange: &exchange{t: t, ctx: r.Context(), arrived: time.Now(), token: new(token)}}
	out, err := x.prepare()
	if err != nil {
		return nil, err
	}
	x.clean()
	x.report.Added = time.Since(x.arrived)
	resp, err := next(out)
	for err == nil && x.respond(resp.StatusCode) {
		_, _ = io.Copy(io.Discard, io.LimitReader(resp.Body, 64<<10))
		_ = resp.Body.Close()
		resp, err = next(x.edited())
	}
	if err != nil {
		x.done(nil)
		return nil, err
	}
	x.watch(resp)
	return resp, nil
}

// prepare returns the request to send. Its error is of reading the body, which is closed then, or ErrState.
func (x *trip) prepare() (*http.Request, error) {
	e, name := api.EndpointOf(x.in.URL.Path), x.t.opts.API
	x.report.Path, x.report.Client = x.in.URL.Path, clientOf(x.in.Header)
	x.report.API, x.report.Model = cmp.Or(name, e.API), e.Model
	x.report.Kind = e.Kind.String()
	switch {
	case x.in.Method != http.MethodPost, x.in.Body == nil, x.in.Body == http.NoBody,
		x.report.API == "", e.Kind == api.KindOther && name == "":
		r := x.pass(PassedOther, nil)
		x.look(r)
		return r, nil
	case signed(x.in.Header):
		x.arrive()
		return x.pass(PassedSigned, nil), nil
	}
	b, passed, err := readBody(x.in, cmp.Or(max(x.t.opts.MaxBody, 0), 64<<20))
	if err != nil {
		return nil, err
	}
	x.body = b
	x.arrive()
	if passed != "" {
		return x.pass(passed, nil), nil
	}
	x.report.In, x.report.Out = int64(len(b.text)), int64(len(b.text))
	x.from = request.Incoming{API: name, Path: x.in.URL.Path, Header: x.in.Header, Body: b.text}
	if x.in.Header.Get("Content-Encoding") != "" { // the text is decompressed
		header := maps.Clone(x.in.Header)
		header.Del("Content-Encoding")
		x.from.Header = header
	}
	x.client = credentials(x.in)
	if x.t.opts.Run != nil {
		x.report.Run = x.t.opts.Run(x.in)
	}
	x.report.Run = cmp.Or(x.report.Run, x.in.Header.Get(RunHeader))
	passed, err = x.decideSafely()
	if x.t.opts.FailClosed && (passed == PassedState || x.report.Passed == PassedState) {
		return nil, x.refuse(err)
	}
	if passed != "" || x.out == nil {
		return x.pass(passed, err), nil
	}
	return x.edited(), nil
}

// edited returns the request with the texts that x.out holds, or as it came.
func (x *trip) edited() *http.Request {
	r := x.forward()
	if x.out == nil {
		if x.body != nil {
			x.body.restore(r)
		}
		x.report.Out = x.report.In
		return r
	}
	if x.beta != "" {
		allowBeta(r.Header, x.beta)
	}
	r.Header.Del("Content-Encoding")
	setEdited(r, x.out)
	x.report.Out = r.ContentLength
	return r
}

// arrive asks the host for the context of the exchange.
func (x *exchange) arrive() {
	if x.t.opts.Begin != nil {
		x.ctx = x.t.opts.Begin(x.ctx, x.report.API)
	}
}

// decideSafely is decide, but for panics, which it reports as PassedFailed. Where the state or the engine has
// failed and x.out is set, it reports that and returns nothing, since the request does not go out as it came.
func (x *exchange) decideSafely() (passed string, err error) {
	passed, err = safely(func() (string, error) { return x.decide(x.ctx) })
	if passed == PassedFailed {
		x.out = nil
		_, _ = safely(func() (string, error) { return x.standStill(notes{}, "", err) })
	}
	if x.out != nil && (passed == PassedState || passed == PassedFailed) {
		x.report.Passed = passed
		x.addWhy(err)
		return "", nil
	}
	return passed, err
}

// safely calls do. A panic in it is PassedFailed.
func safely(do func() (passed string, err error)) (passed string, err error) {
	defer func() {
		if p := recover(); p != nil {
			passed, err = PassedFailed, fmt.Errorf("panic: %v", p)
		}
	}()
	return do()
}

// refuse ends an exchange whose request is not sent, since the run's state has failed. If its turn was saved
// all the same, the client's next try has the turn's texts, perhaps by another process.
func (x *trip) refuse(why error) error {
	x.remember(func(l *fallback) {
		l.unsent = slices.DeleteFunc(slices.Clone(l.unsent), func(head string) bool { return head == x.head })
	})
	x.out, x.report.Passed, x.report.Stands = nil, PassedState, nil
	x.addWhy(why)
	x.done(nil)
	return fmt.Errorf("%w: %s", ErrState, x.report.Why)
}

// pass returns the request as it came, without the headers that are for the Transport.
func (x *trip) pass(passed string, why error) *http.Request {
	x.out, x.report.Passed, x.report.Stands = nil, passed, nil
	if why != nil {
		x.report.Why = why.Error()
	}
	return x.edited()
}

// forward returns a copy of the request without the headers that are for the Transport. The copy
// shares all else with the original, as http.RoundTripper asks: a request that came is never
// written to.
func (x *trip) forward() *http.Request {
	r := x.in.WithContext(x.ctx)
	if r.Header = maps.Clone(x.in.Header); r.Header == nil {
		r.Header = http.Header{}
	}
	r.Header.Del(RunHeader)
	r.Header.Del(TurnHeader)
	if x.report.Turn > 0 {
		acceptReadable(r.Header)
	}
	return r
}

// blaming are the statuses that blame the request, so that the reminders in it may be the cause.
var blaming = []int{http.StatusBadRequest, http.StatusRequestEntityTooLarge, http.StatusUnprocessableEntity}

// respond notes the status of a response. It returns true if the API has refused the request, and the
// reminders in it may be the cause: then the request is to be sent again as it is now, with the texts of
// earlier requests alone, which the API has taken, or, where it holds none or was refused with them, too, as
// it came.
func (x *exchange) respond(status int) (again bool) {
	switch blames := slices.Contains(blaming, status); {
	case blames && x.out != nil && (x.refusal != 0 || x.mayBare()):
		if x.refusal == 0 {
			x.refusal, x.whole = status, x.report
		}
		x.reduce()
		return true
	case x.refusal != 0 && blames: // the texts are not to blame, and stay offered
		x.report = x.whole
		x.report.Status = status
		x.blame(true)
	case x.refusal != 0 && status < 400:
		x.refused(status)
	case x.refusal == 0 && x.out != nil && status < 300:
		x.blame(false)
	}
	return false
}

// reduce takes texts out of the copy: the new ones, or all.
func (x *exchange) reduce() {
	fresh := len(x.report.Put) > 0 || x.report.Again
	x.report.Put, x.report.Held = nil, nil
	if x.decided != nil && fresh && !x.reduced {
		if n, err := decode(x.decided.Notes()); err == nil {
			n.Ledger = n.Ledger.Without(x.report.Turn)
			x.repeat(n, x.decided.Mark)
			if x.reduced = len(x.report.Stands) > 0; x.reduced {
				return
			}
		}
	}
	x.out, x.report.Stands, x.report.Repeat, x.report.Tokens = nil, nil, 0, 0
}

// signed reports whether a request carries a signature or a digest of its body, so that a changed
// body would be refused.
func signed(h http.Header) bool {
	return strings.HasPrefix(h.Get("Authorization"), "AWS4-") ||
		slices.ContainsFunc([]string{"Content-Digest", "Digest", "Content-Md5", "Signature-Input"},
			func(name string) bool { return h.Get(name) != "" })
}

// allowBeta lists a beta feature in the header anthropic-beta, if the client has not listed it.
func allowBeta(h http.Header, beta string) {
	const name = "Anthropic-Beta"
	if !slices.Contains(elements(h, name), beta) {
		h.Set(name, strings.Join(append(slices.Clone(h.Values(name)), beta), ","))
	}
}

// readable are the encodings of decoder.
var readable = []string{"gzip", "x-gzip", "zstd", "br", "deflate", "identity"}

// acceptReadable removes from Accept-Encoding the encodings that the Transport cannot decompress.
// The response goes to the client as it comes.
func acceptReadable(h http.Header) {
	const name = "Accept-Encoding"
	if len(h.Values(name)) == 0 {
		return
	}
	kept := slices.DeleteFunc(elements(h, name), func(e string) bool {
		coding, _, _ := strings.Cut(e, ";")
		return !slices.Contains(readable, strings.ToLower(strings.TrimSpace(coding)))
	})
	if len(kept) == 0 {
		kept = []string{"identity"}
	}
	h.Set(name, strings.Join(kept, ", "))
}

// elements returns the elements of a header's comma-separated lists.
func elements(h http.Header, name string) (list []string) {
	for e := range strings.SplitSeq(strings.Join(h.Values(name), ","), ",") {
		if e = strings.TrimSpace(e); e != "" {
			list = append(list, e)
		}
	}
	return list
}
