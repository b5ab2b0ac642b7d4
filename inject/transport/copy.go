package transport

import (
	"cmp"
	"context"
	"net/http"
	"time"

	"github.com/aside-go/aside/eval"
	"github.com/aside-go/aside/inject"
	"github.com/aside-go/aside/inject/wire"
	"github.com/aside-go/aside/internal/api"
	"github.com/aside-go/aside/internal/request"
	"github.com/aside-go/aside/internal/response"
)

// Request is a request to a model, for Transport.Copy: the bytes of an API, or messages as values.
type Request struct {
	API   wire.API // of Body; "": Options.API
	Model string   // where Body does not name the model
	Count bool     // the request is not for an answer: its tokens are to be counted
	Body  []byte
	// Messages, if it is not nil, are the request in place of Body: the whole history, as the host keeps it. No
	// text of ours is in it: a host never takes Copy.Messages for its history.
	Messages []inject.Message
}

// Copy is the copy of a Request that is to be sent in its place, with the texts of earlier requests where
// they stood, and with the texts that are due now. It belongs to one goroutine at a time.
type Copy struct {
	Body []byte // as Request.Body
	// as Request.Messages; a text is a block of its own, behind the content of a message of a user or a tool, or
	// at the end of the system prompt
	Messages []inject.Message
	Beta     string // a value that the header anthropic-beta must list; "": none
	// Report says what became of the request so far, with Status and Usage once Done was called.
	Report Report

	x    *exchange
	r    Request
	said *values       // Request.Messages as bytes; nil: there are none
	tap  *response.Tap // of the response; nil: nothing of it has come
}

// Copy returns the copy of r that is to be sent: the way of RoundTrip for hosts whose requests take no
// http.Client. The run is that of ctx (eval.WithRun), or else found by the conversation; what the host knows
// of the turn comes with ctx, too (eval.WithTurn). The decision is stored before Copy returns. In any doubt
// the copy is the request itself, and the Report says why.
//
// Call Done when the response is there. A request that failed and is tried again is the same turn: the copy
// is the same, whether it is asked for again or not. Copy may be called concurrently.
func (t *Transport) Copy(ctx context.Context, r Request) *Copy {
	t.begin()
	c := &Copy{r: r, x: &exchange{t: t, ctx: ctx, counts: r.Count, arrived: time.Now(),
		token: new(token)}}
	x := c.x
	x.from = request.Incoming{API: cmp.Or(r.API, t.opts.API), Body: r.Body}
	x.report.Model = r.Model
	var err error
	if r.Messages != nil {
		if c.said, err = encode(r); err == nil {
			x.from = request.Incoming{API: wire.Messages, Body: c.said.body}
		}
	} else {
		x.report.In = int64(len(r.Body))
	}
	x.report.API = x.from.API
	x.report.Kind = api.KindTurn.String()
	x.arrive()
	passed := PassedShape
	if err == nil {
		passed, err = x.decideSafely()
	}
	if passed == "" {
		if err = c.fill(); err != nil {
			passed = PassedFailed
		}
	}
	if passed != "" {
		x.out, x.report.Passed, x.report.Stands = nil, passed, nil
		x.addWhy(err)
		_ = c.fill()
	}
	x.clean()
	x.report.Added = time.Since(x.arrived)
	c.Report = x.report
	return c
}

// fill makes c the request with the texts that x.out holds, or as it came.
func (c *Copy) fill() (err error) {
	x := c.x
	if c.Body, c.Messages, c.Beta = c.r.Body, c.r.Messages, ""; x.out != nil {
		edited := x.out.AppendTo(make([]byte, 0, x.out.Len()))
		if c.Beta = x.beta; c.r.Messages == nil {
			c.Body = edited
		} else {
			c.Messages, err = c.said.decode(edited)
		}
	}
	if c.r.Messages == nil {
		x.report.Out = int64(len(c.Body))
	}
	return err
}

// Write takes in the next piece of the response's body as it comes, in the API's own bytes, not compressed: a
// host that streams reads it through io.TeeReader(body, c). The run's next request is then decided by all
// that has come, even before Done, and Done needs no Body. Write keeps no more than one event, and never
// fails.
func (c *Copy) Write(p []byte) (int, error) {
	x := c.x
	if x == nil || x.report.Turn == 0 {
		return len(p), nil
	}
	if c.tap == nil {
		c.tap = api.NewAnswerTap(x.q.API)
	}
	before := c.tap.Certain()
	n, err := c.tap.Write(p)
	if c.tap.Certain() && !before {
		x.learn(x.told(c.tap))
	}
	return n, err
}

// Response is the response to a Copy.
type Response struct {
	Status int // of HTTP; 0 is 200
	// in the API's own bytes, a stream as it came; nil: Write has got them, or Usage says the usage
	Body  []byte
	Usage eval.Usage // where the API's own bytes do not tell it
}

// Done says that the response is there. It returns true if the API has refused the request (400, 413, 422)
// and the texts in it may be the cause: c has then become the request with the texts of earlier requests
// alone, or as it came, to be sent once more, with another Done. If that is accepted, the texts are due
// again, and go to the next place that the model is known to take them at.
//
// A request that got no response needs no Done.
func (c *Copy) Done(r Response) (again bool) {
	x := c.x
	if x == nil {
		return false
	}
	if x.report.Status = r.Status; r.Status == 0 {
		x.report.Status = http.StatusOK
	}
	defer func() { c.Report = x.report }()
	if x.respond(x.report.Status) {
		if err := c.fill(); err != nil { // it was written so before
			x.out = nil
			_ = c.fill()
		}
		c.tap = nil
		return true
	}
	if x.report.Turn == 0 || x.report.Status >= 300 {
		x.done(nil)
		return false
	}
	u := response.Usage{Context: response.Count{N: r.Usage.ContextTokens, Known: r.Usage.Known},
		Response: response.Count{N: r.Usage.ResponseTokens, Known: r.Usage.Known}}
	if r.Body != nil {
		_, _ = c.Write(r.Body)
	}
	if c.tap != nil {
		c.tap.End(true)
		said := u
		if u = c.tap.Usage(); r.Usage.Known {
			u.Context, u.Response = cmp.Or(u.Context, said.Context), cmp.Or(u.Response, said.Response)
		}
		x.hear(c.tap)
	}
	x.done(&u)
	return false
}
