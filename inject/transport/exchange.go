package transport

import (
	"fmt"
	"io"
	"maps"
	"net/http"
	"time"

	"github.com/aside-go/aside/inject/wire"
)

// sender sends a request.
type sender = func(*http.Request) (*http.Response, error)

// exchange is one request and its response. It belongs to one goroutine, the response's body to the one that reads it.
type exchange struct {
	*Transport
	in      *http.Request
	send    sender
	arrived time.Time
	body    *body // nil: it was not read

	q      *wire.Request
	conv   *wire.Conversation
	head   string // of conv
	tenant uint64 // index.tenantOf
	named  bool   // the client has named the run
	marked bool   // the run had a mark before this request

	out   *wire.Edition // what is sent; nil: what came
	texts bool          // out holds texts of ours
	beta  string        // what the header anthropic-beta must list for them; "": nothing

	Report
}

// RoundTrip implements http.RoundTripper. It returns no error that base does not return, but for one of reading the request's body.
func (t *Transport) RoundTrip(r *http.Request) (*http.Response, error) {
	return t.Middleware(r, t.base.RoundTrip)
}

// Middleware does what RoundTrip does, and sends over next: for SDKs that take middleware, where it stands before a signature is
// made over the body. It has the form that anthropic-sdk-go and openai-go ask for.
func (t *Transport) Middleware(r *http.Request, next func(*http.Request) (*http.Response, error)) (*http.Response, error) {
	x := &exchange{Transport: t, in: r, send: next, arrived: time.Now()}
	sent, err := x.prepare()
	if err != nil {
		return nil, err
	}
	x.Added = time.Since(x.arrived)
	resp, err := next(sent)
	if err == nil && x.texts && doubtful(resp.StatusCode) {
		resp, err = x.without(resp)
	}
	if err != nil {
		x.done(nil)
		return nil, err
	}
	x.watch(resp)
	return resp, nil
}

// prepare returns the request to send. Its error is of reading the body, which is closed then.
func (x *exchange) prepare() (*http.Request, error) {
	e := wire.EndpointOf(x.in.URL.Path)
	x.API, x.Kind, x.Report.Model = e.API, e.Kind, e.Model
	if x.opts.API != "" {
		x.API = x.opts.API
	}
	switch {
	case x.in.Body == nil || x.in.Body == http.NoBody || x.in.Method != http.MethodPost || x.API == "" || e.Kind == wire.KindOther && x.opts.API == "":
		return x.pass(PassedOther, ""), nil
	case signed(x.in.Header):
		return x.pass(PassedSigned, ""), nil
	}
	b, passed, err := readBody(x.in, x.maxBody())
	if err != nil {
		return nil, err
	}
	x.body = b
	if passed != "" {
		return x.pass(passed, ""), nil
	}
	x.In, x.Out = int64(len(b.text)), int64(len(b.text))
	x.engine()
	if x.out == nil {
		return x.pass(x.Passed, x.Why), nil
	}
	x.Out = int64(x.out.Len())
	r := x.forward()
	if x.beta != "" {
		allow(r.Header, x.beta)
	}
	x.body.set(r, *x.out)
	return r, nil
}

// engine decides what goes out. A panic in it is reported, and the request goes out as it came.
func (x *exchange) engine() {
	defer func() {
		if p := recover(); p != nil {
			x.drop()
			x.Passed, x.Why = PassedFailed, fmt.Sprint("panic: ", p)
		}
	}()
	if passed, err := x.decide(x.in.Context()); passed != "" {
		x.drop()
		x.Passed = passed
		if err != nil {
			x.Why = err.Error()
		}
	}
}

// drop discards the copy with reminders, so that what came goes out.
func (x *exchange) drop() { x.out, x.texts, x.beta = nil, false, "" }

// pass returns the request as it came, without the headers that are for the Transport.
func (x *exchange) pass(passed, why string) *http.Request {
	x.Passed, x.Why = passed, why
	r := x.forward()
	if x.body != nil {
		x.body.reset(r)
	}
	return r
}

// forward returns a copy of the request without the headers that are for the Transport. All but the header is shared with the
// original, as http.RoundTripper asks: a request that came is never written to.
func (x *exchange) forward() *http.Request {
	r := x.in.WithContext(x.in.Context())
	if r.Header = maps.Clone(x.in.Header); r.Header == nil {
		r.Header = http.Header{}
	}
	r.Header.Del(RunHeader)
	r.Header.Del(TurnHeader)
	if x.Turn > 0 {
		readable(r.Header)
	}
	return r
}

func (x *exchange) maxBody() int64 {
	if x.opts.MaxBody > 0 {
		return x.opts.MaxBody
	}
	return 64 << 20
}

// doubtful reports whether a status blames the request, so that the reminders in it may be why.
func doubtful(status int) bool {
	return status == http.StatusBadRequest || status == http.StatusRequestEntityTooLarge || status == http.StatusUnprocessableEntity
}

// without sends the request as it came, after it was refused with reminders in it.
func (x *exchange) without(refused *http.Response) (*http.Response, error) {
	_, _ = io.Copy(io.Discard, io.LimitReader(refused.Body, 64<<10))
	_ = refused.Body.Close()
	r := x.forward()
	x.body.reset(r)
	resp, err := x.send(r)
	if err == nil && resp.StatusCode < 400 {
		x.texts = false
		x.Passed, x.Why = PassedRefused, fmt.Sprintf("status %d with reminders, %d without", refused.StatusCode, resp.StatusCode)
		x.refused()
	}
	return resp, err
}
